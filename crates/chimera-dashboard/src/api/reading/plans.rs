//! A campaign's plan, as it was last looked at and shaped since.

use super::json;
use crate::{
    Dashboard, Problem,
    api::{
        entity_tag,
        request::{Call, no_such},
    },
    planned,
};
use axum::response::Response;
use std::sync::Arc;

pub(in crate::api) async fn plan(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let id = call.text("campaign_id");
    let campaign = dashboard.queries.campaign(id).await?.ok_or_else(|| no_such("campaign", id))?;
    let plan = dashboard.plans.plan(id).await?;
    json(&planned::view(id, &plan)).map(|response| entity_tag::with(response, campaign.last_event))
}
