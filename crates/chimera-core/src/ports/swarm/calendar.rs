//! What a campaign posts on a day that was named before.

use crate::{
    contracts::{UuidV4, content_generator::ContentType},
    domain::{AgentId, Platform},
    ports::StoreError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Each method is one durable transaction.
#[async_trait]
pub trait Calendar: Send + Sync {
    /// Adding an entry twice changes nothing the second time.
    async fn add(&self, entry: &CalendarEntry) -> Result<(), StoreError>;
    /// Entries that wait: those of running campaigns whose time has come by `now`, and those of any campaign whose time was before
    /// `missed_before`. Earliest first.
    async fn due(&self, now: DateTime<Utc>, missed_before: DateTime<Utc>, limit: usize) -> Result<Vec<CalendarEntry>, StoreError>;
    /// What became of an entry; answers what it is now. One that does not wait any more stays as it is, and one whose task is queued is
    /// planned, whatever `status` says: the program may have died in between.
    async fn settle(&self, entry: &CalendarEntry, status: &EntryStatus) -> Result<EntryStatus, StoreError>;
    /// Earliest first.
    async fn of_campaign(&self, campaign_id: &str) -> Result<Vec<(CalendarEntry, EntryStatus)>, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarEntry {
    pub entry_id: UuidV4,
    pub campaign_id: String,
    /// When its task is made.
    pub at: DateTime<Utc>,
    /// What it says; without it, what the campaign's goal says.
    pub about: Option<String>,
    /// Without it, the campaign's first on the platform.
    pub agent: Option<AgentId>,
    /// Without it, the agent's first.
    pub platform: Option<Platform>,
    pub content_type: ContentType,
    /// What it is written from.
    pub resource_uris: Vec<String>,
}

impl CalendarEntry {
    /// The id of its one task, however often it is planned.
    pub fn task_id(&self) -> UuidV4 {
        UuidV4::named(&["calendar", &self.campaign_id, &self.entry_id.to_string()])
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryStatus {
    Waiting,
    /// Its task is queued.
    Planned,
    Missed {
        reason: String,
    },
    /// Taken out by the operator before its time.
    Removed,
}

impl EntryStatus {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Planned => "planned",
            Self::Missed { .. } => "missed",
            Self::Removed => "removed",
        }
    }

    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Missed { reason } => Some(reason),
            Self::Waiting | Self::Planned | Self::Removed => None,
        }
    }
}
