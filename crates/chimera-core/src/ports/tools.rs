//! What upstream servers can do for us: MCP tools, such as publishing or drawing.

use crate::domain::untrusted::{ByTool, Untrusted};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::{borrow::Cow, time::Duration};

/// Calls through the MCP host. What comes back is data, never instruction.
#[async_trait]
pub trait Tools: Send + Sync {
    /// The tool's structured answer, or its text as a JSON string; ends within `within`, whatever the server does.
    /// Never repeated by itself: a call may have had its effect although its answer was lost.
    async fn call(&self, server: &str, tool: &str, arguments: Map<String, Value>, within: Duration) -> Result<ToolAnswer, ToolError>;
}

/// What somebody else's tool answered. Like [`Untrusted`] text it has no `Display`: nothing of it is shown, kept or sent on before it was
/// read into something that says what it is, such as an address of the web or a hash.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer(Value);

impl ToolAnswer {
    pub fn new(answer: Value) -> Self {
        Self(answer)
    }

    /// Its structured content. Where there is none, the text of the answer should be the same JSON.
    pub fn content(&self) -> Cow<'_, Value> {
        let parsed = self.0.as_str().and_then(|text| serde_json::from_str(text).ok());
        parsed.map_or(Cow::Borrowed(&self.0), Cow::Owned)
    }

    /// Everything that it said.
    pub fn said(&self) -> Untrusted<ByTool> {
        Untrusted::new(self.0.as_str().map_or_else(|| self.0.to_string(), str::to_owned))
    }

    /// What it said, if that is text. Some servers encode it as JSON once more.
    pub fn text(&self) -> Option<Untrusted<ByTool>> {
        match self.content().into_owned() {
            Value::String(text) => Some(Untrusted::new(text)),
            _ => self.0.as_str().map(Untrusted::new),
        }
    }
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
