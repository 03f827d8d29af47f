//! Servers over streamable HTTP: of both eras, and every way of being bad that a host meets.

use super::test_server::{PATIENCE, TestServer, host};
use crate::upstream::{Host, UpstreamConfig, UpstreamState, UpstreamTransport};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::any;
use chimera_core::ports::resources::{ResourceError, Resources};
use chimera_core::ports::tools::{NotListed, PublishTools, ToolAnswer, ToolError, Tools};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;

async fn serve(app: Router) -> (SocketAddr, JoinSet<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut serving = JoinSet::new();
    serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
    (address, serving)
}

fn mcp_app(config: StreamableHttpServerConfig) -> Router {
    let service = StreamableHttpService::new(|| Ok(TestServer { grandchild: None }), Arc::new(LocalSessionManager::default()), config);
    Router::new().route_service("/mcp", service)
}

fn upstream(address: SocketAddr, path: &str) -> UpstreamConfig {
    let transport = UpstreamTransport::Http { url: format!("http://{address}{path}"), headers: BTreeMap::new() };
    UpstreamConfig { name: "web".to_owned(), transport, schemes: None }
}

async fn fault(host: &Host, uri: &str) -> ResourceError {
    host.read(uri, PATIENCE).await.unwrap_err()
}

#[tokio::test]
async fn stateless_and_session_servers_are_both_read() {
    let stateless = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    for (name, config) in [("stateless", stateless), ("sessions", StreamableHttpServerConfig::default())] {
        let (address, _serving) = serve(mcp_app(config)).await;
        let host = host(vec![upstream(address, "/mcp")]);

        assert_eq!(host.read("test://small", PATIENCE).await.unwrap()[0].text.as_data(), "small", "{name}");
        assert_eq!(fault(&host, "test://missing").await, ResourceError::NotFound { server: "web".to_owned() }, "{name}");
        assert_eq!(fault(&host, "test://large").await, ResourceError::TooLarge { limit_bytes: 1024 * 1024 }, "{name}");
        let stuck = host.read("test://never", Duration::from_millis(300)).await;
        assert_eq!(stuck, Err(ResourceError::TimedOut { after_ms: 300 }), "{name}");
        let echoed = host.call("web", "echo", Map::from_iter([("a".to_owned(), json!(1))]), PATIENCE).await;
        assert_eq!(echoed, Ok(ToolAnswer::new(json!({ "a": 1 }))), "{name}");
        let status = host.status(PATIENCE).await.remove(0).state;
        assert!(matches!(&status, UpstreamState::Connected { schemes, .. } if *schemes == ["templated", "test"]), "{status:?}");
        host.close().await;
    }
}

/// An old server that knows nothing but `initialize`, `resources/list` and the answer under test to every read.
async fn old_server(method: Method, body: Bytes, read: fn() -> Response) -> Response {
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let message: Value = serde_json::from_slice(&body).unwrap();
    let answer = |result: Value| axum::Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).into_response();
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => answer(json!({ "protocolVersion": "2025-06-18", "capabilities": { "resources": {} },
            "serverInfo": { "name": "old", "version": "1" } })),
        "resources/list" => answer(json!({ "resources": [{ "uri": "test://small", "name": "small" }] })),
        "resources/templates/list" => answer(json!({ "resourceTemplates": [] })),
        "resources/read" => read(),
        "server/discover" => (StatusCode::BAD_REQUEST, "no session").into_response(),
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

fn endless(content_type: &'static str, chunk: &'static [u8]) -> Response {
    let chunks = futures::stream::repeat_with(move || Ok::<_, std::io::Error>(Bytes::from_static(chunk)));
    ([(header::CONTENT_TYPE, content_type)], Body::from_stream(chunks)).into_response()
}

#[tokio::test]
async fn answers_that_are_endless_or_nonsense_end_in_a_clear_error() {
    let limit_bytes = 4 * 1024 * 1024;
    let failed = |reason: &str| ResourceError::Failed { server: "web".to_owned(), reason: reason.to_owned() };
    let undelivered = "the request could not be delivered";
    type Answer = fn() -> Response;
    let table: [(&str, Answer, ResourceError); 4] = [
        ("endless json", || endless("application/json", &[b' '; 4096]), ResourceError::TooLarge { limit_bytes }),
        ("html", || ([(header::CONTENT_TYPE, "text/html")], "<html>").into_response(), failed(undelivered)),
        ("not json", || ([(header::CONTENT_TYPE, "application/json")], "{").into_response(), failed(undelivered)),
        ("server error", || StatusCode::INTERNAL_SERVER_ERROR.into_response(), failed(undelivered)),
    ];
    for (name, read, expected) in table {
        let app = Router::new().route("/mcp", any(move |method: Method, body: Bytes| old_server(method, body, read)));
        let (address, _serving) = serve(app).await;
        let host = host(vec![upstream(address, "/mcp")]);

        assert_eq!(fault(&host, "test://small").await, expected, "{name}");
        host.close().await;
    }
}

#[tokio::test]
async fn an_endless_event_stream_ends_with_the_deadline_at_the_latest() {
    let read = || endless("text/event-stream", b"data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n");
    let app = Router::new().route("/mcp", any(move |method: Method, body: Bytes| old_server(method, body, read)));
    let (address, _serving) = serve(app).await;
    let host = host(vec![upstream(address, "/mcp")]);

    let outcome = host.read("test://small", Duration::from_secs(5)).await;

    assert!(outcome.is_err(), "{outcome:?}");
    host.close().await;
}

#[tokio::test]
async fn servers_that_cannot_be_used_say_why_without_their_address() {
    let app = Router::new()
        .route("/401", any(|| async { (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]) }))
        .route("/html", any(|| async { ([(header::CONTENT_TYPE, "text/html")], "<html>") }))
        .route("/500", any(|| async { StatusCode::INTERNAL_SERVER_ERROR }))
        .route("/redirect", any(|| async { Redirect::temporary("/html") }));
    let (address, serving) = serve(app).await;
    let mut table = vec![
        (upstream(address, "/401"), "it wants authorization"),
        (upstream(address, "/html"), "does not speak MCP there"),
        (upstream(address, "/500"), "does not speak MCP there"),
        (upstream(address, "/redirect"), "does not speak MCP there"),
        (upstream(address, "/missing"), "does not speak MCP there"),
    ];
    let (dead, stopped) = serve(Router::new()).await;
    drop(stopped);
    table.push((upstream(dead, "/mcp"), "it cannot be reached"));
    for (config, expected) in table {
        let shown = format!("{config:?}");
        let host = host(vec![config]);

        let reason = fault(&host, "mcp://web/test://small").await.to_string();

        assert!(reason.contains(expected) && !reason.contains("127.0.0.1"), "{shown}: {reason}");
        host.close().await;
    }
    drop(serving);
}

#[tokio::test]
async fn headers_of_the_entry_go_with_every_request() {
    let seen = |headers: HeaderMap, method: Method, body: Bytes| async move {
        match headers.get(header::AUTHORIZATION) {
            Some(value) if value == "Bearer hunter2" => {
                let read = || {
                    let contents = json!([{ "uri": "test://small", "text": "seen" }]);
                    // Ids count up from zero: discover, initialize, two lists, and this.
                    axum::Json(json!({ "jsonrpc": "2.0", "id": 4, "result": { "contents": contents } })).into_response()
                };
                old_server(method, body, read).await
            }
            _ => StatusCode::UNAUTHORIZED.into_response(),
        }
    };
    let (address, _serving) = serve(Router::new().route("/mcp", any(seen))).await;
    let mut config = upstream(address, "/mcp");
    let UpstreamTransport::Http { headers, .. } = &mut config.transport else { unreachable!() };
    headers.insert("Authorization".to_owned(), "Bearer hunter2".to_owned());
    let host = host(vec![config]);

    assert_eq!(host.read("test://small", PATIENCE).await.unwrap()[0].text.as_data(), "seen");
    host.close().await;
}

/// Its sessions end with the first request after the handshake, and with each call of its tool, which it has done by then.
async fn forgetful_server(method: Method, headers: HeaderMap, body: Bytes, asked: Arc<Mutex<Vec<String>>>) -> Response {
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let message: Value = serde_json::from_slice(&body).unwrap();
    let name = message["method"].as_str().unwrap_or_default().to_owned();
    let (inits, lists) = {
        let mut asked = asked.lock().unwrap();
        asked.push(name.clone());
        let count = |wanted: &str| asked.iter().filter(|name| *name == wanted).count();
        (count("initialize"), count("tools/list"))
    };
    let answer = |result: Value| {
        let body = axum::Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
        ([("mcp-session-id", format!("s{inits}"))], body).into_response()
    };
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    match name.as_str() {
        "initialize" => answer(json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "forgetful", "version": "1" } })),
        "tools/list" if lists == 1 && headers.contains_key("mcp-session-id") => StatusCode::NOT_FOUND.into_response(),
        "tools/list" => answer(json!({ "tools": [{ "name": "create_post", "inputSchema": schema }] })),
        "tools/call" => StatusCode::NOT_FOUND.into_response(),
        "server/discover" => (StatusCode::BAD_REQUEST, "no session").into_response(),
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

/// With what it is asked, in order.
fn forgetful_app() -> (Router, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let kept = asked.clone();
    let answer = move |method: Method, headers: HeaderMap, body: Bytes| forgetful_server(method, headers, body, kept.clone());
    (Router::new().route("/mcp", any(answer)), asked)
}

#[tokio::test]
async fn a_session_that_is_gone_is_opened_anew_and_a_call_is_never_made_twice() {
    let (app, asked) = forgetful_app();
    let (address, _serving) = serve(app).await;
    let host = host(vec![upstream(address, "/mcp")]);

    let schema = host.input_schema("web", "create_post", PATIENCE).await.unwrap();
    let called = host.call("web", "create_post", Map::from_iter([("text".to_owned(), json!("once"))]), PATIENCE).await;

    assert_eq!(schema["properties"]["text"]["type"], "string");
    assert!(matches!(called, Err(ToolError::Failed { .. })), "{called:?}");
    let count = |wanted: &str| asked.lock().unwrap().iter().filter(|name| *name == wanted).count();
    assert_eq!((count("initialize"), count("tools/list"), count("tools/call")), (2, 2, 1));
    host.close().await;
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_told_with_those_that_are() {
    let (app, _asked) = forgetful_app();
    let (address, _serving) = serve(app).await;
    let host = host(vec![upstream(address, "/mcp")]);

    let missing = host.input_schema("web", "publish", PATIENCE).await.unwrap_err();
    let nobody = host.input_schema("elsewhere", "publish", PATIENCE).await.unwrap_err();

    let expected = NotListed::NoTool { server: "web".to_owned(), tool: "publish".to_owned(), known: "create_post".to_owned() };
    assert_eq!((missing, nobody), (expected, NotListed::NoServer { server: "elsewhere".to_owned() }));
    host.close().await;
}
