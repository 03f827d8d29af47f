//! Skills called through MCP: in this process over memory, or on another server over HTTP.

use super::{server::ChimeraServer, stdio::serve_lines};
use async_trait::async_trait;
use chimera_core::ports::skill_caller::{CallError, SkillCaller};
use rmcp::{
    RoleClient,
    model::{CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ClientRequest, ConstString, CustomRequest},
    model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion, ServerResult},
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService, ServiceError},
    transport::{
        StreamableHttpClientTransport,
        streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError},
    },
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Nothing a skill does takes longer.
const CALL_MAX: Duration = Duration::from_secs(600);
const CONNECT_MAX: Duration = Duration::from_secs(15);
/// JSON parsers stop at 128, and the message around the input takes some of them.
const INPUT_DEPTH_MAX: usize = 100;
/// Bytes on their way in each direction of the in-memory connection.
const MEMORY_PIPE_BYTES: usize = 64 * 1024;

/// A connected MCP client that calls skills. Dropping it closes the connection.
pub struct McpSkillCaller {
    is_own: bool,
    client: RunningService<RoleClient, ClientConfig>,
    /// The other end, when it is in this process.
    _server: JoinSet<()>,
}

impl McpSkillCaller {
    /// To `server` in this process, through the protocol like any other client.
    pub async fn in_memory(server: &ChimeraServer) -> Result<Self, CallError> {
        let (ours, theirs) = tokio::io::duplex(MEMORY_PIPE_BYTES);
        let (input, output) = tokio::io::split(theirs);
        let server = server.for_connection();
        let mut task = JoinSet::new();
        task.spawn(async move {
            if let Err(error) = serve_lines(server, input, output, CancellationToken::new()).await {
                tracing::error!(%error, "the in-memory connection failed");
            }
        });
        let lifecycle = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
        let client = connected(client_config().serve_with_lifecycle(ours, lifecycle)).await?;
        Ok(Self { is_own: true, client, _server: task })
    }

    /// To the server at `url`, its `/mcp` address, of either protocol era.
    pub async fn http(url: &str, token: Option<&str>) -> Result<Self, CallError> {
        // Whoever installed one first is as good: there is one provider in this program.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().connect_timeout(CONNECT_MAX).tcp_nodelay(true).build().map_err(unreachable)?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(url);
        config.auth_header = token.map(str::to_owned);
        let transport = StreamableHttpClientTransport::with_client(http, config);
        let lifecycle = ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::V_2026_07_28], legacy_version: None };
        let client = connected(client_config().serve_with_lifecycle(transport, lifecycle)).await?;
        Ok(Self { is_own: false, client, _server: JoinSet::new() })
    }

    /// Says goodbye and waits for the connection to end.
    pub async fn close(self) {
        if let Err(error) = self.client.cancel().await {
            tracing::debug!(%error, "the connection did not end well");
        }
    }

    async fn send(&self, skill: &str, input: &Value) -> Result<CallToolResult, ServiceError> {
        // rmcp's own call can only send an object. Anything else is sent too: the skill says what is wrong with it.
        let Some(arguments) = input.as_object() else {
            let request = CustomRequest::new(CallToolRequestMethod::VALUE, Some(json!({"name": skill, "arguments": input})));
            return match self.client.send_request(ClientRequest::CustomRequest(request)).await? {
                ServerResult::CallToolResult(result) => Ok(result),
                _ => Err(ServiceError::UnexpectedResponse),
            };
        };
        let call = CallToolRequestParams::new(skill.to_owned()).with_arguments(arguments.clone());
        match self.client.call_tool_once(call).await? {
            CallToolResponse::Complete(result) => Ok(result),
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }
}

#[async_trait]
impl SkillCaller for McpSkillCaller {
    async fn call(&self, skill: &str, input: &Value) -> Result<Value, CallError> {
        // The server could not even read whose call it is, so no answer would ever come.
        if is_deeper_than(input, INPUT_DEPTH_MAX) {
            return Err(CallError::Refused(format!("the input is nested deeper than {INPUT_DEPTH_MAX} levels")));
        }
        let result = match tokio::time::timeout(CALL_MAX, self.send(skill, input)).await {
            Err(_) => return Err(CallError::TimedOut { after_s: CALL_MAX.as_secs() }),
            Ok(Err(ServiceError::McpError(error))) => return Err(CallError::Refused(error.message.into_owned())),
            Ok(Err(ServiceError::UnexpectedResponse)) => return Err(CallError::NotAContract("it is no tool result".to_owned())),
            Ok(Err(error)) => return Err(unreachable(error)),
            Ok(Ok(result)) => result,
        };
        match result.structured_content {
            Some(answer @ Value::Object(_)) => Ok(answer),
            _ => Err(CallError::NotAContract("it has no structured content".to_owned())),
        }
    }

    fn is_own(&self) -> bool {
        self.is_own
    }
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|inner| is_deeper_than(inner, left)),
        Value::Object(fields) => fields.values().any(|inner| is_deeper_than(inner, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn client_config() -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("chimera", env!("CARGO_PKG_VERSION")))
}

async fn connected<C>(connecting: impl Future<Output = Result<C, ClientInitializeError>>) -> Result<C, CallError> {
    match tokio::time::timeout(CONNECT_MAX, connecting).await {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(ClientInitializeError::JsonRpcError(error))) => Err(CallError::Refused(error.message.into_owned())),
        Ok(Err(ClientInitializeError::TransportError { error, .. })) if wants_token(error.error.as_ref()) => {
            Err(CallError::Refused("it needs its token, and the one given, if any, is wrong".to_owned()))
        }
        Ok(Err(error)) => Err(unreachable(error)),
        Err(_) => Err(CallError::TimedOut { after_s: CONNECT_MAX.as_secs() }),
    }
}

fn wants_token(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(StreamableHttpError::<reqwest::Error>::AuthRequired(_)))
}

fn unreachable(error: impl std::error::Error + Send + Sync + 'static) -> CallError {
    CallError::Unreachable(Box::new(error))
}
