//! What was done in the world, append-only and hash-chained: each entry's hash covers the one before it.

use super::StoreError;
use crate::{contracts::UuidV4, domain::AgentId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Entries are appended by the stores themselves, in the transaction of the effect they record; nothing else writes.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Newest first, of one agent or of all.
    async fn list(&self, agent: Option<&AgentId>, limit: usize) -> Result<Vec<LedgerEntry>, StoreError>;
    /// Recomputes the whole chain.
    async fn verify(&self) -> Result<LedgerVerdict, StoreError>;
}

/// An entry before it has its place in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLedgerEntry {
    pub at: DateTime<Utc>,
    pub kind: LedgerKind,
    pub agent: AgentId,
    pub task_id: UuidV4,
    /// What happened, as one JSON object.
    pub facts: serde_json::Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// 1 for the first.
    pub number: u64,
    pub entry: NewLedgerEntry,
    pub hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerKind {
    /// A transfer that is in a block.
    Payment,
    /// A transfer that was refused, failed or reverted.
    Refusal,
    /// Content that left, or would have left in a dry run.
    Post,
}

impl LedgerKind {
    pub const ALL: [Self; 3] = [Self::Payment, Self::Refusal, Self::Post];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refusal => "refusal",
            Self::Post => "post",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerVerdict {
    pub entries: u64,
    /// The number of the first entry that is not as it was written.
    pub first_bad: Option<u64>,
}

/// The hash of the chain before its first entry.
pub const GENESIS_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

impl NewLedgerEntry {
    pub fn chained_hash(&self, number: u64, previous_hash: &str) -> String {
        let (task_id, facts) = (self.task_id.to_string(), self.facts.to_string());
        chained_hash(previous_hash, number, self.at.timestamp_micros(), self.kind.as_str(), self.agent.as_str(), &task_id, &facts)
    }
}

/// Hex sha-256 over the previous hash and every field, each with its length, so that no two entries read alike. Takes the
/// fields as text, so that a check covers the very bytes that are stored: a number in `facts` may read back otherwise.
pub fn chained_hash(previous_hash: &str, number: u64, at_micros: i64, kind: &str, agent_id: &str, task_id: &str, facts: &str) -> String {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    for field in [previous_hash, &number.to_string(), &at_micros.to_string(), kind, agent_id, task_id, facts] {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field.as_bytes());
    }
    alloy_primitives::hex::encode(hasher.finalize())
}
