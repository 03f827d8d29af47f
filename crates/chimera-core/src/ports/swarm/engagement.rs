//! What people did with what was published.

use crate::{contracts::UuidV4, domain::AgentId, ports::StoreError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Each published post is read back twice.
#[async_trait]
pub trait Engagements: Send + Sync {
    /// Posts published before `published_before` that wait for this reading and may be read `now`, oldest first.
    async fn due(
        &self,
        reading: Reading,
        published_before: DateTime<Utc>,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<UnreadPost>, StoreError>;
    /// Puts the reading on record, once; without counts it is given up. The next one is due.
    async fn record(&self, post: &UnreadPost, reading: Reading, counts: Option<Engagement>, at: DateTime<Utc>) -> Result<(), StoreError>;
    /// Not before `until`; answers how often this reading was put off, this time included.
    async fn put_off(&self, post: &UnreadPost, until: DateTime<Utc>) -> Result<u32, StoreError>;
    /// The last readings of the agent's newest posts that have one, newest first.
    async fn latest(&self, agent: &AgentId, limit: usize) -> Result<Vec<(UuidV4, Engagement)>, StoreError>;
    /// All readings of a campaign's posts, oldest first.
    async fn of_campaign(&self, campaign_id: &str) -> Result<Vec<EngagementRecord>, StoreError>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    First,
    Last,
}

impl Reading {
    pub const ALL: [Self; 2] = [Self::First, Self::Last];

    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadPost {
    /// Where it stands in the outbox.
    pub number: i64,
    pub post_id: UuidV4,
    pub agent: AgentId,
    pub platform: String,
    /// As the platform names it.
    pub remote_id: String,
    pub text: String,
}

/// How many people did what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Engagement {
    pub likes: u64,
    pub reposts: u64,
    pub replies: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngagementRecord {
    pub post_id: UuidV4,
    pub reading: Reading,
    pub at: DateTime<Utc>,
    pub counts: Engagement,
}
