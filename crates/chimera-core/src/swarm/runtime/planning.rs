//! The Planner's pass: first what came back, then campaigns whose world has not been looked at for a while.

use super::{
    super::{
        estimate,
        perceiving::{PerceptionError, can_afford, perceive},
        planner::{self, NotAPayment, Story, Terms, Unplannable, shaped::Shape},
    },
    Swarm, SwarmSettings,
    shaping::Planning,
};
use crate::{
    contracts::{
        UuidV4,
        task::{AgentTask, TaskStatus, TaskType},
        trend_alert::{Trend, TrendAlert, TrendPhase},
        trend_fetcher::StrongestStory,
    },
    domain::{
        campaign::{Budget, CampaignEvent, NotABudget, NotAMix},
        money::parse_units,
        soul::Soul,
    },
    ports::{
        StoreError,
        skill_caller::CallError,
        swarm::{CampaignState, ChangeError, EnqueueError},
    },
};
use futures::future::join_all;
use std::collections::BTreeMap;

const RETURNED_PER_PASS_MAX: usize = 256;
/// Campaigns whose resources are read at one time.
const CAMPAIGNS_PER_PASS_MAX: usize = 8;

/// Why a campaign could not be planned now. It is looked at again when its time comes.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("it watches nothing: name resources with `chimera campaign create --watch`, or configure [[feeds.news]]")]
    WatchesNothing,
    #[error("none of its agents exists")]
    NoAgents,
    #[error("all of its agents are retired: {0}; `chimera agent reinstate` brings one back")]
    AgentsRetired(String),
    #[error(transparent)]
    Perception(#[from] PerceptionError),
    #[error(transparent)]
    Payment(#[from] NotAPayment),
    #[error(transparent)]
    Goal(#[from] Unplannable),
    #[error(transparent)]
    Budget(#[from] NotABudget),
    #[error(transparent)]
    Mix(#[from] NotAMix),
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a campaign's next step would be.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub trend: Option<TrendAlert>,
    /// What else is going on; one of the next steps is about what has no tasks yet.
    pub more_trends: Vec<Trend>,
    /// Where there is no trend: how many items matter, and the story nearest to being one.
    pub relevant_items: usize,
    /// What those say, in the words of strangers.
    pub relevant_summaries: Vec<String>,
    pub strongest_story: Option<StrongestStory>,
    /// About the trend; or, without one, about single items that matter.
    pub tasks: Vec<AgentTask>,
    /// Agents whose next post has to wait.
    pub paced: Vec<Paced>,
    /// Agents that tell a story of this goal on a platform already, in another campaign, and so not here.
    pub told_elsewhere: Vec<(String, String)>,
    /// Why the campaign's payment is not among them.
    pub payment_left_out: Option<String>,
}

/// An agent whose post has to wait for the campaign's cadence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paced {
    pub agent: String,
    /// Where; `None` is everywhere.
    pub platform: Option<String>,
    pub reason: String,
}

impl Swarm {
    pub(super) async fn plan_pass(&self) -> Result<bool, StoreError> {
        let ports = &self.ports;
        let returned = ports.replanning.returned(RETURNED_PER_PASS_MAX).await?;
        let mut budgets: BTreeMap<&str, Option<String>> = BTreeMap::new();
        for task in &returned {
            let campaign_id = task.task.context.campaign_id.as_str();
            if !budgets.contains_key(campaign_id) {
                budgets.insert(campaign_id, self.posts_gone(campaign_id).await?);
            }
            let word = planner::replan(task, budgets[campaign_id].as_deref());
            tracing::info!(task.id = %task.task.task_id, "task {} came back ({}): {word:?}", task.task.task_id, task.reason);
            ports.replanning.replan(task.task.task_id, &word, ports.clock.now()).await?;
        }
        let dated = self.keep_calendar().await?;
        let now = ports.clock.now();
        let due = ports.campaigns.take_due(now - self.settings.perceive_every, now, CAMPAIGNS_PER_PASS_MAX).await?;
        let did_something = !returned.is_empty() || !due.is_empty() || dated > 0;
        join_all(due.iter().map(|campaign| self.plan_one(campaign))).await;
        if did_something {
            self.bells.workers.notify_one();
        }
        Ok(did_something)
    }

    async fn plan_one(&self, campaign: &CampaignState) {
        let campaign_id = &campaign.goal.campaign_id;
        let ((), planned) = tokio::join!(self.answer_mentions(campaign), self.plan_and_queue(campaign));
        match planned {
            Ok(0) => {}
            Ok(added) => tracing::info!(goal.id = campaign_id, "campaign {campaign_id}: {added} new tasks"),
            Err(error) => tracing::warn!(goal.id = campaign_id, "campaign {campaign_id} could not be planned: {error}"),
        }
    }

    async fn plan_and_queue(&self, campaign: &CampaignState) -> Result<usize, PlanError> {
        let campaign_id = &campaign.goal.campaign_id;
        if let Some(reason) = self.posts_gone(campaign_id).await? {
            // What was approved may still have to be paid.
            let tasks = self.ports.tasks.of_campaign(campaign_id).await?;
            if tasks.iter().all(|task| task.status == TaskStatus::Complete) {
                self.exhaust(campaign_id, reason).await?;
            }
            return Ok(0);
        }
        let asked_for = self.enqueue_added(campaign).await?;
        let draft = self.draft(campaign).await?;
        if let Some(alert) = &draft.trend {
            self.ports.campaigns.record_alert(alert).await?;
        }
        if let Some(reason) = &draft.payment_left_out {
            tracing::warn!(goal.id = campaign_id, "campaign {campaign_id}: no payment is planned, {reason}");
        }
        let _alone = self.queueing.lock().await;
        let (tasks, _) = self.untold(draft.tasks).await?;
        Ok(asked_for + self.ports.tasks.enqueue(&self.still_wanted(campaign, tasks).await?).await?)
    }

    /// What would be queued now. Nothing is.
    pub async fn draft(&self, campaign: &CampaignState) -> Result<Draft, PlanError> {
        let resource_uris = if campaign.resource_uris.is_empty() { &self.settings.resource_uris } else { &campaign.resource_uris };
        if resource_uris.is_empty() {
            return Err(PlanError::WatchesNothing);
        }
        let souls = self.souls(campaign).await?;
        let Some(first) = souls.first().map(|soul| soul.id.to_string()) else { return Err(self.why_nobody(campaign).await?) };
        let ports = &self.ports;
        let perceived = perceive(ports.skills.as_ref(), ports.clock.as_ref(), campaign, &first, resource_uris).await?;
        let payment_left_out = self.why_no_payment(campaign, &first).await?;
        let terms = Terms { may_pay: payment_left_out.is_none() };
        let mut alerts: Vec<TrendAlert> = perceived.alert.into_iter().chain(perceived.more).collect();
        let mut pace = self.pace(campaign, &souls).await?;
        let shaped = self.ports.plans.plan(&campaign.goal.campaign_id).await?;
        let plan = Planning { campaign, shape: &Shape::of(&shaped) };
        let added = self.added(campaign, &shaped, &souls).await?;
        let relevant = || perceived.items.iter().filter(|item| item.above_threshold);
        let mut draft = Draft {
            trend: None,
            more_trends: Vec::new(),
            relevant_items: relevant().count(),
            relevant_summaries: relevant().map(|item| item.content_summary.clone()).collect(),
            strongest_story: perceived.strongest_story,
            tasks: Vec::new(),
            paced: pace.full.iter().map(|(agent, reason)| Paced { agent: agent.clone(), platform: None, reason: reason.clone() }).collect(),
            told_elsewhere: Vec::new(),
            payment_left_out,
        };
        let in_time: Vec<Soul> = souls.iter().filter(|soul| !pace.full.contains_key(soul.id.as_str())).cloned().collect();
        let Some((chosen, planned)) = self.next_to_plan(plan, &in_time, &alerts, &terms, &mut draft.told_elsewhere).await? else {
            let tasks = self.singles(plan, &souls, &perceived.items, &mut pace, &mut draft).await?;
            draft.tasks = self.formed(campaign, [added, tasks].concat()).await?;
            return Ok(draft);
        };
        let alert = alerts.remove(chosen);
        draft.more_trends = alerts.into_iter().map(|alert| alert.trend).collect();
        let planned = self.in_pace(planned, &mut pace, &mut draft.paced).await?;
        let mut tasks = self.chosen(campaign, &in_time, (&alert, &draft.more_trends), planned).await;
        // A trend that is told already leaves room for what is not.
        let ids: Vec<UuidV4> = tasks.iter().map(|task| task.task_id).collect();
        if self.ports.tasks.has_any(&ids).await? {
            tasks.extend(self.singles(plan, &souls, &perceived.items, &mut pace, &mut draft).await?);
        }
        draft.trend = Some(alert);
        draft.tasks = self.formed(campaign, [added, tasks].concat()).await?;
        Ok(draft)
    }

    /// Which trend to plan for, and the rules' plan: the first that has no tasks yet, so that none is hidden by one that is planned for
    /// already; where all have, the first. A fading one is not worth a post.
    async fn next_to_plan(
        &self,
        Planning { campaign, shape }: Planning<'_>,
        souls: &[Soul],
        alerts: &[TrendAlert],
        terms: &Terms,
        told_elsewhere: &mut Vec<(String, String)>,
    ) -> Result<Option<(usize, Vec<AgentTask>)>, PlanError> {
        let ports = &self.ports;
        let mut first = None;
        for (place, alert) in alerts.iter().enumerate().filter(|(_, alert)| alert.trend.phase != Some(TrendPhase::Fading)) {
            let story = Story::of_trend(&alert.trend);
            let planned = planner::plan(campaign, souls, &story, terms, ports.clock.now())?;
            let planned = planner::former::keep_ids(ports.tasks.as_ref(), campaign, &story, planned).await?;
            let (planned, told) = self.untold(planned).await?;
            told_elsewhere.extend(told);
            let planned = shape.applied(&planned);
            if planned.is_empty() {
                continue;
            }
            let ids: Vec<UuidV4> = planned.iter().map(|task| task.task_id).collect();
            if !ports.tasks.has_any(&ids).await? {
                return Ok(Some((place, planned)));
            }
            first.get_or_insert((place, planned));
        }
        Ok(first)
    }

    /// Without posts on stories that their agent tells on that platform in another campaign, and what waits for those alone; and which
    /// agents and platforms those are.
    pub(super) async fn untold(&self, tasks: Vec<AgentTask>) -> Result<(Vec<AgentTask>, Vec<(String, String)>), StoreError> {
        let (mut kept, mut told) = (Vec::new(), Vec::new());
        for task in tasks.iter().filter(|task| task.task_type == TaskType::GenerateContent) {
            let Some(criteria) = &task.acceptance_criteria else { continue };
            if self.ports.tasks.is_told_elsewhere(task).await? {
                told.push((task.context.agent_id.clone(), criteria.platform.clone()));
            } else {
                kept.push(task.clone());
            }
        }
        Ok((planner::with_dependents(kept, &tasks), told))
    }

    /// Whatever is wrong with the model or its plan, the rules' plan stands.
    async fn chosen(
        &self,
        campaign: &CampaignState,
        souls: &[Soul],
        trends: (&TrendAlert, &[Trend]),
        by_rules: Vec<AgentTask>,
    ) -> Vec<AgentTask> {
        let Some(model) = &self.ports.plan_model else { return by_rules };
        match model.choose(campaign, souls, trends, &by_rules, self.ports.clock.as_ref()).await {
            Ok(chosen) => chosen,
            Err(error) => {
                let campaign_id = &campaign.goal.campaign_id;
                tracing::warn!(goal.id = campaign_id, "campaign {campaign_id} is planned by rules: {error}");
                by_rules
            }
        }
    }

    /// With what it may cost and risk.
    pub(in super::super) fn weighed(&self, campaign: &CampaignState, mut task: AgentTask) -> AgentTask {
        let SwarmSettings { costs, thresholds, channels, .. } = &self.settings;
        task.estimate = Some(estimate::of_task(campaign, &task, costs, thresholds, channels));
        task
    }

    /// Why no further work is within the campaign's budget.
    pub(in super::super) async fn posts_gone(&self, campaign_id: &str) -> Result<Option<String>, StoreError> {
        let Some(campaign) = self.ports.campaigns.find(campaign_id).await? else { return Ok(None) };
        // A budget that cannot be read was refused when the campaign was created.
        let Some(budget) = Budget::of(&campaign.goal.budget_constraints).ok().filter(|budget| *budget != Budget::default()) else {
            return Ok(None);
        };
        Ok(budget.gone(&self.ports.campaigns.used(campaign_id).await?))
    }

    /// Another process may have been faster; then there is nothing left to do.
    async fn exhaust(&self, campaign_id: &str, reason: String) -> Result<(), StoreError> {
        tracing::warn!(goal.id = campaign_id, "campaign {campaign_id} is exhausted: {reason}");
        match self.ports.campaigns.change(campaign_id, &CampaignEvent::Exhaust { reason }, self.ports.clock.now()).await {
            Ok(_) | Err(ChangeError::OutOfTurn(_) | ChangeError::NoSuchCampaign(_) | ChangeError::InFlight(_)) => Ok(()),
            Err(ChangeError::Store(error)) => Err(error),
        }
    }

    /// Of the campaign's agents, those that are at work.
    pub(in super::super) async fn souls(&self, campaign: &CampaignState) -> Result<Vec<Soul>, StoreError> {
        let mut souls = Vec::new();
        for id in &campaign.goal.agent_ids {
            let Ok(parsed) = id.parse() else { continue };
            let Some(agent) = self.ports.agents.find(&parsed).await? else { continue };
            if self.ports.agents.retirement(&parsed).await?.is_some() {
                continue;
            }
            match Soul::parse(&agent.soul_source) {
                Ok(soul) => souls.push(soul),
                Err(error) => tracing::warn!(agent = id, "the SOUL of {id} cannot be read any more: {error}"),
            }
        }
        Ok(souls)
    }

    /// Why nobody of the campaign is at work.
    async fn why_nobody(&self, campaign: &CampaignState) -> Result<PlanError, StoreError> {
        let mut retired = Vec::new();
        for id in &campaign.goal.agent_ids {
            let Ok(parsed) = id.parse() else { continue };
            if let Some(retirement) = self.ports.agents.retirement(&parsed).await? {
                retired.push(format!("{id} ({})", retirement.reason));
            }
        }
        Ok(if retired.is_empty() { PlanError::NoAgents } else { PlanError::AgentsRetired(retired.join(", ")) })
    }

    /// `None` when the campaign has a payment that may be made, or has none at all.
    async fn why_no_payment(&self, campaign: &CampaignState, agent_id: &str) -> Result<Option<String>, PlanError> {
        let Some(payment) = planner::payment_of(&campaign.goal.budget_constraints)? else { return Ok(None) };
        let budget = Budget::of(&campaign.goal.budget_constraints)?;
        let amount = payment.params.amount_wei_or_units.as_deref().and_then(|units| parse_units(units).ok()).unwrap_or_default();
        if budget.spend_max_units.is_some()
            && let Some(reason) = budget.cannot_pay(&self.ports.campaigns.used(&campaign.goal.campaign_id).await?, amount)
        {
            return Ok(Some(reason));
        }
        if let Some(max) = budget.payments_max {
            let tasks = self.ports.tasks.of_campaign(&campaign.goal.campaign_id).await?;
            let planned = tasks.iter().filter(|task| task.task_type == TaskType::ExecuteTransaction).count();
            if planned as u64 >= max {
                return Ok(Some(format!("{planned} of {max} payments are used up")));
            }
        }
        let affordable = can_afford(self.ports.skills.as_ref(), agent_id, &payment).await?;
        Ok((!affordable).then(|| format!("the wallet of {agent_id} does not hold enough {}", payment.params.asset)))
    }
}
