//! What bringing a wallet's book in line with its chains came to, and what cancelling a transfer did.

use crate::contracts::UuidV4;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReconciledWallet {
    pub agent_id: String,
    /// As a sentence.
    pub told: String,
    pub was_held: bool,
    /// It still is: there is more to read, and the next call goes on.
    pub held: bool,
    /// What the wallet sent that the book did not know; it does now.
    pub found: Vec<FoundTransaction>,
    /// Transfers of the book that came to their end with it.
    pub settled: Vec<SettledTransfer>,
    /// The chains that were read.
    pub chains: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundTransaction {
    pub tx_hash: String,
    pub chain_id: String,
    pub nonce: u64,
    pub block_number: String,
    /// The UTC day whose budget it counts against.
    pub day: String,
    pub succeeded: bool,
    pub fee_wei: String,
    pub moved: Vec<MovedAmount>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MovedAmount {
    pub asset: String,
    pub to: String,
    pub amount_units: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettledTransfer {
    pub task_id: UuidV4,
    pub state: String,
}

/// Where a transfer stands after what cancels it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CancelledTransfer {
    pub task_id: UuidV4,
    /// Only a block ends it: until then it is what it was.
    pub state: String,
    /// As a sentence.
    pub told: String,
}
