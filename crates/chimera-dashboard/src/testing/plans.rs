//! A plan as people shape it: a post, one with a brief, one that is dropped, one that was added, and a payment.

use super::Sample;
use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, task::AgentTask},
    domain::task::TaskState,
    ports::{
        StoreError,
        swarm::{PlannedTask, Plans, ShapeError, Shaping},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

pub(super) fn plan(now: DateTime<Utc>, words: impl Fn(&str) -> String) -> Vec<PlannedTask> {
    let post = |place: u32, agent: &str, platform: &str, brief: Option<&str>| -> AgentTask {
        let mut task = json!({
            "task_id": UuidV4::named(&["planned", &place.to_string()]), "task_type": "generate_content", "priority": "high", "status": "pending",
            "created_at": now.to_rfc3339(), "state_version": 1, "attempt": 1,
            "context": { "goal_description": words("Tell people about fair coffee \"harvest in Sidama\""), "campaign_id": "campaign-coffee", "agent_id": agent },
            "acceptance_criteria": { "min_confidence": 0.0, "content_type": "text", "platform": platform },
            "estimate": { "text_micro_usd": 1200, "media_micro_usd": 0, "risk": "medium" },
        });
        if let Some(brief) = brief {
            task["context"]["brief"] = json!(words(brief));
        }
        serde_json::from_value(task).expect("a sample's task is one")
    };
    let planned = |task: AgentTask| PlannedTask { task, not_before: None, is_dropped: false, is_added: false, state: None };
    vec![
        planned(post(1, "selam", "mastodon", None)),
        PlannedTask {
            not_before: Some(now + TimeDelta::hours(5)),
            ..planned(post(2, "selam", "bluesky", Some("Say what it means for small farms")))
        },
        PlannedTask { is_dropped: true, ..planned(post(3, "tariku", "bluesky", None)) },
        PlannedTask { is_added: true, ..planned(post(4, "tariku", "linkedin", Some("Thank the readers"))) },
        PlannedTask { state: Some(TaskState::InProgress), ..planned(post(5, "hanna", "threads", None)) },
    ]
}

#[async_trait]
impl Plans for Sample {
    async fn record(&self, _: &str, _: &[AgentTask]) -> Result<(), StoreError> {
        Err(StoreError::Closed)
    }
    async fn add(&self, _: &AgentTask, _: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        Err(StoreError::Closed)
    }
    async fn shape(&self, _: &str, _: UuidV4, _: &Shaping, _: DateTime<Utc>) -> Result<PlannedTask, ShapeError> {
        Err(StoreError::Closed.into())
    }
    async fn plan(&self, campaign_id: &str) -> Result<Vec<PlannedTask>, StoreError> {
        Ok(self.facts().plans.iter().filter(|planned| planned.task.context.campaign_id == campaign_id).cloned().collect())
    }
}
