//! Money that is worth nothing, where the program runs a chain of its own.

use super::Refusal;
use async_trait::async_trait;
use chimera_core::domain::AgentId;

#[async_trait]
pub trait PlayMoney: Send + Sync {
    /// What the agent was given, as a sentence.
    async fn give(&self, agent: &AgentId) -> Result<String, Refusal>;
}
