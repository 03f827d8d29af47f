//! One open connection to one server, however it is reached.

use super::catalog::Catalog;
use super::child::{self, UpstreamChild};
use super::config::{UpstreamConfig, UpstreamTransport};
use super::host::HostLimits;
use super::http::BoundedHttp;
use super::output_guard::{CutOff, CutOffFlag, GuardedOutput};
use super::reasons;
use futures::future::{FusedFuture, FutureExt};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle_and_ct};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{Peer, RoleClient};
use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a child may take to end by itself after its input was closed.
const CHILD_GRACE: Duration = Duration::from_secs(2);
/// How long the protocol's own goodbye may take.
const GOODBYE_MAX: Duration = Duration::from_secs(1);
/// How long to wait for the exit status of a child whose output ended.
const EXIT_STATUS_WAIT: Duration = Duration::from_millis(500);

/// What callers use; cheap to clone, and many requests may be under way at once.
#[derive(Clone)]
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) protocol_version: String,
    cut_off: CutOffFlag,
}

/// What the supervisor holds.
pub(super) struct Session {
    pub(super) connection: Connection,
    running: RunningService<RoleClient, ClientConfig>,
    child: Option<UpstreamChild>,
}

/// What all connections of a host share.
pub(super) struct Dialer {
    pub(super) limits: HostLimits,
    pub(super) search_path: Option<OsString>,
    pub(super) http: BoundedHttp,
}

impl Connection {
    /// Nothing can be asked over it any more.
    pub(super) fn is_over(&self) -> bool {
        self.cut_off.get().is_some() || self.peer.is_transport_closed()
    }

    pub(super) fn was_cut_off(&self) -> Option<CutOff> {
        self.cut_off.get()
    }
}

impl Dialer {
    /// Ends within the connecting limit; an `Err` says why in words that are safe to show.
    pub(super) async fn open(&self, config: &UpstreamConfig) -> Result<Session, String> {
        let limit = self.limits.connect_max;
        match tokio::time::timeout(limit, self.open_unbounded(config)).await {
            Ok(opened) => opened,
            Err(_) => Err(format!("it did not complete the MCP handshake within {} s", limit.as_secs())),
        }
    }

    async fn open_unbounded(&self, config: &UpstreamConfig) -> Result<Session, String> {
        let cut_off = CutOffFlag::default();
        let (running, child) = match &config.transport {
            UpstreamTransport::Command { .. } => {
                let (mut child, pipes) = child::spawn(&config.name, &config.transport, self.search_path.as_deref())?;
                let output = GuardedOutput::new(pipes.stdout, self.limits.message_bytes_max, cut_off.clone());
                match handshake((output, pipes.stdin)).await {
                    Ok(running) => (running, Some(child)),
                    Err(error) => return Err(explain_child_failure(&error, &mut child, &cut_off).await),
                }
            }
            UpstreamTransport::Http { url, headers } => {
                let config = StreamableHttpClientTransportConfig::with_uri(url.as_str()).custom_headers(header_map(headers));
                let transport = StreamableHttpClientTransport::with_client(self.http.clone(), config);
                (handshake(transport).await.map_err(|error| reasons::of_handshake_error(&error))?, None)
            }
        };
        let peer = running.peer().clone();
        // A cached answer would hide what is new, which is all that a trend is made of.
        peer.set_response_cache_config(ClientCacheConfig::disabled()).await;
        let catalog = match &config.schemes {
            Some(schemes) => Catalog::of_schemes(schemes),
            None => Catalog::list(&peer).await,
        };
        let protocol_version = peer.peer_info().map(|info| info.protocol_version.to_string()).unwrap_or_default();
        let connection = Connection { peer, catalog: Arc::new(catalog), protocol_version, cut_off };
        Ok(Session { connection, running, child })
    }
}

impl Session {
    /// Runs until the connection ends, and says why, or until `cancel`, and then says nothing. Either way nothing of it is left.
    pub(super) async fn run(self, cancel: &CancellationToken) -> Option<String> {
        let Self { connection, running, mut child } = self;
        let stop = running.cancellation_token();
        let mut waiting = std::pin::pin!(running.waiting().fuse());
        let exited = async {
            match &mut child {
                Some(child) => child.exited().await,
                None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            () = cancel.cancelled() => None,
            status = exited => Some(status.map_or_else(|| "it ended".to_owned(), child::describe_exit)),
            _ = &mut waiting => Some(match connection.was_cut_off() {
                Some(why) => describe_cut_off(why),
                None => "it ended the connection".to_owned(),
            }),
        };
        stop.cancel();
        if !waiting.is_terminated() {
            let _ = tokio::time::timeout(GOODBYE_MAX, waiting).await;
        }
        if let Some(child) = child {
            child.end(CHILD_GRACE).await;
        }
        ended
    }
}

async fn handshake<T, E, A>(transport: T) -> Result<RunningService<RoleClient, ClientConfig>, ClientInitializeError>
where
    T: rmcp::transport::IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let about_us = Implementation::new("chimera", env!("CARGO_PKG_VERSION"));
    let client = ClientConfig::new(ClientCapabilities::default(), about_us);
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    serve_client_with_lifecycle_and_ct(client, transport, lifecycle, CancellationToken::new()).await
}

async fn explain_child_failure(error: &ClientInitializeError, child: &mut UpstreamChild, cut_off: &CutOffFlag) -> String {
    if let Some(why) = cut_off.get() {
        return describe_cut_off(why);
    }
    match tokio::time::timeout(EXIT_STATUS_WAIT, child.exited()).await {
        Ok(Some(status)) => child::describe_exit(status),
        _ => reasons::of_handshake_error(error),
    }
}

fn describe_cut_off(why: CutOff) -> String {
    match why {
        CutOff::MessageTooLarge => "it sent a message larger than the limit".to_owned(),
        CutOff::NotMcp => "it writes something other than MCP to its standard output".to_owned(),
    }
}

fn header_map(headers: &std::collections::BTreeMap<String, String>) -> HashMap<HeaderName, HeaderValue> {
    let parsed = headers.iter().filter_map(|(name, value)| {
        let mut value: HeaderValue = value.parse().ok()?;
        value.set_sensitive(true);
        Some((name.parse().ok()?, value))
    });
    // The configuration was checked before: nothing is lost here.
    parsed.collect()
}
