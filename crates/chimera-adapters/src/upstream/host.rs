//! The host: routes a resource or a tool call to the server that has it.

use super::catalog::scheme_of;
use super::config::{UpstreamConfig, UpstreamConfigError};
use super::connection::{Connection, Dialer};
use super::http::{self, BoundedHttp};
use super::output_guard::CutOff;
use super::reasons;
use super::supervisor::{State, Supervised, supervise};
use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use chimera_core::domain::{Untrusted, percent};
use chimera_core::ports::resources::{ResourceError, ResourceText, Resources};
use chimera_core::ports::tools::{ToolAnswer, ToolError, Tools};
use futures::stream::{FuturesUnordered, StreamExt};
use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ErrorCode, ReadResourceRequestParams, ResourceContents};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

/// One connection for each upstream server, opened when it is first needed and kept.
pub struct Host {
    servers: Vec<Supervised>,
    limits: HostLimits,
    cancel: CancellationToken,
    supervisors: Mutex<JoinSet<()>>,
    _cancel_on_drop: DropGuard,
}

#[derive(Debug, Clone)]
pub struct HostLimits {
    /// Of all texts of one resource, and of one tool's answer.
    pub text_bytes_max: usize,
    /// Of one protocol message: room for the text, its escapes and what is around it.
    pub message_bytes_max: usize,
    /// For connecting, from starting the child to having listed its resources.
    pub connect_max: Duration,
    pub backoff_first: Duration,
    pub backoff_max: Duration,
    /// A connection that lasted this long is no longer counted as failing.
    pub stable_after: Duration,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self {
            text_bytes_max: 4 * 1024 * 1024,
            message_bytes_max: 16 * 1024 * 1024,
            connect_max: Duration::from_secs(30),
            backoff_first: Duration::from_millis(500),
            backoff_max: Duration::from_secs(60),
            stable_after: Duration::from_secs(30),
        }
    }
}

/// What `chimera doctor` shows of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamStatus {
    pub name: String,
    pub state: UpstreamState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpstreamState {
    Connected { protocol_version: String, schemes: Vec<String> },
    Failed { reason: String },
}

impl Host {
    /// Starts no server yet. `search_path` is our own PATH, to find children's programs with; they do not inherit it.
    /// Must be called within a Tokio runtime.
    pub fn start(upstreams: Vec<UpstreamConfig>, search_path: Option<OsString>, limits: HostLimits) -> Result<Self, HostError> {
        UpstreamConfig::check_all(&upstreams)?;
        let http = BoundedHttp::new(limits.message_bytes_max)?;
        let dialer = Arc::new(Dialer { limits: limits.clone(), search_path, http });
        let cancel = CancellationToken::new();
        let mut supervisors = JoinSet::new();
        let mut servers = Vec::with_capacity(upstreams.len());
        for upstream in upstreams {
            let (server, running) = supervise(upstream, dialer.clone(), cancel.clone());
            supervisors.spawn(running);
            servers.push(server);
        }
        Ok(Self { servers, limits, _cancel_on_drop: cancel.clone().drop_guard(), cancel, supervisors: Mutex::new(supervisors) })
    }

    /// Connects to every server, and says how each is, in the order of the configuration.
    pub async fn status(&self, within: Duration) -> Vec<UpstreamStatus> {
        let all = self.servers.iter().map(|server| async move {
            let state = match tokio::time::timeout(within, server.connection()).await {
                Ok(Ok(connection)) => UpstreamState::Connected {
                    protocol_version: connection.protocol_version.clone(),
                    schemes: connection.catalog.schemes.iter().cloned().collect(),
                },
                Ok(Err(reason)) => UpstreamState::Failed { reason },
                Err(_) => UpstreamState::Failed { reason: format!("no connection within {} ms", within.as_millis()) },
            };
            UpstreamStatus { name: server.config.name.clone(), state }
        });
        futures::future::join_all(all).await
    }

    /// Ends every connection, and every child with its whole process group. Calls after this fail.
    pub async fn close(&self) {
        self.cancel.cancel();
        let mut supervisors = std::mem::take(&mut *self.supervisors.lock().expect("nothing panics while holding this lock"));
        while supervisors.join_next().await.is_some() {}
    }

    pub(super) fn named(&self, name: &str) -> Option<&Supervised> {
        self.servers.iter().find(|server| server.config.name.eq_ignore_ascii_case(name))
    }

    async fn route<'a>(&'a self, uri: &'a str) -> Result<Routed<'a>, ResourceError> {
        let Some(scheme) = scheme_of(uri) else {
            return Err(ResourceError::NoServer { scheme: String::new() });
        };
        if scheme == "mcp" {
            return self.route_direct(uri).await;
        }
        if let Some(server) = self.servers.iter().find(|server| configured_for(server, &scheme)) {
            let connection = connected(server).await?;
            return Ok(Routed { server: &server.config.name, connection, uri: uri.to_owned() });
        }
        self.route_discovered(uri, scheme).await
    }

    async fn route_direct<'a>(&'a self, uri: &'a str) -> Result<Routed<'a>, ResourceError> {
        let rest = uri.get("mcp://".len()..).unwrap_or_default();
        let (name, encoded) = rest.split_once('/').unwrap_or((rest, ""));
        let Some(server) = self.named(name) else {
            let reason = "no upstream server has this name; add it under [upstreams] in the configuration".to_owned();
            return Err(ResourceError::Failed { server: reasons::scrubbed(name), reason });
        };
        let upstream_uri = percent::decoded(encoded).filter(|uri| scheme_of(uri).is_some());
        let uri = upstream_uri.ok_or_else(|| ResourceError::NotFound { server: server.config.name.clone() })?;
        let connection = connected(server).await?;
        Ok(Routed { server: &server.config.name, connection, uri })
    }

    /// Servers that list the very address go before those that know its scheme; those that are up go before those that must be asked.
    async fn route_discovered<'a>(&'a self, uri: &'a str, scheme: String) -> Result<Routed<'a>, ResourceError> {
        let discovering = || self.servers.iter().filter(|server| server.config.schemes.is_none());
        let serves = |connection: &Connection| connection.catalog.schemes.contains(&scheme);
        let up: Vec<_> = discovering()
            .filter_map(|server| match server.current() {
                State::Connected(connection) if !connection.is_over() && serves(&connection) => Some((server, connection)),
                _ => None,
            })
            .collect();
        let best = up.iter().find(|(_, connection)| connection.catalog.lists(uri)).or_else(|| up.first());
        if let Some((server, connection)) = best {
            return Ok(Routed { server: &server.config.name, connection: connection.clone(), uri: uri.to_owned() });
        }
        let mut asked: FuturesUnordered<_> = discovering().map(|server| async move { (server, server.connection().await) }).collect();
        let mut down = None;
        while let Some((server, outcome)) = asked.next().await {
            match outcome {
                Ok(connection) if serves(&connection) => {
                    return Ok(Routed { server: &server.config.name, connection, uri: uri.to_owned() });
                }
                Ok(_) => {}
                Err(reason) => down = Some((server, reason)),
            }
        }
        match down {
            // It may be the one that serves them, so "no server" could be untrue.
            Some((server, reason)) => {
                let reason = format!("{reason} (no other server serves {scheme}:// resources)");
                Err(ResourceError::Failed { server: server.config.name.clone(), reason })
            }
            None => Err(ResourceError::NoServer { scheme }),
        }
    }

    /// The one binary content of a resource of `server`, which is asked and no other.
    pub(super) async fn read_bytes(&self, server: &str, uri: &str) -> Result<Vec<u8>, String> {
        let supervised = self.named(server).ok_or_else(|| format!("no upstream server is named {server:?}"))?;
        let connection = supervised.connection().await?;
        let answer = connection.peer.read_resource(ReadResourceRequestParams::new(uri.to_owned())).await;
        let contents =
            answer.map_err(|error| resource_error(server, &connection, &error, self.limits.message_bytes_max).to_string())?.contents;
        match contents.as_slice() {
            [ResourceContents::BlobResourceContents { blob, .. }] => {
                BASE64_STANDARD.decode(blob).map_err(|_| "the resource is not base64".to_owned())
            }
            _ => Err("the resource is not one binary file".to_owned()),
        }
    }

    async fn read_routed(&self, uri: &str) -> Result<Vec<ResourceText>, ResourceError> {
        let Routed { server, connection, uri } = self.route(uri).await?;
        let limit_bytes = self.limits.text_bytes_max;
        let outcome = connection.peer.read_resource(ReadResourceRequestParams::new(uri)).await;
        let contents = outcome.map_err(|error| resource_error(server, &connection, &error, self.limits.message_bytes_max))?.contents;
        let mut texts = Vec::with_capacity(contents.len());
        let mut bytes = 0;
        for content in contents {
            let ResourceContents::TextResourceContents { text, mime_type, .. } = content else {
                return Err(ResourceError::NotText);
            };
            bytes += text.len();
            if bytes > limit_bytes {
                return Err(ResourceError::TooLarge { limit_bytes });
            }
            texts.push(ResourceText { text: Untrusted::new(text), mime_type });
        }
        Ok(texts)
    }
}

#[async_trait]
impl Resources for Host {
    async fn read(&self, uri: &str, within: Duration) -> Result<Vec<ResourceText>, ResourceError> {
        let timed_out = ResourceError::TimedOut { after_ms: millis(within) };
        tokio::time::timeout(within, self.read_routed(uri)).await.unwrap_or(Err(timed_out))
    }
}

#[async_trait]
impl Tools for Host {
    async fn call(&self, server: &str, tool: &str, arguments: Map<String, Value>, within: Duration) -> Result<ToolAnswer, ToolError> {
        let deadline = tokio::time::Instant::now() + within;
        let Some(supervised) = self.named(server) else {
            return Err(ToolError::NoServer { server: server.to_owned() });
        };
        let unreachable = |reason| ToolError::Unreachable { server: server.to_owned(), reason };
        let connection = match tokio::time::timeout_at(deadline, supervised.connection()).await {
            Ok(connection) => connection.map_err(unreachable)?,
            Err(_) => return Err(unreachable(format!("no connection within {} ms", within.as_millis()))),
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let failed = |reason| ToolError::Failed { server: server.to_owned(), reason };
        let refused = |reason| ToolError::Refused { server: server.to_owned(), tool: tool.to_owned(), reason };
        match tokio::time::timeout_at(deadline, connection.peer.call_tool_once(params)).await {
            Err(_) => Err(ToolError::TimedOut { after_ms: millis(within) }),
            Ok(Ok(CallToolResponse::Complete(result))) => answer_of(result, self.limits.text_bytes_max, refused),
            Ok(Ok(_)) => Err(failed("it wants a conversation or a background task, which we do not offer".to_owned())),
            Ok(Err(ServiceError::McpError(error))) => Err(refused(reasons::of_error_data(&error))),
            Ok(Err(error)) if was_too_large(&connection, &error) => Err(ToolError::TooLarge { limit_bytes: self.limits.message_bytes_max }),
            Ok(Err(error)) => Err(failed(reasons::of_service_error(&error))),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error(transparent)]
    Config(#[from] UpstreamConfigError),
    #[error("no HTTP client could be made")]
    HttpClient(#[from] reqwest::Error),
}

struct Routed<'a> {
    server: &'a str,
    connection: Connection,
    /// As the server knows it.
    uri: String,
}

fn configured_for(server: &Supervised, scheme: &str) -> bool {
    server.config.schemes.iter().flatten().any(|configured| configured.eq_ignore_ascii_case(scheme))
}

async fn connected(server: &Supervised) -> Result<Connection, ResourceError> {
    server.connection().await.map_err(|reason| ResourceError::Failed { server: server.config.name.clone(), reason })
}

fn resource_error(server: &str, connection: &Connection, error: &ServiceError, message_bytes_max: usize) -> ResourceError {
    let server = server.to_owned();
    match error {
        // -32002 in the older versions of MCP, -32602 since.
        ServiceError::McpError(data) if matches!(data.code, ErrorCode::RESOURCE_NOT_FOUND | ErrorCode::INVALID_PARAMS) => {
            ResourceError::NotFound { server }
        }
        other if was_too_large(connection, other) => ResourceError::TooLarge { limit_bytes: message_bytes_max },
        other => ResourceError::Failed { server, reason: reasons::of_service_error(other) },
    }
}

fn was_too_large(connection: &Connection, error: &ServiceError) -> bool {
    connection.was_cut_off() == Some(CutOff::MessageTooLarge) || http::was_too_large(error)
}

fn answer_of(result: CallToolResult, limit_bytes: usize, refused: impl Fn(String) -> ToolError) -> Result<ToolAnswer, ToolError> {
    let texts: Vec<&str> = result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str()).collect();
    let text = texts.join("\n");
    if result.is_error == Some(true) {
        let said = reasons::scrubbed(&text);
        return Err(refused(if said.is_empty() { "it gave no reason".to_owned() } else { said }));
    }
    let structured_bytes = result.structured_content.as_ref().map_or(0, |value| value.to_string().len());
    if text.len().max(structured_bytes) > limit_bytes {
        return Err(ToolError::DoneTooLarge { limit_bytes });
    }
    Ok(ToolAnswer::new(result.structured_content.unwrap_or(Value::String(text))))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
