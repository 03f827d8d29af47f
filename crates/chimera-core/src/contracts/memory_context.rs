//! What an agent knows before it reasons: who it is, apart from what it remembers.

use super::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Persona and memory, assembled for one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryContext {
    pub agent_id: String,
    pub soul: SoulContext,
    pub short_term: Vec<ShortTermMemory>,
    pub long_term: Vec<LongTermMemory>,
    pub assembled_at: UtcTime,
}

/// Who the agent is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoulContext {
    pub backstory: String,
    pub voice_tone: Vec<String>,
    pub core_beliefs: Vec<String>,
    pub directives: Vec<String>,
}

/// One turn of the last hour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShortTermMemory {
    pub timestamp: UtcTime,
    pub role: MemoryRole,
    pub content: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryRole {
    User,
    Assistant,
}

/// Something worth keeping, found by meaning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongTermMemory {
    pub memory_id: UuidV4,
    pub summary: String,
    #[schemars(range(min = 0.0, max = 1.0))]
    pub relevance_score: f64,
}
