//! The ledger, as people read it.

use super::Money;
use crate::contracts::{
    UtcTime, UuidV4,
    decision::{JudgeDecision, Verdict},
};
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
    /// The rule by which a person was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What the CFO and people said, oldest first.
    pub decisions: Vec<TransferDecision>,
    /// Where the chain's explorer shows the transaction: of a chain that has `explorer` set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explorer_url: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TransferDecision {
    pub at: UtcTime,
    pub decision: Verdict,
    pub reason: String,
}

impl From<JudgeDecision> for TransferDecision {
    fn from(decision: JudgeDecision) -> Self {
        Self { at: decision.created_at, decision: decision.decision, reason: decision.reason }
    }
}

/// What one agent's wallet took in and gave out in a day of UTC, of one asset: the sums of the ledger's postings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayResult {
    /// `2026-11-19`
    pub day: String,
    pub agent_id: String,
    pub chain_id: String,
    pub asset: String,
    pub decimals: u8,
    /// What came in, or came back when a block vanished.
    pub in_units: String,
    pub paid_units: String,
    pub fees_units: String,
    /// What came in, less what was paid and the fees; below zero with a minus.
    pub result_units: String,
}

/// An entry of the ledger, whole.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExportedEntry {
    #[serde(flatten)]
    pub row: LedgerRow,
    /// What left one account and arrived in another.
    pub postings: Value,
    /// The node's, over the hash; absent where a later entry vouches for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}
