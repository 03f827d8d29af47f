//! What a campaign would do, and what a person made of it.

use crate::contracts::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::Serialize;

/// A campaign's plan, as it was last looked at and shaped since.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlanView {
    pub campaign_id: String,
    pub tasks: Vec<PlannedRow>,
    /// Of what would be made: posts and payments that are neither dropped nor ended.
    pub posts: u64,
    pub payments: u64,
    /// Of language models and media tools, in millionths of a US dollar, as far as it was estimated.
    pub cost_micro_usd: u64,
    /// low, medium or high: the highest of any task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlannedRow {
    /// The one that it has, or will have, as a task.
    pub task_id: UuidV4,
    pub agent_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// What it makes: "text for bluesky", "payment".
    pub what: String,
    /// What it is about: the goal, and the topics of its trend.
    pub about: String,
    /// high, medium or low.
    pub priority: String,
    /// planned (not queued yet), dropped, or as a task's state: pending, in_progress, in_review, awaiting_person, returned, complete, given_up.
    pub state: String,
    /// Nobody works on it yet: it can be dropped, and told what to say.
    pub can_change: bool,
    /// A person added it.
    pub is_added: bool,
    /// What the operator says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brief: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before: Option<UtcTime>,
    /// In millionths of a US dollar; absent where nobody has looked yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// What is made before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<UuidV4>,
}
