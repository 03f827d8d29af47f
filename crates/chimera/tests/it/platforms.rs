//! What a story becomes: on which platforms, each in its own words, and of which kind.

use crate::swarm_stage::{GOAL, SwarmStage, list, soul, until};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

const SELAM: (&str, &str) = ("selam", "mastodon, bluesky");
const TARIKU: (&str, &str) = ("tariku", "bluesky");

async fn stage(agents: &[(&str, &str)]) -> SwarmStage {
    SwarmStage::set(agents, "[judge]\nauto_approve_embedded = true\n").await
}

/// Where a plan's or a campaign's tasks post.
fn places<'a>(record: &'a Value, name: &str) -> BTreeSet<(&'a str, &'a str)> {
    let text = |value: &'a Value| value.as_str().unwrap();
    let place = |task: &'a Value| (text(&task["context"]["agent_id"]), text(&task["acceptance_criteria"]["platform"]));
    list(record, name).iter().map(place).collect()
}

#[tokio::test]
async fn each_agent_tells_a_story_on_each_of_its_platforms_in_words_of_its_own_and_once() {
    let stage = stage(&[SELAM, TARIKU]).await;
    let id = stage.create(&[SELAM, TARIKU], &[]).await;
    let everywhere = BTreeSet::from([("selam", "bluesky"), ("selam", "mastodon"), ("tariku", "bluesky")]);
    let planned = stage.folder.json(&["campaign", "plan", &id]).await;
    assert_eq!(places(&planned, "tasks"), everywhere, "{planned}");
    let serving = stage.folder.serve().await;
    stage.folder.json(&["campaign", "start", &id]).await;

    let campaign = stage.ended("the story on every platform", &id, 3).await;

    assert_eq!(places(&campaign, "task_list"), everywhere);
    let of_selam = list(&campaign, "posts").iter().filter(|post| post["agent_id"] == "selam");
    let first_lines: BTreeSet<&str> = of_selam.map(|post| post["text"].as_str().unwrap().lines().next().unwrap()).collect();
    assert_eq!(first_lines.len(), 2, "two platforms, two wordings: {campaign}");
    // Several looks at the world later nothing was said again.
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(list(&stage.campaign(&id).await, "task_list").len(), 3);
    assert_eq!(stage.far_end().posts().len(), 3);

    // Another campaign of the same agents and goal has nothing left to tell, on any platform.
    let again = stage.create(&[SELAM, TARIKU], &[]).await;
    let planned = stage.folder.json(&["campaign", "plan", &again]).await;
    assert_eq!(list(&planned, "tasks").len(), 0, "{planned}");
    assert!(list(&planned, "told_elsewhere").contains(&json!("selam")), "{planned}");
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_campaign_keeps_to_the_platforms_it_names_and_every_post_counts() {
    let stage = stage(&[SELAM]).await;
    let narrowed = stage.create(&[SELAM], &["--platforms", "bluesky"]).await;
    let planned = stage.folder.json(&["campaign", "plan", &narrowed]).await;
    assert_eq!(places(&planned, "tasks"), BTreeSet::from([("selam", "bluesky")]), "{planned}");
    let nowhere = stage.folder.run(&["campaign", "create", "--goal", GOAL, "--agents", "selam", "--platforms", "tiktok"]).await;
    assert!(nowhere.code != Some(0) && nowhere.stderr.contains("none of the campaign's agents"), "{nowhere:?}");
    let slow = stage.create(&[SELAM], &["--posts-per-day", "1"]).await;
    let planned = stage.folder.json(&["campaign", "plan", &slow]).await;
    assert_eq!(places(&planned, "tasks"), BTreeSet::from([("selam", "mastodon")]), "{planned}");
    assert_eq!(planned["paced"], json!([{ "agent_id": "selam", "reason": "its post on bluesky finds no room in the cadence now" }]));

    let one = stage.create(&[SELAM], &["--posts-max", "1"]).await;
    let serving = stage.folder.serve().await;
    stage.folder.json(&["campaign", "start", &one]).await;
    let ended = until("the end of the budget", async || {
        let campaign = stage.campaign(&one).await;
        // Where a person is asked: yes to the first, no to what is beyond the budget.
        let word: &[&str] = if list(&campaign, "posts").is_empty() { &["approve"] } else { &["reject", "--give-up"] };
        for review in list(&stage.folder.json(&["review", "list"]).await, "reviews").iter().take(1) {
            stage.folder.run(&[&["review"], word, &[review["review_id"].as_str().unwrap(), "--reviewer", "lena"]].concat()).await;
        }
        (campaign["status"] == "exhausted").then_some(campaign)
    })
    .await;
    assert_eq!((list(&ended, "task_list").len(), list(&ended, "posts").len()), (2, 1), "{ended}");
    assert_eq!(ended["reason"], "1 of 1 posts are used up");
    assert_eq!(serving.stop().await.code, Some(0));
}

/// With a belief and a question that the sample news are about.
fn outspoken(id: &str, platform: &str) -> String {
    let beliefs = format!("[{OPINION}, {QUESTION}]");
    soul(id, platform).replace("[People come first.]", &beliefs)
}

const OPINION: &str = "Open AI language models belong on people's own devices.";
const QUESTION: &str = "Which open AI language models should run on people's own devices next?";

#[tokio::test]
async fn a_mix_gives_each_post_its_form_and_the_writer_says_what_it_could_not_have() {
    let stage = stage(&[]).await;
    for (id, text) in [("hanna", outspoken("hanna", "mastodon")), ("selam", soul("selam", "mastodon"))] {
        let file = stage.folder.write(&format!("{id}.md"), text);
        stage.folder.json(&["agent", "create", "--soul", file.to_str().unwrap()]).await;
    }
    let agents = [("hanna", "mastodon"), ("selam", "mastodon")];
    let wrong = stage.folder.run(&["campaign", "create", "--goal", GOAL, "--agents", "selam", "--mix", "thread=1"]).await;
    assert!(wrong.code != Some(0) && wrong.stderr.contains("news, opinion, question, picture"), "{wrong:?}");
    let pictures = stage.create(&agents[..1], &["--mix", "picture=1"]).await;
    let planned = stage.folder.json(&["campaign", "plan", &pictures]).await;
    assert_eq!(planned["tasks"][0]["acceptance_criteria"]["content_type"], "image", "{planned}");
    assert!(stage.folder.run(&["campaign", "plan", &pictures]).await.stdout.contains("a post with a picture (picture) on mastodon"));

    let asking = stage.create(&agents, &["--mix", "question=1"]).await;
    let serving = stage.folder.serve().await;
    stage.folder.json(&["campaign", "start", &asking]).await;
    let campaign = stage.ended("both posts", &asking, 2).await;

    assert!(list(&campaign, "task_list").iter().all(|task| task["context"]["form"] == "question"), "{campaign}");
    let of = |name: &str, agent: &str| list(&campaign, name).iter().find(|made| made["agent_id"] == agent).unwrap().clone();
    assert!(of("posts", "hanna")["text"].as_str().unwrap().contains(QUESTION), "{campaign}");
    assert!(!of("posts", "selam")["text"].as_str().unwrap().contains('?'), "{campaign}");
    let trace = of("results", "selam")["reasoning_trace"].as_str().unwrap().to_owned();
    assert!(trace.contains("form wanted: question") && trace.contains("told as news: the SOUL states no question"), "{trace}");
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_plan_says_what_each_agent_lacks_on_each_of_its_platforms() {
    let stage = stage(&[("selam", "mastodon, twitter, linkedin")]).await;
    let spanish = soul("lucia", "mastodon").replace("disclosure:", "language: es\ndisclosure:");
    let file = stage.folder.write("lucia.md", spanish);
    stage.folder.json(&["agent", "create", "--soul", file.to_str().unwrap()]).await;
    let agents = [("selam", ""), ("lucia", "")];
    let id = stage.create(&agents, &["--platforms", "mastodon,linkedin", "--posts-max", "0"]).await;
    stage.folder.json(&["campaign", "pause", "--agent", "lucia", "--reason", "on leave"]).await;

    let planned = stage.folder.json(&["campaign", "plan", &id]).await;

    let missing = |agent: &str, platform: &str| {
        let place = list(&planned, "agents").iter().find(|place| place["agent_id"] == agent && place["platform"] == platform).unwrap();
        place["missing"].as_array().unwrap().iter().map(|why| why.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let no_posts = "0 of 0 posts are used up";
    assert_eq!(missing("selam", "mastodon"), [no_posts]);
    assert_eq!(missing("selam", "twitter"), ["the campaign's --platforms leave it out"]);
    assert_eq!(missing("selam", "linkedin"), [no_posts, "[publish.linkedin] is a dry run: nothing is sent"]);
    let [language, budget, pause] = missing("lucia", "mastodon").try_into().unwrap();
    assert!(language.contains("writes in Spanish") && language.contains("in English"), "{language}");
    assert!(budget == no_posts && pause.contains("lucia is paused: on leave"), "{budget}; {pause}");

    let everywhere = stage.create(&agents[..1], &[]).await;
    let told = stage.folder.run(&["campaign", "plan", &everywhere]).await.stdout;
    assert!(told.contains("selam on twitter: no tool sends it: [publish.twitter] is not configured"), "{told}");
    assert!(!told.contains("selam on mastodon:"), "{told}");
}
