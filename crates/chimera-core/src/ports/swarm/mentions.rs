//! What people say to the agents, each answered at most once.

use crate::{
    domain::{AgentId, Untrusted},
    ports::StoreError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait Mentions: Send + Sync {
    /// In one transaction; gives those that are the asking campaign's to answer, in their order. A mention belongs for good to the
    /// campaign and agent that took it first: taking it again there gives it again, elsewhere never. An author who has had
    /// `per_author_max` answers of an agent gets no more for now.
    async fn take(&self, mentions: &[Mention], limits: &ReplyLimits) -> Result<Vec<Mention>, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub campaign_id: String,
    pub agent: AgentId,
    pub platform: String,
    /// As the platform names it.
    pub post_id: String,
    pub author: Option<String>,
    /// What it says, for people to read.
    pub text: Untrusted,
    /// When it was taken.
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Two agents that answer each other would never end.
    pub per_author_max: u32,
    /// Answers before this do not count.
    pub since: DateTime<Utc>,
}
