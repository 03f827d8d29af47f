//! What language models took for a draft, and what all agents together may take, with a model that says how many tokens it used.

use crate::swarm_stage::{AGENTS, SwarmStage, until};
use axum::{Router, http::header::CONTENT_TYPE, routing::post};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{net::TcpListener, task::JoinSet};

const AUTO: &str = "[judge]\nauto_approve_embedded = true\n";

/// Answers every prompt with a claim that no source has, and with what it took.
struct Model {
    url: String,
    asked: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl Model {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::<AtomicUsize>::default();
        let counted = asked.clone();
        let answer = move || async move {
            counted.fetch_add(1, Ordering::SeqCst);
            let written = json!({ "choices": [{ "delta": { "content": "Zanzibar grew by 777 percent." }, "finish_reason": "stop" }] });
            let used = json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 20 } });
            ([(CONTENT_TYPE, "text/event-stream")], format!("data: {written}\n\ndata: {used}\n\ndata: [DONE]\n\n"))
        };
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, Router::new().route("/v1/chat/completions", post(answer))).await.unwrap() });
        Self { url, asked, _serving: serving }
    }

    /// A folder whose agent writes with this model.
    async fn stage(&self, more: &str) -> SwarmStage {
        let stage = SwarmStage::set(&AGENTS[..1], &self.config(more)).await;
        let file = stage.path().join("project/chimera.toml");
        // Prompts take their time where the program is built for debugging.
        let patient = std::fs::read_to_string(&file).unwrap().replace("lease_s = 2\n", "lease_s = 60\n");
        stage.folder.write("chimera.toml", patient);
        stage
    }

    fn config(&self, more: &str) -> String {
        let Self { url, .. } = self;
        format!(
            "{AUTO}[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"small\"\nfallback = [\"embedded\"]\n[model.prices.small]\n\
             input_micro_usd_per_million_tokens = 1000000\noutput_micro_usd_per_million_tokens = 2000000\n{more}"
        )
    }
}

/// The story of the campaign's one post, and the campaign.
async fn story(stage: &SwarmStage) -> (Value, Value) {
    let agents = &AGENTS[..1];
    let id = stage.create(agents, &["--posts-max", "1"]).await;
    stage.folder.json(&["campaign", "start", &id]).await;
    let serving = stage.folder.serve().await;
    stage.published(1).await;
    let campaign = until("the post is on record", async || {
        let campaign = stage.campaign(&id).await;
        campaign["posts"][0]["post_id"].is_string().then_some(campaign)
    })
    .await;
    assert_eq!(serving.stop().await.code, Some(0));
    let told = stage.folder.json(&["campaign", "show", &id, "--trace", campaign["posts"][0]["post_id"].as_str().unwrap()]).await;
    (told, campaign)
}

fn steps<'a>(told: &'a Value, name: &str) -> Vec<&'a Value> {
    told["trace"].as_array().unwrap().iter().filter(|step| step["step"] == name).map(|step| &step["facts"]).collect()
}

#[tokio::test]
async fn the_story_of_a_post_tells_the_tokens_and_the_money_of_every_call() {
    let model = Model::start().await;
    let stage = model.stage("").await;

    let (told, campaign) = story(&stage).await;

    let calls = model.asked.load(Ordering::SeqCst);
    assert!(calls > 0, "{told}");
    let asked = steps(&told, "model");
    assert_eq!(asked.len(), calls, "{told}");
    let one = json!({ "model": "openai small", "input_tokens": 100, "output_tokens": 20, "is_estimated": false, "micro_usd": 140 });
    assert!(asked.iter().all(|call| **call == one), "{told}");
    let cost = json!({ "model_calls": calls, "tokens": 120 * calls, "micro_usd": 140 * calls });
    assert_eq!(steps(&told, "draft")[0]["cost"], cost, "{told}");
    let estimate = &campaign["task_list"][0]["estimate"];
    assert_eq!(estimate["text_micro_usd"], 4 * (5_000 + 2 * 700), "known before it was begun: {estimate}");
}

#[tokio::test]
async fn no_model_is_asked_when_all_agents_together_have_no_tokens_left() {
    let model = Model::start().await;
    let stage = model.stage("[governor]\ntokens_per_day_max = 50\n").await;

    let (told, _) = story(&stage).await;

    assert_eq!(model.asked.load(Ordering::SeqCst), 0);
    assert_eq!(steps(&told, "model").len(), 0, "{told}");
    let draft = steps(&told, "draft")[0];
    assert_eq!(draft.get("cost"), None);
    assert!(draft["reasoning_trace"].as_str().unwrap().contains("the fleet's tokens of the day are used up (0 of 50"), "{draft}");
}
