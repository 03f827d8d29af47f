//! The Judge asks a model of its own what it thinks, over the real program and a server that answers what the test wrote.

use crate::{
    program::{Folder, Serving, run},
    swarm_stage::{AGENTS, SwarmStage, list, until},
};
use axum::{
    Router,
    http::{HeaderMap, header::CONTENT_TYPE},
    routing::{get, post},
};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, task::JoinSet};

/// The composer's text leaves without a person, if nobody holds it back.
const AUTO: &str = "[judge]\nauto_approve_embedded = true\n";
const KEY: &str = "Zebra-Quilt-judge-key";

/// What one question was, and with which key it came.
#[derive(Clone)]
struct Asked {
    prompt: String,
    key: String,
}

/// Says `answers` one after another, and the last one again and again.
struct Model {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    _serving: JoinSet<()>,
}

impl Model {
    async fn start(answers: &[Value]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let script = Arc::new(Mutex::new(answers.iter().map(ToString::to_string).collect::<VecDeque<String>>()));
        let noted = asked.clone();
        let answer = move |headers: HeaderMap, prompt: String| async move {
            let key = headers.get("authorization").and_then(|key| key.to_str().ok()).unwrap_or_default().to_owned();
            noted.lock().unwrap().push(Asked { prompt, key });
            let mut script = script.lock().unwrap();
            let text = if script.len() > 1 { script.pop_front() } else { script.front().cloned() };
            let written = json!({ "choices": [{ "delta": { "content": text.unwrap() }, "finish_reason": "stop" }] });
            let used = json!({ "choices": [], "usage": { "prompt_tokens": 300, "completion_tokens": 30 } });
            ([(CONTENT_TYPE, "text/event-stream")], format!("data: {written}\n\ndata: {used}\n\ndata: [DONE]\n\n"))
        };
        let routes = Router::new().route("/v1/chat/completions", post(answer)).route("/v1/models", get(async || "{}"));
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, routes).await.unwrap() });
        Self { url, asked, _serving: serving }
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn judged_by(url: &str) -> String {
    format!("[model.judge]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"stern\"\n")
}

/// A campaign of one post that has begun, judged by the model at `url`.
async fn begun(url: &str) -> (SwarmStage, String, Serving) {
    let stage = SwarmStage::set(&AGENTS[..1], &format!("{AUTO}{}", judged_by(url))).await;
    let file = stage.path().join("project/chimera.toml");
    // Prompts take their time where the program is built for debugging.
    let patient = std::fs::read_to_string(&file).unwrap().replace("lease_s = 2\n", "lease_s = 60\n");
    stage.folder.write("chimera.toml", patient);
    let id = stage.create(&AGENTS[..1], &["--posts-max", "1"]).await;
    stage.folder.json(&["campaign", "start", &id]).await;
    let mut command = stage.folder.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.env("CHIMERA_JUDGE_MODEL_KEY", KEY);
    let serving = stage.folder.serving(command).await;
    (stage, id, serving)
}

async fn review(stage: &SwarmStage) -> Value {
    until("a review waits", async || list(&stage.folder.json(&["review", "list"]).await, "reviews").first().cloned()).await
}

#[tokio::test]
async fn what_the_model_finds_fine_leaves_as_before_and_its_reason_is_on_record() {
    let model = Model::start(&[json!({ "verdict": "fine", "rationale": "Every word is in the news." })]).await;
    let (stage, id, serving) = begun(&model.url).await;

    stage.published(1).await;
    let campaign = stage.campaign(&id).await;
    let result = campaign["results"][0]["result_id"].as_str().unwrap().to_owned();
    let told = stage.folder.json(&["campaign", "show", &id, "--trace", &result]).await;
    assert_eq!(serving.stop().await.code, Some(0));

    let asked = model.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].key, format!("Bearer {KEY}"));
    let text = campaign["results"][0]["artifact"]["payload_text"].as_str().unwrap();
    assert!(asked[0].prompt.contains(text.lines().next().unwrap()) && asked[0].prompt.contains("Material:"), "{}", asked[0].prompt);
    let reason = campaign["decisions"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("auto_approve_embedded is set; openai stern finds it fine: Every word is in the news."), "{reason}");
    let steps = list(&told, "trace");
    let facts = |name: &str| steps.iter().filter(|step| step["step"] == name).map(|step| &step["facts"]).collect::<Vec<_>>();
    assert_eq!(
        (facts("model")[0]["model"].as_str(), facts("model")[0]["input_tokens"].as_u64()),
        (Some("openai stern"), Some(300)),
        "{told}"
    );
    assert!(steps.iter().any(|step| step.to_string().contains("finds it fine")), "{told}");
}

#[tokio::test]
async fn what_the_model_rejects_is_written_anew_with_its_reason() {
    let no = json!({ "verdict": "reject", "rationale": "Dull: take another source.", "violations": ["nobody learns anything"] });
    let model = Model::start(&[no, json!({ "verdict": "fine", "rationale": "Better." })]).await;
    let (stage, id, serving) = begun(&model.url).await;

    stage.published(1).await;
    let campaign = stage.campaign(&id).await;
    assert_eq!(serving.stop().await.code, Some(0));

    let decisions = list(&campaign, "decisions");
    assert_eq!((&decisions[0]["decision"], &decisions[1]["decision"]), (&json!("reject"), &json!("approve")), "{campaign}");
    assert_eq!(decisions[0]["reason"], "openai stern rejects it: Dull: take another source.; nobody learns anything");
    assert_eq!(campaign["task_list"][0]["feedback"], decisions[0]["reason"], "{campaign}");
    let texts: Vec<&str> = list(&campaign, "results").iter().map(|result| result["artifact"]["payload_text"].as_str().unwrap()).collect();
    assert!(texts.len() == 2 && texts[0] != texts[1], "{texts:?}");
    assert_eq!(stage.far_end().posts().values().next().unwrap()["text"], texts[1]);
}

#[tokio::test]
async fn where_the_model_asks_for_a_person_the_review_shows_why_and_nothing_leaves() {
    let model = Model::start(&[json!({ "verdict": "ask", "rationale": "It may hurt people in that town." })]).await;
    let (stage, _, serving) = begun(&model.url).await;

    let waiting = review(&stage).await;
    let shown = stage.folder.run(&["review", "show", waiting["review_id"].as_str().unwrap()]).await;
    assert_eq!(serving.stop().await.code, Some(0));

    assert!(shown.stdout.contains("openai stern asks for a person: It may hurt people in that town."), "{shown:?}");
    assert_eq!(stage.far_end().posts().len(), 0);
}

#[tokio::test]
async fn a_model_that_is_down_lets_nothing_through() {
    // Nobody listens there.
    let (stage, _, serving) = begun("http://127.0.0.1:9/v1").await;

    let waiting = review(&stage).await;
    assert_eq!(serving.stop().await.code, Some(0));

    let reason = waiting["escalation_reason"].as_str().unwrap();
    assert!(reason.contains("the second opinion of openai stern could not be had"), "{reason}");
    assert_eq!(stage.far_end().posts().len(), 0);
}

#[tokio::test]
async fn doctor_says_of_each_model_whether_it_answers_and_shows_no_key() {
    let model = Model::start(&[json!({})]).await;
    let planner = "[model.planner]\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nname = \"thinker\"\n";
    let folder = Folder::with_config(&format!("{}{planner}", judged_by(&model.url)));
    let mut command = folder.command(&["doctor", "--json"]);
    command.env("CHIMERA_JUDGE_MODEL_KEY", KEY).env("CHIMERA_PLANNER_MODEL_KEY", KEY);

    let done = run(command, b"").await;

    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    let ok = |what: &str| list(&told, "checks").iter().find(|check| check["check"] == what).map(|check| check["ok"] == json!(true));
    assert_eq!(ok("model of the Judge, openai stern"), Some(true), "{told}");
    assert_eq!(ok("model of the Planner, openai thinker"), Some(false), "{told}");
    assert!(!done.stdout.contains(KEY) && !done.stderr.contains(KEY));
}
