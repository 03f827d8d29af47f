//! What a campaign would do now, and why no more. The command line and the page ask here.

use super::obstacles::{self, Place};
use crate::wiring::Records;
use anyhow::Result;
use chimera_core::{
    ports::swarm::{CampaignState, PlannedTask, Plans},
    swarm::{
        estimate::{self, Estimate},
        runtime::{Draft, Swarm},
    },
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

pub struct Plan {
    pub campaign_id: String,
    pub draft: Draft,
    /// What a person does not want.
    pub dropped: Vec<PlannedTask>,
    pub places: Vec<Place>,
    pub estimate: Estimate,
}

/// Reads the world, and queues nothing. What is seen is the plan that people shape.
pub async fn plan(records: &Records, swarm: &Swarm, campaign: &CampaignState) -> Result<Plan> {
    let draft = swarm.draft(campaign).await?;
    records.store.record(&campaign.goal.campaign_id, &draft.tasks).await?;
    let mut dropped = records.store.plan(&campaign.goal.campaign_id).await?;
    dropped.retain(|planned| planned.is_dropped);
    let places = obstacles::find(records, campaign, &draft, &swarm.settings.channels).await?;
    let estimate = estimate::estimate(campaign, &draft.tasks, &swarm.settings.thresholds, &swarm.settings.channels);
    Ok(Plan { campaign_id: campaign.goal.campaign_id.clone(), draft, dropped, places, estimate })
}

impl Plan {
    /// For programs.
    pub fn told(&self) -> Value {
        let Self { campaign_id, draft, dropped, places, estimate } = self;
        let spend: Map<String, Value> =
            estimate.spend_units.iter().map(|(asset, units)| (asset.clone(), json!(units.to_string()))).collect();
        let mut shown = json!({
            "campaign_id": campaign_id,
            "tasks": draft.tasks,
            "estimate": {
                "posts": estimate.posts, "payments": estimate.payments, "spend_units": spend, "cost_micro_usd": estimate.cost_micro_usd,
                "risk": estimate.risk.name(), "reasons": estimate.reasons,
            },
        });
        if !dropped.is_empty() {
            shown["dropped"] = dropped.iter().map(|planned| json!(planned.task.task_id)).collect();
        }
        if let Some(trend) = &draft.trend {
            shown["trend"] = json!(trend);
        }
        if !draft.more_trends.is_empty() {
            shown["more_trends"] = json!(draft.more_trends);
        }
        if !draft.told_elsewhere.is_empty() {
            let agents: BTreeSet<&str> = draft.told_elsewhere.iter().map(|(agent, _)| agent.as_str()).collect();
            shown["told_elsewhere"] = json!(agents);
        }
        if let Some(reason) = &draft.payment_left_out {
            shown["payment_left_out"] = json!(reason);
        }
        if draft.trend.is_none() {
            shown["relevant_items"] = json!(draft.relevant_items);
        }
        if let Some(story) = &draft.strongest_story {
            shown["strongest_story"] = json!(story);
        }
        if !draft.paced.is_empty() {
            shown["paced"] = draft.paced.iter().map(|paced| json!({ "agent_id": paced.agent, "reason": paced.reason })).collect();
        }
        shown["agents"] = places.iter().map(Place::told).collect();
        shown
    }
}
