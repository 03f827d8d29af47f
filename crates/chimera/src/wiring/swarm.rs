//! The swarm over this program's store, skills and upstream servers.

use super::{App, models};
use crate::{
    config::{
        Misconfigured, Settings,
        file::{MediaToolSection, PlannerKind},
    },
    mcp::McpSkillCaller,
};
use anyhow::{Context, Result};
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    domain::Platform,
    perception::screening::InjectionScreen,
    ports::{
        skill_caller::{CallError, SkillCaller},
        swarm::{ClaimLimits, PublishLimits},
    },
    swarm::{
        acting::{ActingPorts, ActingSettings},
        planner::{
            ModelPlanner,
            media::{Costs, MadeBy},
        },
        publisher::{Channel, Channels},
        runtime::{Role, Swarm, SwarmPorts, SwarmSettings},
    },
};
use chrono::TimeDelta;
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// The swarm, connected to the skills through MCP in this process.
pub struct RunningSwarm {
    pub swarm: Arc<Swarm>,
    skills: Arc<McpSkillCaller>,
}

impl App {
    /// Connected, and not at work yet.
    pub async fn swarm(&self) -> Result<RunningSwarm> {
        let store = Arc::new(self.records.store.clone());
        let skills = Arc::new(McpSkillCaller::in_memory(&self.server(self.stop.clone())).await?);
        let ports = SwarmPorts {
            agents: store.clone(),
            campaigns: store.clone(),
            tasks: store.clone(),
            replanning: store.clone(),
            judgements: store.clone(),
            reviews: store.clone(),
            outbox: store.clone(),
            calendar: store.clone(),
            plans: store.clone(),
            backlog: store.clone(),
            plan_model: self.plan_model()?,
            skills: Arc::new(SharedCaller(skills.clone())),
            tools: self.host.clone(),
            content_check: self.content_check.clone(),
            perception: store.clone(),
            embedder: self.embedder.clone(),
            second_opinion: self.second_opinion.clone(),
            clock: self.records.clock.clone(),
            acting: ActingPorts {
                resources: self.host.clone(),
                screen: Arc::new(InjectionScreen),
                mentions: store.clone(),
                engagements: store.clone(),
                memories: store,
                assets: self.records.assets(),
            },
        };
        let settings = self.swarm_settings().map_err(Misconfigured::mark)?;
        // Names this process in leases and on the list of consumers; nobody finds it again by it.
        let process_id = UuidV4::random().to_string();
        Ok(RunningSwarm { swarm: Arc::new(Swarm::new(ports, settings, process_id)), skills })
    }

    /// The model that is configured for planning, or else the first that writes, when one shall plan.
    fn plan_model(&self) -> Result<Option<ModelPlanner>> {
        if self.settings.file.swarm.planner == PlannerKind::Rules {
            return Ok(None);
        }
        let writers = models::writers(&self.settings, &self.records)?;
        let own = models::planner(&self.settings, &self.records)?;
        let model = own
            .or_else(|| writers.models.into_iter().next())
            .context("swarm.planner is \"model\", and neither [model] nor [model.planner] names one; set model.provider");
        let model = model.map_err(Misconfigured::mark)?;
        Ok(Some(ModelPlanner { model, budget: writers.budget, limits: writers.limits }))
    }

    fn swarm_settings(&self) -> Result<SwarmSettings> {
        let section = &self.settings.file.swarm;
        let seconds = |number: u32| TimeDelta::seconds(i64::from(number));
        Ok(SwarmSettings {
            thresholds: self.thresholds(),
            limits: ClaimLimits { per_agent_max: section.tasks_per_agent_max, overall_max: section.tasks_max },
            lease: Duration::from_secs(u64::from(section.lease_s)),
            backoff_first: seconds(section.backoff_s),
            perceive_every: seconds(section.perceive_every_s),
            resource_uris: configured_resources(&self.settings),
            review_expires_after: TimeDelta::hours(i64::from(self.settings.file.judge.review_hours_max)),
            channels: channels(&self.settings)?,
            costs: costs(&self.settings)?,
            calendar_grace: seconds(section.calendar_grace_s),
            publish_retry_after: seconds(section.publish_retry_s),
            acting: ActingSettings {
                mention_uris: mention_uris(&self.settings),
                mentions_every: Duration::from_secs(u64::from(section.mentions_every_s)),
                engagement_after: [seconds(section.engagement_first_s), seconds(section.engagement_last_s)],
            },
        })
    }
}

impl RunningSwarm {
    /// Until `stop`; what is in hand then is finished or handed back.
    pub async fn run(self, roles: &[Role], stop: &CancellationToken) {
        Arc::clone(&self.swarm).run(roles, stop).await;
        self.close().await;
    }

    pub async fn close(self) {
        drop(self.swarm);
        // The swarm had the only other handle.
        if let Some(skills) = Arc::into_inner(self.skills) {
            skills.close().await;
        }
    }
}

/// All roles of a process share one connection.
struct SharedCaller(Arc<McpSkillCaller>);

#[async_trait]
impl SkillCaller for SharedCaller {
    async fn call(&self, skill: &str, input: &Value) -> Result<Value, CallError> {
        self.0.call(skill, input).await
    }

    fn is_own(&self) -> bool {
        self.0.is_own()
    }
}

/// Three drafts and one that is written anew, each with as many sources and memories as a prompt takes.
const TEXT_CALLS: u64 = 4;
const TEXT_INPUT_TOKENS: u64 = 5_000;
const TEXT_OUTPUT_TOKENS: u64 = 700;

/// By the first model, which writes nearly everything.
fn costs(settings: &Settings) -> Result<Costs> {
    let made_by = |tool: &Option<MediaToolSection>| match tool {
        Some(tool) => MadeBy::Tool { micro_usd_each: tool.micro_usd_each },
        None => MadeBy::Here,
    };
    let models = settings.file.model.models()?;
    let price = models.first().map(|model| model.price).unwrap_or_default();
    let media = &settings.file.media;
    Ok(Costs {
        text_micro_usd: price.micro_usd(TEXT_CALLS * TEXT_INPUT_TOKENS, TEXT_CALLS * TEXT_OUTPUT_TOKENS),
        image: made_by(&media.image),
        video: made_by(&media.video),
    })
}

/// Every feed that the configuration names.
pub fn configured_resources(settings: &Settings) -> Vec<String> {
    let feeds = &settings.file.feeds;
    let news = feeds.news.iter().map(|feed| format!("news://{}/{}/latest", feed.region, feed.category));
    let market = feeds.market.iter().map(|feed| format!("market://crypto/{}/price", feed.asset));
    news.chain(market).collect()
}

/// Of the accounts that `chimera social` speaks for.
fn mention_uris(settings: &Settings) -> Vec<String> {
    let social = &settings.file.social;
    let accounts = [
        (social.mastodon.is_some(), Platform::Mastodon),
        (social.bluesky.is_some(), Platform::Bluesky),
        (social.x.is_some(), Platform::Twitter),
    ];
    accounts.into_iter().filter(|(there, _)| *there).map(|(_, platform)| format!("{platform}://mentions/recent")).collect()
}

fn channels(settings: &Settings) -> Result<Channels> {
    let channel = |(platform, section): (&String, &crate::config::file::PublishSection)| {
        let quiet_hours = section.quiet_hours.as_ref().map(|hours| hours.parse()).transpose();
        let channel = Channel {
            upstream: section.upstream.clone(),
            spare_upstream: section.spare_upstream.clone(),
            tool: section.tool.clone(),
            dry_run: section.dry_run,
            limits: PublishLimits {
                per_hour_max: section.posts_per_hour_max,
                agent_per_day_max: settings.file.governor.posts_per_agent_per_day_max,
                fleet_per_day_max: settings.file.governor.posts_per_day_max,
            },
            quiet_hours: quiet_hours.with_context(|| format!("publish.{platform}.quiet_hours"))?,
        };
        Ok((platform.clone(), channel))
    };
    settings.file.publish.iter().map(channel).collect()
}
