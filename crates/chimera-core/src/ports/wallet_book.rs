//! The book of a wallet's nonces: what of a wallet's transactions we know, and how it is brought in line with the chain.

use super::StoreError;
use crate::domain::{
    AgentId,
    freeze::Freeze,
    money::{Address, ChainId},
    transfer::{Reconciliation, TransferRecord},
};
use async_trait::async_trait;

#[async_trait]
pub trait WalletBook: Send + Sync {
    /// What the book knows of a wallet on one chain.
    async fn standing(&self, wallet: Address, chain: ChainId) -> Result<BookStanding, StoreError>;
    /// Every chain on which the wallet has sent something, or is about to.
    async fn chains(&self, wallet: Address) -> Result<Vec<ChainId>, StoreError>;
    /// The agent's hold, if its wallet is held.
    async fn held(&self, agent: &AgentId) -> Result<Option<Freeze>, StoreError>;
    /// In one transaction: every transaction that the book did not know goes on the ledger and on the budget of its day, the nonces
    /// are known as used, and the wallet's hold is lifted if everything was read. What the book knows already is not written again.
    async fn reconcile(&self, reconciliation: &Reconciliation) -> Result<(), StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct BookStanding {
    /// The first nonce that the book does not know to be used up on chain.
    pub consumed_next: u64,
    /// Transfers under way, oldest first.
    pub open: Vec<TransferRecord>,
}
