//! MCP over streamable HTTP at `/mcp`.
//!
//! Requests of 2026-07-28 carry everything they need, so they are served without sessions and answered as plain JSON, the
//! fastest way; an answer that is preceded by progress becomes an event stream. Older clients get what their revisions know:
//! sessions and event streams, without which they would have neither progress, nor cancellation, nor subscriptions.

use axum::{
    Json, Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, uri::Authority},
    response::{IntoResponse, Response},
    routing::any,
    serve::ListenerExt,
};
use futures::StreamExt;
use rmcp::{
    ServerHandler,
    model::{ErrorData, ProtocolVersion, ServerJsonRpcMessage},
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
};
use serde_json::json;
use std::{io, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::server::ChimeraServer;

const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Sessions of older clients at one time; each ends five minutes after its last message.
const SESSIONS_MAX: usize = 1024;
/// How long running requests may take once the server shuts down.
const DRAIN_MAX: Duration = Duration::from_secs(10);

/// Who may knock. `Host` and `Origin` keep web pages of strangers away from a server on this machine.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Host names, with or without a port.
    pub allowed_hosts: Vec<String>,
    /// `scheme://host:port`, where the port may be `*`. A request without an `Origin` is no page's request and passes.
    pub allowed_origins: Vec<String>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        let texts = |texts: [&str; 3]| texts.map(str::to_owned).to_vec();
        Self {
            allowed_hosts: texts(["localhost", "127.0.0.1", "::1"]),
            allowed_origins: texts(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]),
        }
    }
}

/// Chimera's `/mcp`, where every request needs the token. `shutdown` is the one of [`serve_http`].
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

/// Serves until `shutdown`; then takes no more connections and finishes what runs, within a deadline.
pub async fn serve_http(router: Router, listener: TcpListener, shutdown: CancellationToken) -> io::Result<()> {
    let listener = listener.tap_io(|stream| {
        // With Nagle's algorithm a small answer waits 40 ms for the client's delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set");
        }
    });
    let serving = axum::serve(listener, router).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    let deadline = async {
        shutdown.cancelled().await;
        tokio::time::sleep(DRAIN_MAX).await;
    };
    tokio::select! {
        served = serving => served,
        () = deadline => {
            tracing::warn!("requests still ran {} s after the shutdown began and were cut off", DRAIN_MAX.as_secs());
            Ok(())
        }
    }
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

/// `None` for a request that may read what is no secret: it names a host that is ours, so that no page of a stranger gets at it, and has
/// the token where one is asked for.
pub fn may_read(options: &HttpOptions, token: Option<&str>, headers: &HeaderMap) -> Option<Response> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).and_then(|host| host.parse::<Authority>().ok());
    let name = host.as_ref().map(|host| host.host().trim_start_matches('[').trim_end_matches(']'));
    if !name.is_some_and(|name| options.allowed_hosts.iter().any(|allowed| allowed == name)) {
        let body = Json(json!({"error": "forbidden", "message": "the Host header names another server"}));
        return Some((StatusCode::FORBIDDEN, body).into_response());
    }
    token.and_then(|token| refusal_without(token, headers))
}

/// `None` for a request with `Authorization: Bearer <token>`, which may pass.
pub(super) fn refusal_without(expected: &str, headers: &HeaderMap) -> Option<Response> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
    if given.is_some_and(|given| same(given.as_bytes(), expected.as_bytes())) {
        return None;
    }
    let problem = if given.is_some() { "the token is wrong" } else { "a token is needed" };
    let message = format!(
        "{problem}: send the header \"Authorization: Bearer TOKEN\" with the contents of the file `token` in the server's data folder, or of CHIMERA_TOKEN where that is set"
    );
    let body = Json(json!({"error": "unauthorized", "message": message}));
    Some((StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer realm=\"chimera\"")], body).into_response())
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Takes as long for a token that is nearly right as for one that is all wrong.
fn same(given: &[u8], expected: &[u8]) -> bool {
    given.len() == expected.len() && given.iter().zip(expected).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
