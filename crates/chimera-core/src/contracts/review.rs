//! What a person is asked to decide, and the answer.

use super::{UtcTime, UuidV4, content_generator::Artifact, task::TaskTransaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that waits for a person: an artifact or a transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewItem {
    pub review_id: UuidV4,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<UuidV4>,
    pub task_id: UuidV4,
    pub agent_id: String,
    pub escalation_reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<TaskTransaction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_trace: Option<String>,
    pub created_at: UtcTime,
    pub status: ReviewStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    Pending,
    Approved,
    Rejected,
    Expired,
}

/// A person's answer to a review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewAnswer {
    pub review_id: UuidV4,
    pub action: ReviewAction,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_artifact: Option<Artifact>,
    /// The recipient's whole address, typed again: what approving a look-alike of a known payee takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_address: Option<String>,
    pub reviewer_id: String,
    pub reviewed_at: UtcTime,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewAction {
    Approve,
    Reject,
    Edit,
}
