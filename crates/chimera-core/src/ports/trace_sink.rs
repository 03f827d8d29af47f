//! Where spans go: a collector that draws what happened to a task as a waterfall.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Takes each span once; what cannot be delivered is lost, and nothing waits for it.
#[async_trait]
pub trait TraceSink: Send + Sync {
    async fn export(&self, spans: &[Span]) -> Result<(), NotExported>;
}

/// One stretch of a task's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// 32 hex digits: the task's id.
    pub trace_id: String,
    /// 16 hex digits.
    pub span_id: String,
    /// `None` for the one that spans the whole task.
    pub parent_id: Option<String>,
    pub name: &'static str,
    pub begun_at: DateTime<Utc>,
    pub ended_at: DateTime<Utc>,
    pub has_failed: bool,
    pub attributes: Vec<(&'static str, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the collector did not take {spans} spans: {reason}")]
pub struct NotExported {
    pub spans: usize,
    pub reason: String,
}
