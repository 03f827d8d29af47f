//! What only the program can do with a wallet: it has the chains.

use crate::Refusal;
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        views::wallets::{CancelledTransfer, ReconciledWallet},
    },
    domain::AgentId,
};

#[async_trait]
pub trait WalletOperations: Send + Sync {
    /// Reads what the agent's wallet sent that the book does not know, writes it to the ledger and the budget of its day, and lifts the hold.
    async fn reconcile(&self, agent: &AgentId, by: &str) -> Result<ReconciledWallet, Refusal>;
    /// Signs and sends what cancels this task's transfer. The chain says which of the two lands.
    async fn cancel(&self, task_id: UuidV4, by: &str) -> Result<CancelledTransfer, Refusal>;
}
