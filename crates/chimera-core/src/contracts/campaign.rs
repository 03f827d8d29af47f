//! What an operator wants, on its way to the Planner.

use super::UtcTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A goal for one or more agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CampaignGoal {
    pub campaign_id: String,
    pub goal_description: String,
    pub operator_id: String,
    #[schemars(length(min = 1))]
    pub agent_ids: Vec<String>,
    pub budget_constraints: Map<String, Value>,
    pub created_at: UtcTime,
}
