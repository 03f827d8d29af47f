//! A campaign's cadence: who has posts left, and what fills the time that trends leave.

use super::{
    super::planner::{self, Story, Terms},
    Draft, PlanError, Swarm,
};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        filter_result::SemanticFilterResult,
        task::{AgentTask, TaskType},
    },
    domain::{Soul, campaign::Cadence},
    ports::swarm::CampaignState,
};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// A single item of no trend is worth a post from here on.
const SINGLE_RELEVANCE_MIN: f64 = 0.85;

/// How the campaign's agents stand by its cadence.
#[derive(Default)]
pub(super) struct Pace {
    is_kept: bool,
    /// Who has no post left for now, and why.
    pub(super) full: BTreeMap<String, String>,
    /// When a post that can wait has its turn, where that is not now.
    next_turn: BTreeMap<String, DateTime<Utc>>,
}

impl Swarm {
    /// Which agents have posts left by the campaign's cadence, and when each has its turn.
    pub(super) async fn pace(&self, campaign: &CampaignState, souls: &[Soul]) -> Result<Pace, PlanError> {
        let cadence = Cadence::of(&campaign.goal.budget_constraints)?;
        let mut pace = Pace { is_kept: cadence.is_kept(), ..Pace::default() };
        if !pace.is_kept {
            return Ok(pace);
        }
        let now = self.ports.clock.now();
        let tasks = self.ports.tasks.of_campaign(&campaign.goal.campaign_id).await?;
        for soul in souls {
            let id = soul.id.as_str();
            let is_post = |task: &&AgentTask| task.task_type == TaskType::GenerateContent && task.context.agent_id == id;
            let planned: Vec<DateTime<Utc>> = tasks.iter().filter(is_post).map(|task| task.created_at.0).collect();
            if let Some(reason) = cadence.full(&planned, now) {
                pace.full.insert(id.to_owned(), reason);
            } else if let Some(turn) = cadence.next_turn(&planned).filter(|turn| *turn > now) {
                pace.next_turn.insert(id.to_owned(), turn);
            }
        }
        Ok(pace)
    }

    /// Where the campaign has a cadence, items that matter fill what trends leave of it: for each agent whose turn it is, the most relevant
    /// one of a story that nobody was given yet.
    pub(super) async fn singles(
        &self,
        campaign: &CampaignState,
        souls: &[Soul],
        items: &[SemanticFilterResult],
        pace: &Pace,
        draft: &mut Draft,
    ) -> Result<Vec<AgentTask>, PlanError> {
        let ports = &self.ports;
        let mut tasks: Vec<AgentTask> = Vec::new();
        if !pace.is_kept {
            return Ok(tasks);
        }
        let worth_it = |item: &&SemanticFilterResult| item.above_threshold && item.relevance_score >= SINGLE_RELEVANCE_MIN;
        let mut stories = items.iter().filter(worth_it).filter_map(Story::of_item);
        for soul in souls.iter().filter(|soul| !pace.full.contains_key(soul.id.as_str())) {
            if let Some(turn) = pace.next_turn.get(soul.id.as_str()) {
                draft.paced.push((soul.id.to_string(), format!("its next post that is of no trend has its turn at {}", UtcTime(*turn))));
                continue;
            }
            for story in stories.by_ref() {
                let terms = Terms { may_pay: false };
                // Nobody of the campaign has it yet: two agents that tell one item would say the same.
                let of_all = planner::plan(campaign, souls, &story, &terms, ports.clock.now())?;
                let of_all = planner::former::keep_ids(ports.tasks.as_ref(), campaign, &story, of_all).await?;
                let ids: Vec<UuidV4> = of_all.iter().map(|task| task.task_id).collect();
                if tasks.iter().any(|task| ids.contains(&task.task_id)) || ports.tasks.has_any(&ids).await? {
                    continue;
                }
                let own = of_all.into_iter().filter(|task| task.context.agent_id == soul.id.as_str()).collect();
                let (own, told) = self.untold(own).await?;
                draft.told_elsewhere.extend(told);
                if !own.is_empty() {
                    tasks.extend(own);
                    break;
                }
            }
        }
        Ok(tasks)
    }
}
