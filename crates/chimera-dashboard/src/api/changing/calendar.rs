//! What is posted on a day that is named before.

use super::{answer, contradicts, done, platform_name::PlatformName};
use crate::{
    Dashboard, Problem,
    api::request::{Call, no_such},
};
use axum::{http::StatusCode, response::Response};
use chimera_core::{
    contracts::{UtcTime, UuidV4, content_generator::ContentType},
    domain::{AgentId, Platform, Soul},
    ports::swarm::{CalendarEntry, CampaignState, EntryStatus},
    swarm::planner::media,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A post on a day.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewEntry {
    /// When it is written, judged and published; to come.
    at: UtcTime,
    /// What it says; what the campaign's goal says where it is left out.
    #[schemars(length(max = 4000))]
    about: Option<String>,
    /// Who posts it; the campaign's first on the platform where it is left out.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"))]
    agent: Option<String>,
    /// Where; on the agent's first platform where it is left out.
    platform: Option<PlatformName>,
    /// text where it is left out.
    content_type: Option<ContentType>,
    /// What it is written from.
    #[serde(default)]
    #[schemars(length(max = 64), inner(length(max = 2048), url))]
    sources: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Scheduled {
    entry_id: UuidV4,
    campaign_id: String,
    at: UtcTime,
}

pub(in crate::api) async fn schedule(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let new: NewEntry = call.body()?;
    let campaign = find(&dashboard, call.text("campaign_id")).await?;
    if new.at.0 < dashboard.clock.now() {
        return Err(contradicts("/at", format!("{} is past; name a time to come", new.at)));
    }
    let content_type = new.content_type.unwrap_or(ContentType::Text);
    let wanted = new.platform.map(|PlatformName(platform)| platform);
    let platform = platform_of(&dashboard, &campaign, new.agent.as_deref(), wanted).await?;
    if !media::is_taken(platform, content_type) {
        return Err(contradicts("/content_type", format!("{platform} takes no such post; leave content_type out")));
    }
    let entry = CalendarEntry {
        entry_id: UuidV4::random(),
        campaign_id: campaign.goal.campaign_id.clone(),
        at: new.at.0,
        about: new.about.map(|about| about.trim().to_owned()).filter(|about| !about.is_empty()),
        agent: new.agent.and_then(|agent| agent.parse().ok()),
        platform: wanted,
        content_type,
        resource_uris: new.sources,
    };
    dashboard.calendar.add(&entry).await?;
    let scheduled = Scheduled { entry_id: entry.entry_id, campaign_id: entry.campaign_id, at: new.at };
    answer(StatusCode::CREATED, &scheduled)
}

pub(in crate::api) async fn unschedule(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let campaign = find(&dashboard, call.text("campaign_id")).await?;
    let entries = dashboard.calendar.of_campaign(&campaign.goal.campaign_id).await?;
    let id = call.text("entry_id");
    let (entry, _) = entries.iter().find(|(entry, _)| entry.entry_id.to_string() == id).ok_or_else(|| no_such("entry", id))?;
    match dashboard.calendar.settle(entry, &EntryStatus::Removed).await? {
        EntryStatus::Removed => done(),
        status => Err(Problem::new(
            StatusCode::CONFLICT,
            "out_of_turn",
            format!("Entry {id} is {} and cannot be taken off the calendar.", status.name()),
            "Look at its task for what became of it.",
        )),
    }
}

async fn find(dashboard: &Dashboard, campaign_id: &str) -> Result<CampaignState, Problem> {
    dashboard.campaigns.find(campaign_id).await?.ok_or_else(|| no_such("campaign", campaign_id))
}

/// Where it would be posted; refused where nobody of the campaign is.
async fn platform_of(
    dashboard: &Dashboard,
    campaign: &CampaignState,
    agent: Option<&str>,
    wanted: Option<Platform>,
) -> Result<Platform, Problem> {
    if let Some(agent) = agent.filter(|agent| !campaign.goal.agent_ids.iter().any(|id| id == agent)) {
        let agents = campaign.goal.agent_ids.join(", ");
        return Err(contradicts("/agent", format!("{agent} is no agent of this campaign, which has {agents}")));
    }
    for id in campaign.goal.agent_ids.iter().filter(|id| agent.is_none_or(|wanted| wanted == *id)) {
        let Ok(parsed) = id.parse::<AgentId>() else { continue };
        let Some(record) = dashboard.agents.find(&parsed).await? else { continue };
        let Ok(soul) = Soul::parse(&record.soul_source) else { continue };
        match wanted {
            None => {
                let first = soul.platforms.first().copied();
                return first.ok_or_else(|| contradicts("/agent", format!("{id} is on no platform; name some in its SOUL")));
            }
            Some(platform) if soul.platforms.contains(&platform) => return Ok(platform),
            Some(_) => {}
        }
    }
    let who = agent.map_or_else(|| "no agent of this campaign".to_owned(), |agent| format!("{agent}, who is asked for,"));
    match (wanted, agent) {
        (Some(platform), Some(_)) => Err(contradicts("/platform", format!("{who} is not on {platform}"))),
        (Some(platform), None) => Err(contradicts("/platform", format!("{who} is on {platform}"))),
        (None, _) => Err(contradicts("/agent", "this campaign has no agents")),
    }
}
