//! The agents that exist.

use super::{StoreError, agent_lives::Retirement};
use crate::domain::{AgentId, money::Address};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait Agents: Send + Sync {
    /// Durable when it returns.
    async fn create(&self, agent: &AgentRecord) -> Result<(), CreateAgentError>;
    async fn find(&self, id: &AgentId) -> Result<Option<AgentRecord>, StoreError>;
    /// Those of them that exist. A store does it in one read.
    async fn find_all(&self, ids: &[AgentId]) -> Result<Vec<AgentRecord>, StoreError> {
        let mut found = Vec::new();
        for id in ids {
            found.extend(self.find(id).await?);
        }
        Ok(found)
    }
    /// Why it is retired; `None` while it is at work. A store that retires nobody need not say.
    async fn retirement(&self, _id: &AgentId) -> Result<Option<Retirement>, StoreError> {
        Ok(None)
    }
    /// By id.
    async fn list(&self) -> Result<Vec<AgentRecord>, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRecord {
    pub id: AgentId,
    /// SOUL.md as it was given.
    pub soul_source: String,
    /// Hex sha-256 of `soul_source`.
    pub soul_version: String,
    pub address: Address,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, thiserror::Error)]
pub enum CreateAgentError {
    #[error("agent {0} exists already")]
    Exists(AgentId),
    #[error(transparent)]
    Store(#[from] StoreError),
}
