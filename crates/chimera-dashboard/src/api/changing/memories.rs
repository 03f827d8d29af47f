//! What an agent is made to forget, for good.

use super::{answer, done};
use crate::{
    Dashboard, Problem,
    api::request::{Call, no_such},
};
use axum::{http::StatusCode, response::Response};
use chimera_core::contracts::UtcTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(in crate::api) async fn forget(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (agent, memory) = (call.agent_id()?, call.memory_id()?);
    match dashboard.memories.forget(&agent, memory).await? {
        true => done(),
        false => Err(no_such("memory", &memory.to_string())),
    }
}

/// Up to when.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct OldMemories {
    /// All from before it.
    before: UtcTime,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Forgotten {
    forgotten: u64,
}

pub(in crate::api) async fn forget_before(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (agent, OldMemories { before }) = (call.agent_id()?, call.body()?);
    dashboard.agents.find(&agent).await?.ok_or_else(|| no_such("agent", agent.as_str()))?;
    let forgotten = dashboard.memories.forget_before(&agent, before.0).await?;
    answer(StatusCode::OK, &Forgotten { forgotten })
}
