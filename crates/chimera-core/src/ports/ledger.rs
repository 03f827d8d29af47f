//! What was done in the world: append-only, chained by hash, signed by the node. Entries and postings are values of the domain.

pub use crate::domain::ledger::{GENESIS_HASH, LedgerKind, NewLedgerEntry};

use super::StoreError;
use crate::domain::{AgentId, ledger::BudgetDifference};
use async_trait::async_trait;

/// Entries are appended by the stores themselves, in the transaction of the effect they record; nothing else writes.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Newest first, of one agent or of all.
    async fn list(&self, agent: Option<&AgentId>, limit: usize) -> Result<Vec<LedgerEntry>, StoreError>;
    /// Those with a number above `after`, oldest first: page by page, everything there is.
    async fn page(&self, agent: Option<&AgentId>, after: u64, limit: usize) -> Result<Vec<LedgerEntry>, StoreError>;
    /// Recomputes the whole chain and holds it against its signatures, its signed head and the budgets of each day, without holding more
    /// than one entry at a time.
    async fn verify(&self) -> Result<LedgerVerdict, StoreError>;
}

/// What an operator can do while the signed head contradicts the store, and so nothing is paid.
pub const CONTRADICTED_WAY_ON: &str = "put back the files that belong together, or, if this database is the one to go on with, run \
     `chimera ledger adopt --reason TEXT`";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// 1 for the first.
    pub number: u64,
    pub entry: NewLedgerEntry,
    pub hash: String,
    /// The node's, over `hash`; absent in entries from before there were signatures.
    pub signature: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerVerdict {
    pub entries: u64,
    /// The number of the first entry that is not as it was written, or that is no longer there.
    pub first_bad: Option<u64>,
    /// Why; without a `first_bad` when every entry is whole, and the budgets are not what they come to.
    pub problem: Option<LedgerProblem>,
}

impl LedgerVerdict {
    pub fn sound(entries: u64) -> Self {
        Self { entries, first_bad: None, problem: None }
    }

    pub fn broken(entries: u64, problem: LedgerProblem) -> Self {
        Self { entries, first_bad: problem.first_bad(), problem: Some(problem) }
    }

    pub fn is_sound(&self) -> bool {
        self.problem.is_none()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerProblem {
    #[error("entry {number} is not as it was written")]
    Changed { number: u64 },
    #[error("entry {number} is missing, or another stands in its place")]
    Missing { number: u64 },
    #[error("entry {number} has no signature, though it must have one")]
    Unsigned { number: u64 },
    #[error("entry {number} is not signed by this node: somebody else wrote or rewrote it")]
    Forged { number: u64 },
    #[error("the postings of entry {number} do not balance")]
    Unbalanced { number: u64 },
    #[error("the end of the ledger is cut off: it was signed up to entry {last}, and entry {first} is no longer there")]
    Cut { first: u64, last: u64 },
    #[error("entry {number} is not the one that the signed head names: the database is an old copy, or of another data folder")]
    OtherHead { number: u64 },
    #[error("the signed head is missing: whether there was an entry {next} cannot be told")]
    NoHead { next: u64 },
    #[error("the head is not signed by this node: whether there was an entry {next} cannot be told")]
    ForgedHead { next: u64 },
    #[error(
        "{} says {} spent, and the entries of the ledger come to {}{}",
        .first.counter, .first.in_store, .first.on_ledger, and_more(*.count)
    )]
    Budget { first: Box<BudgetDifference>, count: usize },
}

fn and_more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        many => format!("; {} more counters differ", many - 1),
    }
}

impl LedgerProblem {
    pub fn first_bad(&self) -> Option<u64> {
        match self {
            Self::Changed { number }
            | Self::Missing { number }
            | Self::Unsigned { number }
            | Self::Forged { number }
            | Self::Unbalanced { number }
            | Self::OtherHead { number } => Some(*number),
            Self::Cut { first, .. } => Some(*first),
            Self::NoHead { next } | Self::ForgedHead { next } => Some(*next),
            Self::Budget { .. } => None,
        }
    }
}
