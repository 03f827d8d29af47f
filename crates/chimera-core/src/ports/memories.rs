//! What agents remember.

use super::StoreError;
use crate::{
    contracts::{UuidV4, memory_context::MemoryRole},
    domain::AgentId,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait Memories: Send + Sync {
    /// A memory whose id is known already stays as it was.
    async fn remember(&self, memory: &MemoryRecord) -> Result<(), StoreError>;
    /// Of one agent, `since` or later, oldest first, at most the newest `limit`.
    async fn since(&self, agent: &AgentId, since: DateTime<Utc>, limit: usize) -> Result<Vec<MemoryRecord>, StoreError>;
    /// Of one agent; `None` when it has no such memory.
    async fn find(&self, agent: &AgentId, id: UuidV4) -> Result<Option<MemoryRecord>, StoreError>;
}

/// One turn of an agent's conversation or action.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRecord {
    pub id: UuidV4,
    pub agent: AgentId,
    pub at: DateTime<Utc>,
    pub role: MemoryRole,
    pub content: String,
}
