//! Answers to reviews that take effect in a moment, so that a slip can be taken back; and changes that were asked for twice.

use super::StoreError;
use crate::contracts::{UuidV4, review::ReviewAnswer};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

/// One held answer a review at most, of content or of money. It changes nothing until it is due and somebody carries it out.
#[async_trait]
pub trait HeldAnswers: Send + Sync {
    /// The review waits still, and has no held answer: else whose word stands.
    async fn hold(&self, answer: &ReviewAnswer, effective_at: DateTime<Utc>) -> Result<Holding, StoreError>;
    /// Takes it back, if it is `by`'s and not due `now`.
    async fn take_back(&self, review_id: UuidV4, by: &str, now: DateTime<Utc>) -> Result<TakenBack, StoreError>;
    /// Those that are due `now`, oldest first. From now on none of them can be taken back; each is given again until it is `done`.
    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<ReviewAnswer>, StoreError>;
    /// It was carried out, or cannot be: then `failure` says why, and whoever looks at the review is told. Where the very answer is on record
    /// all the same, it was carried out before a crash, and nothing failed.
    async fn done(&self, review_id: UuidV4, failure: Option<&str>) -> Result<(), StoreError>;
    /// When the next one is due.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError>;
    /// Why the last held answer to this review could not be carried out.
    async fn failure(&self, review_id: UuidV4) -> Result<Option<String>, StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub enum Holding {
    Held,
    /// Somebody's answer is held already.
    HeldBy {
        by: String,
        effective_at: DateTime<Utc>,
    },
    /// It was decided before, by whom and when where that is known.
    Decided {
        answer: Option<Box<ReviewAnswer>>,
    },
    NoSuchReview,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    Yes,
    /// It is somebody else's.
    NotYours {
        by: String,
    },
    /// It took effect, or there was none.
    TooLate,
}

/// What was answered to a change is known for so long.
pub const IDEMPOTENCY_KEPT_FOR: TimeDelta = TimeDelta::hours(24);

/// What was answered to a change, for whoever asks for the same once more.
#[async_trait]
pub trait IdempotencyKeys: Send + Sync {
    /// The first to come with this key goes on, and says `finish`; whoever comes later gets its answer.
    async fn begin(&self, key: &IdempotencyKey, now: DateTime<Utc>) -> Result<Repeated, StoreError>;
    async fn finish(&self, key: &IdempotencyKey, status: u16, body: &str) -> Result<(), StoreError>;
    /// It was not carried out: the next one goes on.
    async fn give_up(&self, key: &IdempotencyKey) -> Result<(), StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub person: String,
    pub key: String,
    /// Of method, path and body.
    pub request: [u8; 32],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeated {
    New,
    UnderWay,
    Answered {
        status: u16,
        body: String,
    },
    /// The same key came with another request.
    Another,
}
