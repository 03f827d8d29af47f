//! The world's news, mentions and prices: MCP resources on upstream servers.

use crate::domain::Untrusted;
use async_trait::async_trait;
use std::time::Duration;

/// Reads through the MCP host. What comes back is fetched text: data, never instruction.
#[async_trait]
pub trait Resources: Send + Sync {
    /// All contents of the resource, in order; ends within `within`, whatever the server does.
    async fn read(&self, uri: &str, within: Duration) -> Result<Vec<ResourceText>, ResourceError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceText {
    pub text: Untrusted,
    pub mime_type: Option<String>,
}

/// Messages are safe to show to strangers: no path, no credential, no upstream prose longer than a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResourceError {
    #[error("no upstream server serves {scheme}:// resources; add one under [upstreams] in the configuration")]
    NoServer { scheme: String },
    #[error("upstream server {server:?} has no such resource")]
    NotFound { server: String },
    #[error("no answer within {after_ms} ms")]
    TimedOut { after_ms: u64 },
    #[error("the resource is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: usize },
    #[error("the resource is not text")]
    NotText,
    #[error("upstream server {server:?} failed: {reason}")]
    Failed { server: String, reason: String },
}
