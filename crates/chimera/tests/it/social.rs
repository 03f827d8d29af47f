//! `chimera social` as the real program: an upstream that reads and publishes, on platforms that stand on this machine.

use crate::program::{Folder, PATIENCE, Running};
use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{io::AsyncWriteExt, net::TcpListener, task::JoinSet, time::timeout};

const TOKEN: &str = "tok-9d1f0c";

/// Requests as `METHOD path token`.
type Asked = Arc<Mutex<Vec<String>>>;

/// Mastodon, Bluesky and X in one, by their paths. Ends when dropped.
struct Platforms {
    address: SocketAddr,
    asked: Asked,
    _serving: JoinSet<()>,
}

impl Platforms {
    async fn start() -> Self {
        let asked = Asked::default();
        let app = Router::new().fallback(answer).with_state(asked.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { address, asked, _serving: serving }
    }

    /// All three platforms, and their secrets in files.
    fn folder(&self) -> Folder {
        let url = format!("http://{}", self.address);
        let folder = Folder::with_config(&format!(
            "[social.mastodon]\nbase_url = \"{url}\"\n[social.bluesky]\nservice = \"{url}\"\nhandle = \"selam.example.com\"\n\
             [social.x]\nbase_url = \"{url}\"\nuser_id = \"42\"\n[upstreams.social]\ncommand = [\"chimera\", \"social\"]\n\
             env = {{ MASTODON_TOKEN_FILE = \"token\", BLUESKY_APP_PASSWORD_FILE = \"token\", X_BEARER_TOKEN_FILE = \"token\" }}\n"
        ));
        folder.write("token", format!("{TOKEN}\n"));
        folder
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn answer(State(asked): State<Asked>, method: Method, uri: Uri, headers: HeaderMap) -> (StatusCode, Json<Value>) {
    let bearer = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or("-").trim_start_matches("Bearer ").to_owned();
    asked.lock().unwrap().push(format!("{method} {} {bearer}", uri.path()));
    let post = |text: &str| json!({ "id": "7", "content": text, "url": "https://far.example/@ada/7", "account": { "acct": "ada" } });
    let body = match uri.path() {
        "/api/v1/timelines/tag/batteries" => json!([post("<p>A battery that lasts a week</p>")]),
        "/api/v1/statuses" => post("published"),
        "/xrpc/com.atproto.server.createSession" => json!({ "did": "did:plc:selam", "accessJwt": "jwt", "refreshJwt": "refresh" }),
        "/xrpc/app.bsky.feed.searchPosts" => {
            let record = json!({ "text": "Solid-state battery in a bus", "createdAt": "2026-11-15T07:00:00Z" });
            json!({ "posts": [{ "uri": "at://did:plc:ada/app.bsky.feed.post/3ka", "author": { "handle": "ada.example.com" }, "record": record }] })
        }
        "/2/users/42/mentions" => json!({ "data": [{ "id": "9", "text": "@selam what do you think of batteries?", "author_id": "1" }] }),
        _ => return (StatusCode::NOT_FOUND, Json(json!({ "error": "Record not found" }))),
    };
    (StatusCode::OK, Json(body))
}

#[tokio::test]
async fn what_people_say_on_three_platforms_is_perceived_like_any_news() {
    let platforms = Platforms::start().await;
    let folder = platforms.folder();
    folder.create_agent().await;
    let uris = ["mastodon://tags/batteries", "bluesky://search/battery", "twitter://mentions/recent", "mastodon://posts/8/engagement"];

    let answer = folder
        .call(
            "skill_trend_fetcher",
            &json!({
                "agent_id": "selam", "campaign_id": "spring", "resource_uris": uris, "goal_context": "news of batteries",
                "options": { "include_below_threshold": true },
            }),
        )
        .await;

    assert_eq!(answer["success"], true, "{answer}");
    let mut summaries: Vec<&str> =
        answer["filter_results"].as_array().unwrap().iter().map(|result| result["content_summary"].as_str().unwrap()).collect();
    summaries.sort_unstable();
    let expected = ["@selam what do you think of batteries?", "A battery that lasts a week", "Solid-state battery in a bus"];
    assert_eq!(summaries, expected, "{answer}");
    let errors = &answer["resource_errors"];
    assert_eq!(errors.as_array().unwrap().len(), 1, "{errors}");
    assert!(errors[0]["message"].as_str().unwrap().contains("not_found: mastodon has no such post"), "{errors}");
    let asked = platforms.asked();
    assert!(asked.contains(&format!("GET /2/users/42/mentions {TOKEN}")), "{asked:?}");
    assert!(asked.contains(&"GET /xrpc/app.bsky.feed.searchPosts jwt".to_owned()), "{asked:?}");
}

/// Asks in one go what a host asks at its start, then these, and gives the answers to these.
pub(crate) async fn speak(folder: &Folder, secrets: &[(&str, &str)], requests: &[Value]) -> Vec<Value> {
    let mut command = folder.command(&["social"]);
    command.envs(secrets.iter().copied());
    let mut running = Running::start(command);
    let mut stdin = running.stdin();
    let info = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "host", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for message in [&hello, &ready].into_iter().chain(requests) {
        stdin.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let mut answers = Vec::new();
    while answers.len() < requests.len() {
        let answer: Value = serde_json::from_str(&running.line().await.unwrap()).unwrap();
        if answer["id"] != 0 {
            answers.push(answer);
        }
    }
    drop(stdin);
    let done = timeout(PATIENCE, running.finish()).await.unwrap();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(secrets.iter().all(|(_, secret)| !done.stderr.contains(secret)), "{done:?}");
    answers
}

fn publish(id: u32, platform: &str, text: &str) -> Value {
    publish_call(id, json!({ "platform": platform, "idempotency_key": "k-1", "text": text, "ai_generated": true }))
}

pub(crate) fn publish_call(id: u32, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "publish", "arguments": arguments } })
}

#[tokio::test]
async fn the_program_publishes_over_standard_input_and_output() {
    let platforms = Platforms::start().await;
    let folder = platforms.folder();

    let posted = speak(&folder, &[("MASTODON_TOKEN", TOKEN)], &[publish(1, "mastodon", "Hello")]).await.remove(0);
    let without_secret = speak(&folder, &[("MASTODON_TOKEN", TOKEN)], &[publish(1, "twitter", "Hello")]).await.remove(0);

    assert_eq!(posted["result"]["structuredContent"], json!({ "post_id": "7", "url": "https://far.example/@ada/7" }), "{posted}");
    assert_eq!(without_secret["result"]["isError"], true);
    let told = without_secret["result"]["content"][0]["text"].as_str().unwrap();
    assert!(told.starts_with("not_configured: neither X_BEARER_TOKEN nor X_API_KEY"), "{told}");
    assert_eq!(platforms.asked(), [format!("POST /api/v1/statuses {TOKEN}")]);
}

#[tokio::test]
async fn what_cannot_be_served_is_refused_at_start_with_what_to_mend() {
    let table = [
        ("", "nothing is configured; add [social.mastodon]"),
        (
            "[social.mastodon]\nbase_ulr = \"https://a.example\"\n",
            "chimera.toml:2: \"base_ulr\" is not a setting here; the nearest one is \"base_url\"",
        ),
        ("[social.myspace]\n", "\"myspace\" is not a setting here"),
        ("[social.mastodon]\nbase_url = \"http://a.example\"\n", "social.mastodon.base_url must begin with https://"),
        ("[social.bluesky]\nhandle = \"selam\"\n", "social.bluesky.handle \"selam\" is not a handle"),
        ("[social.x]\nuser_id = \"@selam\"\n", "social.x.user_id \"@selam\" is not a user's number"),
    ];
    for (config, expected) in table {
        Folder::with_config(config).run(&["social"]).await.refused(2, &[expected]);
    }
}
