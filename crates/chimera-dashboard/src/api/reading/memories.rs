//! What an agent remembers.

use super::{ListQuery, json};
use crate::{
    Dashboard, Problem,
    api::request::{Call, no_such},
};
use axum::response::Response;
use std::sync::Arc;

pub(in crate::api) async fn memories(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (id, query) = (call.agent_id()?, call.query::<ListQuery>()?);
    dashboard.agents.find(&id).await?.ok_or_else(|| no_such("agent", id.as_str()))?;
    json(&dashboard.queries.memories(&id, &query.page()?).await?)
}
