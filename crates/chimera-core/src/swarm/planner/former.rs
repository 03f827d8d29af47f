//! Stores in which a story was planned before the ids of its tasks stood together. There it keeps the ids it has: under others it would be
//! posted, and paid for, once more.

use super::{Story, kind};
use crate::{
    contracts::{
        UuidV4,
        task::{AgentTask, TaskType},
    },
    ports::{
        StoreError,
        swarm::{CampaignState, Tasks},
    },
};
use std::collections::BTreeMap;

/// The id that a trend's task had then.
pub fn task_id(campaign_id: &str, goal_version: u64, cluster_id: &str, agent_id: &str, task_type: TaskType) -> UuidV4 {
    UuidV4::named(&[campaign_id, &goal_version.to_string(), cluster_id, agent_id, kind(task_type)])
}

/// What was planned for `story`, under the ids that it has had in this store.
pub async fn keep_ids(
    tasks: &dyn Tasks,
    campaign: &CampaignState,
    story: &Story,
    mut planned: Vec<AgentTask>,
) -> Result<Vec<AgentTask>, StoreError> {
    let (goal, cluster_id) = (&campaign.goal, &story.cluster_id);
    let id_of = |task: &AgentTask| task_id(&goal.campaign_id, campaign.goal_version, cluster_id, &task.context.agent_id, task.task_type);
    // There was one post of each agent then, on its first platform.
    let first_id_of =
        |task: &AgentTask| super::task_id(&goal.campaign_id, campaign.goal_version, cluster_id, &task.context.agent_id, task.task_type);
    let first = planned.iter().filter(|task| task.task_id == first_id_of(task));
    let former: BTreeMap<UuidV4, UuidV4> = first.map(|task| (task.task_id, id_of(task))).collect();
    let ids: Vec<UuidV4> = former.values().copied().collect();
    if tasks.has_any(&ids).await? {
        for id in planned.iter_mut().flat_map(|task| std::iter::once(&mut task.task_id).chain(&mut task.depends_on)) {
            *id = former.get(id).copied().unwrap_or(*id);
        }
    }
    Ok(planned)
}
