//! Freezes stop money, pauses stop work; of one agent, or of all. Stopping takes less than letting go on.

use super::{answer, done};
use crate::{
    Dashboard, Problem,
    api::{
        reading::agents::{frozen, paused},
        request::{Call, no_such},
    },
};
use axum::{http::StatusCode, response::Response};
use chimera_core::domain::{
    AgentId,
    campaign::Pause,
    freeze::{Freeze, FreezeCause, FreezeScope},
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// What is stopped, and why.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewStop {
    /// Without it, the whole fleet.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"))]
    agent_id: Option<String>,
    /// For whoever finds it stopped.
    #[schemars(length(min = 1, max = 500))]
    reason: String,
}

pub(in crate::api) async fn freeze(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let NewStop { agent_id, reason } = call.body()?;
    let scope = scope(&dashboard, agent_id.as_deref()).await?;
    let freeze = Freeze {
        scope: scope.clone(),
        reason,
        by: call.visitor.name.to_string(),
        at: dashboard.clock.now(),
        cause: FreezeCause::KillSwitch,
    };
    dashboard.kill_switch.freeze(&freeze).await?;
    // Of one that was frozen before, the first reason stands.
    let stands = match &scope {
        FreezeScope::Agent(agent) => dashboard.kill_switch.frozen(agent).await?.filter(|found| found.scope == scope),
        FreezeScope::Fleet => None,
    };
    answer(StatusCode::CREATED, &frozen(stands.unwrap_or(freeze)))
}

pub(in crate::api) async fn unfreeze(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let scope = call.scope()?;
    if dashboard.kill_switch.unfreeze(&scope, call.visitor.name.as_str(), dashboard.clock.now()).await? {
        return done();
    }
    Err(not_stopped(&scope, "frozen"))
}

pub(in crate::api) async fn pause(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let NewStop { agent_id, reason } = call.body()?;
    let scope = scope(&dashboard, agent_id.as_deref()).await?;
    let pause = Pause { scope, reason, by: call.visitor.name.to_string(), at: dashboard.clock.now() };
    dashboard.pauses.pause(&pause).await?;
    let stands = dashboard.pauses.pauses().await?.into_iter().find(|found| found.scope == pause.scope);
    answer(StatusCode::CREATED, &paused(stands.unwrap_or(pause)))
}

pub(in crate::api) async fn unpause(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let scope = call.scope()?;
    if dashboard.pauses.resume(&scope).await? {
        return done();
    }
    Err(not_stopped(&scope, "paused"))
}

async fn scope(dashboard: &Dashboard, agent_id: Option<&str>) -> Result<FreezeScope, Problem> {
    let Some(name) = agent_id else { return Ok(FreezeScope::Fleet) };
    let agent: AgentId = name.parse().map_err(|_not_an_id| no_such("agent", name))?;
    dashboard.agents.find(&agent).await?.map(|found| FreezeScope::Agent(found.id)).ok_or_else(|| no_such("agent", name))
}

fn not_stopped(scope: &FreezeScope, word: &str) -> Problem {
    let scope = match scope {
        FreezeScope::Agent(agent) => format!("Agent {agent}"),
        FreezeScope::Fleet => "The whole fleet".to_owned(),
    };
    let next = "/api/stops lists what stops whom; a fleet's stop and an agent's own are lifted apart.";
    Problem::new(StatusCode::NOT_FOUND, "not_stopped", format!("{scope} is not {word}."), next)
}
