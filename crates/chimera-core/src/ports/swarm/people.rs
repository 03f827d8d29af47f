//! People's word on content. (Their word on money is `Transfers::answer_review`.)

use super::Post;
use crate::{
    contracts::{
        UtcTime, UuidV4,
        result::WorkerResult,
        review::{ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
        task::AgentTask,
    },
    domain::AgentId,
    ports::{StoreError, memories::MemoryRecord},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait Reviews: Send + Sync {
    /// Everything that a review of content or of a stuck task is about; `None` when there is none, or it is about money.
    async fn case(&self, review_id: UuidV4) -> Result<Option<ReviewCase>, StoreError>;
    /// In one transaction: of two who answer at once one wins, and the other is told. An approval is committed against the
    /// campaign's state like a Judge's.
    async fn answer(&self, answer: &ReviewAnswer, word: &PersonsWord) -> Result<ReviewOutcome, StoreError>;
    /// Closes reviews of content and of stuck tasks that were asked before `asked_before`; their tasks are given up.
    async fn expire(&self, asked_before: DateTime<Utc>, at: DateTime<Utc>) -> Result<Vec<ReviewItem>, StoreError>;
    /// People's answers where the Judge asked because it was not sure, oldest first.
    async fn answers(&self) -> Result<Vec<AnsweredReview>, StoreError>;
    /// Who answered a review, of content or of money.
    async fn answered(&self, review_id: UuidV4) -> Result<Option<ReviewAnswer>, StoreError>;
}

/// What the Judge was sure of, and what a person said.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredReview {
    pub agent: AgentId,
    pub confidence: f64,
    pub action: ReviewAction,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ReviewCase {
    pub review: ReviewItem,
    pub task: AgentTask,
    /// `None` when its Workers could make none, and a person says whether they try again.
    pub result: Option<WorkerResult>,
}

/// What follows from an answer.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, for the length of a call")]
pub enum PersonsWord {
    /// Approved, as it was or edited; what the edit teaches is remembered with it.
    Publish { post: Post, lesson: Option<MemoryRecord> },
    /// Rejected: back to the Planner, one attempt further, with the reason as feedback; given up where another attempt cannot be paid.
    Return { feedback: String, lesson: Option<MemoryRecord> },
    /// The stuck task is tried once more.
    TryAgain,
    /// Nothing of it is wanted any more: given up, with what depends on it.
    GiveUp { lesson: Option<MemoryRecord> },
}

#[derive(Debug, Clone, PartialEq)]
pub enum ReviewOutcome {
    Done,
    /// Somebody was faster.
    AlreadyDecided {
        status: ReviewStatus,
        by: Option<String>,
        at: Option<UtcTime>,
    },
    /// The campaign is no longer what the content was made for: the review is closed, and the task is back with the Planner.
    StateMoved {
        reason: String,
    },
    /// Another attempt cannot be paid: the review stays open.
    CannotTryAgain {
        reason: String,
    },
    NotFound,
}
