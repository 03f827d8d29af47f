//! What every `Perception` holds to.

use crate::{
    domain::{Author, Untrusted, WebUrl},
    ports::perception::{JoinedStories, NewItem, Perception, StoredItem},
};
use chrono::{DateTime, TimeDelta, Utc};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Perception>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, perception) = fresh();
    items_are_answered_as_stored_and_in_order(&perception).await;
    let (_guard, perception) = fresh();
    an_item_is_remembered_once_for_its_resource_and_the_first_stays(&perception).await;
    let (_guard, perception) = fresh();
    an_items_time_is_its_publication_unless_that_is_absent_or_in_the_future(&perception).await;
    let (_guard, perception) = fresh();
    a_window_holds_the_newest_items_of_its_resources_oldest_first(&perception).await;
    let (_guard, perception) = fresh();
    an_assignment_replaces_an_earlier_one_and_outlives_being_seen_again(&perception).await;
    let (_guard, perception) = fresh();
    the_last_alert_is_kept_for_each_agent_and_story(&perception).await;
    let (_guard, perception) = fresh();
    what_was_told_of_stories_that_become_one_is_known_of_the_whole(&perception).await;
    let (_guard, perception) = fresh();
    a_kept_vector_comes_back_with_its_item(&perception).await;
    let (_guard, perception) = fresh();
    what_nobody_shows_any_more_is_forgotten_and_the_rest_stays(&perception).await;
    let (_guard, perception) = fresh();
    nothing_is_found_where_nothing_was_seen(&perception).await;
}

const RESOURCE: &str = "news://global/technology/latest";

/// `minute` after an arbitrary start.
fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_767_312_000, 0).expect("a valid time") + TimeDelta::minutes(minute)
}

fn item(content_key: &str, seen_minute: i64) -> NewItem {
    NewItem {
        resource_uri: RESOURCE.to_owned(),
        content_key: content_key.to_owned(),
        title: Untrusted::new(format!("Title of {content_key} 🚀")),
        text: Untrusted::new("Text\nof it"),
        url: WebUrl::parse("https://a.example/1"),
        author: Author::parse("Ada"),
        published_at: None,
        seen_at: at(seen_minute),
        flagged: false,
        price: None,
    }
}

async fn window_of(perception: &dyn Perception, resource_uris: &[&str], since_minute: i64, limit: usize) -> Vec<StoredItem> {
    let resource_uris: Vec<String> = resource_uris.iter().map(|uri| (*uri).to_owned()).collect();
    perception.window(&resource_uris, at(since_minute), limit).await.unwrap()
}

fn keys(items: &[StoredItem]) -> Vec<&str> {
    items.iter().map(|stored| stored.item.content_key.as_str()).collect()
}

async fn items_are_answered_as_stored_and_in_order(perception: &dyn Perception) {
    let plain = item("b", 0);
    let bare = NewItem { url: None, author: None, flagged: true, price: Some(3412.1), ..item("a", 1) };

    let stored = perception.remember(&[plain.clone(), bare.clone()]).await.unwrap();

    assert_eq!(stored.iter().map(|stored| stored.item.clone()).collect::<Vec<_>>(), [plain, bare]);
    assert_ne!(stored[0].id, stored[1].id);
    assert!(stored.iter().all(|stored| stored.cluster_id.is_none()));
    assert_eq!(window_of(perception, &[RESOURCE], 0, 10).await, stored);
}

async fn an_item_is_remembered_once_for_its_resource_and_the_first_stays(perception: &dyn Perception) {
    let first = perception.remember(&[item("a", 0)]).await.unwrap().remove(0);

    let again = perception.remember(&[item("a", 5), item("b", 5), item("a", 6)]).await.unwrap();
    let elsewhere = perception.remember(&[NewItem { resource_uri: "news://other/x/latest".to_owned(), ..item("a", 5) }]).await.unwrap();

    assert_eq!(again[0], first);
    assert_eq!(again[2], first);
    assert_ne!(elsewhere[0].id, first.id);
    assert_eq!(keys(&window_of(perception, &[RESOURCE], 0, 10).await), ["a", "b"]);
}

async fn an_items_time_is_its_publication_unless_that_is_absent_or_in_the_future(perception: &dyn Perception) {
    let published = |key: &str, minute: Option<i64>| NewItem { published_at: minute.map(at), ..item(key, 10) };

    let stored = perception.remember(&[published("past", Some(3)), published("none", None), published("future", Some(11))]).await.unwrap();

    assert_eq!(stored.iter().map(|stored| stored.at).collect::<Vec<_>>(), [at(3), at(10), at(10)]);
    assert_eq!(stored[2].item.published_at, Some(at(11)));
}

async fn a_window_holds_the_newest_items_of_its_resources_oldest_first(perception: &dyn Perception) {
    let other = NewItem { resource_uri: "news://other/x/latest".to_owned(), ..item("other", 4) };
    perception.remember(&[item("five", 5), item("one", 1), item("three", 3), other, item("old", -1)]).await.unwrap();

    assert_eq!(keys(&window_of(perception, &[RESOURCE], 0, 10).await), ["one", "three", "five"]);
    assert_eq!(keys(&window_of(perception, &[RESOURCE], 0, 2).await), ["three", "five"]);
    assert_eq!(keys(&window_of(perception, &[RESOURCE], 3, 10).await), ["three", "five"]);
    assert_eq!(keys(&window_of(perception, &[RESOURCE, "news://other/x/latest"], 2, 10).await), ["three", "other", "five"]);
    assert_eq!(keys(&window_of(perception, &[], 0, 10).await), [""; 0]);
}

async fn an_assignment_replaces_an_earlier_one_and_outlives_being_seen_again(perception: &dyn Perception) {
    let ids: Vec<i64> = perception.remember(&[item("a", 0), item("b", 1)]).await.unwrap().iter().map(|stored| stored.id).collect();

    perception.assign(&[(ids[0], "first".to_owned()), (ids[1], "first".to_owned())]).await.unwrap();
    perception.assign(&[(ids[0], "second".to_owned())]).await.unwrap();
    perception.assign(&[(i64::MAX, "nobody".to_owned())]).await.unwrap();
    let again = perception.remember(&[item("a", 9)]).await.unwrap();

    assert_eq!(again[0].cluster_id.as_deref(), Some("second"));
    assert_eq!(window_of(perception, &[RESOURCE], 1, 10).await[0].cluster_id.as_deref(), Some("first"));
}

async fn the_last_alert_is_kept_for_each_agent_and_story(perception: &dyn Perception) {
    assert_eq!(told(perception, "selam", &["story"]).await, []);

    perception.record_alert("selam", "story", 3, at(0)).await.unwrap();
    perception.record_alert("selam", "story", 5, at(1)).await.unwrap();
    perception.record_alert("noor", "story", 9, at(2)).await.unwrap();

    assert_eq!(told(perception, "selam", &["other", "story"]).await, [("story".to_owned(), 5)]);
    assert_eq!(told(perception, "noor", &["story"]).await, [("story".to_owned(), 9)]);
    assert_eq!(told(perception, "selam", &["other"]).await, []);
}

async fn told(perception: &dyn Perception, agent_id: &str, cluster_ids: &[&str]) -> Vec<(String, u64)> {
    let cluster_ids: Vec<String> = cluster_ids.iter().map(|id| (*id).to_owned()).collect();
    perception.last_alerts(agent_id, &cluster_ids).await.unwrap().into_iter().collect()
}

async fn what_was_told_of_stories_that_become_one_is_known_of_the_whole(perception: &dyn Perception) {
    for (agent, story, items) in [("both", "a", 3), ("both", "b", 4), ("gone", "b", 5), ("kept", "a", 6), ("neither", "c", 7)] {
        perception.record_alert(agent, story, items, at(0)).await.unwrap();
    }
    let join = JoinedStories { kept: "a".to_owned(), kept_items: 10, gone: "b".to_owned(), gone_items: 20 };

    perception.join_stories(&[join]).await.unwrap();

    for (agent, items) in [("both", 7), ("gone", 15), ("kept", 26)] {
        assert_eq!(told(perception, agent, &["a", "c"]).await, [("a".to_owned(), items)], "{agent}");
    }
    assert_eq!(told(perception, "neither", &["a", "b", "c"]).await, [("c".to_owned(), 7)]);
}

async fn a_kept_vector_comes_back_with_its_item(perception: &dyn Perception) {
    let stored = perception.remember(&[item("a", 0), item("b", 1)]).await.unwrap();
    assert!(stored.iter().all(|stored| stored.vector.is_none()));

    perception.keep_vectors(&[(stored[0].id, vec![1]), (i64::MAX, vec![2])]).await.unwrap();
    perception.keep_vectors(&[(stored[0].id, vec![0, 255])]).await.unwrap();

    let vectors = |items: Vec<StoredItem>| items.into_iter().map(|stored| stored.vector).collect::<Vec<_>>();
    assert_eq!(vectors(window_of(perception, &[RESOURCE], 0, 10).await), [Some(vec![0, 255]), None]);
    assert_eq!(vectors(perception.remember(&[item("a", 9)]).await.unwrap()), [Some(vec![0, 255])]);
}

async fn what_nobody_shows_any_more_is_forgotten_and_the_rest_stays(perception: &dyn Perception) {
    const DAY: i64 = 24 * 60;
    let long_published = NewItem { published_at: Some(at(-90 * DAY)), ..item("long published", 5 * DAY) };
    let stored = perception
        .remember(&[item("oldest", 0), item("old", 1), item("still shown", 0), item("new", 5 * DAY), long_published])
        .await
        .unwrap();
    perception.keep_vectors(&[(stored[0].id, vec![1]), (stored[2].id, vec![2])]).await.unwrap();
    perception.remember(&[item("still shown", 4 * DAY)]).await.unwrap();
    perception.record_alert("selam", "old story", 3, at(0)).await.unwrap();
    perception.record_alert("selam", "new story", 4, at(4 * DAY)).await.unwrap();

    assert_eq!(perception.forget(at(0), 10).await.unwrap(), 0);
    assert_eq!(perception.forget(at(3 * DAY), 1).await.unwrap(), 1);
    let without_oldest = window_of(perception, &[RESOURCE], -100 * DAY, 10).await;
    assert_eq!(perception.forget(at(3 * DAY), 10).await.unwrap(), 1);
    assert_eq!(perception.forget(at(3 * DAY), 10).await.unwrap(), 0);

    assert_eq!(keys(&without_oldest), ["long published", "still shown", "old", "new"]);
    let kept = window_of(perception, &[RESOURCE], -100 * DAY, 10).await;
    assert_eq!(keys(&kept), ["long published", "still shown", "new"]);
    assert_eq!((kept[1].item.seen_at, &kept[1].vector), (at(0), &Some(vec![2])));
    assert_eq!(told(perception, "selam", &["new story", "old story"]).await, [("new story".to_owned(), 4)]);
    // Shown once more, a forgotten item is as new as any other.
    let again = perception.remember(&[item("oldest", 6 * DAY)]).await.unwrap();
    assert_eq!((again[0].item.seen_at, &again[0].vector), (at(6 * DAY), &None));
}

async fn nothing_is_found_where_nothing_was_seen(perception: &dyn Perception) {
    assert_eq!(perception.remember(&[]).await.unwrap(), []);
    perception.assign(&[]).await.unwrap();
    perception.keep_vectors(&[]).await.unwrap();
    perception.join_stories(&[]).await.unwrap();
    assert_eq!(perception.forget(at(0), 10).await.unwrap(), 0);
    assert_eq!(window_of(perception, &[RESOURCE], 0, 10).await, []);
}
