//! What stops signing and sending at once, for one agent or for all: the kill switch, and a wallet's hold. Watching goes on.

use super::AgentId;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freeze {
    pub scope: FreezeScope,
    /// In the operator's words.
    pub reason: String,
    pub by: String,
    pub at: DateTime<Utc>,
    pub cause: FreezeCause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreezeCause {
    /// A person's act, and a person lifts it.
    KillSwitch,
    /// The agent is retired. A person reinstates it.
    Retired,
    /// The chain knows transactions of the wallet that our book does not, or may know some: the book is an old one, or somebody else
    /// has the key. Only a reconciliation lifts it.
    Unreconciled,
    /// The store is not the one that its signed head knows. The right files lift it, or a person who adopts the store.
    LedgerContradicted,
}

impl Freeze {
    /// A wallet that is held until its book is reconciled with the chain.
    pub fn hold(agent: AgentId, reason: String, at: DateTime<Utc>) -> Self {
        Self { scope: FreezeScope::Agent(agent), reason, by: "chimera".to_owned(), at, cause: FreezeCause::Unreconciled }
    }

    /// Nobody's money moves while the store cannot be believed.
    pub fn contradicted(reason: String, at: DateTime<Utc>) -> Self {
        Self { scope: FreezeScope::Fleet, reason, by: "chimera".to_owned(), at, cause: FreezeCause::LedgerContradicted }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FreezeScope {
    Agent(AgentId),
    Fleet,
}

impl FreezeScope {
    pub fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Fleet => None,
        }
    }
}

impl std::fmt::Display for FreezeScope {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Agent(agent) => write!(formatter, "agent {agent}"),
            Self::Fleet => formatter.write_str("the whole fleet"),
        }
    }
}
