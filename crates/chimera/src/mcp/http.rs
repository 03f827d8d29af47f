//! MCP over streamable HTTP at `/mcp`.
//!
//! Requests of 2026-07-28 carry everything they need, so they are served without sessions and answered as plain JSON, the
//! fastest way; an answer that is preceded by progress becomes an event stream. Older clients get what their revisions know:
//! sessions and event streams, without which they would have neither progress, nor cancellation, nor subscriptions.

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::any,
};
use futures::StreamExt;
use rmcp::{
    ServerHandler,
    model::{ErrorData, ProtocolVersion, ServerJsonRpcMessage},
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    gate::{HttpOptions, refusal_without},
    server::ChimeraServer,
};

const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Sessions of older clients at one time; each ends five minutes after its last message.
const SESSIONS_MAX: usize = 1024;
/// How long a body may take from its first byte to its last.
const BODY_MAX: Duration = Duration::from_secs(30);

/// Chimera's `/mcp`, where every request needs the token. `shutdown` is the one of [`serve_http`](super::serve_http).
pub fn http_router(server: ChimeraServer, options: &HttpOptions, token: &str, shutdown: CancellationToken) -> Router {
    routes(move || server.for_connection(), options, Some(token), shutdown)
}

/// `/mcp` for any MCP server, open to everyone who passes the `Host` and `Origin` checks. `make_server` makes one per connection.
pub fn http_routes<S: ServerHandler>(
    make_server: impl Fn() -> S + Send + Sync + 'static,
    options: &HttpOptions,
    shutdown: CancellationToken,
) -> Router {
    routes(make_server, options, None, shutdown)
}

fn routes<S: ServerHandler>(
    make_server: impl Fn() -> S + Send + Sync + 'static,
    options: &HttpOptions,
    token: Option<&str>,
    shutdown: CancellationToken,
) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(true)
        .with_json_response(true)
        .with_allowed_hosts(options.allowed_hosts.clone())
        .with_allowed_origins(options.allowed_origins.clone())
        .enforce_origin_validation()
        .with_max_request_body_bytes(BODY_BYTES_MAX);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(make_server()), sessions.clone(), config);
    // Shared, and with its guards in the same function: layers would copy the service and its lists of hosts for every request.
    let door = Arc::new(Door { token: token.map(str::to_owned), service, sessions, shutdown });
    Router::new().route("/mcp", any(keep_door::<S>)).with_state(door)
}

struct Door<S> {
    /// Nobody passes without it.
    token: Option<String>,
    service: StreamableHttpService<S, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    shutdown: CancellationToken,
}

/// What rmcp leaves open: a limit on sessions, streams that end with the server, and refusals in the protocol's own form.
async fn keep_door<S: ServerHandler>(State(door): State<Arc<Door<S>>>, request: Request) -> Response {
    if let Some(token) = &door.token
        && let Some(refusal) = refusal_without(token, request.headers())
    {
        return refusal;
    }
    let method = request.method().clone();
    if method == Method::POST && may_begin_session(request.headers()) && door.sessions.sessions.read().await.len() >= SESSIONS_MAX {
        let problem = format!("{SESSIONS_MAX} sessions are open, and no more are served; close one, or speak revision 2026-07-28");
        return refused(StatusCode::SERVICE_UNAVAILABLE, ErrorData::internal_error(problem, None));
    }
    let says_json = is_json(request.headers());
    let request = match with_whole_body(request).await {
        Ok(request) => request,
        Err(refusal) => return refusal,
    };
    let response = door.service.handle(request).await.map(Body::new);
    match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if says_json => {
            let problem =
                "the body is not one JSON-RPC message: it must be JSON, nested at most 127 deep, with jsonrpc \"2.0\" and a method";
            refused(StatusCode::BAD_REQUEST, ErrorData::parse_error(problem, None))
        }
        StatusCode::PAYLOAD_TOO_LARGE => {
            let problem = format!("the body is larger than {BODY_BYTES_MAX} bytes");
            refused(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(problem, None))
        }
        // The standing stream of a session never ends by itself and would hold up the shutdown.
        StatusCode::OK if method == Method::GET => {
            let (parts, body) = response.into_parts();
            let stream = body.into_data_stream().take_until(door.shutdown.clone().cancelled_owned());
            Response::from_parts(parts, Body::from_stream(stream))
        }
        _ => response,
    }
}

/// Read here, where there is a deadline: a body that never ends would hold its request for ever.
async fn with_whole_body(request: Request) -> Result<Request, Response> {
    let (parts, body) = request.into_parts();
    match timeout(BODY_MAX, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => {
            let problem = format!("the body is larger than {BODY_BYTES_MAX} bytes, or was cut off");
            Err(refused(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(problem, None)))
        }
        Err(_) => {
            let problem = format!("the body was not whole within {} s", BODY_MAX.as_secs());
            let mut refusal = refused(StatusCode::REQUEST_TIMEOUT, ErrorData::invalid_request(problem, None));
            refusal.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            Err(refusal)
        }
    }
}

fn may_begin_session(headers: &HeaderMap) -> bool {
    let modern = |version: &HeaderValue| version.as_bytes() >= ProtocolVersion::V_2026_07_28.as_str().as_bytes();
    !headers.contains_key("mcp-session-id") && !headers.get("mcp-protocol-version").is_some_and(modern)
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
}

fn refused(status: StatusCode, error: ErrorData) -> Response {
    (status, Json(ServerJsonRpcMessage::error(error, None))).into_response()
}
