//! The event log: what changed, in order.

use super::json;
use crate::{Dashboard, Problem, api::request::Call};
use axum::response::Response;
use chimera_core::contracts::views::stories::EventRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which events.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct EventsQuery {
    /// Those with a higher number than this; all of them where it is left out.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    after: Option<u64>,
    /// So many at most; 200 where it is left out.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
}

const EVENTS: u32 = 200;

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct EventList {
    /// Oldest first.
    events: Vec<EventRow>,
    /// The number of the newest event there is.
    last: u64,
}

pub(in crate::api) async fn events(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let query: EventsQuery = call.query()?;
    let limit = usize::try_from(query.limit.unwrap_or(EVENTS)).unwrap_or(usize::MAX);
    let last = dashboard.events.last().await?;
    json(&EventList { events: dashboard.queries.events(query.after.unwrap_or(0), limit).await?, last })
}
