//! What a campaign would do, as a person shapes it before and while it is done.

use crate::{
    contracts::{UuidV4, task::AgentTask},
    domain::task::TaskState,
    ports::StoreError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Each method is one durable transaction, and an event of the campaign. A planned task is known by the id that it has once it is queued.
#[async_trait]
pub trait Plans: Send + Sync {
    /// What somebody saw when they looked at what would be done: it takes the place of what was seen before. What a person shaped stays.
    async fn record(&self, campaign_id: &str, tasks: &[AgentTask]) -> Result<(), StoreError>;
    /// A task of a person's own, not begun before that time.
    async fn add(&self, task: &AgentTask, not_before: Option<DateTime<Utc>>) -> Result<(), StoreError>;
    /// Changes a task of the plan that is not begun: one that was seen, was added, or is queued.
    async fn shape(&self, campaign_id: &str, task_id: UuidV4, shaping: &Shaping, at: DateTime<Utc>) -> Result<PlannedTask, ShapeError>;
    /// What was seen, added or shaped, and what is queued and not begun, in the order in which it came.
    async fn plan(&self, campaign_id: &str) -> Result<Vec<PlannedTask>, StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct PlannedTask {
    /// With the brief that it has.
    pub task: AgentTask,
    pub not_before: Option<DateTime<Utc>>,
    /// A person does not want it: it is not made.
    pub is_dropped: bool,
    /// A person's own, and not the Planner's.
    pub is_added: bool,
    /// Where it stands once it is queued.
    pub state: Option<TaskState>,
}

impl PlannedTask {
    /// Whether nobody works on it yet.
    pub fn can_change(&self) -> bool {
        self.is_dropped || matches!(self.state, None | Some(TaskState::Pending | TaskState::Returned))
    }
}

/// What a person makes of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shaping {
    /// It is not made. A queued one is given up, with what depends on it.
    Drop,
    /// It is made after all, with what was dropped with it.
    PutBack,
    /// What the operator says of it, and when it may begin; absent is nothing, and at any time.
    Instruct { brief: Option<String>, not_before: Option<DateTime<Utc>> },
}

#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    #[error("there is no task {0} in the plan")]
    NoSuchTask(UuidV4),
    #[error("task {task_id} is {} already, and keeps what it was begun with", .state.name())]
    Begun { task_id: UuidV4, state: TaskState },
    #[error("task {0} is dropped; put it back first")]
    Dropped(UuidV4),
    #[error("task {0} is not dropped")]
    NotDropped(UuidV4),
    #[error("task {0} makes no text that a brief could be about")]
    NoText(UuidV4),
    #[error(transparent)]
    Store(#[from] StoreError),
}
