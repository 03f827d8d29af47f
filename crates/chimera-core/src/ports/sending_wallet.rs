//! A wallet elsewhere that signs and sends by itself: we can ask it once, and then only watch the chain.

use crate::domain::money::{Address, Asset, B256, ChainId, U256};
use async_trait::async_trait;

#[async_trait]
pub trait SendingWallet: Send + Sync {
    /// Whose money it moves, and on which chain.
    async fn details(&self) -> Result<WalletDetails, SendingWalletError>;
    /// Asks it to pay, once; never call it again for the same order. The hash it names is a hint for the search, not a fact:
    /// what happened is read from the chain.
    async fn send(&self, order: &SendOrder) -> Result<Option<B256>, SendingWalletError>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalletDetails {
    pub address: Address,
    pub chain: ChainId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendOrder {
    pub chain: ChainId,
    pub asset: Asset,
    pub to: Address,
    pub amount_units: U256,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendingWalletError {
    /// Certain: the order never left us.
    #[error("the wallet could not be asked: {reason}")]
    NotAsked { reason: String },
    /// It was asked, and nobody knows what it did.
    #[error("the wallet was asked, and its answer says nothing certain: {reason}")]
    Unclear { reason: String },
}
