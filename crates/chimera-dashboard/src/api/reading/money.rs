//! The ledger and the transfers.

use super::{OfAgentQuery, json};
use crate::{
    Dashboard, Problem,
    api::request::{Call, page},
};
use axum::response::Response;
use chimera_core::{domain::AgentId, ports::queries::PageOf};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

pub(in crate::api) async fn ledger(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (agent, page) = asked(&call)?;
    json(&dashboard.queries.ledger(agent.as_ref(), &page).await?)
}

pub(in crate::api) async fn transfers(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (agent, page) = asked(&call)?;
    json(&dashboard.queries.transfers(agent.as_ref(), &page).await?)
}

fn asked(call: &Call) -> Result<(Option<AgentId>, PageOf), Problem> {
    let query: OfAgentQuery = call.query()?;
    let agent = query.agent.and_then(|agent| agent.parse().ok());
    Ok((agent, page(query.limit, query.cursor.as_deref())?))
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
