//! A campaign with a pace, and how soon somebody who says something is answered.

use crate::{
    program::Folder,
    social_world::World,
    swarm_stage::{AGENTS, SwarmStage, list, soul, until},
};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const WATCHED: &str = "news://own/energy/latest";
const GOAL: &str = "Follow new batteries and how cities store energy";
/// All of one site: nothing in them is a trend.
const ITEMS: [(&str, &str); 3] = [
    (
        "Salt battery heats a district of Tampere through the winter",
        "A salt battery as large as a house has heated four hundred flats in Tampere since October. The city stores energy in it when wind power is cheap, and the utility says that the battery has paid for itself.",
    ),
    (
        "Nairobi stores solar energy in used bus batteries",
        "Nairobi has put the batteries of eighty retired buses into a hall, where they store solar energy for street lights. The city expects the new battery hall to save a fifth of its power bill.",
    ),
    (
        "New battery of iron and air passes its first year in Lisbon",
        "Lisbon has stored energy for a year in a battery made of iron and air. The city says the new battery kept hospitals supplied during two failures of the grid.",
    ),
];

async fn stage() -> SwarmStage {
    let feed = "[[feeds.news]]\nregion = \"own\"\ncategory = \"energy\"\nurls = [\"file:feeds/own.xml\"]\n";
    let stage = SwarmStage::set(&AGENTS[..1], &format!("[judge]\nauto_approve_embedded = true\n{feed}")).await;
    #[expect(clippy::disallowed_methods, reason = "the program under test has the real time")]
    let now = Utc::now();
    let items: String = ITEMS
        .iter()
        .enumerate()
        .map(|(number, (title, text))| {
            let at = (now - TimeDelta::minutes(20 + number as i64)).to_rfc2822();
            format!("<item><title>{title}</title><link>https://energy.example/{number}</link><pubDate>{at}</pubDate><description>{text}</description></item>")
        })
        .collect();
    let channel = format!("<rss version=\"2.0\"><channel><title>Energy</title>{items}</channel></rss>");
    stage.folder.write("feeds/own.xml", channel);
    stage
}

async fn create(stage: &SwarmStage, flags: &[&str]) -> String {
    let made = stage.folder.json(&[&["campaign", "create", "--goal", GOAL, "--agents", "selam", "--watch", WATCHED], flags].concat()).await;
    made["campaign_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn single_items_fill_a_cadence_evenly_and_without_one_the_plan_says_what_a_trend_lacks() {
    let stage = stage().await;
    let (trends_only, paced) = (create(&stage, &[]).await, create(&stage, &["--posts-per-day", "2"]).await);

    let planned = stage.folder.json(&["campaign", "plan", &trends_only]).await;
    assert_eq!((list(&planned, "tasks").len(), &planned["relevant_items"]), (0, &json!(3)), "{planned}");
    let strongest = &planned["strongest_story"];
    assert_eq!(
        (&strongest["voices"], &strongest["items_needed"], &strongest["voices_needed"]),
        (&json!(1), &json!(3), &json!(2)),
        "{planned}"
    );
    let told = stage.folder.run(&["campaign", "plan", &trends_only]).await;
    assert!(told.stdout.contains("of 3 needed items and 1 of 2 needed sources") && told.stdout.contains("--posts-per-day"), "{told:?}");

    let serving = stage.folder.serve().await;
    for id in [&trends_only, &paced] {
        stage.folder.json(&["campaign", "start", id]).await;
    }
    stage.published(1).await;
    let posts = stage.far_end().posts();
    let said = posts.values().next().unwrap()["text"].as_str().unwrap();
    assert!(["Tampere", "Nairobi", "Lisbon"].iter().any(|city| said.contains(city)), "{said}");
    // Several looks at the world later it is still the only one: the next has its turn in twelve hours.
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(list(&stage.campaign(&paced).await, "task_list").len(), 1);
    assert_eq!(list(&stage.campaign(&trends_only).await, "task_list").len(), 0);
    let planned = stage.folder.json(&["campaign", "plan", &paced]).await;
    assert!(planned["paced"][0]["reason"].as_str().unwrap().contains("has its turn at 20"), "{planned}");
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_mention_is_answered_at_the_platform_within_ten_seconds_with_the_settings_that_ship() {
    let world = World::start().await;
    let whole = Folder::new();
    whole.json(&["init", "project"]).await;
    let folder = Folder::below(&whole, "project");
    folder.write("token", "secret");
    folder.write("chimera.toml", config(&world.url));
    let soul = folder.write("selam.md", soul("selam", "mastodon"));
    folder.json(&["agent", "create", "--soul", soul.to_str().unwrap()]).await;
    let made = folder.json(&["campaign", "create", "--goal", crate::swarm_stage::GOAL, "--agents", "selam"]).await;
    let serving = folder.serve().await;
    let id = made["campaign_id"].as_str().unwrap();
    folder.json(&["campaign", "start", id]).await;
    // The look at the world that comes with the start is over; the next one is minutes away.
    until("the first post", async || (!world.published().is_empty()).then_some(())).await;
    tokio::time::sleep(Duration::from_secs(2)).await;

    let said = Instant::now();
    world.mention("mastodon", "501", "ada@far.example", "@selam are you a bot?");
    until("the answer", async || world.published().iter().any(|post| post.reply_to.as_deref() == Some("501")).then_some(())).await;
    let waited = said.elapsed();

    assert!(waited < Duration::from_secs(10), "{waited:?}");
    let campaign: Value = folder.json(&["campaign", "show", id]).await;
    let replies = list(&campaign, "task_list").iter().filter(|task| task["task_type"] == "reply_comment").count();
    assert_eq!(replies, 1, "{campaign}");
    assert_eq!(serving.stop().await.code, Some(0));
}

fn config(world: &str) -> String {
    format!(
        r#"
[upstreams.feeds]
command = ["chimera", "feeds"]
schemes = ["news"]
[upstreams.social]
command = ["chimera", "social"]
env = {{ MASTODON_TOKEN_FILE = "token" }}
[social.mastodon]
base_url = "{world}"
[[feeds.news]]
region = "global"
category = "technology"
urls = ["file:feeds/sample-wire.xml", "file:feeds/sample-gazette.xml", "file:feeds/sample-post.json"]
[publish.mastodon]
upstream = "social"
tool = "publish"
[judge]
auto_approve_embedded = true
"#
    )
}
