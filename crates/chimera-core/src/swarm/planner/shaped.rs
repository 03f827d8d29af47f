//! What a person made of a plan: tasks that are dropped, that have a brief, and that a person added.

use super::{new_task, text_on, with_dependents};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        task::{AgentTask, Priority, TaskType},
    },
    domain::{Platform, Soul},
    ports::swarm::{CampaignState, PlannedTask},
};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// A post that an operator asks for. What it is written from is found when it is queued.
pub fn added(campaign: &CampaignState, soul: &Soul, platform: Platform, brief: Option<String>, now: DateTime<Utc>) -> AgentTask {
    let mut task = new_task(campaign, soul, UuidV4::random(), TaskType::GenerateContent, now);
    // What a person asks for comes before what merely could be said.
    task.priority = Priority::High;
    task.context.brief = brief;
    task.acceptance_criteria = Some(text_on(platform.name()));
    task
}

/// A task that was added to the plan, as it is queued now.
pub fn queued(planned: &PlannedTask, campaign: &CampaignState, sources: &[String], now: DateTime<Utc>) -> AgentTask {
    let mut task = planned.task.clone();
    task.state_version = campaign.state_version;
    task.created_at = UtcTime(now);
    task.context.goal_description.clone_from(&campaign.goal.goal_description);
    task.context.required_resources = sources.to_vec();
    task
}

/// What a plan holds for the tasks that it names, by their ids.
pub struct Shape<'a> {
    known: BTreeMap<UuidV4, &'a PlannedTask>,
}

impl<'a> Shape<'a> {
    pub fn of(plan: &'a [PlannedTask]) -> Self {
        Self { known: plan.iter().map(|planned| (planned.task.task_id, planned)).collect() }
    }

    /// Without what is dropped and what waits for that alone, and each with its brief.
    pub fn applied(&self, tasks: &[AgentTask]) -> Vec<AgentTask> {
        let is_dropped = |task: &AgentTask| self.known.get(&task.task_id).is_some_and(|planned| planned.is_dropped);
        let kept = tasks.iter().filter(|task| task.depends_on.is_empty() && !is_dropped(task)).map(|task| self.briefed(task)).collect();
        with_dependents(kept, tasks).into_iter().filter(|task| !is_dropped(task)).collect()
    }

    fn briefed(&self, task: &AgentTask) -> AgentTask {
        let mut task = task.clone();
        if let Some(planned) = self.known.get(&task.task_id) {
            task.context.brief.clone_from(&planned.task.context.brief);
        }
        task
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swarm::{
        planner::{Terms, plan},
        samples::{campaign, soul, story},
    };

    fn planned(task: &AgentTask) -> PlannedTask {
        PlannedTask { task: task.clone(), not_before: None, is_dropped: false, is_added: false, state: None }
    }

    fn of_story() -> Vec<AgentTask> {
        let mut campaign = campaign();
        let params =
            serde_json::json!({ "asset": "USDC", "to_address": "0x00000000000000000000000000000000c0ffee01", "amount_wei_or_units": "5" });
        let payment = serde_json::json!({ "operation": "token_transfer", "params": params });
        campaign.goal.budget_constraints.insert("payment".to_owned(), payment);
        let souls = [soul("selam", "mastodon"), soul("tariku", "bluesky")];
        plan(&campaign, &souls, &story("flood"), &Terms { may_pay: true }, DateTime::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn what_is_dropped_is_not_made_nor_what_waits_for_it_alone() {
        let tasks = of_story();
        assert_eq!(tasks.len(), 3, "two posts, and a payment after the first");
        let dropped = |place: usize| [PlannedTask { is_dropped: true, ..planned(&tasks[place]) }];
        let left = |plan: &[PlannedTask]| Shape::of(plan).applied(&tasks).iter().map(|task| task.task_id).collect::<Vec<_>>();

        assert_eq!(left(&[]), [tasks[0].task_id, tasks[1].task_id, tasks[2].task_id]);
        assert_eq!(left(&dropped(0)), [tasks[1].task_id], "the payment waited for it");
        assert_eq!(left(&dropped(1)), [tasks[0].task_id, tasks[2].task_id]);
        assert_eq!(left(&dropped(2)), [tasks[0].task_id, tasks[1].task_id]);
    }

    #[test]
    fn a_brief_goes_with_its_task_alone() {
        let tasks = of_story();
        let mut briefed = planned(&tasks[1]);
        briefed.task.context.brief = Some("Speak of the price".to_owned());

        let shaped = Shape::of(&[briefed]).applied(&tasks);

        let briefs: Vec<Option<&str>> = shaped.iter().map(|task| task.context.brief.as_deref()).collect();
        assert_eq!(briefs, [None, Some("Speak of the price"), None]);
    }

    #[test]
    fn an_added_task_is_queued_for_the_goal_and_the_state_of_that_moment() {
        let (mut campaign, at) = (campaign(), DateTime::UNIX_EPOCH);
        let task = added(&campaign, &soul("selam", "mastodon"), Platform::Mastodon, Some("Say hello".to_owned()), at);
        campaign.state_version += 1;
        campaign.goal.goal_description = "Tell people about tea".to_owned();

        let queued = queued(&planned(&task), &campaign, &["news://global/food/latest".to_owned()], at);

        assert_eq!((queued.task_id, queued.state_version, queued.context.brief.as_deref()), (task.task_id, 4, Some("Say hello")));
        assert_eq!(queued.context.goal_description, "Tell people about tea");
        assert_eq!(queued.context.required_resources, ["news://global/food/latest"]);
    }
}
