//! The single way out for content.

use super::ReviewOutcome;
use crate::{
    contracts::{
        UuidV4,
        review::{ReviewAnswer, ReviewItem},
    },
    domain::AgentId,
    ports::StoreError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Nothing is published that is not in here, approved.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Posts that have not left and may be sent at `now`, oldest first: those whose sending began and has no known end yet as well.
    /// Nothing of a paused agent, fleet or campaign.
    async fn waiting(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Outgoing>, StoreError>;
    /// One send, written down and on the ledger before it is made; nobody else makes one before `until`. Pauses and limits are read in
    /// the same transaction, and each send counts, the first and every other. What may have left is begun again only through the same
    /// upstream, and while that is safe.
    async fn begin(&self, post: &Outgoing, attempt: &SendAttempt, limits: &PublishLimits) -> Result<Begun, StoreError>;
    /// Marks the post, and its asset where it is published, and writes it on the ledger, in one transaction, together with what a person
    /// is asked. A post that has left already stays as it is; only that it was sent is still learned of one that is unknown.
    async fn left(&self, post: &Outgoing, left: &Left, at: DateTime<Utc>) -> Result<(), StoreError>;
    /// What the agent published, is about to publish, or wants a person to approve, newest first. Not of this task; replies
    /// are left out once they are approved.
    async fn said(&self, agent: &AgentId, platform: &str, except: UuidV4, limit: usize) -> Result<Vec<String>, StoreError>;
    /// Why posts of a campaign wait, were refused or are unknown, and what is odd about those that are published, by post.
    async fn reasons(&self, campaign_id: &str) -> Result<BTreeMap<UuidV4, String>, StoreError>;
    /// Not before `not_before`. A post whose sending began stays so, as it may have left, unless nothing was asked.
    async fn delay(&self, post: &Outgoing, reason: &str, not_before: DateTime<Utc>, asked: Asked) -> Result<(), StoreError>;
}

/// What may have left, and a person's word on it.
#[async_trait]
pub trait UnknownPosts: Send + Sync {
    /// The post that this review asks about; `None` when it asks about something else.
    async fn asked_about(&self, review_id: UuidV4) -> Result<Option<Post>, StoreError>;
    /// In one transaction, with the ledger: of two who answer at once one wins, and the other is told.
    async fn settle(&self, answer: &ReviewAnswer, word: &PostWord) -> Result<ReviewOutcome, StoreError>;
}

/// What a person found on the platform, and wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostWord {
    /// It is there, perhaps under this address.
    IsThere { url: Option<String> },
    /// It is not there, and shall be.
    SendAgain,
    /// It is not there, and shall not be.
    LeaveIt,
}

/// Whether the platform may have the post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// It certainly does not.
    No,
    Perhaps,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PublishLimits {
    /// On one platform, all agents together.
    pub per_hour_max: Option<u32>,
    /// Of one agent on all platforms, in 24 hours.
    pub agent_per_day_max: Option<u32>,
    /// On all platforms, all agents together, in 24 hours.
    pub fleet_per_day_max: Option<u32>,
}

/// One way through which a post is sent, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendAttempt {
    pub at: DateTime<Utc>,
    /// Nobody else sends it before.
    pub until: DateTime<Utc>,
    pub upstream: String,
    pub tool: String,
    /// Until when a second send makes no second post; `None` when it may at once.
    pub repeatable_until: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// With the number of this attempt, 1 for the first, and for the first after a person's word.
    Go { attempt: u32 },
    /// A pause, or a limit: it stays as it is.
    Held { reason: String },
    /// Somebody is sending it, or did so since it was looked at: look again.
    Taken,
    /// It has left already, or there is no such post.
    Gone,
}

/// How a post ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Left {
    /// Everything but the sending: no publisher is configured, or it is set to dry-run.
    DryRun,
    /// It was sent. Not every tool tells as what, or where it is; then `remark` holds what it told instead.
    Published { remote_id: Option<String>, url: Option<String>, remark: Option<String> },
    /// The platform said no; it is never sent.
    Refused { reason: String },
    /// It may have arrived, and sending it again could publish it twice: a person is asked.
    Unknown { reason: String, review: Box<ReviewItem> },
}

/// A post in the outbox.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// Where it stands there: it is found by this, together with its id.
    pub number: i64,
    pub post: Post,
    /// While whether it arrived is not known.
    pub last_send: Option<LastSend>,
}

/// What matters of a send once its answer is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastSend {
    pub upstream: String,
    /// Of the first send: later ones do not prolong it.
    pub repeatable_until: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Post {
    /// Also the idempotency key towards the platform.
    pub post_id: UuidV4,
    pub task_id: UuidV4,
    pub result_id: UuidV4,
    pub campaign_id: String,
    pub agent: AgentId,
    pub platform: String,
    pub text: String,
    pub media_uri: Option<String>,
    /// What it answers, as the platform names it.
    pub reply_to: Option<String>,
    pub status: PostStatus,
    /// When its sending began, while its fate is unknown.
    pub begun_at: Option<DateTime<Utc>>,
    /// Where it is, once it is published and somebody told.
    pub url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostStatus {
    Approved,
    /// Handed to the platform; whether it arrived is not known yet.
    Sending,
    DryRun,
    Published,
    Refused,
    /// It may or may not be there.
    Unknown,
}

impl PostStatus {
    pub const ALL: [Self; 6] = [Self::Approved, Self::Sending, Self::DryRun, Self::Published, Self::Refused, Self::Unknown];

    /// One word, the same in every store and on every surface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Sending => "sending",
            Self::DryRun => "dry_run",
            Self::Published => "published",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}
