//! What an agent's SOUL was.

use super::{ListQuery, json};
use crate::{
    Dashboard, Problem,
    api::{
        entity_tag,
        request::{Call, no_such},
    },
};
use axum::response::Response;
use chimera_core::{contracts::views::souls::SoulVersion, domain::AgentId, ports::queries::PageOf};
use std::sync::Arc;

/// Tagged with the number of the newest.
pub(in crate::api) async fn souls(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let agent = call.agent_id()?;
    let page = call.query::<ListQuery>()?.page()?;
    let newest = newest(&dashboard, &agent).await?;
    json(&dashboard.lives.souls(&agent, &page).await?).map(|response| entity_tag::with(response, newest.number))
}

/// The SOUL that an agent has.
pub(in crate::api) async fn newest(dashboard: &Dashboard, agent: &AgentId) -> Result<SoulVersion, Problem> {
    let found = dashboard.lives.souls(agent, &PageOf::first(1)).await?;
    found.items.into_iter().next().ok_or_else(|| no_such("agent", agent.as_str()))
}
