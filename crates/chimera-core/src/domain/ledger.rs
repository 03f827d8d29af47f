//! The ledger's values: entries, the postings of those that move value, and the hash that chains them.

mod day_budgets;
mod entries;
mod postings;
mod results;
mod sentence;

pub use day_budgets::{BudgetCounter, BudgetDifference, BudgetKind, DayBudgets};
pub use entries::{
    ControlAct, adoption_entry, answer_entry, cancel_entry, foreign_entries, freeze_entry, hold_entry, reconcile_entry, refusal_entry,
    reversal_entry, revocation_entry, settlement_entry, unfreeze_entry,
};
pub use postings::{Account, Movement, NotAccount, NotPostings, Posting, Postings, Side};
pub use results::DayResults;
pub use sentence::Sentences;

use super::AgentId;
use crate::contracts::UuidV4;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

/// An entry before it has its place in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLedgerEntry {
    pub at: DateTime<Utc>,
    pub kind: LedgerKind,
    /// Absent when it concerns the whole fleet.
    pub agent: Option<AgentId>,
    pub task_id: Option<UuidV4>,
    /// What happened, as one JSON object.
    pub facts: serde_json::Value,
    /// What it moved; none for most kinds.
    pub postings: Postings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerKind {
    /// A transfer that is in a block, or a payment that a reconciliation found there.
    Payment,
    /// A transfer that was refused, failed or reverted. One that reverted moved its fee.
    Refusal,
    /// Takes an entry back whose block is no longer part of the chain.
    Reversal,
    /// Content that is about to leave, and how that ended, or would have left in a dry run.
    Post,
    /// A person's act: a freeze, an answer to a review.
    Control,
}

impl LedgerKind {
    pub const ALL: [Self; 5] = [Self::Payment, Self::Refusal, Self::Reversal, Self::Post, Self::Control];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refusal => "refusal",
            Self::Reversal => "reversal",
            Self::Post => "post",
            Self::Control => "control",
        }
    }
}

/// The hash of the chain before its first entry.
pub const GENESIS_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// An entry as text, the way a store keeps it. Absent ids are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryText {
    pub at_micros: i64,
    pub kind: &'static str,
    pub agent_id: String,
    pub task_id: String,
    pub facts: String,
    pub postings: String,
}

impl NewLedgerEntry {
    pub fn to_text(&self) -> EntryText {
        EntryText {
            at_micros: self.at.timestamp_micros(),
            kind: self.kind.as_str(),
            agent_id: self.agent.as_ref().map(ToString::to_string).unwrap_or_default(),
            task_id: self.task_id.map(|id| id.to_string()).unwrap_or_default(),
            facts: self.facts.to_string(),
            postings: self.postings.to_json().to_string(),
        }
    }
}

impl EntryText {
    pub fn fields(&self) -> EntryFields<'_> {
        EntryFields {
            at_micros: self.at_micros,
            kind: self.kind.as_bytes(),
            agent_id: self.agent_id.as_bytes(),
            task_id: self.task_id.as_bytes(),
            facts: self.facts.as_bytes(),
            postings: Some(self.postings.as_bytes()),
            signing: Signing::Own,
        }
    }
}

/// Whose signature vouches for an entry. Part of its hash, so that a signature that was taken away is missed where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signing {
    Own,
    /// That of the last of those that were appended in one write.
    Later,
}

/// What an entry follows: the one before it, with its signature (empty when it has none).
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    pub hash: &'a [u8],
    pub signature: &'a [u8],
}

impl Link<'_> {
    pub const GENESIS: Link<'static> = Link { hash: GENESIS_HASH.as_bytes(), signature: b"" };
}

/// The very bytes that are stored, so that a check covers them: a number in `facts` may read back otherwise.
#[derive(Debug, Clone, Copy)]
pub struct EntryFields<'a> {
    pub at_micros: i64,
    pub kind: &'a [u8],
    pub agent_id: &'a [u8],
    pub task_id: &'a [u8],
    pub facts: &'a [u8],
    /// `None` only in entries from before there were postings and signatures.
    pub postings: Option<&'a [u8]>,
    pub signing: Signing,
}

/// Sets the hashes of entries apart from everything else that a node signs.
const ENTRY_TAG: &[u8] = b"chimera ledger entry 2";
const SIGNED_LATER_TAG: &[u8] = b"chimera ledger entry 2, signed with a later one";
const HEAD_TAG: &[u8] = b"chimera ledger head 1";

impl EntryFields<'_> {
    /// Over what it follows and every field. The signature of the entry before is a field too, so that one valid signature
    /// vouches for all hashes and signatures below it.
    pub fn chained_hash(&self, number: u64, previous: Link<'_>) -> [u8; 32] {
        let (number, at) = (number.to_string(), self.at_micros.to_string());
        let tag = match self.signing {
            Signing::Own => ENTRY_TAG,
            Signing::Later => SIGNED_LATER_TAG,
        };
        let plain = [number.as_bytes(), at.as_bytes(), self.kind, self.agent_id, self.task_id, self.facts];
        match self.postings {
            Some(postings) => hashed([tag, previous.hash, previous.signature].into_iter().chain(plain).chain([postings])),
            None => hashed([previous.hash].into_iter().chain(plain)),
        }
    }
}

/// What a node signs to say that its ledger reached this entry. Those up to `unsigned_to` are from before there were signatures.
pub fn head_digest(number: u64, hash: &str, unsigned_to: u64) -> [u8; 32] {
    hashed([HEAD_TAG, number.to_string().as_bytes(), hash.as_bytes(), unsigned_to.to_string().as_bytes()])
}

/// Each field with its length, so that no two lists read alike.
fn hashed<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for field in fields {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field in turn, changed by one byte.
    #[test]
    fn every_field_is_part_of_the_hash() {
        let fields = EntryFields {
            at_micros: 7,
            kind: b"payment",
            agent_id: b"selam",
            task_id: b"task",
            facts: b"{}",
            postings: Some(b"[]"),
            signing: Signing::Own,
        };
        let link = Link { hash: b"before", signature: b"signed" };
        let hash = fields.chained_hash(3, link);
        for (what, other) in [
            ("number", fields.chained_hash(4, link)),
            ("previous hash", fields.chained_hash(3, Link { hash: b"befor", ..link })),
            ("previous signature", fields.chained_hash(3, Link { signature: b"", ..link })),
            ("at", EntryFields { at_micros: 8, ..fields }.chained_hash(3, link)),
            ("kind", EntryFields { kind: b"refusal", ..fields }.chained_hash(3, link)),
            ("agent", EntryFields { agent_id: b"", ..fields }.chained_hash(3, link)),
            ("task", EntryFields { task_id: b"", ..fields }.chained_hash(3, link)),
            ("facts", EntryFields { facts: b"{ }", ..fields }.chained_hash(3, link)),
            ("postings", EntryFields { postings: Some(b""), ..fields }.chained_hash(3, link)),
            ("signing", EntryFields { signing: Signing::Later, ..fields }.chained_hash(3, link)),
            ("no postings", EntryFields { postings: None, ..fields }.chained_hash(3, link)),
            ("a field's end", EntryFields { agent_id: b"selamt", task_id: b"ask", ..fields }.chained_hash(3, link)),
        ] {
            assert_ne!(other, hash, "{what}");
        }
    }

    #[test]
    fn every_part_of_a_head_is_signed() {
        let digest = head_digest(11, "b", 2);
        for other in [head_digest(12, "b", 2), head_digest(11, "c", 2), head_digest(11, "b", 3), head_digest(1, "1b", 2)] {
            assert_ne!(other, digest);
        }
    }
}
