//! The story of one post or payment: every step from the first item to the act.

use crate::contracts::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TaskStory {
    pub task_id: UuidV4,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaign_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    pub what: String,
    /// Oldest first.
    pub steps: Vec<StoryStep>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StoryStep {
    pub at: UtcTime,
    pub kind: StepKind,
    /// The state after it, in the words of the event log.
    pub state: String,
    /// One sentence.
    pub told: String,
    /// Lines of detail: a draft's text, a decision's reason, a hash.
    pub details: Vec<String>,
    /// The event that tells of it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    Trend,
    Task,
    Result,
    Decision,
    Review,
    Answer,
    Post,
    Payment,
    Ledger,
}

/// One line of the event log, as a hint that something changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EventRow {
    pub number: u64,
    pub at: UtcTime,
    /// task, decision, review, post, payment, campaign, stop, agent, calendar, trend, answer or person.
    pub kind: String,
    pub state: String,
    pub subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<UuidV4>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaign_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}
