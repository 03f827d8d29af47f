//! The ledger, as people read it.

use super::Money;
use crate::contracts::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LedgerRow {
    pub number: u64,
    pub at: UtcTime,
    /// transfer, fee, refusal, freeze, post and so on, in the ledger's own words.
    pub kind: String,
    /// Empty where it is about the whole fleet.
    pub agent_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<UuidV4>,
    /// One sentence.
    pub told: String,
    pub facts: Value,
    pub hash: String,
}

/// A transfer, wherever it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TransferRow {
    pub transaction_id: UuidV4,
    pub task_id: UuidV4,
    pub agent_id: String,
    pub state: String,
    pub amount: Money,
    pub to_address: String,
    pub reserved_at: UtcTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_number: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The question that a person was asked about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_id: Option<UuidV4>,
    /// When its approval ends unused: of one that is `granted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_until: Option<UtcTime>,
}
