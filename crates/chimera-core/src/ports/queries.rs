//! What people look at, each view in one read: bounded, paged by key, and cheap however long the history is.

use super::StoreError;
use crate::{
    contracts::{
        UuidV4,
        review::ReviewStatus,
        views::{
            Page,
            agents::{AgentDetail, Fleet, Stop},
            campaigns::{CalendarRow, CampaignDetail, CampaignRow, PostRow, TaskRow},
            memories::MemoryRow,
            money::{LedgerRow, TransferRow},
            reviews::{ReviewDetail, ReviewKind, ReviewRow},
            stories::{EventRow, TaskStory},
            trends::TrendRow,
        },
    },
    domain::AgentId,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Changes nothing. What a store does not know (a policy's limits, what a publisher would be called with) is left out of its answers,
/// and added by whoever knows.
#[async_trait]
pub trait Queries: Send + Sync {
    /// All agents; `now` says which day's budgets count.
    async fn fleet(&self, now: DateTime<Utc>) -> Result<Fleet, StoreError>;
    /// Everything that stops the fleet or single agents now.
    async fn stops(&self) -> Result<Vec<Stop>, StoreError>;
    async fn agent(&self, id: &AgentId, now: DateTime<Utc>) -> Result<Option<AgentDetail>, StoreError>;
    /// Pending ones oldest first; decided ones newest first.
    async fn reviews(&self, filter: &ReviewFilter, page: &PageOf) -> Result<Page<ReviewRow>, StoreError>;
    async fn review(&self, review_id: UuidV4) -> Result<Option<ReviewDetail>, StoreError>;
    /// How many wait for a person.
    async fn pending_reviews(&self) -> Result<u64, StoreError>;
    /// Newest first.
    async fn campaigns(&self, page: &PageOf) -> Result<Page<CampaignRow>, StoreError>;
    async fn campaign(&self, campaign_id: &str) -> Result<Option<CampaignDetail>, StoreError>;
    /// Newest first.
    async fn tasks(&self, campaign_id: &str, page: &PageOf) -> Result<Page<TaskRow>, StoreError>;
    /// Newest first; of one campaign or agent, or of all.
    async fn posts(&self, filter: &PostFilter, page: &PageOf) -> Result<Page<PostRow>, StoreError>;
    /// Of one campaign or all, earliest first, at `from` or later.
    async fn calendar(&self, campaign_id: Option<&str>, from: DateTime<Utc>, page: &PageOf) -> Result<Page<CalendarRow>, StoreError>;
    /// Newest first; of one campaign or all.
    async fn trends(&self, campaign_id: Option<&str>, page: &PageOf) -> Result<Page<TrendRow>, StoreError>;
    /// What an agent remembers, newest first.
    async fn memories(&self, agent: &AgentId, page: &PageOf) -> Result<Page<MemoryRow>, StoreError>;
    /// Newest first; of one agent or all.
    async fn ledger(&self, agent: Option<&AgentId>, page: &PageOf) -> Result<Page<LedgerRow>, StoreError>;
    /// Newest first; of one agent or all.
    async fn transfers(&self, agent: Option<&AgentId>, page: &PageOf) -> Result<Page<TransferRow>, StoreError>;
    /// The whole story of a task, by its id.
    async fn story(&self, task_id: UuidV4) -> Result<Option<TaskStory>, StoreError>;
    /// Events above `after`, oldest first.
    async fn events(&self, after: u64, limit: usize) -> Result<Vec<EventRow>, StoreError>;
}

/// Which part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOf {
    /// From 1 to `LIMIT_MAX`.
    pub limit: usize,
    /// As a page before gave it in `next`.
    pub cursor: Option<Cursor>,
}

impl PageOf {
    pub const LIMIT_MAX: usize = 200;

    /// The first page. More than `LIMIT_MAX` is cut.
    pub fn first(limit: usize) -> Self {
        Self { limit: limit.clamp(1, Self::LIMIT_MAX), cursor: None }
    }

    pub fn after(self, cursor: Cursor) -> Self {
        Self { cursor: Some(cursor), ..self }
    }
}

/// Where a page ended: a row's number, or a moment and a number where a list is by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub number: u64,
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.number.fmt(formatter)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cursor is the `next` of an earlier page, a decimal number")]
pub struct NotACursor;

impl std::str::FromStr for Cursor {
    type Err = NotACursor;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = !text.is_empty() && text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_plain {
            return Err(NotACursor);
        }
        text.parse().map(|number| Self { number }).map_err(|_not_a_number| NotACursor)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewFilter {
    /// Those that are decided, whatever was decided, instead of those that wait.
    pub is_decided: bool,
    pub kind: Option<ReviewKind>,
    pub agent: Option<AgentId>,
}

impl ReviewFilter {
    pub fn matches(&self, status: ReviewStatus) -> bool {
        (status != ReviewStatus::Pending) == self.is_decided
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostFilter {
    pub campaign_id: Option<String>,
    pub agent: Option<AgentId>,
}
