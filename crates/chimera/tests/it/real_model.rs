//! A real language model, SmolLM2-135M on llama.cpp's server, writes for the real program. It is small and invents freely, which is what the
//! checks are for.

use crate::{
    peers::{self, Peer},
    program::{Finished, Folder, Group, Running},
    wallet_stage::new_task,
};
use chimera_adapters::model::{ModelLimits, ModelPlace, OpenAiModel};
use chimera_core::{
    ports::text_model::{Prompt, TextModel},
    testing::fake_clock::ManualClock,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::{net::TcpListener, process::Command, task::JoinSet};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers/llama_server.py");
const CONTENT: &str = "skill_content_generator";
const FEED: &str = "[upstreams.feeds]\ncommand = [\"chimera\", \"feeds\"]\n[[feeds.news]]\nregion = \"global\"\ncategory = \"cities\"\nurls = [\"file:news.xml\"]\n";

pub(crate) struct Llama {
    pub(crate) url: String,
    _group: Group,
    _output: JoinSet<Finished>,
}

impl Llama {
    /// `None` when it is not installed and that is allowed.
    pub(crate) async fn start() -> Option<Self> {
        let python = peers::program(Peer::Python)?;
        // The server takes no port 0; another program would have to take this one at this very moment.
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let mut command = Command::new(python);
        command.args([SERVER, &port.to_string()]);
        let mut running = Running::start(command);
        let url = running.line().await.expect("the model server says where it listens");
        let (group, output) = running.drained();
        Some(Self { url: format!("{}/v1", url.trim()), _group: group, _output: output })
    }

    fn config(&self, fallback: &str) -> String {
        format!("[model]\nprovider = \"openai\"\nbase_url = \"{}\"\nname = \"smollm2\"\nfallback = {fallback}\n{FEED}", self.url)
    }
}

fn task(goal: &str) -> Value {
    json!({
        "task_id": new_task(),
        "agent_id": "selam",
        "task_type": "generate_content",
        "context": { "goal_description": goal, "persona_constraints": [], "required_resources": ["news://global/cities/latest"] },
        "acceptance_criteria": { "content_type": "text", "platform": "mastodon" },
    })
}

async fn project(llama: &Llama, fallback: &str, news: &str) -> Folder {
    let folder = Folder::with_config(&llama.config(fallback));
    let item = format!("<item><title>Bike lanes</title><description>{news}</description><link>https://news.example/lanes</link></item>");
    folder.write("news.xml", format!("<rss version=\"2.0\"><channel><title>Cities</title>{item}</channel></rss>"));
    folder.create_agent().await;
    folder
}

/// Calls by their state, and the tokens of those that are settled.
fn calls(folder: &Folder) -> (u64, u64, u64) {
    let db = rusqlite::Connection::open(folder.data().join("chimera.db")).unwrap();
    let query = "SELECT COUNT(*), SUM(state = 'settled'), SUM(input_tokens + output_tokens) FROM model_calls WHERE agent_id = 'selam'";
    db.query_row(query, [], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64, row.get::<_, i64>(2)? as u64))).unwrap()
}

#[tokio::test]
async fn a_real_model_streams_counts_and_is_never_believed_unchecked() {
    let Some(llama) = Llama::start().await else { return };
    streams_and_counts(&llama).await;
    writes_or_is_replaced(&llama).await;
    is_refused_for_what_it_invents(&llama).await;
}

async fn streams_and_counts(llama: &Llama) {
    let place = ModelPlace { url: llama.url.parse().unwrap(), model: "smollm2".to_owned(), key: None };
    let clock = Arc::new(ManualClock::at("2026-11-15T08:00:00Z"));
    let model = OpenAiModel::new(place, ModelLimits::default(), clock).unwrap();
    let prompt = Prompt {
        system: "You are brief.".to_owned(),
        user: "Name three fruits.".to_owned(),
        temperature: 0.2,
        output_tokens_max: 24,
        seed: 1,
        answer_schema: None,
    };

    model.reach().await.unwrap();
    let written = model.write(&prompt).await.unwrap();

    assert!(!written.text.as_data().trim().is_empty() && written.pieces > 3, "{written:?}");
    assert!(!written.usage.is_estimated && written.usage.input_tokens > 10, "{written:?}");
    assert!((1..=24).contains(&written.usage.output_tokens), "{written:?}");
    assert!(prompt.tokens_held() > written.usage.total_tokens(), "more is held than is used");
}

async fn writes_or_is_replaced(llama: &Llama) {
    let news = "Addis Ababa opened 40 km of protected bike lanes on Monday. The lanes connect Meskel Square with the stations in the east.";
    let folder = project(llama, "[\"embedded\"]", news).await;

    let answer = folder.call(CONTENT, &task("Write about bike lanes in Addis Ababa")).await;

    assert_eq!(answer["success"], json!(true), "{answer}");
    let (text, trace) = (answer["artifact"]["payload_text"].as_str().unwrap(), answer["reasoning_trace"].as_str().unwrap());
    assert!(
        trace.contains("written by openai smollm2") || trace.contains("openai smollm2 was asked first: its drafts were refused"),
        "{trace}"
    );
    let without_link = text.replace("https://news.example/lanes", "");
    let numbers: Vec<&str> = without_link.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).collect();
    assert!(numbers.iter().all(|number| *number == "40"), "no number from nowhere: {text}");
    assert!(text.ends_with("AI-generated by @selam.makes"), "{text}");
    let (made, settled, tokens) = calls(&folder);
    assert!((3..=4).contains(&made) && made == settled && tokens > 300, "{made} calls, {settled} settled, {tokens} tokens");
}

async fn is_refused_for_what_it_invents(llama: &Llama) {
    let folder = project(llama, "[]", "The new bike lanes are open.").await;

    let answer = folder.call(CONTENT, &task("Tell the life of the architect of the bike lanes, with birthday, prizes and prices")).await;

    // What a model says differs from run to run: mostly it invents, and then none of it gets out.
    let (made, settled, _) = calls(&folder);
    if answer["success"] == json!(true) {
        let text = answer["artifact"]["payload_text"].as_str().unwrap();
        assert!(!text.contains(|c: char| c.is_ascii_digit()), "no birthday, no price: {text}");
        assert!((3..=4).contains(&made) && made == settled, "{made} calls, {settled} settled");
        return;
    }
    assert_eq!(answer["error_code"], json!("provider_error"), "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("its drafts were refused"), "{answer}");
    assert!(!answer["details"]["refused_for"].as_array().unwrap().is_empty(), "{answer}");
    assert_eq!((made, settled), (4, 4), "three drafts, and one written anew");
}

#[tokio::test]
async fn an_agent_shows_what_it_remembers_and_forgets_when_told() {
    let folder = Folder::with_config("");
    folder.create_agent().await;
    let mut input = task("Say that the repair café opens again in spring");
    input["context"]["required_resources"] = Value::Null;
    assert_eq!(folder.call(CONTENT, &input).await["success"], json!(true));

    let shown = folder.json(&["agent", "show", "selam"]).await;
    assert_eq!((shown["memories"].as_u64(), shown["remembers"].as_array().unwrap().len()), (Some(1), 1), "{shown}");
    let memory = shown["remembers"][0]["memory_id"].as_str().unwrap();
    assert_eq!(Some(memory), input["task_id"].as_str());

    folder.run(&["agent", "forget", "selam"]).await.calm();
    folder.run(&["agent", "forget", "selam", "--older-than", "soon"]).await.refused(2, &["90d, 12h or 30m"]);
    folder.run(&["agent", "forget", "selam", "--memory", &new_task()]).await.refused(1, &["has no memory"]);
    assert_eq!(folder.json(&["agent", "forget", "selam", "--older-than", "1d"]).await["forgotten"], json!(0));
    assert_eq!(folder.json(&["agent", "forget", "selam", "--memory", memory]).await["forgotten"], json!(1));
    assert_eq!(folder.json(&["agent", "show", "selam"]).await["memories"], json!(0));
}

#[tokio::test]
async fn doctor_says_whether_the_model_answers_and_never_shows_its_key() {
    let folder = Folder::with_config("[model]\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nname = \"small\"\n");
    let mut command = folder.command(&["doctor", "--json"]);
    command.env("CHIMERA_MODEL_KEY", "Zebra-Quilt-model-key");

    let done = crate::program::run(command, b"").await;

    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    let check = told["checks"].as_array().unwrap().iter().find(|check| check["check"] == "model openai small").unwrap();
    assert!(check["ok"] == json!(false) && check["found"].as_str().unwrap().contains("cannot be reached"), "{check}");
    assert!(!done.stdout.contains("Zebra-Quilt") && !done.stderr.contains("Zebra-Quilt"));

    let misplaced = Folder::with_config("[model]\nprovider = \"openai\"\nbase_url = \"http://models.example/v1\"\nname = \"small\"\n");
    let mut command = misplaced.command(&["agent", "list"]);
    command.env("CHIMERA_MODEL_KEY", "Zebra-Quilt-model-key");
    assert_eq!(crate::program::run(command, b"").await.code, Some(0), "a command that writes nothing needs no model");
}
