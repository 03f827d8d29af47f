//! Campaigns, their tasks, results, decisions and posts: the state that Planner, Worker and Judge share.

mod calendar;
mod engagement;
mod mentions;
mod outbox;
mod people;
mod plans;

pub use calendar::{Calendar, CalendarEntry, EntryStatus};
pub use engagement::{Engagement, EngagementRecord, Engagements, Reading, UnreadPost};
pub use mentions::{Mention, Mentions, ReplyLimits};
pub use outbox::{Asked, Begun, LastSend, Left, Outbox, Outgoing, Post, PostStatus, PostWord, PublishLimits, SendAttempt, UnknownPosts};
pub use people::{AnsweredReview, PersonsWord, ReviewCase, ReviewOutcome, Reviews};
pub use plans::{PlannedTask, Plans, ShapeError, Shaping};

use super::StoreError;
use crate::{
    contracts::{
        UuidV4,
        campaign::CampaignGoal,
        decision::JudgeDecision,
        result::WorkerResult,
        review::{ReviewAnswer, ReviewItem},
        task::AgentTask,
        trend_alert::TrendAlert,
    },
    domain::{
        campaign::{CampaignEvent, CampaignStatus, OutOfTurn, Pause, Used},
        freeze::FreezeScope,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Each method is one durable transaction. Ids are the callers': doing one thing twice changes nothing the second time.
#[async_trait]
pub trait Campaigns: Send + Sync {
    /// A new campaign is a draft at state 1. `resource_uris` are what it watches.
    async fn create(&self, goal: &CampaignGoal, resource_uris: &[String]) -> Result<(), StoreError>;
    async fn find(&self, campaign_id: &str) -> Result<Option<CampaignState>, StoreError>;
    /// Oldest first.
    async fn list(&self) -> Result<Vec<CampaignState>, StoreError>;
    /// What happens to the campaign, as `CampaignStatus::next` says. An event that moves the state returns its pending tasks to the
    /// Planner; resuming makes what was planned for the same goal current again. Another budget gives up payments that are not begun and
    /// no longer fit in, and returns posts that are not begun where none is left; other agents give up what is not begun of those that
    /// leave. Deleting is refused while something is in flight; it ends tasks, reviews and dates that wait, and removes no record.
    async fn change(&self, campaign_id: &str, event: &CampaignEvent, at: DateTime<Utc>) -> Result<CampaignState, ChangeError>;
    /// Takes up to `limit` running campaigns that were last looked at before `before`, and marks them as looked at `now`: of many
    /// Planners one gets each.
    async fn take_due(&self, before: DateTime<Utc>, now: DateTime<Utc>, limit: usize) -> Result<Vec<CampaignState>, StoreError>;
    /// What it has used up of its budget so far.
    async fn used(&self, campaign_id: &str) -> Result<Used, StoreError>;
    async fn record_alert(&self, alert: &TrendAlert) -> Result<(), StoreError>;
    /// Newest first.
    async fn alerts(&self, campaign_id: &str, limit: usize) -> Result<Vec<TrendAlert>, StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct CampaignState {
    pub goal: CampaignGoal,
    /// Moves when the campaign changes in a way that makes earlier plans stale.
    pub state_version: u64,
    /// Moves when the goal changes; 1 for the first one.
    pub goal_version: u64,
    pub status: CampaignStatus,
    /// Why it is paused or exhausted.
    pub reason: Option<String>,
    pub resource_uris: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("there is no campaign {0}")]
    NoSuchCampaign(String),
    #[error(transparent)]
    OutOfTurn(#[from] OutOfTurn),
    /// It cannot be deleted while something of it is under way: each with what to do about it.
    #[error("something of it is under way: {}", .0.join("; "))]
    InFlight(Vec<String>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A fenced lease queue: a Worker leases a task and does not own it. Tasks change state only as `TaskState::next` says.
#[async_trait]
pub trait Tasks: Send + Sync {
    /// All or none; answers how many were new. Their campaigns exist and are at the state they were planned against, and what they
    /// depend on exists or comes with them. They begin as pending, or returned where their campaign is not running.
    async fn enqueue(&self, tasks: &[AgentTask]) -> Result<usize, EnqueueError>;
    /// A task whose lease ran out before `now`, or else the most urgent pending one whose dependencies are complete and whose time
    /// has come. Nothing of a paused agent, fleet or campaign, nothing beyond the limits.
    async fn claim(
        &self,
        worker_id: &str,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limits: &ClaimLimits,
    ) -> Result<Option<LeasedTask>, StoreError>;
    /// The Worker lives and goes on; `LeaseLost` means that it need not.
    async fn renew(&self, lease: &Lease, lease_until: DateTime<Utc>) -> Result<(), LeaseError>;
    /// Hands the task back as if it had never been taken: the program stops.
    async fn release(&self, lease: &Lease) -> Result<(), LeaseError>;
    /// Stores the result and moves the task to review; `LeaseLost` means that the task is no longer this Worker's, and the result
    /// is dropped. A lease that ran out still counts while nobody else has taken the task.
    async fn finish(&self, lease: &Lease, result: &WorkerResult) -> Result<(), LeaseError>;
    /// Gives the task back with what went wrong, not to be tried before `again_at`; in a campaign that has moved it goes back to the
    /// Planner. After `attempts_max` attempts, or where another one cannot be paid, a person is asked: about the best result that it
    /// has and no person has turned down, or else whether to try again.
    async fn fail(&self, lease: &Lease, failure: &TaskFailure) -> Result<(), LeaseError>;
    /// What was made for a task so far and turned down, oldest first.
    async fn attempts(&self, task_id: UuidV4) -> Result<Vec<Attempt>, StoreError>;
    /// Whether the task's agent tells the same story on the same platform already, in a post that was not given up: in another campaign, or
    /// under another id for the same goal of this one.
    async fn is_told_elsewhere(&self, task: &AgentTask) -> Result<bool, StoreError>;
    /// Whether one of them was ever enqueued.
    async fn has_any(&self, ids: &[UuidV4]) -> Result<bool, StoreError>;
    /// In the order they were enqueued.
    async fn of_campaign(&self, campaign_id: &str) -> Result<Vec<AgentTask>, StoreError>;
}

/// A result, and what was said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub result: WorkerResult,
    /// The Judge's reason.
    pub judged: String,
    /// A person's word, where one was asked.
    pub answer: Option<ReviewAnswer>,
}

/// How many tasks may be in progress at once, whoever works on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimLimits {
    pub per_agent_max: usize,
    pub overall_max: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TaskFailure {
    pub reason: String,
    /// A person has said no to it: given up, with what depends on it, and nobody is asked once more.
    pub is_refused: bool,
    pub attempts_max: u32,
    pub again_at: DateTime<Utc>,
    pub now: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Where the task stands in the queue: it is found by this, together with its id.
    pub number: i64,
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

#[derive(Debug, thiserror::Error)]
pub enum EnqueueError {
    /// The plan was made against a state that is no more; plan again.
    #[error("campaign {campaign_id} is at state {now}, the task was planned against {planned}")]
    StateMoved { campaign_id: String, planned: u64, now: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What came back to the Planner, and its word on it.
#[async_trait]
pub trait Replanning: Send + Sync {
    /// Returned tasks of running campaigns, oldest first.
    async fn returned(&self, limit: usize) -> Result<Vec<ReturnedTask>, StoreError>;
    /// A task that is not returned any more stays as it is.
    async fn replan(&self, task_id: UuidV4, replan: &Replan, at: DateTime<Utc>) -> Result<(), StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct ReturnedTask {
    pub task: AgentTask,
    /// Why it came back.
    pub reason: String,
    /// Whether the campaign's goal is another one than the task was planned for.
    pub goal_changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replan {
    /// Still wanted: pending again, against the campaign's present state.
    Rearm,
    /// Pointless: given up, with what depends on it.
    Prune { reason: String },
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
    /// The campaign's state moved since the task was planned, or it does not run; nothing was committed. The way on is
    /// `Consequence::Return`, which is never refused.
    #[error("the campaign is {status} at state {now}, the task was planned against {planned}", status = .status.name())]
    StateMoved { planned: u64, now: u64, status: CampaignStatus },
    /// Nothing was committed. The way on from an approval is the same; from a retry that cannot be paid, it is to ask a person.
    #[error("the campaign's budget is gone: {0}")]
    BudgetGone(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What follows from a decision.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, for the length of a call")]
pub enum Consequence {
    /// The task is complete and nothing leaves: a payment, made and judged inside its skill. With a rejection, the task is given up
    /// and what depends on it with it, as in `Tasks::fail`.
    Complete,
    /// The task is complete and its content waits to be published. Only with an approval.
    Publish(Post),
    /// The task goes back to pending with feedback, one attempt further.
    Retry { feedback: String },
    /// The result is worth nothing any more: back to the Planner. Only with a rejection.
    Return { reason: String },
    /// The task waits for a person.
    AskPerson(Box<ReviewItem>),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CampaignRecord {
    pub results: Vec<WorkerResult>,
    pub decisions: Vec<JudgeDecision>,
    pub reviews: Vec<ReviewItem>,
    pub posts: Vec<Post>,
}

/// Stops for one agent or for the fleet, read at every claim and before every publish, by every process.
#[async_trait]
pub trait Pauses: Send + Sync {
    /// Pausing what is paused keeps the first reason.
    async fn pause(&self, pause: &Pause) -> Result<(), StoreError>;
    /// `false`: it was not paused. An agent's own pause and the fleet's are lifted apart.
    async fn resume(&self, scope: &FreezeScope) -> Result<bool, StoreError>;
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError>;
}

/// Who consumes, and what waits for them.
#[async_trait]
pub trait Backlog: Send + Sync {
    /// `consumer` is at work in this role.
    async fn beat(&self, role: &str, consumer: &str, at: DateTime<Utc>) -> Result<(), StoreError>;
    /// Roles with work that could be done `now`, and none of their consumers seen since `since`.
    async fn unattended(&self, since: DateTime<Utc>, now: DateTime<Utc>) -> Result<Vec<String>, StoreError>;
}

/// The roles' names, as `Backlog` knows them.
pub mod role {
    pub const PLANNER: &str = "planner";
    pub const WORKER: &str = "worker";
    pub const JUDGE: &str = "judge";
    pub const PUBLISHER: &str = "publisher";
}
