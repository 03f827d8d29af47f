//! Posts that were put on a calendar, and pictures that a campaign plans, over the real program.

use crate::swarm_stage::{AGENTS, SwarmStage, until};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

const SOURCE: &str = "news://global/technology/latest";
/// Nobody serves it, so that the campaign finds no trend of its own.
const NOTHING_TO_SEE: [&str; 2] = ["--watch", "news://global/silence/latest"];

fn now() -> DateTime<Utc> {
    #[expect(clippy::disallowed_methods, reason = "the program under test has the real time")]
    Utc::now()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

async fn schedule(stage: &SwarmStage, id: &str, at: DateTime<Utc>, flags: &[&str]) -> Value {
    let at = at.to_rfc3339();
    stage.folder.json(&[&["campaign", "schedule", id, "--at", &at], flags].concat()).await
}

async fn entries(stage: &SwarmStage, id: &str, status: &str, count: usize) -> Value {
    until(&format!("{count} entries are {status}"), async || {
        let campaign = stage.campaign(id).await;
        (list(&campaign["calendar"]).iter().filter(|entry| entry["status"] == status).count() == count).then_some(campaign)
    })
    .await
}

#[tokio::test]
async fn a_dated_post_is_made_once_when_its_time_comes_also_with_a_picture_and_over_a_restart() {
    let agents = &AGENTS[..2];
    let stage = SwarmStage::set(agents, "[judge]\nauto_approve_embedded = true\n").await;
    let id = stage.create(agents, &NOTHING_TO_SEE).await;
    stage.folder.json(&["campaign", "start", &id]).await;
    let first = schedule(&stage, &id, now() + TimeDelta::seconds(1), &["--source", SOURCE]).await;
    let later = schedule(&stage, &id, now() + TimeDelta::days(1), &[]).await;
    let serving = stage.folder.serve().await;
    stage.published(1).await;
    assert_eq!(serving.stop().await.code, Some(0));

    let picture = ["--source", SOURCE, "--agent", "tariku", "--content-type", "image"];
    schedule(&stage, &id, now() + TimeDelta::seconds(1), &picture).await;
    let serving = stage.folder.serve().await;
    stage.published(2).await;
    let campaign = entries(&stage, &id, "planned", 2).await;

    assert_eq!(list(&campaign["task_list"]).len(), 2, "each entry once: {campaign}");
    let posts: Vec<Value> = stage.far_end().posts().into_values().collect();
    let of = |platform: &str| posts.iter().find(|post| post["platform"] == platform).unwrap();
    assert_eq!(of("mastodon").get("media_uri"), None);
    assert!(of("bluesky")["media_uri"].as_str().unwrap().starts_with("data:image/png;base64,"), "drawn, judged and sent");
    assert!(!of("bluesky")["alt_text"].as_str().unwrap().is_empty());
    let entry = list(&campaign["calendar"]).iter().find(|entry| entry["entry_id"] == first["entry_id"]).unwrap();
    let told = stage.folder.json(&["campaign", "show", &id, "--trace", entry["task_id"].as_str().unwrap()]).await;
    let steps: Vec<&Value> = list(&told["trace"]).iter().collect();
    assert_eq!(steps[0]["step"], "date", "{told}");
    let task = steps.iter().find(|step| step["step"] == "task").unwrap();
    let estimate = json!({ "text_micro_usd": 0, "media_micro_usd": 0, "risk": "high" });
    assert_eq!((&task["facts"]["estimate"], &task["facts"]["priority"]), (&estimate, &json!("high")), "{task}");

    let entry_id = later["entry_id"].as_str().unwrap();
    let removed = stage.folder.json(&["campaign", "unschedule", &id, entry_id]).await;
    assert_eq!(removed["status"], "removed");
    let again = ["campaign", "unschedule", &id, first["entry_id"].as_str().unwrap()];
    stage.folder.run(&again).await.refused(1, &["is planned and cannot be taken off"]);
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn what_nobody_looked_at_in_time_or_no_budget_allows_is_missed_with_its_reason() {
    let agents = &AGENTS[..1];
    let stage = SwarmStage::set(agents, "calendar_grace_s = 2\n[judge]\nauto_approve_embedded = true\n").await;
    let (running, draft) = (stage.create(agents, &NOTHING_TO_SEE).await, stage.create(agents, &NOTHING_TO_SEE).await);
    let poor = stage.create(agents, &[&NOTHING_TO_SEE[..], &["--posts-max", "0"]].concat()).await;
    for id in [&running, &poor] {
        stage.folder.json(&["campaign", "start", id]).await;
    }
    let soon = now() + TimeDelta::seconds(1);
    for id in [&running, &draft] {
        schedule(&stage, id, soon, &["--about", "Our open day"]).await;
    }
    until("the grace is over", async || (now() > soon + TimeDelta::seconds(3)).then_some(())).await;

    let serving = stage.folder.serve().await;
    for (id, status) in [(&running, "running"), (&draft, "draft")] {
        let campaign = entries(&stage, id, "missed", 1).await;
        let entry = &campaign["calendar"][0];
        let reason = entry["reason"].as_str().unwrap();
        assert!(reason.contains("2 s are allowed") && reason.contains(status), "{entry}");
        assert_eq!(list(&campaign["task_list"]).len(), 0, "{campaign}");
    }
    schedule(&stage, &poor, now() + TimeDelta::seconds(1), &["--about", "Our open day"]).await;
    let entry = &entries(&stage, &poor, "missed", 1).await["calendar"][0];
    assert!(
        entry["reason"].as_str().unwrap().contains("0 of 0 posts are used up") || entry["reason"].as_str().unwrap().contains("exhausted"),
        "{entry}"
    );
    assert_eq!((serving.stop().await.code, stage.far_end().posts().len()), (Some(0), 0));
}

#[tokio::test]
async fn wrong_entries_are_refused_with_what_to_do() {
    let agents = &AGENTS[..2];
    let stage = SwarmStage::set(agents, "").await;
    let id = stage.create(agents, &[]).await;
    let at = (now() + TimeDelta::days(1)).to_rfc3339();
    let table: [(&[&str], &[&str]); 7] = [
        (&["--at", "2020-01-01T00:00:00Z"], &["2020-01-01T00:00:00.000Z is past"]),
        (&["--at", &at, "--agent", "hanna"], &["hanna is no agent", "selam, tariku"]),
        (&["--at", &at, "--platform", "tiktok"], &["no agent", "is on tiktok"]),
        (&["--at", &at, "--agent", "selam", "--platform", "bluesky"], &["selam is not on bluesky", "agent show"]),
        (&["--at", &at, "--agent", "tariku", "--content-type", "video"], &["bluesky takes no video"]),
        (&["--at", &at, "--source", "news"], &["--source", "not an absolute URI"]),
        (&["--at", &at, "--about", "x", "--agent", "selam", "--platform", "bluesky"], &["selam is not on bluesky"]),
    ];
    for (flags, parts) in table {
        stage.folder.run(&[&["campaign", "schedule", &id], flags].concat()).await.refused(1, parts);
    }
    let misread = stage.folder.run(&["campaign", "schedule", &id, "--at", "tomorrow"]).await;
    assert!(misread.code == Some(2) && misread.stderr.contains("--at"), "{misread:?}");
    stage.folder.run(&["campaign", "unschedule", &id, "nothing"]).await.refused(1, &["no entry nothing", "campaign show"]);
    assert_eq!(list(&stage.campaign(&id).await["calendar"]).len(), 0);
}

#[tokio::test]
async fn a_strong_trend_is_told_with_as_many_pictures_as_the_campaign_may_have_also_in_a_dry_run() {
    // Nothing is configured for the second platform.
    let agents = &[("tariku", "bluesky"), ("hanna", "threads")];
    let stage = SwarmStage::set(agents, "[judge]\nauto_approve_embedded = true\n").await;
    let id = stage.create(agents, &["--images-max", "2", "--videos-max", "0"]).await;
    let planned = stage.folder.json(&["campaign", "plan", &id]).await;
    let kinds: Vec<&Value> = list(&planned["tasks"]).iter().map(|task| &task["acceptance_criteria"]["content_type"]).collect();
    assert_eq!(kinds, ["image", "image"], "{planned}");
    assert_eq!(planned["estimate"]["cost_micro_usd"], 0, "{planned}");

    let serving = stage.folder.serve().await;
    stage.folder.json(&["campaign", "start", &id]).await;
    stage.published(1).await;
    let campaign = until("the dry run is over", async || {
        let campaign = stage.campaign(&id).await;
        list(&campaign["posts"]).iter().any(|post| post["status"] == "dry_run").then_some(campaign)
    })
    .await;

    let post = stage.far_end().posts().into_values().next().unwrap();
    assert!(post["media_uri"].as_str().unwrap().starts_with("data:image/png;base64,"));
    for result in list(&campaign["results"]) {
        assert!(result["artifact"]["payload_media_uri"].as_str().unwrap().starts_with("chimera://assets/"), "{result}");
    }
    assert_eq!(serving.stop().await.code, Some(0));
}
