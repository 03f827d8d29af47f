//! What is known from earlier calls: stories that were told, vectors that were made, items that are still in the window.

use super::*;

#[tokio::test]
async fn the_same_story_keeps_its_id_and_is_new_again_only_when_it_has_grown() {
    let world = World::new().await;
    world.serve(NEWS, &recall_items());
    let first = world.call(&json!({})).await;

    world.clock.advance(TimeDelta::minutes(30));
    let second = world.call(&json!({})).await;
    world.clock.advance(TimeDelta::minutes(30));
    world.serve(
        POSTS,
        &json!([
            {"text": "My Toyota is part of the recall", "author": "eve", "published_at": "2026-01-02T12:40:00Z"},
            {"text": "Toyota recall letter arrived today", "author": "fay", "published_at": "2026-01-02T12:40:00Z"},
        ]),
    );
    let third = world.call(&json!({"resource_uris": [NEWS, POSTS]})).await;

    let id = |answer: &Value| answer["trend_alert"]["trend"]["cluster_id"].clone();
    let new = |answer: &Value| answer["trend_alert"]["trend"]["new"].clone();
    assert_eq!((id(&second), id(&third)), (id(&first), id(&first)));
    assert_eq!([new(&first), new(&second), new(&third)], [true, false, true]);
    assert_eq!(third["trend_alert"]["trend"]["sample_resource_uris"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn an_item_is_embedded_once_however_often_it_is_looked_at() {
    let world = World::new().await;
    // A goal is embedded with every call.
    let texts_of_call = async |items: &Value| {
        world.serve(NEWS, items);
        let before = world.embedder.0.load(Ordering::Relaxed);
        world.call(&json!({"options": {"include_below_threshold": true}})).await;
        world.embedder.0.load(Ordering::Relaxed) - before - 1
    };

    // The first call of all embeds the neutral items too.
    texts_of_call(&json!([{"title": "Nothing of interest"}])).await;
    let first = texts_of_call(&recall_items()).await;
    let again = texts_of_call(&recall_items()).await;
    let mut grown = recall_items();
    grown.as_array_mut().unwrap().push(json!({"title": "Toyota recall reaches the last owners", "author": "Eve"}));
    let with_one_more = texts_of_call(&grown).await;

    assert_eq!([first, again, with_one_more], [4, 0, 1]);
}

/// Five items on one event, and their ids.
async fn told_event(world: &World) -> Vec<i64> {
    let mut items = recall_items();
    items.as_array_mut().unwrap().extend([
        json!({"title": "Toyota recall letters reach owners", "author": "Eve", "published_at": "2026-01-02T11:54:00Z"}),
        json!({"title": "Dealers prepare for the Toyota recall", "author": "Fay", "published_at": "2026-01-02T11:55:00Z"}),
    ]);
    world.serve(NEWS, &items);
    assert_eq!(world.call(&json!({})).await["trend_alert"]["trend"]["new"], true);
    let window = world.perception.window(&[NEWS.to_owned()], DateTime::UNIX_EPOCH, 10).await.unwrap();
    window.iter().filter(|stored| stored.item.title.as_data().contains("Toyota")).map(|stored| stored.id).collect()
}

#[tokio::test]
async fn an_event_that_broke_into_two_stories_is_new_once() {
    let world = World::new().await;
    let ids = told_event(&world).await;
    let assignments: Vec<(i64, String)> = ids[1..].iter().map(|id| (*id, "story-other".to_owned())).collect();
    world.perception.assign(&assignments).await.unwrap();

    let trend = world.call(&json!({})).await["trend_alert"]["trend"].clone();

    assert_eq!((&trend["cluster_id"], &trend["new"]), (&json!("story-other"), &json!(false)));
    assert_eq!(world.perception.last_alerts("selam", &["story-other".to_owned()]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn stories_that_were_told_apart_are_not_news_when_they_become_one() {
    let world = World::new().await;
    let ids = told_event(&world).await;
    let assignments: Vec<(i64, String)> = ids[3..].iter().map(|id| (*id, "story-other".to_owned())).collect();
    world.perception.assign(&assignments).await.unwrap();
    let first = world.perception.window(&[NEWS.to_owned()], DateTime::UNIX_EPOCH, 1_000).await.unwrap();
    let kept = first.iter().find(|stored| stored.id == ids[0]).and_then(|stored| stored.cluster_id.clone()).unwrap();
    let now = world.clock.now();
    world.perception.record_alert("selam", &kept, 3, now).await.unwrap();
    world.perception.record_alert("selam", "story-other", 2, now).await.unwrap();

    // An item that belongs to both brings them together.
    world.serve(
        NEWS,
        &json!([{"title": "Toyota recall: letters, brakes, cars, owners", "author": "Gil", "published_at": "2026-01-02T11:56:00Z"}]),
    );
    let trend = world.call(&json!({})).await["trend_alert"]["trend"].clone();

    assert_eq!((&trend["cluster_id"], &trend["new"]), (&json!(kept), &json!(false)));
    let told = world.perception.last_alerts("selam", std::slice::from_ref(&kept)).await.unwrap();
    assert_eq!(told[&kept], 5);
}

#[tokio::test]
async fn an_item_is_forgotten_a_month_after_it_was_last_shown() {
    let world = World::new().await;
    let known = async || world.perception.window(&[NEWS.to_owned()], DateTime::UNIX_EPOCH, 10).await.unwrap().len();
    world.serve(NEWS, &recall_items());
    world.call(&json!({})).await;

    world.serve(NEWS, &json!([{"title": "Ferry timetable changes", "author": "Gil"}]));
    world.clock.advance(TimeDelta::days(30));
    world.call(&json!({})).await;
    let after_a_month = known().await;
    world.clock.advance(TimeDelta::seconds(1));
    world.call(&json!({})).await;

    assert_eq!((after_a_month, known().await), (5, 1));
}

#[tokio::test]
async fn items_of_earlier_calls_count_while_they_are_in_the_window() {
    let world = World::new().await;
    let items = recall_items();
    for (minutes, expected) in [(0, false), (60, false), (120, true)] {
        let item = &items[minutes / 60];
        world.serve(NEWS, &json!([item]));
        let answer = world.call(&json!({})).await;
        assert_eq!(answer["trend_alert"].is_object(), expected, "after {minutes} minutes: {answer}");
        assert_eq!(summaries(&answer).len(), 1);
        world.clock.advance(TimeDelta::minutes(60));
    }

    world.clock.advance(TimeDelta::hours(1));
    let later = world.call(&json!({})).await;

    assert_eq!(later["trend_alert"], Value::Null);
}
