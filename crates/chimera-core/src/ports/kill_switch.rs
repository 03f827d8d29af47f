//! The switch that stops money at once. Stores read it in the very transactions that give out nonces and write signatures down.

use super::StoreError;
use crate::domain::{
    AgentId,
    freeze::{Freeze, FreezeScope},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait KillSwitch: Send + Sync {
    /// On the ledger, as an operator's act. Freezing what is frozen keeps the first reason.
    async fn freeze(&self, freeze: &Freeze) -> Result<(), StoreError>;
    /// On the ledger too. `false`: it was not frozen. An agent's own freeze and the fleet's are lifted apart.
    async fn unfreeze(&self, scope: &FreezeScope, by: &str, at: DateTime<Utc>) -> Result<bool, StoreError>;
    /// Holds the agent's wallet until it is reconciled (`WalletBook`); on the ledger. One that is held keeps the first reason, and is
    /// not written down again.
    async fn hold(&self, agent: &AgentId, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError>;
    /// What stops this agent: the fleet's freeze, its own, or its wallet's hold.
    async fn frozen(&self, agent: &AgentId) -> Result<Option<Freeze>, StoreError>;
}
