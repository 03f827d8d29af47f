//! A task: one step of a plan, from the Planner to a Worker.

use super::{
    UtcTime, UuidV4,
    content_generator::{BRIEF_CHARS_MAX, ContentType, PostForm, VideoTier},
    wallet_transaction::{BudgetCheck, WalletOperation, WalletParams},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step of a plan. It carries either `acceptance_criteria` or `transaction`, by its type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentTask {
    pub task_id: UuidV4,
    pub task_type: TaskType,
    pub priority: Priority,
    pub status: TaskStatus,
    pub created_at: UtcTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_worker_id: Option<String>,
    /// The version of the campaign's state that this task was planned against.
    pub state_version: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<UuidV4>,
    /// 1 for the first try.
    pub attempt: u32,
    /// What the Judge or a person found wrong with the attempt before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    pub context: TaskContext,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance_criteria: Option<TaskAcceptance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<TaskTransaction>,
    /// What the Planner expected of it before it was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<TaskEstimate>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskType {
    GenerateContent,
    ReplyComment,
    ExecuteTransaction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    High,
    Medium,
    Low,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Pending,
    InProgress,
    Review,
    Complete,
}

/// What a task is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskContext {
    pub goal_description: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub persona_constraints: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_resources: Vec<String>,
    pub campaign_id: String,
    pub agent_id: String,
    /// Of a story that its agent tells on several platforms: which telling this is, in the order of the platforms, 1 for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = TELLINGS_MAX))]
    pub telling: Option<u32>,
    /// By the campaign's mix; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<PostForm>,
    /// What the operator says of what this task makes, in own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = BRIEF_CHARS_MAX))]
    pub brief: Option<String>,
}

/// More platforms than there are.
pub const TELLINGS_MAX: u32 = 64;

/// What made content must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskAcceptance {
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_confidence: f64,
    pub content_type: ContentType,
    /// Of a video.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video_tier: Option<VideoTier>,
    pub platform: String,
}

/// What a task may cost and risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskEstimate {
    /// Of one attempt, in millionths of a US dollar: what language models take for the text.
    pub text_micro_usd: u64,
    /// And what an image or video tool takes.
    pub media_micro_usd: u64,
    pub risk: Risk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

impl Risk {
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// The wallet operation of an `execute_transaction` task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskTransaction {
    pub operation: WalletOperation,
    pub params: WalletParams,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_check: Option<BudgetCheck>,
}
