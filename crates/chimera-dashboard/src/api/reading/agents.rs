//! The fleet, one agent, and what stops them.

use super::json;
use crate::{
    Dashboard, Problem,
    api::request::{Call, no_such},
};
use axum::response::Response;
use chimera_core::{
    contracts::{
        UtcTime,
        views::{
            Money,
            agents::{AgentState, Stop, StopKind},
        },
    },
    domain::{
        campaign::Pause,
        freeze::{Freeze, FreezeCause},
    },
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

pub(in crate::api) async fn fleet(dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    json(&dashboard.fleet().await?)
}

pub(in crate::api) async fn agent(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let id = call.agent_id()?;
    json(&dashboard.agent(&id).await?.ok_or_else(|| no_such("agent", id.as_str()))?)
}

/// What is in a wallet.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Balances {
    /// An asset whose chain does not answer is left out.
    balances: Vec<Money>,
}

pub(in crate::api) async fn balances(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let id = call.agent_id()?;
    dashboard.agents.find(&id).await?.ok_or_else(|| no_such("agent", id.as_str()))?;
    json(&Balances { balances: dashboard.operations.balances(&id).await })
}

/// What stops the fleet or single agents now.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Stops {
    stops: Vec<Stop>,
}

pub(in crate::api) async fn stops(dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    let fleet = dashboard.queries.fleet(dashboard.clock.now()).await?;
    let mut stops = fleet.stops;
    // A stopped wallet shows in the agent's state, unless an error stands before it there: nobody else need be asked.
    for card in fleet.agents.iter().filter(|card| matches!(card.state, AgentState::Frozen | AgentState::Error)) {
        let Ok(agent) = card.agent_id.parse() else { continue };
        stops.extend(dashboard.kill_switch.frozen(&agent).await?.filter(|freeze| freeze.scope.agent().is_some()).map(frozen));
    }
    stops.extend(dashboard.pauses.pauses().await?.into_iter().filter(|pause| pause.scope.agent().is_some()).map(paused));
    json(&Stops { stops })
}

pub(in crate::api) fn frozen(freeze: Freeze) -> Stop {
    let kind = match freeze.cause {
        FreezeCause::KillSwitch | FreezeCause::LedgerContradicted => StopKind::Freeze,
        FreezeCause::Unreconciled => StopKind::Hold,
    };
    Stop { kind, agent_id: freeze.scope.agent().map(ToString::to_string), reason: freeze.reason, by: freeze.by, since: UtcTime(freeze.at) }
}

pub(in crate::api) fn paused(pause: Pause) -> Stop {
    Stop {
        kind: StopKind::Pause,
        agent_id: pause.scope.agent().map(ToString::to_string),
        reason: pause.reason,
        by: pause.by,
        since: UtcTime(pause.at),
    }
}
