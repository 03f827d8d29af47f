//! The fleet as it stood, over the sample's events.

use crate::testing::{Sample, pages_as};
use axum::{body::Body, http::Request};
use chimera_core::{contracts::views::people::Role, ports::clock::Clock, testing::fake_clock::ManualClock};
use chrono::TimeDelta;
use std::sync::Arc;
use tower::ServiceExt;

const NOW: &str = "2026-11-19T05:00:00Z";

async fn read(sample: &Arc<Sample>, path: &str) -> (u16, String) {
    let pages = pages_as(sample.dashboard(Arc::new(ManualClock::at(NOW))), "vera", Role::Viewer);
    let response = pages.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    (status, String::from_utf8(axum::body::to_bytes(response.into_body(), 10_000_000).await.unwrap().to_vec()).unwrap())
}

fn sample() -> Arc<Sample> {
    let now = ManualClock::at(NOW).now();
    let sample = Sample::new(1, now, str::to_owned);
    let mut facts = sample.facts();
    facts.events.clear();
    for (minutes, kind, state, subject) in
        [(9, "stop", "paused", "selam"), (6, "answer", "held", "r"), (3, "stop", "resumed", "selam"), (1, "answer", "done", "r")]
    {
        facts.happened(now - TimeDelta::minutes(minutes), kind, state, subject, Some("selam"));
    }
    drop(facts);
    sample
}

#[tokio::test]
async fn each_event_is_a_place_to_go_back_to() {
    let sample = sample();
    for (path, event, is_paused, is_held) in [
        ("/replay", 4, false, false),
        ("/replay?event=1", 1, true, false),
        ("/replay?event=2", 2, true, true),
        ("/fragments/replay?event=3", 3, false, true),
        ("/replay?at=2026-11-19T04:55", 2, true, true),
        ("/replay?at=2026-11-19T04:57:30", 3, false, true),
    ] {
        let (status, page) = read(&sample, path).await;
        assert_eq!(status, 200, "{path}");
        assert!(page.contains(&format!("After event {event}, ")), "{path}: {page}");
        let shown = page.split("id=\"replay-then\"").nth(1).unwrap();
        assert_eq!(shown.contains("data-state=\"paused\""), is_paused, "{path}");
        assert_eq!(shown.contains("id=\"held-then\""), is_held, "{path}");
        assert!(shown.contains("What cannot be known of the past"), "{path}");
    }
}

#[tokio::test]
async fn before_anything_and_for_what_is_no_time_it_says_so() {
    let sample = sample();
    assert!(read(&sample, "/replay?event=0").await.1.contains("Before the first event"));
    assert_eq!(read(&sample, "/replay?at=yesterday").await.0, 404);
    sample.facts().events.clear();
    assert!(read(&sample, "/replay").await.1.contains("Nothing has happened yet."));
}
