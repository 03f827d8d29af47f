//! Campaigns, their tasks, results, decisions and posts: the state that Planner, Worker and Judge share.

use super::StoreError;
use crate::{
    contracts::{
        UuidV4, campaign::CampaignGoal, decision::JudgeDecision, result::WorkerResult, review::ReviewItem, task::AgentTask,
        trend_alert::TrendAlert,
    },
    domain::AgentId,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Each method is one durable transaction. Ids are the callers': doing one thing twice changes nothing the second time.
#[async_trait]
pub trait Campaigns: Send + Sync {
    /// A new campaign is at state 1.
    async fn create(&self, goal: &CampaignGoal) -> Result<(), StoreError>;
    async fn find(&self, campaign_id: &str) -> Result<Option<CampaignState>, StoreError>;
    /// Oldest first.
    async fn list(&self) -> Result<Vec<CampaignState>, StoreError>;
    async fn record_alert(&self, alert: &TrendAlert) -> Result<(), StoreError>;
    /// Newest first.
    async fn alerts(&self, campaign_id: &str, limit: usize) -> Result<Vec<TrendAlert>, StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct CampaignState {
    pub goal: CampaignGoal,
    /// Moves when the campaign changes in a way that makes earlier plans stale.
    pub state_version: u64,
}

/// A fenced lease queue: a Worker leases a task and does not own it.
#[async_trait]
pub trait Tasks: Send + Sync {
    /// All or none. Their campaigns exist, and what they depend on exists or comes with them. They begin as pending.
    async fn enqueue(&self, tasks: &[AgentTask]) -> Result<(), StoreError>;
    /// A task whose lease ran out before `now`, or else the most urgent pending one whose dependencies are complete.
    async fn claim(&self, worker_id: &str, now: DateTime<Utc>, lease_until: DateTime<Utc>) -> Result<Option<LeasedTask>, StoreError>;
    /// Stores the result and moves the task to review; `LeaseLost` means that the task is no longer this Worker's, and the result
    /// is dropped. A lease that ran out still counts while nobody else has taken the task.
    async fn finish(&self, lease: &Lease, result: &WorkerResult) -> Result<(), LeaseError>;
    /// Gives the task back with what went wrong; after `attempts_max` attempts it is complete, with a rejection on record, and so
    /// is, unexecuted, all that depends on it: work that builds on something which did not happen must not run.
    async fn fail(&self, lease: &Lease, reason: &str, attempts_max: u32, now: DateTime<Utc>) -> Result<(), LeaseError>;
    /// In the order they were enqueued.
    async fn of_campaign(&self, campaign_id: &str) -> Result<Vec<AgentTask>, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub task_id: UuidV4,
    /// Grows with each lease of the task: an old holder can no longer write.
    pub lease_no: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LeasedTask {
    pub lease: Lease,
    /// With status `in_progress` and the worker's id.
    pub task: AgentTask,
}

#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    #[error("the lease on the task has moved on")]
    LeaseLost,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What the Judge reads and writes.
#[async_trait]
pub trait Judgements: Send + Sync {
    /// Results of tasks in review without a decision, oldest first.
    async fn undecided(&self, limit: usize) -> Result<Vec<(AgentTask, WorkerResult)>, StoreError>;
    /// Decision and consequence in one transaction; a result that has a decision already keeps it, and nothing follows. A decision
    /// without a result is recorded once by its id, with the review that it asks for; no task moves.
    async fn decide(&self, decision: &JudgeDecision, consequence: &Consequence) -> Result<(), DecideError>;
    /// Results, decisions, reviews and posts of one campaign, oldest first.
    async fn of_campaign(&self, campaign_id: &str) -> Result<CampaignRecord, StoreError>;
    /// Oldest first.
    async fn pending_reviews(&self) -> Result<Vec<ReviewItem>, StoreError>;
    /// Whatever its status.
    async fn review(&self, review_id: UuidV4) -> Result<Option<ReviewItem>, StoreError>;
}

#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// The campaign's state moved since the task was planned; nothing was committed. The way on is `Consequence::Retry`, which is
    /// never refused for this and plans the task against the state as it is now.
    #[error("the campaign is at state {now}, the task was planned against {planned}")]
    StateMoved { planned: u64, now: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What follows from a decision.
#[derive(Debug, Clone, PartialEq)]
pub enum Consequence {
    /// The task is complete and nothing leaves: a payment, made and judged inside its skill. With a rejection, what depends on the
    /// task is rejected with it, as in `Tasks::fail`.
    Complete,
    /// The task is complete and its content waits to be published. Only with an approval.
    Publish(Post),
    /// The task goes back to pending with feedback, one attempt further, against the campaign's present state.
    Retry { feedback: String },
    /// The task waits in review for a person.
    AskPerson(Box<ReviewItem>),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CampaignRecord {
    pub results: Vec<WorkerResult>,
    pub decisions: Vec<JudgeDecision>,
    pub reviews: Vec<ReviewItem>,
    pub posts: Vec<Post>,
}

/// The single way out: nothing is published that is not in here, approved.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Approved posts that have not left, oldest first.
    async fn waiting(&self, limit: usize) -> Result<Vec<Post>, StoreError>;
    /// Marks the post and writes it on the ledger, in one transaction; a post that has left already stays as it is.
    async fn mark(&self, post_id: UuidV4, status: PostStatus, at: DateTime<Utc>) -> Result<(), StoreError>;
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
    pub status: PostStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostStatus {
    Approved,
    /// Everything but the sending: no publisher is configured, or it is set to dry-run.
    DryRun,
}
