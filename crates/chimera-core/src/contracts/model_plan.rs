//! What a language model proposes to do about a trend: choices among what is there, and no text of its own.

use super::task::Priority;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPlan {
    /// Who posts, the most important first; an agent that is not here stays silent.
    #[schemars(length(max = 64))]
    pub posts: Vec<PlannedPost>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedPost {
    pub agent_id: String,
    /// One of the agent's own; the first one that is planned for when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    pub priority: Priority,
}
