//! One round of a campaign: perceive, plan, work, judge, act. Everything in it is durable, so a round that died is simply run again.

use super::{
    judge::{self, Thresholds},
    planner, publisher,
    worker::{Worked, Worker},
};
use crate::{
    contracts::{
        UtcTime,
        decision::JudgeDecision,
        task::AgentTask,
        trend_alert::TrendAlert,
        trend_fetcher::{self, FilterResult, ResourceFailure, TrendFetcherOutput},
    },
    domain::soul::Soul,
    ports::{
        StoreError,
        clock::Clock,
        skill_caller::{CallError, SkillCaller},
        swarm::{CampaignState, Campaigns, Judgements, LeaseError, Outbox, Post, Tasks},
    },
};
use serde::Deserialize;
use serde_json::json;

/// More tasks than this in one round means that something makes work for itself.
const TASKS_PER_ROUND_MAX: usize = 256;

/// What a round needs. Stores and skills are shared with other rounds.
pub struct Round<'a> {
    pub campaigns: &'a dyn Campaigns,
    pub tasks: &'a dyn Tasks,
    pub judgements: &'a dyn Judgements,
    pub outbox: &'a dyn Outbox,
    pub skills: &'a dyn SkillCaller,
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

#[derive(Debug, Clone, PartialEq)]
pub struct Perceived {
    pub agent_id: String,
    pub alert: Option<TrendAlert>,
    pub items: Vec<FilterResult>,
    pub errors: Vec<ResourceFailure>,
}

#[derive(Debug, thiserror::Error)]
pub enum RoundError {
    #[error("perception failed: {0}")]
    Perception(String),
    #[error(transparent)]
    Plan(#[from] planner::NotAPayment),
    #[error(transparent)]
    Lease(#[from] LeaseError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Call(#[from] CallError),
}

impl Round<'_> {
    /// `souls` are the campaign's agents, in its order.
    pub async fn run(&self, campaign: &CampaignState, souls: &[Soul], watch: &mut (dyn FnMut(Step<'_>) + Send)) -> Result<(), RoundError> {
        if let Some(first) = souls.first() {
            let perceived = self.perceive(campaign, first).await?;
            watch(Step::Perceived(&perceived));
            if let Some(alert) = &perceived.alert {
                self.campaigns.record_alert(alert).await?;
                let planned = planner::plan(campaign, souls, alert, self.thresholds.reject_below, self.clock.now())?;
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
        };
        // Judging may put a task back, and finishing one may free another: go on until a pass finds nothing to do.
        for _ in 0..TASKS_PER_ROUND_MAX {
            let worked = worker.work_once().await?;
            if let Some(worked) = &worked {
                watch(Step::Worked(worked));
            }
            let decisions = judge::judge_waiting(self.judgements, &self.thresholds, self.clock.now()).await?;
            if !decisions.is_empty() {
                watch(Step::Judged(&decisions));
            }
            let posts = publisher::publish_waiting(self.outbox, self.clock.now()).await?;
            if !posts.is_empty() {
                watch(Step::Published(&posts));
            }
            if worked.is_none() && decisions.is_empty() && posts.is_empty() {
                break;
            }
        }
        Ok(())
    }

    async fn perceive(&self, campaign: &CampaignState, soul: &Soul) -> Result<Perceived, RoundError> {
        let goal = &campaign.goal;
        let input = json!({
            "agent_id": soul.id.as_str(),
            "campaign_id": goal.campaign_id,
            "resource_uris": self.resource_uris,
            "goal_context": goal.goal_description,
        });
        let answer = self.skills.call(trend_fetcher::NAME, &input).await?;
        let found = TrendFetcherOutput::deserialize(&answer)
            .map_err(|_| RoundError::Perception(answer["message"].as_str().unwrap_or("the answer is not of its contract").to_owned()))?;
        let alert = found.trend_alert.map(|alert| TrendAlert {
            event_id: alert.event_id,
            event_type: alert.event_type,
            source: alert.source,
            created_at: UtcTime(self.clock.now()),
            agent_id: alert.agent_id,
            campaign_id: alert.campaign_id,
            trend: alert.trend,
        });
        Ok(Perceived { agent_id: soul.id.to_string(), alert, items: found.filter_results, errors: found.resource_errors })
    }
}
