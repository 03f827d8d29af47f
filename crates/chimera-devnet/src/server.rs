//! HTTP: `POST /` with a JSON-RPC body. Also the timer that mines.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header, uri::Authority};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::error::DevnetError;
use crate::{Devnet, rpc};

const BODY_MAX_BYTES: usize = 1024 * 1024;
/// How long requests that are under way may take once the server is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// Serves the devnet, and mines on its block time if it has one, until `shutdown`.
///
/// When bound to loopback only requests for a loopback host are answered: otherwise any web page could
/// reach this port through a name of its own that resolves to 127.0.0.1.
pub async fn serve(devnet: Devnet, listener: TcpListener, shutdown: CancellationToken) -> Result<(), DevnetError> {
    let bound = listener.local_addr().map_err(DevnetError::Server)?;
    let served = Served { devnet: devnet.clone(), hosts: Hosts::for_address(bound) };
    let app = Router::new().route("/", post(answer)).layer(DefaultBodyLimit::max(BODY_MAX_BYTES)).with_state(served);
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!("cannot set TCP_NODELAY: {error}");
        }
    });
    let server = axum::serve(listener, app).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    let grace_over = async {
        shutdown.cancelled().await;
        tokio::time::sleep(SHUTDOWN_GRACE).await;
    };

    let serving = async {
        tokio::select! {
            served = server => served.map_err(DevnetError::Server),
            () = grace_over => Ok(()),
        }
    };
    let (served, ()) = tokio::join!(serving, mine_on_time(devnet, shutdown.clone()));
    served
}

/// Mines on every tick of the block time until `shutdown`; returns at once when there is none.
/// [`serve`] does this by itself: call it only for a devnet that is not served.
pub async fn mine_on_time(devnet: Devnet, shutdown: CancellationToken) {
    let Some(block_time) = devnet.block_time() else {
        return;
    };
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + block_time, block_time);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let miner = devnet.clone();
        match tokio::task::spawn_blocking(move || miner.mine()).await {
            Ok(Ok(number)) => tracing::trace!("mined block {number}"),
            Ok(Err(error)) => tracing::error!(error = &error as &dyn std::error::Error, "mining failed: {error}"),
            Err(panicked) => tracing::error!("mining failed: {panicked}"),
        }
    }
}

#[derive(Clone)]
struct Served {
    devnet: Devnet,
    hosts: Hosts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hosts {
    Any,
    Loopback,
}

impl Hosts {
    fn for_address(bound: SocketAddr) -> Self {
        if bound.ip().is_loopback() { Self::Loopback } else { Self::Any }
    }

    fn allow(self, headers: &HeaderMap) -> bool {
        self == Self::Any
            || headers
                .get(header::HOST)
                .and_then(|host| host.to_str().ok())
                .and_then(|host| host.parse::<Authority>().ok())
                .is_some_and(|authority| is_loopback(authority.host()))
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

async fn answer(State(served): State<Served>, headers: HeaderMap, body: Result<Bytes, BytesRejection>) -> Response {
    if !served.hosts.allow(&headers) {
        return (StatusCode::FORBIDDEN, "the Host header must name this computer, such as localhost").into_response();
    }
    if !is_json(&headers) {
        // A web page can send other types across origins without asking first.
        let message = "the Content-Type must be application/json";
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, message).into_response();
    }
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return rejection.into_response(),
    };

    let answering = tokio::task::spawn_blocking(move || match serde_json::from_slice::<Value>(&body) {
        Ok(request) => served.devnet.rpc(request),
        Err(error) => rpc::parse_error(&error.to_string()),
    });
    let answer = answering.await.unwrap_or_else(|panicked| {
        tracing::error!("a request panicked: {panicked}");
        rpc::internal_error("the request failed inside the devnet")
    });
    if answer.is_null() {
        return StatusCode::NO_CONTENT.into_response();
    }
    ([(header::CONTENT_TYPE, "application/json")], answer.to_string()).into_response()
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}
