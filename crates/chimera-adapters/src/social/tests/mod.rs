//! The platforms as a loopback server that answers what they answered, and keeps what it was asked.

mod bluesky;
mod limits;
mod mastodon;
mod serving;
mod x;

use super::{BlueskyAccount, MastodonAccount, Secret, SocialConfig, SocialServer, XAccess, XAccount, XKeys};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use chimera_core::testing::fake_clock::ManualClock;
use rmcp::model::{CallToolRequestParams, ReadResourceRequestParams, ResourceContents};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceError, ServiceExt};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use url::Url;
use zeroize::Zeroizing;

const NOW: &str = "2026-11-15T08:00:00Z";
const SECRET: &str = "s3cr3t-token-value";

/// One answer of a platform.
struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

fn reply(status: u16, body: Value) -> Reply {
    Reply { status, headers: Vec::new(), body: body.to_string() }
}

impl Reply {
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// One request to a platform.
#[derive(Debug)]
struct Asked {
    /// `GET /path?query`
    line: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Asked {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

#[derive(Default)]
struct Script {
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<Asked>>,
}

/// A platform that gives its replies in order, and 418 afterwards. Stops when dropped.
struct StandIn {
    address: SocketAddr,
    script: Arc<Script>,
    _serving: JoinSet<()>,
}

impl StandIn {
    async fn with(replies: Vec<Reply>) -> Self {
        let script = Arc::new(Script { replies: Mutex::new(replies.into()), asked: Mutex::default() });
        let app = Router::new().fallback(answer).with_state(script.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { address, script, _serving: serving }
    }

    fn url(&self) -> Url {
        Url::parse(&format!("http://{}", self.address)).unwrap()
    }

    /// What was asked since the last time.
    fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.script.asked.lock().unwrap())
    }

    fn lines(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.line).collect()
    }
}

async fn answer(
    State(script): State<Arc<Script>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, HeaderMap, String) {
    script.asked.lock().unwrap().push(Asked { line: format!("{method} {uri}"), headers, body });
    let next = script.replies.lock().unwrap().pop_front();
    let Reply { status, headers, body } = next.unwrap_or_else(|| reply(418, json!({ "error": "not expected" })));
    let pairs = headers.into_iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(&value).unwrap()));
    (StatusCode::from_u16(status).unwrap(), pairs.collect(), body)
}

fn secret() -> Option<Secret> {
    Some(Secret::new(Zeroizing::new(SECRET.to_owned())))
}

fn on_mastodon(base_url: Url) -> SocialConfig {
    SocialConfig { mastodon: Some(MastodonAccount { base_url, token: secret() }), ..SocialConfig::default() }
}

fn on_bluesky(service: Url) -> SocialConfig {
    let account = BlueskyAccount { service, handle: "selam.example.com".to_owned(), app_password: secret() };
    SocialConfig { bluesky: Some(account), ..SocialConfig::default() }
}

fn on_x(base_url: Url) -> SocialConfig {
    let account = XAccount { base_url, user_id: Some("2244994945".to_owned()), access: secret().map(XAccess::Bearer) };
    SocialConfig { x: Some(account), ..SocialConfig::default() }
}

/// A client and the server it talks to, in memory.
struct Session {
    client: RunningService<RoleClient, ()>,
    clock: Arc<ManualClock>,
    _serving: JoinSet<()>,
}

impl Session {
    async fn open(config: SocialConfig) -> Self {
        Self::with_deadlines(config, Duration::from_secs(30), Duration::from_secs(30)).await
    }

    async fn with_deadlines(config: SocialConfig, request: Duration, read: Duration) -> Self {
        let clock = Arc::new(ManualClock::at(NOW));
        let server = SocialServer::with_deadlines(config, clock.clone(), request, read).unwrap();
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let running = server.serve(theirs).await.unwrap();
            let _ = running.waiting().await;
        });
        Self { client: ().serve(ours).await.unwrap(), clock, _serving: serving }
    }

    async fn read(&self, uri: &str) -> Result<Value, rmcp::ErrorData> {
        match self.client.read_resource(ReadResourceRequestParams::new(uri)).await {
            Ok(mut result) => {
                let ResourceContents::TextResourceContents { text, mime_type, .. } = result.contents.remove(0) else { panic!("not text") };
                assert_eq!(mime_type.as_deref(), Some("application/json"));
                Ok(serde_json::from_str(&text).unwrap())
            }
            Err(ServiceError::McpError(error)) => Err(error),
            Err(other) => panic!("{other:?}"),
        }
    }

    /// The message of a resource that cannot be read.
    async fn refusal(&self, uri: &str) -> String {
        self.read(uri).await.unwrap_err().message.into_owned()
    }

    async fn publish(&self, arguments: Value) -> Result<Value, String> {
        let params = CallToolRequestParams::new("publish").with_arguments(arguments.as_object().unwrap().clone());
        let result = self.client.call_tool(params).await.unwrap();
        let text = result.content[0].as_text().unwrap().text.clone();
        assert!(!text.contains(SECRET), "{text}");
        match result.is_error {
            Some(true) => Err(text),
            _ => {
                let answer = result.structured_content.unwrap();
                assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), answer);
                Ok(answer)
            }
        }
    }
}

fn post_on(platform: &str, text: &str) -> Value {
    json!({ "platform": platform, "idempotency_key": "task-7", "text": text, "ai_generated": true })
}
