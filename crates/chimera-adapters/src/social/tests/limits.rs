//! Platforms that have had enough, are late, or are gone.

use super::{Session, StandIn, on_bluesky, on_mastodon, on_x, post_on, reply};
use axum::Router;
use serde_json::json;
use std::time::Duration;
use tokio::task::JoinSet;
use url::Url;

#[tokio::test]
async fn after_too_many_requests_nothing_is_asked_until_the_time_that_was_named() {
    let refused = reply(429, json!({ "error": "Too many requests" }))
        .with("x-ratelimit-remaining", "0")
        .with("x-ratelimit-reset", "2026-11-15T08:05:00.000000Z");
    let stand_in = StandIn::with(vec![refused, reply(200, json!([]))]).await;
    let session = Session::open(on_mastodon(stand_in.url())).await;

    let first = session.read("mastodon://timelines/public").await.unwrap_err();
    let second = session.refusal("mastodon://mentions/recent").await;
    let asked_while_silent = stand_in.lines().len();
    session.clock.advance(chrono::TimeDelta::minutes(5));
    let third = session.read("mastodon://timelines/public").await;

    let expected = "rate_limited: mastodon allows no more of this; try again at 2026-11-15T08:05:00Z";
    assert_eq!((first.message.as_ref(), second.as_str()), (expected, expected));
    assert_eq!(first.data, Some(json!({ "error_code": "rate_limited", "retry_at": "2026-11-15T08:05:00Z" })));
    assert_eq!(asked_while_silent, 1);
    assert!(third.is_ok());
}

#[tokio::test]
async fn the_last_request_that_is_allowed_is_the_last_and_other_things_go_on() {
    let last =
        reply(200, json!({ "meta": { "result_count": 0 } })).with("x-rate-limit-remaining", "0").with("x-rate-limit-reset", "1794730500");
    let posted = reply(201, json!({ "data": { "id": "7", "text": "Hello" } }));
    let stand_in = StandIn::with(vec![last, posted]).await;
    let session = Session::open(on_x(stand_in.url())).await;

    session.read("twitter://mentions/recent").await.unwrap();
    let refusal = session.refusal("twitter://mentions/recent").await;
    let published = session.publish(post_on("twitter", "Hello")).await;

    assert!(refusal.starts_with("rate_limited: twitter") && refusal.ends_with("2026-11-15T08:15:00Z"), "{refusal}");
    assert!(published.is_ok());
    assert_eq!(stand_in.lines().len(), 2);
}

#[tokio::test]
async fn a_pause_is_at_least_a_second_and_at_most_a_day() {
    let table = [
        (None, "2026-11-15T08:01:00Z"),
        (Some("0"), "2026-11-15T08:00:01Z"),
        (Some("-50"), "2026-11-15T08:00:01Z"),
        (Some("30"), "2026-11-15T08:00:30Z"),
        (Some("99999999"), "2026-11-16T08:00:00Z"),
        (Some("whenever"), "2026-11-15T08:01:00Z"),
    ];
    for (header, expected) in table {
        let refused = reply(429, json!({}));
        let refused = if let Some(given) = header { refused.with("retry-after", given) } else { refused };
        let stand_in = StandIn::with(vec![refused]).await;
        let error = Session::open(on_mastodon(stand_in.url())).await.publish(post_on("mastodon", "Hello")).await.unwrap_err();
        assert!(error.starts_with("rate_limited: ") && error.ends_with(expected), "{header:?}: {error}");
    }
}

#[tokio::test]
async fn a_platform_that_cannot_be_reached_has_published_nothing() {
    let url = StandIn::with(Vec::new()).await.url();
    for (config, platform) in [(on_mastodon(url.clone()), "mastodon"), (on_bluesky(url.clone()), "bluesky"), (on_x(url), "twitter")] {
        let error = Session::open(config).await.publish(post_on(platform, "Hello")).await.unwrap_err();
        assert_eq!(error, format!("unavailable: {platform} cannot be reached; it is safe to repeat this"));
    }
}

/// Takes requests and never answers.
async fn silent() -> (Url, JoinSet<()>) {
    let app = Router::new().fallback(|| async { std::future::pending::<()>().await });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let mut serving = JoinSet::new();
    serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
    (url, serving)
}

#[tokio::test]
async fn a_lost_answer_is_safe_to_repeat_where_keys_are_known_and_unknown_where_they_are_not() {
    let (url, _serving) = silent().await;
    let hasty = Duration::from_millis(300);

    let mastodon = Session::with_deadlines(on_mastodon(url.clone()), hasty, hasty).await.publish(post_on("mastodon", "Hello")).await;
    let x = Session::with_deadlines(on_x(url), hasty, hasty).await.publish(post_on("twitter", "Hello")).await;

    assert_eq!(mastodon.unwrap_err(), "unavailable: mastodon did not answer within 300 ms; it is safe to repeat this");
    assert!(x.unwrap_err().starts_with("outcome_unknown: twitter did not answer within 300 ms; it may have been published"));
}

#[tokio::test]
async fn a_resource_ends_at_its_own_deadline() {
    let (url, _serving) = silent().await;
    let session = Session::with_deadlines(on_bluesky(url), Duration::from_secs(600), Duration::from_millis(300)).await;

    let refusal = session.refusal("bluesky://mentions/recent").await;

    assert_eq!(refusal, "unavailable: bluesky did not answer within 300 ms; it is safe to repeat this");
}

#[tokio::test]
async fn answers_that_are_no_answers_are_told() {
    for (body, expected) in [("<html>", "unexpected_answer: "), ("{}", "unexpected_answer: ")] {
        let mut broken = reply(200, json!(null));
        broken.body = body.to_owned();
        let stand_in = StandIn::with(vec![broken]).await;
        let refusal = Session::open(on_mastodon(stand_in.url())).await.refusal("mastodon://timelines/public").await;
        assert!(refusal.starts_with(expected), "{body}: {refusal}");
    }
    let mut huge = reply(200, json!(null));
    huge.body = " ".repeat(5 * 1024 * 1024);
    let stand_in = StandIn::with(vec![huge]).await;
    let refusal = Session::open(on_mastodon(stand_in.url())).await.refusal("mastodon://timelines/public").await;
    assert!(refusal.starts_with("unavailable: mastodon answered more than"), "{refusal}");
}
