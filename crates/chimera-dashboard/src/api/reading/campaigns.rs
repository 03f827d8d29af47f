//! Campaigns, with their tasks, posts, trends, calendar and stories.

use super::{ListQuery, OfCampaignQuery, json};
use crate::{
    Dashboard, Problem,
    api::{
        entity_tag,
        request::{Call, no_such, page},
    },
};
use axum::response::Response;
use chimera_core::{contracts::UtcTime, ports::queries::PostFilter};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(in crate::api) async fn campaigns(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    json(&dashboard.queries.campaigns(&call.query::<ListQuery>()?.page()?).await?)
}

pub(in crate::api) async fn campaign(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let id = call.text("campaign_id");
    let campaign = dashboard.queries.campaign(id).await?.ok_or_else(|| no_such("campaign", id))?;
    let tag = campaign.last_event;
    json(&campaign).map(|response| entity_tag::with(response, tag))
}

pub(in crate::api) async fn tasks(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let id = call.text("campaign_id");
    dashboard.campaigns.find(id).await?.ok_or_else(|| no_such("campaign", id))?;
    json(&dashboard.queries.tasks(id, &call.query::<ListQuery>()?.page()?).await?)
}

/// Which entries of the calendar.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct CalendarQuery {
    /// A campaign's id.
    #[schemars(length(min = 1, max = 128))]
    campaign: Option<String>,
    /// At this time or later; from now on where it is left out.
    from: Option<UtcTime>,
    /// Rows of one page; 50 where it is left out.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The `next` of the page before.
    #[schemars(regex(pattern = "^[0-9]{1,18}$"))]
    cursor: Option<String>,
}

pub(in crate::api) async fn calendar(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let query: CalendarQuery = call.query()?;
    let from = query.from.map_or_else(|| dashboard.clock.now(), |from| from.0);
    json(&dashboard.queries.calendar(query.campaign.as_deref(), from, &page(query.limit, query.cursor.as_deref())?).await?)
}

/// Which posts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct PostsQuery {
    /// A campaign's id.
    #[schemars(length(min = 1, max = 128))]
    campaign: Option<String>,
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

pub(in crate::api) async fn posts(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let query: PostsQuery = call.query()?;
    let filter = PostFilter { campaign_id: query.campaign, agent: query.agent.and_then(|agent| agent.parse().ok()) };
    json(&dashboard.queries.posts(&filter, &page(query.limit, query.cursor.as_deref())?).await?)
}

pub(in crate::api) async fn trends(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let query: OfCampaignQuery = call.query()?;
    json(&dashboard.queries.trends(query.campaign.as_deref(), &page(query.limit, query.cursor.as_deref())?).await?)
}

pub(in crate::api) async fn story(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let id = call.task_id()?;
    json(&dashboard.queries.story(id).await?.ok_or_else(|| no_such("task", &id.to_string()))?)
}
