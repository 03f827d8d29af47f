//! The sample feeds that `chimera demo` shows.

use crate::feeds::sample::{DateFormat, render_sample};
use crate::feeds::{Sent, parse_feed};
use chrono::{DateTime, TimeDelta, Utc};

const WIRE: &str = include_str!("../../../../chimera/assets/demo/feeds/sample-wire.xml");
const GAZETTE: &str = include_str!("../../../../chimera/assets/demo/feeds/sample-gazette.xml");
const POST: &str = include_str!("../../../../chimera/assets/demo/feeds/sample-post.json");

fn now() -> DateTime<Utc> {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

#[test]
fn every_sample_parses_and_is_dated_within_the_last_four_hours() {
    let mut on_the_lead_story = 0;
    for (template, format) in [(WIRE, DateFormat::Rfc2822), (GAZETTE, DateFormat::Rfc3339), (POST, DateFormat::Rfc3339)] {
        let feed = parse_feed(render_sample(template, now(), format).unwrap().as_bytes(), Sent::default()).unwrap();

        assert_eq!(feed.items.len(), 12);
        assert!(feed.title.unwrap().contains("Sample"));
        for item in &feed.items {
            let age = now() - item.published_at.unwrap();
            assert!(age > TimeDelta::zero() && age < TimeDelta::hours(4), "{item:?}");
            assert!(item.title.is_some() && item.summary.is_some() && item.author.is_some());
            assert!(item.url.as_ref().unwrap().as_data().contains(".example/"), "{item:?}");
        }
        on_the_lead_story += feed.items.iter().filter(|item| item.title.as_ref().unwrap().as_data().contains("Kestrel")).count();
    }
    assert!(on_the_lead_story >= 5, "{on_the_lead_story}");
}

#[test]
fn broken_placeholders_are_refused() {
    for template in ["{{minutes_ago:x}}", "{{minutes_ago:-1}}", "{{hours_ago:1}}", "a {{minutes_ago:1", "{{}}"] {
        assert!(render_sample(template, now(), DateFormat::Rfc3339).is_err(), "{template}");
    }
    assert_eq!(render_sample("a {{minutes_ago:60}} b", now(), DateFormat::Rfc3339).unwrap(), "a 2026-11-15T11:00:00Z b");
}
