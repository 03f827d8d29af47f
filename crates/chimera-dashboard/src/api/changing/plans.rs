//! What people make of a campaign's plan: a task dropped, put back, told what to say and when to begin, and a task of their own.

use super::{
    answer,
    campaigns::{seen, souls},
    contradicts,
    platform_name::PlatformName,
};
use crate::{
    Dashboard, Problem,
    api::{
        entity_tag,
        request::{Call, no_such},
    },
    planned,
};
use axum::{http::StatusCode, response::Response};
use chimera_core::{
    contracts::{UtcTime, UuidV4, content_generator::BRIEF_CHARS_MAX},
    domain::campaign::CampaignStatus,
    ports::swarm::{ShapeError, Shaping},
    swarm::planner::shaped,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A post that you ask for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewTask {
    /// One of the campaign's.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"))]
    agent_id: String,
    /// One of the agent's.
    platform: PlatformName,
    /// What it is to say, in your own words.
    #[schemars(length(max = BRIEF_CHARS_MAX))]
    brief: Option<String>,
    /// At any time where it is left out.
    not_before: Option<UtcTime>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Added {
    task_id: UuidV4,
}

pub(in crate::api) async fn add(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let new: NewTask = call.body()?;
    seen(&dashboard, &call).await?;
    let id = call.text("campaign_id");
    let campaign = dashboard.campaigns.find(id).await?.ok_or_else(|| no_such("campaign", id))?;
    if campaign.status == CampaignStatus::Deleted {
        return Err(out_of_turn("the campaign is deleted".to_owned()));
    }
    if !campaign.goal.agent_ids.contains(&new.agent_id) {
        let agents = campaign.goal.agent_ids.join(", ");
        return Err(contradicts("/agent_id", format!("{} does not work for this campaign; {agents} do", new.agent_id)));
    }
    let PlatformName(platform) = new.platform;
    let soul = souls(&dashboard, std::slice::from_ref(&new.agent_id)).await?.pop().ok_or_else(|| no_such("agent", &new.agent_id))?;
    if !soul.platforms.contains(&platform) {
        return Err(contradicts("/platform", format!("{} has no {platform} in its SOUL", new.agent_id)));
    }
    let task = shaped::added(&campaign, &soul, platform, said(new.brief), dashboard.clock.now());
    dashboard.plans.add(&task, new.not_before.map(|at| at.0)).await?;
    let tag = dashboard.queries.campaign(id).await?.map_or(0, |now| now.last_event);
    answer(StatusCode::CREATED, &Added { task_id: task.task_id }).map(|response| entity_tag::with(response, tag))
}

/// What you say of a task. What is left out is taken away.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct Instruction {
    /// What it is to say, in your own words.
    #[schemars(length(max = BRIEF_CHARS_MAX))]
    brief: Option<String>,
    /// At any time where it is left out.
    not_before: Option<UtcTime>,
}

pub(in crate::api) async fn instruct(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let Instruction { brief, not_before } = call.body()?;
    shape(&dashboard, &call, Shaping::Instruct { brief: said(brief), not_before: not_before.map(|at| at.0) }).await
}

pub(in crate::api) async fn drop(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    shape(&dashboard, &call, Shaping::Drop).await
}

pub(in crate::api) async fn put_back(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    shape(&dashboard, &call, Shaping::PutBack).await
}

async fn shape(dashboard: &Dashboard, call: &Call, shaping: Shaping) -> Result<Response, Problem> {
    let (id, task_id) = (call.text("campaign_id"), call.task_id()?);
    let before = seen(dashboard, call).await?;
    let planned = dashboard.plans.shape(id, task_id, &shaping, dashboard.clock.now()).await.map_err(refused)?;
    let tag = dashboard.queries.campaign(id).await?.map_or(before.last_event, |now| now.last_event);
    answer(StatusCode::OK, &planned::row(&planned)).map(|response| entity_tag::with(response, tag))
}

/// Blank is nothing.
fn said(brief: Option<String>) -> Option<String> {
    brief.map(|brief| brief.trim().to_owned()).filter(|brief| !brief.is_empty())
}

fn refused(error: ShapeError) -> Problem {
    match error {
        ShapeError::NoSuchTask(id) => no_such("task", &id.to_string()),
        ShapeError::Begun { .. } | ShapeError::Dropped(_) | ShapeError::NotDropped(_) | ShapeError::NoText(_) => {
            out_of_turn(error.to_string())
        }
        ShapeError::Store(error) => error.into(),
    }
}

fn out_of_turn(told: String) -> Problem {
    Problem::new(StatusCode::CONFLICT, "out_of_turn", format!("Not now: {told}."), "Look at the campaign's plan for where it stands.")
}
