//! Which trends are told first, what an unknown date does, and where a story stands in its life.

use super::*;

const GOAL: &str = "the Toyota recall, the Lisbon tram strike";

fn recall_and_strike() -> Value {
    dated(&[
        ("11:40", "Toyota recall widens to more cars"),
        ("11:41", "Toyota recall: what owners must know"),
        ("11:42", "Brakes behind the Toyota recall, engineers say"),
        ("11:43", "Dealers prepare for the Toyota recall"),
        ("11:44", "Lisbon tram strike enters second day"),
        ("11:45", "Commuters walk as Lisbon tram strike goes on"),
        ("11:46", "Lisbon mayor speaks of tram strike"),
    ])
}

fn stories(answer: &Value) -> (Value, Vec<Value>) {
    let more = answer["more_trends"].as_array().cloned().unwrap_or_default();
    (answer["trend_alert"]["trend"].clone(), more.iter().map(|other| other["trend"].clone()).collect())
}

#[tokio::test]
async fn a_told_story_never_hides_an_untold_one() {
    let world = World::new().await;
    world.serve(NEWS, &recall_and_strike());
    let ask = json!({"goal_context": GOAL, "relevance_threshold": 0.0});

    let (first, more) = stories(&world.call(&ask).await);
    let (second, told) = stories(&world.call(&ask).await);
    let (third, rest) = stories(&world.call(&ask).await);

    assert!(first["signal_strength"].as_f64() > second["signal_strength"].as_f64(), "{first} {second}");
    assert_eq!((more.len(), &more[0]["cluster_id"], &more[0]["new"]), (1, &second["cluster_id"], &json!(true)));
    assert_eq!((&first["new"], &second["new"]), (&json!(true), &json!(true)));
    assert_eq!((&told[0]["cluster_id"], &told[0]["new"]), (&first["cluster_id"], &json!(false)));
    // Everything is told: the strongest comes first again, and is not news.
    assert_eq!((&third["cluster_id"], &third["new"]), (&first["cluster_id"], &json!(false)));
    assert_eq!(rest[0]["cluster_id"], second["cluster_id"]);
}

#[tokio::test]
async fn one_trend_has_no_others_beside_it() {
    let world = World::new().await;
    world.serve(NEWS, &recall_items());

    assert!(world.call(&json!({})).await.get("more_trends").is_none());
}

#[tokio::test]
async fn more_trends_are_bounded() {
    let world = World::new().await;
    let subjects = ["bridge", "goat", "violin", "glacier", "vaccine", "submarine", "orchard", "satellite", "museum"];
    let items: Vec<Value> = subjects
        .iter()
        .flat_map(|subject| ["one", "two", "three"].map(|word| json!({"title": format!("{subject} {subject} {word}{subject}"), "author": word, "published_at": "2026-01-02T11:50:00Z"})))
        .collect();
    world.serve(NEWS, &json!(items));

    let (_, more) = stories(&world.call(&json!({"relevance_threshold": 0.0})).await);

    assert_eq!(more.len(), crate::contracts::trend_fetcher::MORE_TRENDS_MAX);
}

#[tokio::test]
async fn items_of_unknown_date_raise_no_trend_and_are_still_found() {
    // None, no date, of next month, of last week; a clock that is a few minutes ahead is believed.
    for (date, is_trend) in [
        (None, false),
        (Some("yesterday-ish"), false),
        (Some("2026-02-01T00:00:00Z"), false),
        (Some("2026-01-02T12:30:00Z"), false),
        (Some("2025-12-26T12:00:00Z"), false),
        (Some("2026-01-02T12:05:00Z"), true),
        (Some("2026-01-02T11:00:00Z"), true),
    ] {
        let world = World::new().await;
        let mut items = recall_items();
        for item in items.as_array_mut().unwrap() {
            item["published_at"] = json!(date);
        }
        world.serve(NEWS, &items);

        let answer = world.call(&json!({})).await;

        assert_eq!(answer["trend_alert"].is_object(), is_trend, "{date:?}: {answer}");
        assert_eq!(summaries(&answer).len(), 3, "{date:?}");
    }
}

#[tokio::test]
async fn items_of_unknown_date_make_no_told_story_new_again() {
    let world = World::new().await;
    world.serve(NEWS, &recall_items());
    let (first, _) = stories(&world.call(&json!({})).await);
    let mut items = recall_items();
    for (author, title) in [("Kim", "Toyota recall in Japan"), ("Lea", "Toyota recall in Chile"), ("Mia", "Toyota recall in Kenya")] {
        items.as_array_mut().unwrap().push(json!({"title": title, "author": author}));
    }
    world.serve(NEWS, &items);

    let (second, _) = stories(&world.call(&json!({})).await);

    assert_eq!((&second["cluster_id"], &second["new"]), (&first["cluster_id"], &json!(false)));
    assert_eq!(second["signal_strength"], first["signal_strength"]);
}

#[tokio::test]
async fn prices_have_their_own_time() {
    let world = World::new().await;
    let ask = json!({"resource_uris": ["market://crypto/eth/price"], "relevance_threshold": 0.0, "goal_context": "ETH price"});
    world.serve("market://crypto/eth/price", &json!({"asset": "eth", "price": 3243.44, "currency": "USD"}));
    world.call(&ask).await;

    let window = world.perception.window(&["market://crypto/eth/price".to_owned()], DateTime::UNIX_EPOCH, 10).await.unwrap();

    assert_eq!(window[0].dated_at(), Some(world.clock.now()));
}

#[tokio::test]
async fn a_story_is_told_with_its_phase_and_a_fading_one_is_not_new() {
    for (times, phase, new) in [
        (["11:10", "11:20", "11:30", "11:40", "11:50"], "rising", true),
        (["08:30", "08:40", "09:50", "10:40", "11:50"], "peak", true),
        (["08:10", "08:20", "08:30", "08:40", "11:50"], "fading", false),
    ] {
        let world = World::new().await;
        let titles = [
            "Toyota recall widens to more cars",
            "Toyota recall: what owners must know",
            "Brakes behind the Toyota recall, engineers say",
            "Dealers prepare for the Toyota recall",
            "Toyota recall letters reach owners",
        ];
        let items: Vec<(&str, &str)> = times.into_iter().zip(titles).collect();
        world.serve(NEWS, &dated(&items));

        let (trend, _) = stories(&world.call(&json!({})).await);

        assert_eq!((&trend["phase"], &trend["new"]), (&json!(phase), &json!(new)), "{times:?}");
    }
}
