//! What a wallet sent that its book did not know: found on the chain, and written down by a reconciliation.

use crate::domain::{
    AgentId,
    money::{Address, Asset, B256, ChainId, U256},
};
use chrono::{DateTime, NaiveDate, Utc};

/// A final transaction of an agent's wallet that this book never sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignTransaction {
    pub chain: ChainId,
    pub nonce: u64,
    pub tx_hash: B256,
    pub block_number: u64,
    pub block_time: DateTime<Utc>,
    pub succeeded: bool,
    pub fee_wei: U256,
    /// What it calls its native asset.
    pub native: Asset,
    /// Never empty: one that moved nothing names whom it called, with an amount of zero.
    pub moved: Vec<ForeignMovement>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignMovement {
    pub asset: Asset,
    pub to: Address,
    pub units: U256,
}

impl ForeignTransaction {
    /// The UTC day whose budget it counts on: nobody reserved it, so it is the day that it landed.
    pub fn day(&self) -> NaiveDate {
        self.block_time.date_naive()
    }
}

/// What a look at the chains found of one agent's wallet, ready to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconciliation {
    pub agent: AgentId,
    pub wallet: Address,
    pub found: Vec<ForeignTransaction>,
    /// Of each chain that was looked at, the first nonce that is not used there.
    pub next_nonces: Vec<(ChainId, u64)>,
    /// Everything was read, so the wallet is let go.
    pub is_complete: bool,
    /// Who had it done.
    pub by: String,
    pub at: DateTime<Utc>,
}
