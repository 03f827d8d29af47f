//! One round of a campaign: perceive, plan, work, judge, act. Everything in it is durable, so a round that died is simply run again.

use super::{
    judge::{self, Checks, Personas, SecondOpinion, Thresholds},
    perceiving::{Perceived, PerceptionError, perceive},
    planner::{self, Story, Terms},
    publisher::{Channels, Publisher},
    worker::{Worked, Worker},
};
use crate::{
    contracts::{decision::JudgeDecision, task::AgentTask},
    domain::soul::Soul,
    ports::{
        StoreError,
        agents::Agents,
        assets::Assets,
        clock::Clock,
        content_check::ContentCheck,
        embedder::Embedder,
        perception::Perception,
        skill_caller::SkillCaller,
        swarm::{CampaignState, Campaigns, ClaimLimits, EnqueueError, Judgements, LeaseError, Outbox, Post, Tasks},
        tools::PublishTools,
    },
};
use chrono::TimeDelta;
use std::time::Duration;

/// Longer than any skill takes: nobody else works beside a round.
const LEASE: Duration = Duration::from_secs(300);
/// More tasks than this in one round means that something makes work for itself.
const TASKS_PER_ROUND_MAX: usize = 256;

/// What a round needs. Stores and skills are shared with other rounds.
pub struct Round<'a> {
    pub agents: &'a dyn Agents,
    pub campaigns: &'a dyn Campaigns,
    pub tasks: &'a dyn Tasks,
    pub judgements: &'a dyn Judgements,
    pub outbox: &'a dyn Outbox,
    pub skills: &'a dyn SkillCaller,
    pub tools: &'a dyn PublishTools,
    pub content_check: &'a dyn ContentCheck,
    pub perception: &'a dyn Perception,
    pub embedder: &'a dyn Embedder,
    pub second_opinion: Option<&'a SecondOpinion>,
    pub assets: &'a dyn Assets,
    pub channels: Channels,
    pub clock: &'a dyn Clock,
    pub thresholds: Thresholds,
    pub resource_uris: Vec<String>,
}

/// Tells whoever watches what has just been done.
pub enum Step<'a> {
    Perceived(&'a Perceived),
    Planned(&'a [AgentTask]),
    Worked(&'a Worked),
    Judged(&'a [JudgeDecision]),
    Published(&'a [Post]),
}

#[derive(Debug, thiserror::Error)]
pub enum RoundError {
    #[error(transparent)]
    Perception(#[from] PerceptionError),
    #[error(transparent)]
    Plan(#[from] planner::Unplannable),
    #[error(transparent)]
    Lease(#[from] LeaseError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
}

impl Round<'_> {
    /// `souls` are the campaign's agents, in its order.
    pub async fn run(&self, campaign: &CampaignState, souls: &[Soul], watch: &mut (dyn FnMut(Step<'_>) + Send)) -> Result<(), RoundError> {
        if let Some(first) = souls.first() {
            let perceived = perceive(self.skills, self.clock, campaign, first.id.as_str(), &self.resource_uris).await?;
            watch(Step::Perceived(&perceived));
            if let Some(alert) = &perceived.alert {
                self.campaigns.record_alert(alert).await?;
                let terms = Terms { may_pay: true };
                let story = Story::of_trend(&alert.trend);
                let planned = planner::plan(campaign, souls, &story, &terms, self.clock.now())?;
                let planned = planner::former::keep_ids(self.tasks, campaign, &story, planned).await?;
                self.tasks.enqueue(&planned).await?;
                watch(Step::Planned(&planned));
            }
        }
        let worker = Worker {
            id: "worker-1",
            tasks: self.tasks,
            skills: self.skills,
            clock: self.clock,
            attempts_max: self.thresholds.retries_max + 1,
            limits: ClaimLimits { per_agent_max: 1, overall_max: 1 },
            lease: LEASE,
            backoff_first: TimeDelta::zero(),
        };
        let publisher = Publisher {
            outbox: self.outbox,
            tools: self.tools,
            assets: self.assets,
            clock: self.clock,
            channels: &self.channels,
            retry_after: TimeDelta::zero(),
        };
        let personas = Personas::default();
        // Judging may put a task back, and finishing one may free another: go on until a pass finds nothing to do.
        for _ in 0..TASKS_PER_ROUND_MAX {
            let worked = worker.work_once().await?;
            if let Some(worked) = &worked {
                watch(Step::Worked(worked));
            }
            let decisions = judge::judge_waiting(self.judgements, self.checks(&personas), &self.thresholds, self.clock.now()).await?;
            if !decisions.is_empty() {
                watch(Step::Judged(&decisions));
            }
            let posts = publisher.publish_waiting().await?;
            if !posts.is_empty() {
                watch(Step::Published(&posts));
            }
            if worked.is_none() && decisions.is_empty() && posts.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn checks<'b>(&'b self, personas: &'b Personas) -> Checks<'b> {
        Checks {
            agents: self.agents,
            personas,
            content: self.content_check,
            perception: self.perception,
            embedder: self.embedder,
            outbox: self.outbox,
            second_opinion: self.second_opinion,
        }
    }
}
