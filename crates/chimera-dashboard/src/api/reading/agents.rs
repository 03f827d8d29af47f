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
            agents::{Stop, StopKind},
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
    json(&Stops { stops: dashboard.queries.stops().await? })
}

pub(in crate::api) fn frozen(freeze: Freeze) -> Stop {
    let kind = match freeze.cause {
        FreezeCause::KillSwitch | FreezeCause::LedgerContradicted => StopKind::Freeze,
        FreezeCause::Retired => StopKind::Retired,
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
