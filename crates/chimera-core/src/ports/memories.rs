//! What agents remember.

use super::StoreError;
use crate::{
    contracts::{UuidV4, lesson::Lesson, memory_context::MemoryRole},
    domain::AgentId,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait Memories: Send + Sync {
    /// A memory whose id is known already is said anew, and means nothing until it is placed again; one of another agent or role, or a lesson,
    /// stays as it was.
    async fn remember(&self, memory: &MemoryRecord) -> Result<(), StoreError>;
    /// Of one agent, `since` or later, oldest first, at most the newest `limit`.
    async fn since(&self, agent: &AgentId, since: DateTime<Utc>, limit: usize) -> Result<Vec<MemoryRecord>, StoreError>;
    /// Of one agent; `None` when it has no such memory.
    async fn find(&self, agent: &AgentId, id: UuidV4) -> Result<Option<MemoryRecord>, StoreError>;
    /// What agents said for one campaign, whoever said it, oldest first, at most the newest `limit`.
    async fn of_campaign(&self, campaign: &str, limit: usize) -> Result<Vec<MemoryRecord>, StoreError>;
    /// What people taught one agent, oldest first, at most the newest `limit`.
    async fn lessons(&self, agent: &AgentId, limit: usize) -> Result<Vec<MemoryRecord>, StoreError>;
    /// How many one agent has.
    async fn count(&self, agent: &AgentId) -> Result<u64, StoreError>;
    /// For good, and for long-term memory too. Whether there was such a memory of this agent.
    async fn forget(&self, agent: &AgentId, id: UuidV4) -> Result<bool, StoreError>;
    /// All of one agent from before this moment. How many there were.
    async fn forget_before(&self, agent: &AgentId, before: DateTime<Utc>) -> Result<u64, StoreError>;
}

/// Long-term memory: the same memories, found by what they mean. A memory counts once it has been placed.
#[async_trait]
pub trait Recollection: Send + Sync {
    /// Of one agent, oldest first, those that have no vector with so many dimensions.
    async fn unplaced(&self, agent: &AgentId, dimensions: usize, limit: usize) -> Result<Vec<MemoryRecord>, StoreError>;
    /// Says what a memory means, by a vector of unit length, instead of what was said before. Changes nothing when the agent has no such memory.
    async fn place(&self, agent: &AgentId, id: UuidV4, vector: &[f32]) -> Result<(), StoreError>;
    /// Of one agent, the `limit` nearest by cosine, exactly, nearest first; of equals the newer first. Vectors with other dimensions are passed over.
    async fn nearest(&self, agent: &AgentId, vector: &[f32], limit: usize) -> Result<Vec<Recollected>, StoreError>;
}

/// A memory, and how near it is to what was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Recollected {
    pub memory: MemoryRecord,
    /// The cosine.
    pub likeness: f32,
}

/// One turn of an agent's conversation or action.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRecord {
    pub id: UuidV4,
    pub agent: AgentId,
    pub at: DateTime<Utc>,
    pub role: MemoryRole,
    pub content: String,
    /// The campaign that it was said for.
    pub campaign: Option<String>,
    /// What a person taught by it, where they did.
    pub lesson: Option<Lesson>,
}
