//! A campaign's cadence: who has posts left, and what fills the time that trends leave.

use super::{
    super::planner::{self, Story, Terms},
    Draft, Paced, PlanError, Swarm,
    shaping::Planning,
};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        filter_result::SemanticFilterResult,
        task::{AgentTask, TaskType},
    },
    domain::{Soul, campaign::Cadence},
    ports::{
        StoreError,
        swarm::{CampaignState, Tasks},
    },
};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

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
    /// How many posts of an agent fit in, on all its platforms together.
    room: BTreeMap<String, u64>,
    /// When an agent's last post on a platform was planned.
    last_on: BTreeMap<(String, String), DateTime<Utc>>,
}

impl Pace {
    /// What fits in. A story that does not fit on all of an agent's platforms is told on those that waited longest. What is queued already
    /// takes no room, since it was counted.
    fn fit(&mut self, planned: Vec<AgentTask>, queued: &BTreeSet<UuidV4>, paced: &mut Vec<Paced>) -> Vec<AgentTask> {
        let mut new: Vec<&AgentTask> = planned.iter().filter(|task| is_post(task) && !queued.contains(&task.task_id)).collect();
        new.sort_by_key(|task| self.last_on.get(&place_of(task)).copied().unwrap_or_default());
        let mut cut = BTreeSet::new();
        for task in new {
            let (agent, platform) = place_of(task);
            match self.room.get_mut(&agent) {
                Some(0) => {
                    cut.insert(task.task_id);
                    let reason = format!("its post on {platform} finds no room in the cadence now");
                    paced.push(Paced { agent, platform: Some(platform), reason });
                }
                Some(room) => *room -= 1,
                None => {}
            }
        }
        let kept = planned.iter().filter(|task| is_post(task) && !cut.contains(&task.task_id)).cloned().collect();
        planner::with_dependents(kept, &planned)
    }

    fn has_room(&self, agent: &str) -> bool {
        self.room.get(agent).is_none_or(|room| *room > 0)
    }
}

fn is_post(task: &AgentTask) -> bool {
    task.task_type == TaskType::GenerateContent
}

fn place_of(task: &AgentTask) -> (String, String) {
    let platform = task.acceptance_criteria.as_ref().map(|criteria| criteria.platform.clone());
    (task.context.agent_id.clone(), platform.unwrap_or_default())
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
        for task in tasks.iter().filter(|task| is_post(task)) {
            let last = pace.last_on.entry(place_of(task)).or_default();
            *last = (*last).max(task.created_at.0);
        }
        for soul in souls {
            let id = soul.id.as_str();
            let of_agent = tasks.iter().filter(|task| is_post(task) && task.context.agent_id == id);
            let planned: Vec<DateTime<Utc>> = of_agent.map(|task| task.created_at.0).collect();
            pace.room.extend(cadence.room(&planned, now).map(|room| (id.to_owned(), room)));
            if let Some(reason) = cadence.full(&planned, now) {
                pace.full.insert(id.to_owned(), reason);
            } else if let Some(turn) = cadence.next_turn(&planned).filter(|turn| *turn > now) {
                pace.next_turn.insert(id.to_owned(), turn);
            }
        }
        Ok(pace)
    }

    /// What of a plan fits into the cadence now.
    pub(super) async fn in_pace(
        &self,
        planned: Vec<AgentTask>,
        pace: &mut Pace,
        paced: &mut Vec<Paced>,
    ) -> Result<Vec<AgentTask>, StoreError> {
        if !pace.is_kept {
            return Ok(planned);
        }
        let queued = queued(self.ports.tasks.as_ref(), &planned).await?;
        Ok(pace.fit(planned, &queued, paced))
    }

    /// Where the campaign has a cadence, items that matter fill what trends leave of it: for each agent whose turn it is, the most relevant
    /// one of a story that nobody was given yet.
    pub(super) async fn singles(
        &self,
        Planning { campaign, shape }: Planning<'_>,
        souls: &[Soul],
        items: &[SemanticFilterResult],
        pace: &mut Pace,
        draft: &mut Draft,
    ) -> Result<Vec<AgentTask>, PlanError> {
        let ports = &self.ports;
        let mut tasks: Vec<AgentTask> = Vec::new();
        if !pace.is_kept {
            return Ok(tasks);
        }
        let worth_it = |item: &&SemanticFilterResult| item.above_threshold && item.relevance_score >= SINGLE_RELEVANCE_MIN;
        let mut stories = items.iter().filter(worth_it).filter_map(Story::of_item);
        for soul in souls {
            if !pace.has_room(soul.id.as_str()) {
                continue;
            }
            if let Some(turn) = pace.next_turn.get(soul.id.as_str()) {
                let reason = format!("its next post that is of no trend has its turn at {}", UtcTime(*turn));
                draft.paced.push(Paced { agent: soul.id.to_string(), platform: None, reason });
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
                let own = shape.applied(&own);
                if !own.is_empty() {
                    tasks.extend(self.in_pace(own, pace, &mut draft.paced).await?);
                    break;
                }
            }
        }
        Ok(tasks)
    }
}

/// Those of the tasks that were queued before.
async fn queued(tasks: &dyn Tasks, planned: &[AgentTask]) -> Result<BTreeSet<UuidV4>, StoreError> {
    let mut found = BTreeSet::new();
    for task in planned {
        if tasks.has_any(&[task.task_id]).await? {
            found.insert(task.task_id);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swarm::samples::{campaign, soul, story};

    fn planned(platforms: &str) -> Vec<AgentTask> {
        let souls = [soul("selam", platforms), soul("tariku", "mastodon")];
        planner::plan(&campaign(), &souls, &story("flood"), &Terms { may_pay: false }, DateTime::UNIX_EPOCH).unwrap()
    }

    fn places(tasks: &[AgentTask]) -> Vec<(String, String)> {
        tasks.iter().map(place_of).collect()
    }

    fn place(agent: &str, platform: &str) -> (String, String) {
        (agent.to_owned(), platform.to_owned())
    }

    #[test]
    fn a_story_with_little_room_is_told_where_nothing_was_said_for_longest() {
        let at = |seconds| DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(seconds);
        let mut pace = Pace {
            room: BTreeMap::from([("selam".to_owned(), 2)]),
            last_on: BTreeMap::from([(place("selam", "mastodon"), at(9)), (place("selam", "bluesky"), at(3))]),
            ..Pace::default()
        };
        let mut paced = Vec::new();

        let kept = pace.fit(planned("mastodon, bluesky, twitter"), &BTreeSet::new(), &mut paced);

        assert_eq!(places(&kept), [place("selam", "bluesky"), place("selam", "twitter"), place("tariku", "mastodon")]);
        let reason = "its post on mastodon finds no room in the cadence now".to_owned();
        assert_eq!(paced, [Paced { agent: "selam".to_owned(), platform: Some("mastodon".to_owned()), reason }]);
        assert!(!pace.has_room("selam") && pace.has_room("tariku"));
    }

    #[test]
    fn what_is_queued_already_takes_no_room() {
        let tasks = planned("mastodon, bluesky");
        let queued = BTreeSet::from([tasks[0].task_id]);
        let mut pace = Pace { room: BTreeMap::from([("selam".to_owned(), 1)]), ..Pace::default() };

        let kept = pace.fit(tasks.clone(), &queued, &mut Vec::new());

        assert_eq!(kept, tasks);
        assert!(!pace.has_room("selam"));
    }
}
