//! What keeps each agent of a campaign from posting on each of its platforms now, as far as a plan can tell.

use crate::wiring::Records;
use anyhow::Result;
use chimera_core::{
    domain::{
        Language, Platform, Soul,
        campaign::{Budget, CampaignStatus, Pause, Reach},
    },
    perception::language::{language_of, of_agent},
    ports::{
        agents::Agents,
        swarm::{CampaignState, Campaigns, Pauses},
    },
    swarm::{publisher::Channels, runtime::Draft},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One agent on one platform; without a platform, the agent itself is missing.
pub struct Place {
    agent: String,
    platform: Option<Platform>,
    is_planned: bool,
    obstacles: Vec<String>,
}

impl Place {
    pub fn told(&self) -> Value {
        let mut told = json!({ "agent_id": self.agent, "planned": self.is_planned, "missing": self.obstacles });
        if let Some(platform) = self.platform {
            told["platform"] = json!(platform.name());
        }
        told
    }

    /// Nothing where there is nothing to say.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let place = self.platform.map_or_else(|| self.agent.clone(), |platform| format!("{} on {platform}", self.agent));
        self.obstacles.iter().map(move |obstacle| format!("{place}: {obstacle}"))
    }
}

/// What a plan is held against.
struct View<'a> {
    campaign: &'a CampaignState,
    draft: &'a Draft,
    channels: &'a Channels,
    reach: Reach,
    pauses: Vec<Pause>,
    /// Why there is no further post for anybody.
    posts_gone: Option<String>,
}

pub(super) async fn find(records: &Records, campaign: &CampaignState, draft: &Draft, channels: &Channels) -> Result<Vec<Place>> {
    let constraints = &campaign.goal.budget_constraints;
    let used = records.store.used(&campaign.goal.campaign_id).await?;
    let view = View {
        campaign,
        draft,
        channels,
        reach: Reach::of(constraints)?,
        pauses: records.store.pauses().await?,
        posts_gone: Budget::of(constraints)?.gone(&used),
    };
    let mut places = Vec::new();
    for id in &campaign.goal.agent_ids {
        let (agent, retirement) = match id.parse() {
            Ok(id) => (Agents::find(&records.store, &id).await?, Agents::retirement(&records.store, &id).await?),
            Err(_) => (None, None),
        };
        if let Some(retirement) = retirement {
            places.push(missing(id, format!("it is retired: {}", retirement.reason)));
            continue;
        }
        match agent.map(|agent| Soul::parse(&agent.soul_source)) {
            Some(Ok(soul)) => places.extend(soul.platforms.iter().map(|platform| view.place(&soul, *platform))),
            Some(Err(error)) => places.push(missing(id, format!("its SOUL cannot be read: {error}"))),
            None => places.push(missing(id, "there is no such agent".to_owned())),
        }
    }
    Ok(places)
}

fn missing(agent: &str, obstacle: String) -> Place {
    Place { agent: agent.to_owned(), platform: None, is_planned: false, obstacles: vec![obstacle] }
}

impl View<'_> {
    fn place(&self, soul: &Soul, platform: Platform) -> Place {
        let (agent, name) = (soul.id.as_str(), platform.name());
        let is_planned = self.draft.tasks.iter().any(|task| {
            task.context.agent_id == agent && task.acceptance_criteria.as_ref().is_some_and(|criteria| criteria.platform == name)
        });
        let obstacles = if self.reach.has(platform) {
            let planning = if is_planned { Vec::new() } else { self.why_not_planned(soul, name) };
            planning
                .into_iter()
                .chain(self.of_language(soul))
                .chain(self.of_campaign())
                .chain(self.of_pauses(agent))
                .chain(self.of_channel(name))
                .collect()
        } else {
            vec!["the campaign's --platforms leave it out".to_owned()]
        };
        Place { agent: agent.to_owned(), platform: Some(platform), is_planned, obstacles }
    }

    fn why_not_planned(&self, soul: &Soul, platform: &str) -> Vec<String> {
        let agent = soul.id.as_str();
        let mut reasons: Vec<String> = Vec::new();
        if self.draft.told_elsewhere.iter().any(|(by, on)| by == agent && on == platform) {
            reasons.push("it tells a story of this goal there in another campaign already".to_owned());
        }
        let paced = self.draft.paced.iter().filter(|paced| paced.agent == agent);
        reasons.extend(paced.filter(|paced| paced.platform.as_deref().is_none_or(|on| on == platform)).map(|paced| paced.reason.clone()));
        let of_draft = match (reasons.is_empty(), self.draft.relevant_summaries.is_empty()) {
            (false, _) => None,
            (true, true) => Some("nothing that it watches matters to the goal now".to_owned()),
            (true, false) if self.draft.trend.is_some() => Some("the plan leaves this trend to the others".to_owned()),
            (true, false) => Some("nothing that matters now is a trend, or new".to_owned()),
        };
        reasons.extend(of_draft);
        reasons
    }

    /// It writes in its own language, or not at all.
    fn of_language(&self, soul: &Soul) -> Option<String> {
        let own = of_agent(soul);
        let found: BTreeSet<Language> = self.draft.relevant_summaries.iter().filter_map(|summary| language_of(summary)).collect();
        let named: Vec<&str> = found.iter().map(|language| language.name()).collect();
        let is_without = !found.is_empty() && !found.contains(&own);
        is_without.then(|| format!("it writes in {own}, and what matters now is in {}", named.join(" and ")))
    }

    fn of_campaign(&self) -> impl Iterator<Item = String> {
        let standing = match self.campaign.status {
            CampaignStatus::Running | CampaignStatus::Draft => None,
            status @ (CampaignStatus::Paused | CampaignStatus::Exhausted | CampaignStatus::Deleted) => {
                Some(format!("the campaign is {}", status.name()))
            }
        };
        self.posts_gone.clone().into_iter().chain(standing)
    }

    fn of_pauses(&self, agent: &str) -> impl Iterator<Item = String> {
        let is_of = |pause: &&Pause| pause.scope.agent().is_none_or(|paused| paused.as_str() == agent);
        self.pauses.iter().filter(is_of).map(|pause| format!("{} is paused: {}", pause.scope, pause.reason)).collect::<Vec<_>>().into_iter()
    }

    /// What is written is not sent.
    fn of_channel(&self, platform: &str) -> Option<String> {
        match self.channels.get(platform) {
            None => Some(format!("no tool sends it: [publish.{platform}] is not configured, and its posts are a dry run")),
            Some(channel) if channel.dry_run => Some(format!("[publish.{platform}] is a dry run: nothing is sent")),
            Some(_) => None,
        }
    }
}
