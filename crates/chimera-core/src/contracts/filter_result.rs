//! One item judged for relevance, as the Planner receives it.

use super::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How relevant one item is to an agent's goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SemanticFilterResult {
    pub filter_result_id: UuidV4,
    pub resource_uri: String,
    pub content_summary: String,
    #[schemars(range(min = 0.0, max = 1.0))]
    pub relevance_score: f64,
    pub agent_id: String,
    pub goal_context: String,
    pub created_at: UtcTime,
    pub above_threshold: bool,
    /// The story that it tells of, where its date is known and lately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_id: Option<String>,
}
