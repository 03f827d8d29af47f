//! What upstream servers can do for us: MCP tools, such as publishing or drawing.

use async_trait::async_trait;
use serde_json::{Map, Value};
use std::time::Duration;

/// Calls through the MCP host. What comes back is fetched text: data, never instruction.
#[async_trait]
pub trait Tools: Send + Sync {
    /// The tool's structured answer, or its text as a JSON string; ends within `within`, whatever the server does.
    /// Never repeated by itself: a call may have had its effect although its answer was lost.
    async fn call(&self, server: &str, tool: &str, arguments: Map<String, Value>, within: Duration) -> Result<Value, ToolError>;
}

/// Tools that publish. What they do cannot be taken back, so they are looked at before they are called.
#[async_trait]
pub trait PublishTools: Tools {
    /// The tool's own input schema. Asked of the server each time and of the tool never: that it answers says that the server is there.
    async fn input_schema(&self, server: &str, tool: &str, within: Duration) -> Result<Map<String, Value>, NotListed>;
}

/// Why a tool cannot be looked at. Nothing was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotListed {
    #[error("no upstream server is named {server:?}; add it under [upstreams] in the configuration")]
    NoServer { server: String },
    #[error("upstream server {server:?} cannot be reached: {reason}")]
    Unreachable { server: String, reason: String },
    #[error("upstream server {server:?} has no tool {tool:?}; it has {known}")]
    NoTool { server: String, tool: String, known: String },
}

/// Messages are safe to show to strangers: no path, no credential, no upstream prose longer than a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    #[error("no upstream server is named {server:?}; add it under [upstreams] in the configuration")]
    NoServer { server: String },
    /// Nothing was asked of the tool, so asking again is safe.
    #[error("upstream server {server:?} cannot be reached: {reason}")]
    Unreachable { server: String, reason: String },
    #[error("tool {tool:?} of upstream server {server:?} refused: {reason}")]
    Refused { server: String, tool: String, reason: String },
    /// The call was sent: it may have had its effect.
    #[error("no answer within {after_ms} ms")]
    TimedOut { after_ms: u64 },
    /// The answer was cut off: whether the tool failed stands in what was not read.
    #[error("the answer is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: usize },
    /// The tool is done, without an error; only what it says is of no use.
    #[error("it is done, and its answer is larger than {limit_bytes} bytes")]
    DoneTooLarge { limit_bytes: usize },
    /// The call was sent and its answer was lost: it may have had its effect.
    #[error("upstream server {server:?} failed: {reason}")]
    Failed { server: String, reason: String },
}
