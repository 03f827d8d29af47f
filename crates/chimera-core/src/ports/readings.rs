//! What a resource held when it was last read: whoever needs the same items soon after need not read the world again.

use super::{StoreError, perception::NewItem};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait Readings: Send + Sync {
    /// Keeps what resources held; of one resource the last to be kept stands. The items were remembered before.
    async fn keep(&self, readings: &[Reading]) -> Result<(), StoreError>;
    /// The last reading of this resource, if it was at or after `since` and every item of it is still stored.
    async fn last(&self, resource_uri: &str, since: DateTime<Utc>) -> Result<Option<KeptReading>, StoreError>;
}

/// A resource as it was read, by the ids that its items are stored under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub resource_uri: String,
    pub read_at: DateTime<Utc>,
    /// In the resource's own order.
    pub items: Vec<ReadItem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadItem {
    pub id: i64,
    /// In this reading: the same words may come back beside others that together instruct.
    pub flagged: bool,
}

/// The same, with the items themselves: title and text as a fresh reading would give them, and flagged as they were in this one.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptReading {
    pub read_at: DateTime<Utc>,
    pub items: Vec<NewItem>,
}
