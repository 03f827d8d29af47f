//! What becomes of an agent after it is made: its SOUL changes, it is retired and reinstated. Its id and its wallet stay.

use super::{StoreError, queries::PageOf};
use crate::{
    contracts::views::{Page, souls::SoulVersion},
    domain::{
        AgentId, Soul,
        freeze::{Freeze, FreezeCause, FreezeScope},
        soul::SoulError,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait AgentLives: Send + Sync {
    /// The agent's SOUL from now on, kept beside those before it; its number. The SOUL that it has already makes no further version.
    async fn change_soul(&self, change: &SoulChange) -> Result<u64, ChangeSoulError>;
    /// Newest first. A cursor is a version's number.
    async fn souls(&self, agent: &AgentId, page: &PageOf) -> Result<Page<SoulVersion>, StoreError>;
    /// From now on the agent plans, hears, publishes and pays nothing. In the same step what it began ends, as `Retired` says; what may
    /// have left is still followed. Of an agent that is retired already, the first retirement stands.
    async fn retire(&self, retirement: &Retirement) -> Result<Retired, StoreError>;
    /// Whether it was retired.
    async fn reinstate(&self, agent: &AgentId, by: &str, at: DateTime<Utc>) -> Result<bool, StoreError>;
}

/// Another SOUL for an agent: a SOUL, and this agent's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoulChange {
    agent: AgentId,
    source: String,
    version: String,
    by: String,
    at: DateTime<Utc>,
    /// The number of the version that it was written from; any, where that is not known.
    after: Option<u64>,
}

impl SoulChange {
    pub fn new(agent: &AgentId, source: String, by: String, at: DateTime<Utc>) -> Result<Self, NotItsSoul> {
        let soul = its_soul(agent, &source)?;
        Ok(Self { agent: agent.clone(), version: soul.version().to_owned(), source, by, at, after: None })
    }

    /// It replaces that version, and no other.
    pub fn written_from(self, number: u64) -> Self {
        Self { after: Some(number), ..self }
    }

    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Hex sha-256 of the source.
    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn by(&self) -> &str {
        &self.by
    }

    pub fn at(&self) -> DateTime<Utc> {
        self.at
    }

    /// Whether it may follow the version that stands.
    pub fn may_follow(&self, present: u64) -> bool {
        self.after.is_none_or(|after| after == present)
    }
}

/// The SOUL that this text is, where it can be this agent's.
pub fn its_soul(agent: &AgentId, source: &str) -> Result<Soul, NotItsSoul> {
    let soul = Soul::parse(source).map_err(NotItsSoul::Broken)?;
    if soul.id == *agent { Ok(soul) } else { Err(NotItsSoul::OtherId { agent: agent.clone(), given: soul.id }) }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotItsSoul {
    #[error("this is no SOUL: {0}")]
    Broken(SoulError),
    #[error("its id is {given}, and an agent keeps its id, as it keeps its wallet: this one is {agent}")]
    OtherId { agent: AgentId, given: AgentId },
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeSoulError {
    #[error("there is no agent {0}")]
    NoSuchAgent(AgentId),
    #[error("version {present} of its SOUL was saved meanwhile")]
    Moved { present: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An agent that is retired, since when, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retirement {
    pub agent: AgentId,
    pub reason: String,
    pub by: String,
    pub at: DateTime<Utc>,
}

impl Retirement {
    /// What it is for the agent's money.
    pub fn freeze(&self) -> Freeze {
        Freeze {
            scope: FreezeScope::Agent(self.agent.clone()),
            reason: self.reason.clone(),
            by: self.by.clone(),
            at: self.at,
            cause: FreezeCause::Retired,
        }
    }
}

/// What stands, and what ended with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retired {
    pub retirement: Retirement,
    pub ended: Ended,
}

/// All zero where the agent had been retired before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ended {
    /// Given up, with whatever depends on them.
    pub tasks: usize,
    /// Of content and of stuck tasks, closed. One that asks whether a post has left stays.
    pub reviews: usize,
    /// That waited for a person, declined.
    pub payments: usize,
    /// Of payments that a person approved and that were not made yet, revoked.
    pub approvals: usize,
    /// Approved and not begun, which will not be sent.
    pub posts: usize,
    /// Dates of its own on the calendar, missed.
    pub dates: usize,
    /// Payments that may have left: the chain is still asked about them.
    pub followed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUL: &str = "---\nname: Mimi\nid: mimi\nhandle: mimi\nvoice_traits: [warm]\ndirectives: [Never promise returns]\n\
        core_beliefs: [Plain words.]\nplatforms: [mastodon]\ndisclosure: AI persona @{handle}\n---\nMimi is software.\n";

    #[test]
    fn a_change_is_a_soul_and_keeps_the_id() {
        let change = |source: &str| SoulChange::new(&"mimi".parse().unwrap(), source.to_owned(), "hanna".to_owned(), DateTime::UNIX_EPOCH);

        let renamed = change(&SOUL.replace("name: Mimi", "name: Mimi Two")).unwrap();
        let other = change(&SOUL.replace("id: mimi", "id: momo")).unwrap_err();
        let broken = change(&SOUL.replace("id: mimi\n", "")).unwrap_err();

        assert_eq!((renamed.version().len(), renamed.after), (64, None));
        assert_eq!(other.to_string(), "its id is momo, and an agent keeps its id, as it keeps its wallet: this one is mimi");
        assert!(broken.to_string().starts_with("this is no SOUL: line "), "{broken}");
    }
}
