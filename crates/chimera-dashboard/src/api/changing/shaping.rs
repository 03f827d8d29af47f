//! Campaigns that change while they run: another budget, other agents, an end.

use super::{
    answer,
    campaigns::{COUNT_MAX, change, changed, souls},
    contradicts,
};
use crate::{Dashboard, Problem, api::request::Call};
use axum::{http::StatusCode, response::Response};
use chimera_core::domain::{
    campaign::{Budget, CampaignEvent, STAYS},
    money::parse_units,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// All limits of a campaign anew: one that is left out is lifted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewBudget {
    #[schemars(range(max = COUNT_MAX))]
    posts_max: Option<u64>,
    #[schemars(range(max = COUNT_MAX))]
    payments_max: Option<u64>,
    /// In their asset's smallest unit.
    #[schemars(regex(pattern = "^[0-9]{1,77}$"))]
    spend_max_units: Option<String>,
    #[schemars(range(max = COUNT_MAX))]
    tokens_max: Option<u64>,
    #[schemars(range(max = COUNT_MAX))]
    images_max: Option<u64>,
    #[schemars(range(max = COUNT_MAX))]
    videos_max: Option<u64>,
    /// In millionths of a US dollar.
    #[schemars(range(max = COUNT_MAX))]
    media_micro_usd_max: Option<u64>,
}

/// Where the campaign stands with its new budget.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Budgeted {
    campaign_id: String,
    status: String,
    /// What ends, where so much is used up already.
    #[serde(skip_serializing_if = "Option::is_none")]
    stops: Option<String>,
}

pub(in crate::api) async fn budget(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let new: NewBudget = call.body()?;
    let spend = new.spend_max_units.as_deref().map(parse_units).transpose();
    let budget = Budget {
        posts_max: new.posts_max,
        payments_max: new.payments_max,
        spend_max_units: spend.map_err(|error| contradicts("/spend_max_units", error.to_string()))?,
        tokens_max: new.tokens_max,
        images_max: new.images_max,
        videos_max: new.videos_max,
        media_micro_usd_max: new.media_micro_usd_max,
    };
    let (campaign, tag) = changed(&dashboard, &call, CampaignEvent::ChangeBudget { budget }).await?;
    let used = dashboard.campaigns.used(&campaign.goal.campaign_id).await?;
    let status = campaign.status.name().to_owned();
    let told = Budgeted { campaign_id: campaign.goal.campaign_id, status, stops: budget.stops(&used) };
    answer(StatusCode::OK, &told).map(|response| crate::api::entity_tag::with(response, tag))
}

/// Who works for it from now on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewAgents {
    #[schemars(length(min = 1, max = 1000), inner(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$")))]
    agent_ids: Vec<String>,
}

pub(in crate::api) async fn agents(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let NewAgents { mut agent_ids } = call.body()?;
    let mut seen = std::collections::BTreeSet::new();
    agent_ids.retain(|id| seen.insert(id.clone()));
    souls(&dashboard, &agent_ids).await?;
    change(&dashboard, &call, CampaignEvent::ChangeAgents { agent_ids }).await
}

/// What is left of a deleted campaign.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Deleted {
    campaign_id: String,
    /// A sentence.
    stays: String,
}

pub(in crate::api) async fn delete(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (campaign, tag) = changed(&dashboard, &call, CampaignEvent::Delete).await?;
    let told = Deleted { campaign_id: campaign.goal.campaign_id, stays: STAYS.to_owned() };
    answer(StatusCode::OK, &told).map(|response| crate::api::entity_tag::with(response, tag))
}
