//! One EVM chain. Policy and budget are settled before anything here is called.

use crate::domain::{
    money::{Address, Asset, B256, ChainId, U256},
    transfer::Gas,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;

#[async_trait]
pub trait Chain: Send + Sync {
    /// Without one the chain is known by its name, and nothing can be done there.
    fn has_node(&self) -> bool {
        true
    }
    /// What the node says it is; a node of another chain must never be signed for.
    async fn id(&self) -> Result<ChainId, ChainError>;
    async fn balance(&self, owner: Address, asset: &Asset) -> Result<U256, ChainError>;
    /// What the token's own contract says; whoever takes whole units multiplies by that.
    async fn decimals(&self, token: Address) -> Result<u8, ChainError>;
    /// Gas, fees and the next nonce for a call by `from`; a call that would revert is `Reverted`, and nothing is sent.
    async fn prepare(&self, from: Address, call: &Call) -> Result<Prepared, ChainError>;
    /// Safe to repeat with the same bytes: a node that has them already has accepted them. `permit` is asked before each single node,
    /// at the very moment that the bytes would leave.
    async fn broadcast(&self, raw: &[u8], tx_hash: B256, permit: Arc<dyn SendPermit>) -> Result<(), ChainError>;
    /// `None` means not yet known, never "failed".
    async fn receipt(&self, tx_hash: B256) -> Result<Option<Receipt>, ChainError>;
    /// How many transactions of `owner` are in blocks: the first nonce that is still free on chain.
    async fn confirmed_nonce(&self, owner: Address) -> Result<u64, ChainError>;
    /// For each transaction the block that holds it, however young.
    async fn blocks_of(&self, tx_hashes: &[B256]) -> Result<Vec<Option<u64>>, ChainError>;
    async fn latest_block(&self) -> Result<u64, ChainError>;
    /// The last block that no reorganisation can take away.
    async fn finalized_block(&self) -> Result<u64, ChainError>;
    /// The transaction of `owner` with this nonce, if it is in a block after `after_block`.
    async fn transaction_of(&self, owner: Address, nonce: u64, after_block: u64) -> Result<Option<FoundTransaction>, ChainError>;
}

/// Says whether signed bytes may leave now.
#[async_trait]
pub trait SendPermit: Send + Sync {
    async fn may_send(&self) -> bool;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTransaction {
    pub tx_hash: B256,
    /// To the zero address where it made a contract.
    pub call: Call,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub to: Address,
    pub value_wei: U256,
    pub data: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    /// Counts what the node has in its pool.
    pub next_nonce: u64,
    pub gas_limit: u64,
    pub max_fee_per_gas_wei: u128,
    pub max_priority_fee_per_gas_wei: u128,
    /// The most that a rollup charges for the transaction's bytes on the chain below it, beside the gas; zero where there is none.
    pub l1_fee_max_wei: U256,
}

impl Prepared {
    pub fn gas(&self) -> Gas {
        Gas {
            limit: self.gas_limit,
            max_fee_per_gas_wei: self.max_fee_per_gas_wei,
            max_priority_fee_per_gas_wei: self.max_priority_fee_per_gas_wei,
        }
    }

    /// The most that a transaction with this gas can cost, the L1 data fee included.
    pub fn fee_max_wei(&self, gas: &Gas) -> U256 {
        gas.fee_max_wei().saturating_add(self.l1_fee_max_wei)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub succeeded: bool,
    pub block_number: u64,
    pub block_time: DateTime<Utc>,
    /// Gas used times the effective price, with the L1 data fee where the chain has one.
    pub fee_wei: U256,
    /// What token contracts say that it moved: their `Transfer` events.
    pub token_movements: Vec<TokenMovement>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenMovement {
    pub token: Address,
    pub from: Address,
    pub to: Address,
    pub units: U256,
}

/// Classified once, here: what may be tried again, what may not, and what nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// Nothing reached the node, or it answered that it could not: safe to try again.
    #[error("the node of chain {chain} could not be reached: {reason}")]
    Unreachable { chain: ChainId, reason: String },
    /// The node understood and refused; the same request will be refused again.
    #[error("the node of chain {chain} refused: {reason}")]
    Refused { chain: ChainId, reason: String },
    #[error("the call would revert: {reason}")]
    Reverted { reason: String },
    /// A broadcast went out and no answer came back; it may still land, so a new signature could pay twice.
    #[error("the broadcast's fate is unknown: {reason}")]
    Unknown { reason: String },
    #[error("the nonce was used by a transaction that is not ours")]
    NonceTaken,
}
