//! What waits for a person, and what was decided.

use super::json;
use crate::{
    Dashboard, Problem,
    api::request::{Call, no_such, page},
};
use axum::response::Response;
use chimera_core::{contracts::views::reviews::ReviewKind, ports::queries::ReviewFilter};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Which reviews.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct ReviewsQuery {
    /// Those that wait, oldest first, where it is left out; decided ones come newest first.
    status: Option<Asked>,
    kind: Option<ReviewKind>,
    /// An agent's id.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"))]
    agent: Option<String>,
    /// Rows of one page; 50 where it is left out.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The `next` of the page before.
    #[schemars(regex(pattern = "^[0-9]{1,18}$"))]
    cursor: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Asked {
    Pending,
    Decided,
}

pub(in crate::api) async fn reviews(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let query: ReviewsQuery = call.query()?;
    let filter = ReviewFilter {
        is_decided: query.status == Some(Asked::Decided),
        kind: query.kind,
        agent: query.agent.and_then(|agent| agent.parse().ok()),
    };
    json(&dashboard.queries.reviews(&filter, &page(query.limit, query.cursor.as_deref())?).await?)
}

pub(in crate::api) async fn review(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let id = call.review_id()?;
    json(&dashboard.review(id).await?.ok_or_else(|| no_such("review", &id.to_string()))?)
}
