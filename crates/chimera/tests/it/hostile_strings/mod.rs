//! Marked hostile strings in every field of every upstream, the whole loop over them with the real program, and a look at every exit.

mod exits;
mod plants;
mod world;

use crate::{
    program::{Finished, Folder},
    swarm_stage::{list, soul, until},
    wallet_stage::new_task,
};
use exits::{is_exact_json, is_harmless_csv, is_inert, is_shown_safely, keeps_strangers_apart};
use plants::MARK;
use serde_json::{Value, json};
use std::path::Path;
use world::{GOOD, Served};

const GOAL: &str = "Follow protected bike lanes in Addis Ababa";
const RESOURCES: [&str; 6] = [
    "news://hostile/list/latest",
    "news://hostile/rss/latest",
    "news://hostile/feed/latest",
    "news://hostile/text/latest",
    "market://crypto/eth/price",
    "news://hostile/gone/latest",
];
/// Posts that are waited for.
const PUBLISHED_MIN: usize = 2;

struct Stage {
    folder: Folder,
    served: Served,
}

impl Stage {
    async fn set() -> Self {
        let served = Served::start().await;
        let folder = Folder::with_config(&config(&served));
        let soul = folder.write("selam.md", soul("selam", "mastodon"));
        folder.json(&["agent", "create", "--soul", soul.to_str().unwrap()]).await;
        Self { folder, served }
    }

    /// Without --json, for people. What was printed, whether it was done or not.
    async fn shown(&self, args: &[&str]) -> Finished {
        let done = self.folder.run(args).await;
        is_shown_safely(&args.join(" "), &format!("{}\n{}", done.stdout, done.stderr));
        done.calm();
        done
    }

    async fn json(&self, args: &[&str]) -> Value {
        let done = self.folder.run(&[args, &["--json"]].concat()).await;
        is_shown_safely(&args.join(" "), &done.stderr);
        is_exact_json(&args.join(" "), &done.stdout)
    }

    /// For people and as JSON, which is answered.
    async fn both(&self, args: &[&str]) -> Value {
        self.shown(args).await;
        self.json(args).await
    }

    async fn write(&self, resource: &str, content_type: &str) -> Value {
        let input = json!({
            "task_id": new_task(), "agent_id": "selam", "task_type": "generate_content",
            "context": { "goal_description": GOAL, "persona_constraints": [], "required_resources": [resource] },
            "acceptance_criteria": { "content_type": content_type, "platform": "mastodon" },
        });
        let done = self.folder.run_with_input(&["call", "skill_content_generator", "--input", "-"], input.to_string().as_bytes()).await;
        is_shown_safely("call", &done.stderr);
        is_exact_json("call", &done.stdout)
    }
}

fn config(served: &Served) -> String {
    let Served { mcp_url, model_url, traces_url, .. } = served;
    format!(
        r#"
[upstreams.hostile]
url = "{mcp_url}"
schemes = ["news", "market", "mastodon"]
[publish.mastodon]
upstream = "hostile"
tool = "publish"
[media.image]
upstream = "hostile"
tool = "draw"
[model]
provider = "openai"
base_url = "{model_url}"
name = "hostile"
fallback = ["embedded"]
scores_relevance = true
[swarm]
lease_s = 120
backoff_s = 0
perceive_every_s = 5
publish_retry_s = 1
[telemetry]
otlp_url = "{traces_url}"
"#
    )
}

fn sources() -> Vec<&'static str> {
    GOOD.iter().map(|(_, _, url, _)| *url).collect()
}

#[tokio::test]
async fn nothing_that_strangers_plant_gets_out_as_more_than_visible_words() {
    let stage = Stage::set().await;

    the_skills_are_called(&stage).await;
    let (id, logged) = a_campaign_runs(&stage).await;

    for args in [
        &["review", "list"][..],
        &["review", "agreement"],
        &["campaign", "list"],
        &["campaign", "show", &id],
        &["campaign", "replay", &id],
        &["campaign", "plan", &id],
        &["trends", "list"],
        &["agent", "show", "selam"],
        &["ledger", "list"],
        &["ledger", "verify"],
        &["doctor"],
    ] {
        stage.both(args).await;
    }
    each_story_is_told(&stage, &id).await;
    is_shown_safely("the log", &logged);
    is_exact_json("ledger export", &stage.folder.run(&["ledger", "export", "--json"]).await.stdout);
    is_harmless_csv(&raw(&stage.folder, &["ledger", "export", "--csv"]).await);
    what_reached_others_is_ours(&stage);
    file_names_are_ours(stage.folder.path());
}

async fn the_skills_are_called(stage: &Stage) {
    let input = json!({
        "agent_id": "selam", "campaign_id": "by hand", "resource_uris": RESOURCES, "goal_context": GOAL,
        "options": { "include_raw": true, "include_below_threshold": true },
    });
    let done = stage.folder.run_with_input(&["call", "skill_trend_fetcher", "--input", "-"], input.to_string().as_bytes()).await;
    let found = is_exact_json("call skill_trend_fetcher", &done.stdout);
    assert!(list(&found, "filter_results").len() > GOOD.len(), "{found}");
    assert_eq!(list(&found, "resource_errors").len(), 1, "{found}");
    for topic in found["trend_alert"]["trend"]["topics"].as_array().into_iter().flatten() {
        is_inert("a topic", topic.as_str().unwrap(), &[]);
    }
    let mut written = 0;
    for resource in RESOURCES {
        let answer = stage.write(resource, "text").await;
        if let Some(text) = answer["artifact"]["payload_text"].as_str() {
            is_inert("a post", text, &sources());
            written += 1;
        }
    }
    assert!(written >= 3, "{written} posts of {} resources", RESOURCES.len());
    for _ in 0..2 {
        let answer = stage.write(RESOURCES[0], "image").await;
        is_inert("a caption", answer["artifact"]["payload_text"].as_str().unwrap_or_default(), &sources());
    }
}

/// Its id, and what the server logged.
async fn a_campaign_runs(stage: &Stage) -> (String, String) {
    let watched: Vec<&str> =
        RESOURCES[..5].iter().copied().chain(["mastodon://mentions/recent"]).flat_map(|uri| ["--watch", uri]).collect();
    let made = stage.json(&[&["campaign", "create", "--goal", GOAL, "--agents", "selam"], watched.as_slice()].concat()).await;
    let id = made["campaign_id"].as_str().unwrap().to_owned();
    stage.json(&["campaign", "start", &id]).await;
    let mut command = stage.folder.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.env("CHIMERA_LOG", "debug");
    let serving = stage.folder.serving(command).await;
    let metrics = serving.health.replace("healthz", "metrics");
    until("posts and a reply at the far end", async || {
        let reviews = stage.both(&["review", "list"]).await;
        for review in list(&reviews, "reviews") {
            let review_id = review["review_id"].as_str().unwrap();
            stage.both(&["review", "show", review_id]).await;
            stage.shown(&["review", "approve", review_id, "--reviewer", "lena"]).await;
        }
        let published = stage.served.world.published();
        let has_reply = published.iter().any(|post| post["reply_to"] == "501");
        (published.len() >= PUBLISHED_MIN && has_reply && published.iter().any(|post| post["reply_to"].is_null())).then_some(())
    })
    .await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let counted = reqwest::get(&metrics).await.unwrap().text().await.unwrap();
    assert!(counted.contains("chimera_tasks") && !counted.contains(MARK), "{counted}");
    let done = serving.stop().await;
    assert!(done.stderr.contains(MARK), "the log tells what upstreams said, or this looks at nothing: {}", done.stderr);
    (id, done.stderr)
}

/// Every task, and every trend with its picture.
async fn each_story_is_told(stage: &Stage, id: &str) {
    let campaign = stage.json(&["campaign", "show", id]).await;
    assert!(!list(&campaign, "posts").is_empty(), "{campaign}");
    for task in list(&campaign, "task_list") {
        stage.both(&["campaign", "show", id, "--trace", task["task_id"].as_str().unwrap()]).await;
    }
    let trends = stage.json(&["trends", "list"]).await;
    for trend in list(&trends, "trends") {
        stage.both(&["trends", "show", trend["cluster_id"].as_str().unwrap(), "--svg", "trend.svg"]).await;
        let picture = std::fs::read_to_string(stage.folder.path().join("trend.svg")).unwrap();
        is_shown_safely("a picture", &picture);
        assert!(!picture.contains("<script") && !picture.contains("onerror"), "{picture}");
    }
    stage.shown(&["campaign", "show", "no such"]).await;
}

/// Posts with all that goes with them, prompts, what a drawing tool is asked, and traces.
fn what_reached_others_is_ours(stage: &Stage) {
    let world = &stage.served.world;
    for post in world.published() {
        for field in ["text", "alt_text"] {
            is_inert(field, post[field].as_str().unwrap_or_default(), &sources());
        }
        let others =
            post.as_object().unwrap().iter().filter(|(name, _)| !["text", "alt_text", "reply_to", "media_uri"].contains(&name.as_str()));
        for (name, value) in others {
            assert!(!value.to_string().contains(MARK), "{name}: {value}");
        }
    }
    let prompts = world.prompts();
    assert!(prompts.iter().any(|prompt| prompt.to_string().contains(MARK)), "strangers' words are shown to models, as such");
    prompts.iter().for_each(keeps_strangers_apart);
    for asked in world.drawn() {
        is_inert("what is drawn", asked["prompt"].as_str().unwrap(), &sources());
    }
    let traces = world.traces();
    assert!(!traces.is_empty() && !json!(traces).to_string().contains(MARK), "{traces:?}");
}

fn file_names_are_ours(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        assert!(!name.contains(MARK) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)), "{name}");
        if entry.file_type().unwrap().is_dir() {
            file_names_are_ours(&entry.path());
        }
    }
}

/// With its line breaks as they are.
async fn raw(folder: &Folder, args: &[&str]) -> String {
    let done = folder.command(args).output().await.unwrap();
    String::from_utf8(done.stdout).unwrap()
}
