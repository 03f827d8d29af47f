//! New campaigns, and what happens to them.

use super::{answer, contradicts, platform_name::PlatformName};
use crate::{
    Dashboard, Problem,
    api::{
        entity_tag,
        request::{Call, no_such},
    },
};
use axum::{http::StatusCode, response::Response};
use chimera_core::{
    contracts::{UtcTime, UuidV4, campaign::CampaignGoal, task::TaskTransaction, views::campaigns::CampaignDetail},
    domain::{
        AgentId, Soul,
        campaign::{Budget, Cadence, CampaignEvent, Mix, Reach},
        money::parse_units,
    },
    ports::swarm::{CampaignState, ChangeError},
    swarm::planner,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The largest whole number that every JSON reader takes as it is.
pub(super) const COUNT_MAX: u64 = 9_007_199_254_740_991;

/// A goal for one or more agents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewCampaign {
    /// What the agents shall do.
    #[schemars(length(min = 1, max = 4000))]
    goal: String,
    #[schemars(length(min = 1, max = 1000), inner(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$")))]
    agent_ids: Vec<String>,
    /// Resources to watch; every feed of the configuration where it is left out.
    #[serde(default)]
    #[schemars(length(max = 64), inner(length(max = 2048), url))]
    watch: Vec<String>,
    /// Where to post; on every platform of each agent where it is left out.
    #[serde(default)]
    #[schemars(length(max = 16))]
    platforms: Vec<PlatformName>,
    /// Kinds of posts, and their parts of the last twenty; all news where it is left out.
    mix: Option<Parts>,
    /// The campaign ends when so many posts are approved.
    #[schemars(range(max = COUNT_MAX))]
    posts_max: Option<u64>,
    /// Each agent posts at most so often in 24 hours, evenly spread.
    #[schemars(range(max = COUNT_MAX))]
    posts_per_day: Option<u64>,
    /// The same, in 7 days.
    #[schemars(range(max = COUNT_MAX))]
    posts_per_week: Option<u64>,
    #[schemars(range(max = COUNT_MAX))]
    payments_max: Option<u64>,
    /// The campaign ends when its payments come to so much, in their asset's smallest unit.
    #[schemars(regex(pattern = "^[0-9]{1,77}$"))]
    spend_max_units: Option<String>,
    /// The campaign ends when language models took so many tokens for it.
    #[schemars(range(max = COUNT_MAX))]
    tokens_max: Option<u64>,
    /// So many posts about strong trends may have a picture.
    #[schemars(range(max = COUNT_MAX))]
    images_max: Option<u64>,
    /// So many posts about strong trends may have a video.
    #[schemars(range(max = COUNT_MAX))]
    videos_max: Option<u64>,
    /// What image and video tools may cost, in millionths of a US dollar.
    #[schemars(range(max = COUNT_MAX))]
    media_micro_usd_max: Option<u64>,
    /// One payment for each planned trend.
    payment: Option<TaskTransaction>,
}

/// Not all of them nothing.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parts {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000))]
    news: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000))]
    opinion: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000))]
    question: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000))]
    picture: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Created {
    campaign_id: String,
}

pub(in crate::api) async fn create(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let new: NewCampaign = call.body()?;
    let goal_description = plain_goal(&new.goal)?;
    let souls = souls(&dashboard, &new.agent_ids).await?;
    for PlatformName(platform) in &new.platforms {
        if !souls.iter().any(|soul| soul.platforms.contains(platform)) {
            return Err(contradicts("/platforms", format!("none of the campaign's agents has {platform} in its SOUL")));
        }
    }
    let goal = CampaignGoal {
        campaign_id: UuidV4::random().to_string(),
        goal_description,
        operator_id: call.visitor.name.to_string(),
        budget_constraints: constraints(&new)?,
        agent_ids: new.agent_ids,
        created_at: UtcTime(dashboard.clock.now()),
    };
    dashboard.campaigns.create(&goal, &new.watch).await?;
    answer(StatusCode::CREATED, &Created { campaign_id: goal.campaign_id })
}

pub(super) async fn souls(dashboard: &Dashboard, agent_ids: &[String]) -> Result<Vec<Soul>, Problem> {
    let mut souls = Vec::with_capacity(agent_ids.len());
    for id in agent_ids {
        let parsed: AgentId = id.parse().map_err(|_not_an_id| no_such("agent", id))?;
        let agent = dashboard.agents.find(&parsed).await?.ok_or_else(|| no_such("agent", id))?;
        if let Some(retirement) = dashboard.agents.retirement(&parsed).await? {
            let problem = format!("{id} is retired ({}); leave it out, or reinstate it", retirement.reason);
            return Err(contradicts("/agent_ids", problem));
        }
        souls.push(
            Soul::parse(&agent.soul_source).map_err(|error| contradicts("/agent_ids", format!("the SOUL of {id} is broken: {error}")))?,
        );
    }
    Ok(souls)
}

fn constraints(new: &NewCampaign) -> Result<Map<String, Value>, Problem> {
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
    let mut constraints = budget.constraints();
    constraints.extend(Cadence { per_day: new.posts_per_day, per_week: new.posts_per_week }.constraints());
    constraints.extend(Reach::only(new.platforms.iter().map(|PlatformName(platform)| *platform).collect()).constraint());
    for (name, value) in [("mix", to_value(new.mix.as_ref())), (planner::PAYMENT_KEY, to_value(new.payment.as_ref()))] {
        constraints.extend(value.map(|value| (name.to_owned(), value)));
    }
    Mix::of(&constraints).map_err(|error| contradicts("/mix", error.to_string()))?;
    planner::payment_of(&constraints).map_err(|error| contradicts("/payment", error.to_string()))?;
    Ok(constraints)
}

fn to_value<T: Serialize>(given: Option<&T>) -> Option<Value> {
    given.map(|given| serde_json::to_value(given).expect("plain data always serialises"))
}

fn plain_goal(goal: &str) -> Result<String, Problem> {
    let goal = goal.trim();
    if goal.is_empty() { Err(contradicts("/goal", "the goal says nothing")) } else { Ok(goal.to_owned()) }
}

pub(in crate::api) async fn plan(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    answer(StatusCode::OK, &dashboard.operations.plan(call.text("campaign_id")).await?)
}

/// For whoever finds it paused.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct Reason {
    #[schemars(length(min = 1, max = 500))]
    reason: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewGoal {
    /// What the agents shall do from now on.
    #[schemars(length(min = 1, max = 4000))]
    goal: String,
}

pub(in crate::api) async fn start(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    change(&dashboard, &call, CampaignEvent::Start).await
}

pub(in crate::api) async fn pause(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let Reason { reason } = call.body()?;
    change(&dashboard, &call, CampaignEvent::Pause { reason }).await
}

pub(in crate::api) async fn resume(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    change(&dashboard, &call, CampaignEvent::Resume).await
}

pub(in crate::api) async fn change_goal(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let NewGoal { goal } = call.body()?;
    change(&dashboard, &call, CampaignEvent::ChangeGoal { goal_description: plain_goal(&goal)? }).await
}

/// Where the campaign stands now.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Changed {
    campaign_id: String,
    /// draft, running, paused or exhausted.
    status: String,
    state_version: u64,
}

pub(super) async fn change(dashboard: &Dashboard, call: &Call, event: CampaignEvent) -> Result<Response, Problem> {
    let (campaign, tag) = changed(dashboard, call, event).await?;
    let status = campaign.status.name().to_owned();
    let changed = Changed { campaign_id: campaign.goal.campaign_id, status, state_version: campaign.state_version };
    answer(StatusCode::OK, &changed).map(|response| entity_tag::with(response, tag))
}

/// What it is after the event, and its tag then. Refused where it has changed since it was looked at.
pub(super) async fn changed(dashboard: &Dashboard, call: &Call, event: CampaignEvent) -> Result<(CampaignState, u64), Problem> {
    let id = call.text("campaign_id");
    let seen = seen(dashboard, call).await?;
    let campaign = dashboard.campaigns.change(id, &event, dashboard.clock.now()).await.map_err(refused)?;
    let tag = dashboard.queries.campaign(id).await?.map_or(seen.last_event, |now| now.last_event);
    Ok((campaign, tag))
}

/// The campaign that is to be changed, as the one who asks has seen it.
pub(super) async fn seen(dashboard: &Dashboard, call: &Call) -> Result<CampaignDetail, Problem> {
    let id = call.text("campaign_id");
    let seen = dashboard.queries.campaign(id).await?.ok_or_else(|| no_such("campaign", id))?;
    entity_tag::check(&call.headers, seen.last_event, &seen)?;
    Ok(seen)
}

fn refused(error: ChangeError) -> Problem {
    match error {
        ChangeError::NoSuchCampaign(id) => no_such("campaign", &id),
        ChangeError::OutOfTurn(error) => {
            Problem::new(StatusCode::CONFLICT, "out_of_turn", format!("Not now: {error}."), "Look at the campaign for where it stands.")
        }
        ChangeError::InFlight(found) => {
            let told = format!("It cannot be deleted yet: {}.", found.join("; "));
            Problem::new(
                StatusCode::CONFLICT,
                "in_flight",
                told,
                "Do what each of them says, and delete it then; pausing it lets nothing new begin.",
            )
        }
        ChangeError::Store(error) => error.into(),
    }
}
