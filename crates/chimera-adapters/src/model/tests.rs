mod anthropic;
mod schemas;

use super::*;
use chimera_core::{
    ports::text_model::{ModelError, Prompt, TextModel, Usage},
    testing::fake_clock::ManualClock,
};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use zeroize::Zeroizing;

const KEY: &str = "sk-test-7f3a9c";

/// What the server does with one request.
#[derive(Debug, Clone)]
enum Act {
    /// Sends this and closes.
    Say(String),
    /// Sends this and then nothing more.
    FallSilent(String),
}

/// A model server that does as it is told, and keeps what it was asked.
struct FaultServer {
    url: url::Url,
    seen: Arc<Mutex<Vec<String>>>,
    _serving: JoinSet<()>,
}

impl FaultServer {
    async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap()).parse().unwrap();
        let seen = Arc::<Mutex<Vec<String>>>::default();
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, acts.into(), seen.clone()));
        Self { url, seen, _serving: serving }
    }

    fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    fn place(&self) -> ModelPlace {
        ModelPlace { url: self.url.clone(), model: "small".to_owned(), key: Some(Zeroizing::new(KEY.to_owned())) }
    }
}

async fn serve(listener: TcpListener, mut acts: VecDeque<Act>, seen: Arc<Mutex<Vec<String>>>) {
    let mut silent = Vec::new();
    while let Ok((mut stream, _)) = listener.accept().await {
        let request = read_request(&mut stream).await;
        seen.lock().unwrap().push(request);
        let act = if acts.len() > 1 { acts.pop_front().unwrap() } else { acts[0].clone() };
        match act {
            Act::Say(text) => {
                let _ = stream.write_all(text.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
            Act::FallSilent(text) => {
                let _ = stream.write_all(text.as_bytes()).await;
                silent.push(stream);
            }
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).await.unwrap_or(0);
        text.extend_from_slice(&chunk[..count]);
        let whole = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = whole.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        if count == 0 || body.len() >= length.unwrap_or(0) {
            return whole;
        }
    }
}

fn answer(status: &str, headers: &str, body: &str) -> Act {
    Act::Say(format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
}

const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";

fn events(events: &[&str]) -> Act {
    Act::Say(format!("{STREAM_HEAD}\r\n{}", events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>()))
}

const FIRST: &str = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"Forty "},"finish_reason":null}]}"#;
const SECOND: &str = r#"{"choices":[{"index":0,"delta":{"content":"kilometres."},"finish_reason":null}]}"#;
const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const COUNTS: &str = r#"{"choices":[],"usage":{"prompt_tokens":31,"completion_tokens":3,"total_tokens":34}}"#;

fn good() -> Act {
    events(&[FIRST, SECOND, STOP, COUNTS, "[DONE]"])
}

fn limits() -> ModelLimits {
    ModelLimits {
        silence_max: Duration::from_millis(300),
        answer_within: Duration::from_secs(5),
        backoff_first: Duration::from_millis(2),
        wait_max: Duration::from_millis(500),
        ..ModelLimits::default()
    }
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at("2026-11-15T08:00:00Z"))
}

fn openai(server: &FaultServer) -> OpenAiModel {
    OpenAiModel::new(server.place(), limits(), clock()).unwrap()
}

fn prompt() -> Prompt {
    Prompt {
        system: "You are Selam.".to_owned(),
        user: "Write a post.".to_owned(),
        temperature: 0.7,
        output_tokens_max: 120,
        seed: 7,
        answer_schema: None,
    }
}

fn body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn a_stream_becomes_a_text_with_its_usage_and_the_request_is_openais() {
    let server = FaultServer::start(vec![good()]).await;

    let written = openai(&server).write(&prompt()).await.unwrap();

    assert_eq!((written.text.as_data(), written.pieces, written.was_cut), ("Forty kilometres.", 2, false));
    assert_eq!(written.usage, Usage { input_tokens: 31, output_tokens: 3, is_estimated: false });
    let request = &server.requests()[0];
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {KEY}\r\n")), "{request}");
    let expected = json!({
        "model": "small",
        "messages": [{ "role": "system", "content": "You are Selam." }, { "role": "user", "content": "Write a post." }],
        "temperature": 0.7, "seed": 7, "max_tokens": 120, "stream": true, "stream_options": { "include_usage": true },
    });
    assert_eq!(body(request), expected);
}

#[tokio::test]
async fn a_server_that_does_not_count_is_guessed_and_a_cut_text_is_said_to_be_cut() {
    let cut = r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]}"#;
    let server = FaultServer::start(vec![events(&[FIRST, SECOND, cut])]).await;

    let written = openai(&server).write(&prompt()).await.unwrap();

    assert!(written.was_cut);
    assert_eq!(written.usage, Usage { input_tokens: 7, output_tokens: 5, is_estimated: true });
}

#[tokio::test]
async fn what_a_filter_took_away_is_not_taken_for_a_text() {
    let filtered = r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#;
    let server = FaultServer::start(vec![events(&[FIRST, filtered, "[DONE]"])]).await;

    let error = openai(&server).write(&prompt()).await.unwrap_err();

    assert!(matches!(&error, ModelError::Nonsense { problem, .. } if problem.contains("declined")) && error.may_have_cost(), "{error}");
}

#[tokio::test]
async fn the_old_and_the_new_name_of_the_limit_go_to_whom_they_belong() {
    let server = FaultServer::start(vec![good()]).await;
    let place = ModelPlace { url: OPENAI_URL.parse().unwrap(), ..server.place() };

    let original = OpenAiModel::new(place, limits(), clock()).unwrap();

    let (new, old) = (original.request(&prompt(), true), openai(&server).request(&prompt(), true));
    assert_eq!((&new["max_completion_tokens"], new.get("temperature"), new.get("max_tokens")), (&json!(120), None, None));
    assert_eq!((&old["max_tokens"], &old["temperature"]), (&json!(120), &json!(0.7)));
    assert!(format!("{:?}", server.place()).contains("masked") && !format!("{:?}", server.place()).contains(KEY));
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_and_asked_again() {
    let limited = answer("429 Too Many Requests", "retry-after-ms: 20\r\n", r#"{"error":{"message":"slow down"}}"#);
    let server = FaultServer::start(vec![limited, good()]).await;

    assert_eq!(openai(&server).write(&prompt()).await.unwrap().text.as_data(), "Forty kilometres.");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_long_rate_limit_is_told_and_nothing_is_sent_until_it_is_over() {
    let server = FaultServer::start(vec![answer("429 Too Many Requests", "retry-after: 40\r\n", "{}")]).await;
    let model = openai(&server);

    for _ in 0..3 {
        let error = model.write(&prompt()).await.unwrap_err();
        let ModelError::RateLimited { retry_after, .. } = error else { panic!("{error}") };
        assert!(retry_after > Duration::from_secs(30), "{retry_after:?}");
    }
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_exhausted_allowance_is_waited_out_before_the_next_call() {
    let Act::Say(text) = good() else { unreachable!() };
    let headers = "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1m0s\r\n";
    let server = FaultServer::start(vec![Act::Say(text.replacen("connection", &format!("{headers}connection"), 1))]).await;
    let model = openai(&server);

    assert!(model.write(&prompt()).await.is_ok());
    assert!(matches!(model.write(&prompt()).await, Err(ModelError::RateLimited { .. })));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_server_in_trouble_is_asked_again_and_then_left_alone() {
    let server = FaultServer::start(vec![answer("503 Service Unavailable", "", "")]).await;
    let model = openai(&server);

    let error = model.write(&prompt()).await.unwrap_err();
    assert!(matches!(&error, ModelError::Unavailable { .. }) && !error.may_have_cost(), "{error}");
    assert_eq!(server.requests().len(), 3, "two retries");

    let error = model.write(&prompt()).await.unwrap_err();
    assert!(error.to_string().contains("left alone"), "{error}");
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn one_bad_moment_is_forgotten() {
    let server = FaultServer::start(vec![answer("500 Internal Server Error", "", ""), good()]).await;

    assert_eq!(openai(&server).write(&prompt()).await.unwrap().text.as_data(), "Forty kilometres.");
}

#[tokio::test]
async fn what_may_have_been_written_is_not_asked_for_twice() {
    let silent = Act::FallSilent(String::new());
    let stalls = Act::FallSilent(format!("{STREAM_HEAD}\r\ndata: {FIRST}\n\n"));
    let cut = events(&[FIRST, SECOND]);
    let gave_up = events(&[FIRST, r#"{"error":{"message":"out of memory"}}"#]);
    for (act, why) in [(silent, "too long to begin"), (stalls, "fell silent"), (cut, "ended in the middle"), (gave_up, "out of memory")] {
        let server = FaultServer::start(vec![act, good()]).await;

        let error = openai(&server).write(&prompt()).await.unwrap_err();

        assert!(matches!(&error, ModelError::Lost { reason, .. } if reason.contains(why)), "{error}");
        assert!(error.may_have_cost());
        assert_eq!(server.requests().len(), 1, "{why}");
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_within_a_chunk_is_lost_too() {
    let head = STREAM_HEAD.replacen("connection: close\r\n", "transfer-encoding: chunked\r\n", 1);
    let server = FaultServer::start(vec![Act::Say(format!("{head}\r\nff\r\ndata: {FIRST}"))]).await;

    assert!(matches!(openai(&server).write(&prompt()).await, Err(ModelError::Lost { .. })));
}

#[tokio::test]
async fn refusals_say_what_to_mend_and_never_hold_the_key() {
    let echo = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    for (act, expected) in [
        (answer("401 Unauthorized", "", &echo), "check CHIMERA_MODEL_KEY"),
        (answer("404 Not Found", "", r#"{"message":"no such model"}"#), "check model.base_url and model.name"),
        (answer("400 Bad Request", "", r#"{"error":"bad temperature"}"#), "bad temperature"),
        (answer("302 Found", "location: http://192.0.2.1/\r\n", ""), "302 Found"),
    ] {
        let server = FaultServer::start(vec![act]).await;
        let error = openai(&server).write(&prompt()).await.unwrap_err();

        assert!(matches!(error, ModelError::Refused { .. }) && error.to_string().contains(expected), "{error}");
        assert!(!error.to_string().contains(KEY) && !error.may_have_cost());
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn what_is_no_stream_of_events_is_nonsense() {
    let html = "content-type: text/html\r\n";
    for act in [answer("200 OK", html, "<html>"), events(&["{not json"])] {
        let server = FaultServer::start(vec![act]).await;
        assert!(matches!(openai(&server).write(&prompt()).await, Err(ModelError::Nonsense { .. })));
    }
}

#[tokio::test]
async fn nobody_there_is_unavailable_and_costs_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let model = OpenAiModel::new(ModelPlace { url, model: "small".to_owned(), key: None }, limits(), clock()).unwrap();

    let error = model.write(&prompt()).await.unwrap_err();

    assert!(matches!(&error, ModelError::Unavailable { .. }) && !error.may_have_cost(), "{error}");
}

#[tokio::test]
async fn reaching_it_asks_for_its_models_and_nothing_else() {
    let server = FaultServer::start(vec![answer("200 OK", "", "{}"), answer("401 Unauthorized", "", "")]).await;
    let model = openai(&server);

    model.reach().await.unwrap();
    assert!(matches!(model.reach().await, Err(ModelError::Refused { .. })));
    assert!(server.requests()[0].starts_with("GET /v1/models HTTP/1.1\r\n"));
}
