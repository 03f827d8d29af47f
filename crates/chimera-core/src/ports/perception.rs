//! What was seen: items, and the stories they belong to.

use super::StoreError;
use crate::domain::{Author, Untrusted, WebUrl};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::BTreeMap;

/// Clocks differ: an item that is dated so little ahead of when it was seen was published just now.
const CLOCK_SKEW_MAX: TimeDelta = TimeDelta::minutes(10);

#[async_trait]
pub trait Perception: Send + Sync {
    /// Remembers the items that are new by `content_key` for their resource; answers all of them as stored, in order
    /// (an item seen before keeps its first `seen_at` and its cluster).
    async fn remember(&self, items: &[NewItem]) -> Result<Vec<StoredItem>, StoreError>;
    /// Items of these resources whose time is at or after `since`, oldest first, at most the newest `limit`.
    async fn window(&self, resource_uris: &[String], since: DateTime<Utc>, limit: usize) -> Result<Vec<StoredItem>, StoreError>;
    /// Puts items into stories; an assignment replaces an earlier one. Ids that no item has are passed over.
    async fn assign(&self, assignments: &[(i64, String)]) -> Result<(), StoreError>;
    /// Keeps items' vectors, in the form in which whoever made them reads them; a vector replaces an earlier one. Ids that no item has are
    /// passed over.
    async fn keep_vectors(&self, vectors: &[(i64, Vec<u8>)]) -> Result<(), StoreError>;
    /// How large each of these stories was when the agent was last alerted to it; without those that it was never alerted to.
    async fn last_alerts(&self, agent_id: &str, cluster_ids: &[String]) -> Result<BTreeMap<String, u64>, StoreError>;
    /// What agents were told of stories that have become one is known of the one that goes on: for an agent that was alerted to either, it
    /// was as large as both together, each as large as it was told or, where it was not, as it was when they became one.
    async fn join_stories(&self, joins: &[JoinedStories]) -> Result<(), StoreError>;
    async fn record_alert(&self, agent_id: &str, cluster_id: &str, items: u64, at: DateTime<Utc>) -> Result<(), StoreError>;
    /// Deletes items that no resource has shown since `before`, the longest unseen first and at most `limit`, and the alerts that were
    /// recorded before it. An item may stay a day longer. Answers how many items it deleted.
    async fn forget(&self, before: DateTime<Utc>, limit: usize) -> Result<usize, StoreError>;
}

/// A cleaned item, ready to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    pub resource_uri: String,
    /// Hex sha-256 of the cleaned text: the same story copied word for word is one item of that resource.
    pub content_key: String,
    pub title: Untrusted,
    pub text: Untrusted,
    pub url: Option<WebUrl>,
    pub author: Option<Author>,
    pub published_at: Option<DateTime<Utc>>,
    pub seen_at: DateTime<Utc>,
    pub flagged: bool,
    /// Price of a market item, in its currency, for moves over time.
    pub price: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StoredItem {
    pub id: i64,
    pub item: NewItem,
    /// `published_at`, or `seen_at` when that is absent or lay in the future when it was first seen: what items are put in order by.
    /// What is made of the time that an item tells goes by [`Self::dated_at`].
    pub at: DateTime<Utc>,
    pub cluster_id: Option<String>,
    /// As it was kept.
    pub vector: Option<Vec<u8>>,
}

impl StoredItem {
    /// When it was published, if that is known: it is not of an item without a date, nor of one that was dated in the future when it was first
    /// seen. A price is of the moment at which it was read, unless it says another.
    pub fn dated_at(&self) -> Option<DateTime<Utc>> {
        let NewItem { published_at, seen_at, price, .. } = &self.item;
        let is_known = price.is_some() || published_at.is_some_and(|published_at| published_at <= *seen_at + CLOCK_SKEW_MAX);
        is_known.then_some(self.at)
    }
}

/// Two stories that have become one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedStories {
    /// The id that goes on.
    pub kept: String,
    pub kept_items: u64,
    pub gone: String,
    pub gone_items: u64,
}
