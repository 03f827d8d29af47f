//! The ledger and the transfers.

use super::{OfAgentQuery, json};
use crate::{
    Dashboard, Problem,
    api::request::{Call, page},
    reads::DAYS,
};
use axum::response::Response;
use chimera_core::{contracts::views::money::DayResult, domain::AgentId, ports::queries::PageOf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(in crate::api) async fn ledger(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (agent, page) = asked(&call)?;
    json(&dashboard.queries.ledger(agent.as_ref(), &page).await?)
}

pub(in crate::api) async fn transfers(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (agent, page) = asked(&call)?;
    json(&dashboard.transfers(agent.as_ref(), &page).await?)
}

fn asked(call: &Call) -> Result<(Option<AgentId>, PageOf), Problem> {
    let query: OfAgentQuery = call.query()?;
    let agent = query.agent.and_then(|agent| agent.parse().ok());
    Ok((agent, page(query.limit, query.cursor.as_deref())?))
}

/// Which days' results, and whose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct ResultsQuery {
    /// An agent's id.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"))]
    agent: Option<String>,
    /// So many, today the last; 7 where it is left out.
    #[schemars(range(min = 1, max = 92))]
    days: Option<u32>,
}

/// What came in and went out.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Results {
    /// The newest day first. A day on which nothing moved has no row.
    days: Vec<DayResult>,
}

pub(in crate::api) async fn results(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let query: ResultsQuery = call.query()?;
    let agent: Option<AgentId> = query.agent.and_then(|agent| agent.parse().ok());
    json(&Results { days: dashboard.results(agent.as_ref(), query.days.unwrap_or(DAYS)).await? })
}

/// Whether the ledger is as it was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Verification {
    ok: bool,
    entries: u64,
    /// The number of the first entry that is not as it was written, or that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_bad: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(in crate::api) async fn verification(dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    let verdict = dashboard.ledger.verify().await?;
    json(&Verification {
        ok: verdict.is_sound(),
        entries: verdict.entries,
        first_bad: verdict.first_bad,
        problem: verdict.problem.map(|problem| problem.to_string()),
    })
}
