//! What a person is asked to decide, and the answer.

use super::{UtcTime, UuidV4, content_generator::Artifact, task::TaskTransaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that waits for a person: an artifact, a transaction, or, with neither, a task that its Workers could not do.
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
    /// With a rejection: no further attempt is wanted. Of a stuck task every rejection means that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub give_up: bool,
    /// The recipient's whole address, typed again: what approving a look-alike of a known payee takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_address: Option<String>,
    /// With the approval of a post that may have left: whether it is there, so that it is on record, or is sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundPost>,
    pub reviewer_id: String,
    pub reviewed_at: UtcTime,
}

/// What a person found on the platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundPost {
    /// `false`: it is not there, and is sent again.
    pub is_there: bool,
    /// Where it is, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048))]
    pub url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewAction {
    Approve,
    Reject,
    Edit,
}
