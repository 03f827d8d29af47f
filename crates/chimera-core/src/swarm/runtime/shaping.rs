//! Plans as people shaped them: what is dropped is not made, a brief goes with its task, and what a person added is queued.

use super::{PlanError, Swarm};
use crate::{
    contracts::task::AgentTask,
    domain::Soul,
    ports::{
        StoreError,
        swarm::{CampaignState, PlannedTask},
    },
    swarm::planner::shaped::{self, Shape},
};

/// What is planned for, and by what.
#[derive(Clone, Copy)]
pub(super) struct Planning<'a> {
    pub(super) campaign: &'a CampaignState,
    pub(super) shape: &'a Shape<'a>,
}

impl Swarm {
    /// What a person added and is not queued yet, as it would be queued now.
    pub(super) async fn added(&self, campaign: &CampaignState, plan: &[PlannedTask], souls: &[Soul]) -> Result<Vec<AgentTask>, StoreError> {
        let is_there = |agent: &str| souls.iter().any(|soul| soul.id.as_str() == agent);
        let is_due = |planned: &&PlannedTask| {
            planned.is_added && !planned.is_dropped && planned.state.is_none() && is_there(&planned.task.context.agent_id)
        };
        let added: Vec<&PlannedTask> = plan.iter().filter(is_due).collect();
        if added.is_empty() {
            return Ok(Vec::new());
        }
        let sources = self.sources_now(campaign).await?;
        let now = self.ports.clock.now();
        Ok(added.into_iter().map(|planned| shaped::queued(planned, campaign, &sources, now)).collect())
    }

    /// Before anything is looked at: what a person asks for does not wait for a trend.
    pub(super) async fn enqueue_added(&self, campaign: &CampaignState) -> Result<usize, PlanError> {
        let plan = self.ports.plans.plan(&campaign.goal.campaign_id).await?;
        if !plan.iter().any(|planned| planned.is_added && planned.state.is_none()) {
            return Ok(0);
        }
        let added = self.added(campaign, &plan, &self.souls(campaign).await?).await?;
        Ok(self.ports.tasks.enqueue(&self.formed(campaign, added).await?).await?)
    }

    /// Looking takes seconds, and people go on shaping meanwhile: without what was dropped and who left since, and with the briefs of now.
    pub(super) async fn still_wanted(&self, campaign: &CampaignState, tasks: Vec<AgentTask>) -> Result<Vec<AgentTask>, StoreError> {
        let campaign_id = &campaign.goal.campaign_id;
        let agents = self.ports.campaigns.find(campaign_id).await?.map(|now| now.goal.agent_ids).unwrap_or_default();
        let plan = self.ports.plans.plan(campaign_id).await?;
        let wanted = Shape::of(&plan).applied(&tasks).into_iter();
        Ok(wanted.filter(|task| agents.contains(&task.context.agent_id)).collect())
    }
}
