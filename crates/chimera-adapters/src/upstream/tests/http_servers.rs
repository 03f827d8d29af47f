//! Servers over streamable HTTP: of both eras, and every way of being bad that a host meets.

use super::test_server::{PATIENCE, TestServer, host};
use crate::upstream::{Host, UpstreamConfig, UpstreamState, UpstreamTransport};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::any;
use chimera_core::ports::resources::{ResourceError, Resources};
use chimera_core::ports::tools::Tools;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
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

        assert_eq!(host.read("test://small", PATIENCE).await.unwrap()[0].text, "small", "{name}");
        assert_eq!(fault(&host, "test://missing").await, ResourceError::NotFound { server: "web".to_owned() }, "{name}");
        assert_eq!(fault(&host, "test://large").await, ResourceError::TooLarge { limit_bytes: 1024 * 1024 }, "{name}");
        let stuck = host.read("test://never", Duration::from_millis(300)).await;
        assert_eq!(stuck, Err(ResourceError::TimedOut { after_ms: 300 }), "{name}");
        let echoed = host.call("web", "echo", Map::from_iter([("a".to_owned(), json!(1))]), PATIENCE).await;
        assert_eq!(echoed, Ok(json!({ "a": 1 })), "{name}");
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

    assert_eq!(host.read("test://small", PATIENCE).await.unwrap()[0].text, "seen");
    host.close().await;
}
