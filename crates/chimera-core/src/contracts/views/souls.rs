//! What an agent's SOUL was.

use crate::contracts::UtcTime;
use schemars::JsonSchema;
use serde::Serialize;

/// One version of an agent's SOUL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SoulVersion {
    /// 1 is the one that the agent was made with.
    pub number: u64,
    /// Hex sha-256 of `soul_source`.
    pub soul_version: String,
    /// SOUL.md as it was given.
    pub soul_source: String,
    /// Who gave it; absent on the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    pub at: UtcTime,
}
