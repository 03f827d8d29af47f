//! MCP over HTTP: both protocol eras by raw JSON, and everyone who must be turned away.

use crate::fakes::{Stage, stage, trend_call};
use chimera::mcp::{Gate, HttpOptions, McpSkillCaller, http_router, serve_http};
use chimera_core::ports::skill_caller::{CallError, SkillCaller};
use futures::StreamExt;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::{net::TcpListener, task::JoinSet};

pub(crate) const TOKEN: &str = "a-token-for-tests";
const ACCEPT: &str = "application/json, text/event-stream";

/// A client of a server that listens on a port of its own.
pub(crate) struct Visitor {
    pub(crate) url: String,
    http: Client,
    server: JoinSet<std::io::Result<()>>,
    next_id: AtomicU64,
}

impl Visitor {
    pub(crate) async fn arrive(stage: &Stage) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let router = http_router(stage.server.clone(), &HttpOptions::default(), TOKEN, stage.shutdown.clone());
        let mut server = JoinSet::new();
        server.spawn(serve_http(router, Gate::new(&HttpOptions::default(), Some(TOKEN)), listener, stage.shutdown.clone()));
        Self { url, http: Client::new(), server, next_id: AtomicU64::new(1) }
    }

    /// After the shutdown was asked for.
    pub(crate) async fn leave(mut self) {
        drop(self.http);
        assert!(self.server.join_next().await.unwrap().unwrap().is_ok());
    }

    pub(crate) fn post(&self) -> RequestBuilder {
        self.http.post(&self.url).bearer_auth(TOKEN).header("accept", ACCEPT).header("content-type", "application/json")
    }

    fn modern(&self, method: &str, mut params: Value) -> RequestBuilder {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "visitor", "version": "1"});
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let name = ["name", "uri"].into_iter().find_map(|key| params[key].as_str()).map(str::to_owned);
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let request = self.post().header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
        name.into_iter().fold(request, |request, name| request.header("mcp-name", name)).body(body.to_string())
    }

    /// A request of 2026-07-28 that is answered as JSON.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        let response = self.modern(method, params).send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "application/json");
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    /// A request of 2026-07-28 that is answered as a stream.
    pub(crate) async fn open(&self, method: &str, params: Value) -> EventStream {
        EventStream::of(self.modern(method, params).send().await.unwrap())
    }

    /// The handshake of 2025-11-25.
    pub(crate) async fn begin_session(&self) -> Session<'_> {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "visitor", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let response = self.post().body(body.to_string()).send().await.unwrap();
        let id = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let answer = EventStream::of(response).next().await.unwrap();
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        let session = Session { visitor: self, id };
        let begun = session.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        assert_eq!(begun.status(), StatusCode::ACCEPTED);
        session
    }
}

pub(crate) struct Session<'a> {
    visitor: &'a Visitor,
    id: String,
}

impl Session<'_> {
    async fn post(&self, body: &Value) -> Response {
        let request = self.visitor.post().header("mcp-session-id", &self.id).header("mcp-protocol-version", "2025-11-25");
        request.body(body.to_string()).send().await.unwrap()
    }

    pub(crate) async fn open(&self, method: &str, params: Value) -> EventStream {
        let id = self.visitor.next_id.fetch_add(1, Ordering::Relaxed);
        EventStream::of(self.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await)
    }

    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        self.open(method, params).await.next().await.unwrap()
    }

    /// The session's standing stream.
    pub(crate) async fn stream(&self) -> EventStream {
        let request = self.visitor.http.get(&self.visitor.url).bearer_auth(TOKEN).header("accept", "text/event-stream");
        let request = request.header("mcp-session-id", &self.id).header("mcp-protocol-version", "2025-11-25");
        EventStream::of(request.send().await.unwrap())
    }
}

/// The messages of an event stream, as they come.
pub(crate) struct EventStream {
    bytes: futures::stream::BoxStream<'static, reqwest::Result<Vec<u8>>>,
    text: String,
}

impl EventStream {
    fn of(response: Response) -> Self {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let bytes = response.bytes_stream().map(|chunk| chunk.map(|bytes| bytes.to_vec())).boxed();
        Self { bytes, text: String::new() }
    }

    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            while let Some((event, rest)) = self.text.split_once("\n\n") {
                let data: String = event.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).collect();
                self.text = rest.to_owned();
                if !data.is_empty() {
                    return Some(serde_json::from_str(&data).unwrap());
                }
            }
            let chunk = self.bytes.next().await?.unwrap();
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

#[tokio::test]
async fn a_modern_call_is_answered_as_json_without_a_session() {
    let visitor = Visitor::arrive(&stage()).await;

    let tools = visitor.ask("tools/list", json!({})).await;
    let good = visitor.ask("tools/call", json!({"name": "skill_trend_fetcher", "arguments": trend_call("learn")})).await;

    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 3);
    assert_eq!((&tools["result"]["ttlMs"], &tools["result"]["cacheScope"]), (&json!(300_000), &json!("public")));
    assert_eq!(good["result"]["structuredContent"]["success"], true);
    assert_eq!(good["result"]["resultType"], "complete");
}

#[tokio::test]
async fn wrong_modern_calls_are_answered_by_the_contract_or_the_protocol() {
    let visitor = Visitor::arrive(&stage()).await;
    for arguments in [json!(null), json!([1]), json!("text"), json!({}), json!({"agent_id": "\u{0}\u{202e}"})] {
        let answer = visitor.ask("tools/call", json!({"name": "skill_wallet_transaction", "arguments": arguments})).await;
        assert_eq!(answer["result"]["structuredContent"]["error_code"], "invalid_input", "{arguments}: {answer}");
        assert_eq!(answer["result"]["isError"], true);
    }
    let unknown = visitor.ask("tools/call", json!({"name": "skill_nothing", "arguments": {}})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    let missing = visitor.ask("resources/read", json!({"uri": "chimera://agents/nobody/soul"})).await;
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
}

#[tokio::test]
async fn modern_progress_turns_the_answer_into_a_stream() {
    let visitor = Visitor::arrive(&stage()).await;
    let params = json!({"name": "skill_trend_fetcher", "arguments": trend_call("report progress"), "_meta": {"progressToken": 7}});

    let mut stream = visitor.open("tools/call", params).await;

    for done in [0.0, 1.0, 3.0] {
        let message = stream.next().await.unwrap();
        assert_eq!((&message["params"]["progressToken"], &message["params"]["progress"]), (&json!(7), &json!(done)));
    }
    assert_eq!(stream.next().await.unwrap()["result"]["isError"], false);
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn hanging_up_cancels_a_modern_call() {
    let stage = stage();
    let visitor = Visitor::arrive(&stage).await;

    tokio::select! {
        _ = visitor.ask("tools/call", json!({"name": "skill_trend_fetcher", "arguments": trend_call("wait for ever")})) => unreachable!(),
        () = stage.signals.started.notified() => {}
    }

    stage.signals.dropped.notified().await;
}

#[tokio::test]
async fn an_older_session_calls_cancels_and_hears_progress() {
    let stage = stage();
    let visitor = Visitor::arrive(&stage).await;
    let session = visitor.begin_session().await;

    let params = json!({"name": "skill_trend_fetcher", "arguments": trend_call("report progress"), "_meta": {"progressToken": "p"}});
    let mut stream = session.open("tools/call", params).await;
    for done in [0.0, 1.0, 3.0] {
        assert_eq!(stream.next().await.unwrap()["params"]["progress"], done);
    }
    assert_eq!(stream.next().await.unwrap()["result"]["structuredContent"]["success"], true);

    let waiting = json!({"jsonrpc": "2.0", "id": "w", "method": "tools/call",
        "params": {"name": "skill_trend_fetcher", "arguments": trend_call("wait for ever")}});
    let _stream = session.post(&waiting).await;
    stage.signals.started.notified().await;
    session.post(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "w"}})).await;
    stage.signals.dropped.notified().await;

    let answer = session.ask("tools/call", json!({"name": "skill_wallet_transaction", "arguments": [1]})).await;
    assert_eq!(answer["result"]["structuredContent"]["error_code"], "invalid_input", "{answer}");
    assert_eq!(answer["result"].get("resultType"), None);
}

#[tokio::test]
async fn strangers_are_turned_away() {
    let visitor = Visitor::arrive(&stage()).await;
    let port = visitor.url.split([':', '/']).nth(4).unwrap().to_owned();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let post = || visitor.http.post(&visitor.url).header("accept", ACCEPT).header("content-type", "application/json").body(ping.clone());
    let good = || post().bearer_auth(TOKEN);
    for (request, expected) in [
        (post(), 401),
        (post().bearer_auth("wrong"), 401),
        (post().bearer_auth(format!("{TOKEN}x")), 401),
        (post().header("authorization", TOKEN), 401),
        (post().basic_auth("user", Some(TOKEN)), 401),
        (visitor.http.get(&visitor.url), 401),
        (good().header("host", "evil.example"), 403),
        (good().header("host", format!("evil.example:{port}")), 403),
        (good().header("host", "127.0.0.1.evil.example"), 403),
        (good().header("origin", "https://evil.example"), 403),
        (good().header("origin", "http://localhost.evil.example"), 403),
        (good().header("origin", "null"), 403),
        (good().header("origin", "not an origin"), 403),
        // Let in by the door, and refused only because no session was begun.
        (good(), 400),
        (good().header("host", "localhost"), 400),
        (good().header("origin", format!("http://localhost:{port}")), 400),
    ] {
        let about = format!("{request:?}");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), expected, "{about}");
        if expected == 401 {
            assert_eq!(response.headers()["www-authenticate"], "Bearer realm=\"chimera\"");
            assert!(response.text().await.unwrap().contains("`token` in the server's data folder"));
        }
    }
}

#[tokio::test]
async fn bodies_that_are_no_message_are_refused_and_the_server_lives_on() {
    let visitor = Visitor::arrive(&stage()).await;
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let large = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#, "x".repeat(5 * 1024 * 1024));
    for (body, status, code) in [
        ("", 400, -32700),
        ("{", 400, -32700),
        ("\u{0}", 400, -32700),
        ("[]", 400, -32700),
        ("7", 400, -32700),
        ("\u{202e}", 400, -32700),
        (deep.as_str(), 400, -32700),
        (large.as_str(), 413, -32600),
    ] {
        let response = visitor.post().body(body.to_owned()).send().await.unwrap();
        let about: String = body.chars().take(40).collect();
        assert_eq!(response.status(), status, "{about:?}");
        let answer: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        assert_eq!(answer["error"]["code"], code, "{about:?}");
    }
    let not_json = visitor.http.post(&visitor.url).bearer_auth(TOKEN).header("accept", ACCEPT).body("{}").send().await.unwrap();
    assert_eq!(not_json.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let put = visitor.http.put(&visitor.url).bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(put.status(), StatusCode::METHOD_NOT_ALLOWED);

    assert_eq!(visitor.ask("tools/list", json!({})).await["result"]["tools"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_call_that_runs_is_finished_before_the_server_ends() {
    let stage = stage();
    let visitor = Visitor::arrive(&stage).await;
    let caller = McpSkillCaller::http(&visitor.url, Some(TOKEN)).await.unwrap();
    let input = trend_call("wait to be let go");

    let (answer, ()) = tokio::join!(caller.call("skill_trend_fetcher", &input), async {
        stage.signals.started.notified().await;
        stage.shutdown.cancel();
        stage.signals.let_go.notify_one();
    });

    assert_eq!(answer.unwrap()["success"], true);
    caller.close().await;
    visitor.leave().await;
}

#[tokio::test]
async fn skills_are_called_over_http_with_the_token_and_not_without() {
    let visitor = Visitor::arrive(&stage()).await;
    let caller = McpSkillCaller::http(&visitor.url, Some(TOKEN)).await.unwrap();

    let good = caller.call("skill_trend_fetcher", &trend_call("learn")).await.unwrap();
    let wrong = caller.call("skill_trend_fetcher", &json!([1])).await.unwrap();
    let unknown = caller.call("skill_nothing", &json!({})).await.unwrap_err();
    let nobody = McpSkillCaller::http(&visitor.url, None).await.err().unwrap();
    let nowhere = McpSkillCaller::http("http://127.0.0.1:9/mcp", Some(TOKEN)).await.err().unwrap();

    assert_eq!(good["success"], true);
    assert_eq!(wrong["error_code"], "invalid_input");
    assert!(matches!(unknown, CallError::Refused(_)), "{unknown:?}");
    assert!(matches!(nobody, CallError::Refused(_)), "{nobody:?}");
    assert!(matches!(nowhere, CallError::Unreachable(_)), "{nowhere:?}");
}
