//! What was seen: items, and the stories they belong to.

use super::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait Perception: Send + Sync {
    /// Remembers the items that are new by `content_key` for their resource; answers all of them as stored, in order
    /// (an item seen before keeps its first `seen_at` and its cluster).
    async fn remember(&self, items: &[NewItem]) -> Result<Vec<StoredItem>, StoreError>;
    /// Items of these resources whose time is at or after `since`, oldest first, at most the newest `limit`.
    async fn window(&self, resource_uris: &[String], since: DateTime<Utc>, limit: usize) -> Result<Vec<StoredItem>, StoreError>;
    /// Puts items into stories; an assignment replaces an earlier one. Ids that no item has are passed over.
    async fn assign(&self, assignments: &[(i64, String)]) -> Result<(), StoreError>;
    /// How large the story was when `agent` was last alerted to it.
    async fn last_alert(&self, agent_id: &str, cluster_id: &str) -> Result<Option<u64>, StoreError>;
    async fn record_alert(&self, agent_id: &str, cluster_id: &str, items: u64, at: DateTime<Utc>) -> Result<(), StoreError>;
}

/// A cleaned item, ready to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    pub resource_uri: String,
    /// Hex sha-256 of the cleaned text: the same story copied word for word is one item of that resource.
    pub content_key: String,
    pub title: String,
    pub text: String,
    pub url: Option<String>,
    pub author: Option<String>,
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
    /// `published_at`, or `seen_at` when that is absent or lay in the future when it was first seen.
    pub at: DateTime<Utc>,
    pub cluster_id: Option<String>,
}
