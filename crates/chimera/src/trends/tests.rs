use super::{
    chart::{Chart, svg},
    *,
};
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        campaign::CampaignGoal,
        trend_alert::{Trend, TrendEventType},
    },
    domain::{Author, Untrusted, campaign::CampaignStatus},
    ports::perception::NewItem,
};
use chrono::TimeDelta;

fn hour(hours: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_794_700_800, 0).unwrap() + TimeDelta::hours(hours)
}

fn span() -> Span {
    Span { start: hour(0), end: hour(24) }
}

fn item(id: i64, at_hour: i64, author: &str, story: Option<&str>) -> StoredItem {
    let item = NewItem {
        resource_uri: "news://a/b/latest".to_owned(),
        content_key: id.to_string(),
        title: Untrusted::new(format!("Title {id}")),
        text: Untrusted::default(),
        url: None,
        author: Author::parse(author),
        published_at: None,
        seen_at: hour(at_hour),
        flagged: false,
        price: None,
    };
    StoredItem { id, item, at: hour(at_hour), cluster_id: story.map(str::to_owned), vector: None }
}

fn campaign() -> CampaignState {
    CampaignState {
        goal: CampaignGoal {
            campaign_id: "c".to_owned(),
            goal_description: "Follow cars".to_owned(),
            operator_id: "operator".to_owned(),
            agent_ids: vec!["selam".to_owned()],
            budget_constraints: serde_json::Map::new(),
            created_at: UtcTime(hour(0)),
        },
        state_version: 1,
        goal_version: 1,
        status: CampaignStatus::Running,
        reason: None,
        resource_uris: Vec::new(),
    }
}

fn alert(story: &str, at_hour: i64, strength: f64) -> TrendAlert {
    TrendAlert {
        event_id: UuidV4::random(),
        event_type: TrendEventType::TrendAlert,
        source: "skill_trend_fetcher".to_owned(),
        created_at: UtcTime(hour(at_hour)),
        agent_id: "selam".to_owned(),
        campaign_id: "c".to_owned(),
        trend: Trend {
            topics: vec![format!("Topic of {story} at {at_hour}")],
            cluster_id: story.to_owned(),
            time_window_start: UtcTime(hour(0)),
            time_window_end: UtcTime(hour(at_hour)),
            signal_strength: strength,
            sample_resource_uris: Vec::new(),
            new: Some(true),
            phase: None,
        },
    }
}

#[test]
fn a_story_told_twice_is_one_trend_as_it_was_told_last() {
    let items = vec![item(1, 1, "Ada", Some("x")), item(2, 2, "Ben", Some("x")), item(3, 3, "ada", Some("x")), item(4, 3, "Cem", None)];

    let told = of_campaign(&campaign(), &[alert("x", 5, 0.6), alert("gone", 4, 0.9), alert("x", 2, 0.4)], items);

    assert_eq!(told.len(), 1, "what has no items left is not shown");
    assert_eq!((told[0].label().as_str(), told[0].signal_strength), ("Topic of x at 5", 0.6));
    assert_eq!(told[0].told_at, [hour(2), hour(5)]);
    assert_eq!((told[0].items.len(), told[0].sources(), told[0].since()), (3, 2, Some(hour(1))));
}

#[test]
fn flagged_items_are_no_part_of_a_trend() {
    let mut flagged = item(1, 1, "Ada", Some("x"));
    flagged.item.flagged = true;

    assert_eq!(of_campaign(&campaign(), &[alert("x", 5, 0.6)], vec![flagged]), []);
}

#[test]
fn a_course_counts_what_lies_within_its_span_and_the_line_is_as_high_as_its_share() {
    let times = [-1, 0, 5, 6, 6, 6, 24, 25].map(hour);

    let course = Course::new(times.into_iter(), span(), 4);

    assert_eq!(course.counts, [2, 3, 0, 1]);
    assert_eq!(sparkline(&course), "▆█·▃");
    assert_eq!(sparkline(&Course::new(std::iter::empty(), span(), 3)), "···");
    assert_eq!(Course::new(times.into_iter(), span(), 0).counts, [6]);
}

fn drawn(label: &str) -> String {
    let course = Course::new([1, 2, 2, 9].map(hour).into_iter(), span(), 24);
    svg(&Chart { label, remark: label, course: &course, told_at: &[hour(9), hour(30)] })
}

#[test]
fn a_picture_has_a_column_for_each_step_with_items_and_a_mark_for_each_alert_in_its_span() {
    let picture = drawn("Toyota recall");

    assert_eq!(picture.matches("class=\"trend-column\"").count(), 3);
    assert_eq!(picture.matches("<title>told ").count(), 1);
    assert!(picture.contains("<title>Toyota recall</title>") && picture.contains("prefers-color-scheme: dark"));
    assert_eq!(picture, drawn("Toyota recall"));
}

#[test]
fn a_hostile_label_stays_text() {
    for label in [
        "</title><script>alert(1)</script>",
        "\"/><image href='https://evil.example/x'/>",
        "]]><foreignObject onload=\"x()\">",
        "&lt;script&gt; &#x3c;script",
        "a\u{0}b\u{1b}[31m\u{ffff}",
        &"長い見出し".repeat(100),
        "",
    ] {
        let picture = drawn(label);

        let text = picture.split("<style>").next().unwrap().to_owned() + picture.split("</style>").nth(1).unwrap();
        for refused in ["<script", "<image", "<foreignObject", "href='", "href=\"", "\u{0}", "\u{1b}", "\u{ffff}"] {
            assert!(!text.contains(refused), "{label:?}: {refused}");
        }
        assert_eq!(text.matches("<title>").count(), 2, "{label:?}: the picture's, and that of its one mark");
        let raw = text.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").replace("&quot;", "").replace("&#39;", "");
        assert!(!raw.contains('&'), "{label:?}");
        assert!(text.lines().all(|line| line.chars().count() < 400), "{label:?}");
    }
}
