//! What an agent remembers.

use crate::contracts::{UtcTime, UuidV4, memory_context::MemoryRole};
use schemars::JsonSchema;
use serde::Serialize;

/// One memory, as it enters what the agent writes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MemoryRow {
    pub memory_id: UuidV4,
    pub at: UtcTime,
    /// `assistant`: the agent said it. `user`: it was said to the agent.
    pub role: MemoryRole,
    pub content: String,
    /// The campaign that it was said for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaign_id: Option<String>,
    /// What a person taught by it, where they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taught: Option<Taught>,
}

/// What a person's decision taught.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Taught {
    /// What the agent wrote.
    pub written: String,
    /// What the person made of it; absent when they turned it down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
