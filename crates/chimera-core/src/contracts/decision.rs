//! The Judge's answer to a result, or the CFO's to a transfer.

use super::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A decision on record. A CFO decision precedes the result, so it has no `result_id`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeDecision {
    pub decision_id: UuidV4,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<UuidV4>,
    pub task_id: UuidV4,
    pub decision: Verdict,
    pub state_version: u64,
    pub created_at: UtcTime,
    pub reason: String,
    /// Why a person is asked, when one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hitl_reason: Option<HitlReason>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Approve,
    Reject,
    Escalate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HitlReason {
    LowConfidence,
    SensitiveTopic,
    PolicyViolation,
    Anomalous,
}
