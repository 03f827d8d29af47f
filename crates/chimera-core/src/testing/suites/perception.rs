//! What every `Perception` holds to.

use crate::ports::perception::{NewItem, Perception, StoredItem};
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
        title: format!("Title of {content_key} 🚀"),
        text: "Text\nof it".to_owned(),
        url: Some("https://a.example/1".to_owned()),
        author: Some("Ada".to_owned()),
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
    assert_eq!(perception.last_alert("selam", "story").await.unwrap(), None);

    perception.record_alert("selam", "story", 3, at(0)).await.unwrap();
    perception.record_alert("selam", "story", 5, at(1)).await.unwrap();
    perception.record_alert("noor", "story", 9, at(2)).await.unwrap();

    assert_eq!(perception.last_alert("selam", "story").await.unwrap(), Some(5));
    assert_eq!(perception.last_alert("noor", "story").await.unwrap(), Some(9));
    assert_eq!(perception.last_alert("selam", "other").await.unwrap(), None);
}

async fn nothing_is_found_where_nothing_was_seen(perception: &dyn Perception) {
    assert_eq!(perception.remember(&[]).await.unwrap(), []);
    perception.assign(&[]).await.unwrap();
    assert_eq!(window_of(perception, &[RESOURCE], 0, 10).await, []);
}
