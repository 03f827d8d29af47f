//! Turns a goal and a trend into tasks. Decides and queues, executes nothing.

mod by_model;
pub mod former;
pub mod media;
mod story;

pub use by_model::{ModelPlanner, NoModelPlan};
pub use story::Story;

use crate::{
    contracts::{
        Checker, UtcTime, UuidV4, Violation,
        content_generator::ContentType,
        schema,
        task::{AgentTask, Priority, TaskAcceptance, TaskContext, TaskStatus, TaskTransaction, TaskType},
    },
    domain::{hidden::is_hidden, soul::Soul},
    ports::swarm::{CampaignState, Replan, ReturnedTask},
};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// In a campaign's `budget_constraints`: one payment to make for each planned trend, as the wallet's `operation`, `params` and `budget_check`.
pub const PAYMENT_KEY: &str = "payment";

static PAYMENT: LazyLock<Checker> = LazyLock::new(|| Checker::new(schema::of::<TaskTransaction>()));

/// A trend as strong as this is of high priority: with eight items of four voices, nearly all of them new and to the point.
const HIGH_PRIORITY_SIGNAL: f64 = 0.7;
/// The topics are words of strangers: so many characters of them.
const TOPIC_CHARS_MAX: usize = 80;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("budget_constraints.{PAYMENT_KEY} is not a payment: {}", .0.iter().map(|violation| format!("{} {}", violation.path, violation.problem)).collect::<Vec<_>>().join("; "))]
pub struct NotAPayment(pub Vec<Violation>);

/// What the Planner goes by, besides campaign and trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Whether a further payment is within the campaign's budget and the wallet's balance.
    pub may_pay: bool,
}

/// A campaign's payment, if it has one.
pub fn payment_of(budget_constraints: &Map<String, Value>) -> Result<Option<TaskTransaction>, NotAPayment> {
    budget_constraints.get(PAYMENT_KEY).map(|payment| PAYMENT.read(payment).map_err(NotAPayment)).transpose()
}

/// One post per agent on its first platform, and the campaign's payment by the first agent once its post is done.
/// The ids follow from campaign, goal, story and agent, so planning one story twice queues nothing new.
pub fn plan(
    campaign: &CampaignState,
    souls: &[Soul],
    story: &Story,
    terms: &Terms,
    now: DateTime<Utc>,
) -> Result<Vec<AgentTask>, NotAPayment> {
    let mut tasks: Vec<AgentTask> = souls.iter().map(|soul| content_task(campaign, soul, story, now)).collect();
    let payment = payment_of(&campaign.goal.budget_constraints)?.filter(|_| terms.may_pay);
    if let (Some(transaction), Some(soul), Some(post)) = (payment, souls.first(), tasks.first()) {
        let mut task = task(campaign, soul, story, TaskType::ExecuteTransaction, now);
        task.depends_on = vec![post.task_id];
        task.transaction = Some(transaction);
        tasks.push(task);
    }
    Ok(tasks)
}

/// What becomes of a task that came back. `posts_gone` says why no further post is within the campaign's budget.
pub fn replan(returned: &ReturnedTask, posts_gone: Option<&str>) -> Replan {
    if returned.goal_changed {
        return Replan::Prune { reason: "the campaign has another goal now".to_owned() };
    }
    if let Some(reason) = posts_gone.filter(|_| returned.task.acceptance_criteria.is_some()) {
        return Replan::Prune { reason: reason.to_owned() };
    }
    Replan::Rearm
}

/// The id that a trend's task has, whoever plans it and however often. Those of one story stand together, since they are queued together.
pub fn task_id(campaign_id: &str, goal_version: u64, cluster_id: &str, agent_id: &str, task_type: TaskType) -> UuidV4 {
    UuidV4::named_in(cluster_id, &[campaign_id, &goal_version.to_string(), cluster_id, agent_id, kind(task_type)])
}

fn kind(task_type: TaskType) -> &'static str {
    match task_type {
        TaskType::GenerateContent => "generate_content",
        TaskType::ReplyComment => "reply_comment",
        TaskType::ExecuteTransaction => "execute_transaction",
    }
}

fn content_task(campaign: &CampaignState, soul: &Soul, story: &Story, now: DateTime<Utc>) -> AgentTask {
    let platform = soul.platforms.first().map_or("mastodon", |platform| platform.name());
    let mut task = task(campaign, soul, story, TaskType::GenerateContent, now);
    task.context.required_resources = story.resource_uris.clone();
    task.acceptance_criteria = Some(text_on(platform));
    if story.signal_strength >= HIGH_PRIORITY_SIGNAL {
        task.priority = Priority::High;
    }
    task
}

/// How good it must be is the Judge's to say: a skill that refused what is below some score would keep it from being judged.
pub(super) fn text_on(platform: &str) -> TaskAcceptance {
    TaskAcceptance { min_confidence: 0.0, content_type: ContentType::Text, video_tier: None, platform: platform.to_owned() }
}

fn task(campaign: &CampaignState, soul: &Soul, story: &Story, task_type: TaskType, now: DateTime<Utc>) -> AgentTask {
    let id = task_id(&campaign.goal.campaign_id, campaign.goal_version, &story.cluster_id, soul.id.as_str(), task_type);
    let mut task = new_task(campaign, soul, id, task_type, now);
    if task_type != TaskType::ExecuteTransaction {
        // Not a list: perception reads a goal with many aspects as a broad one, and this is about one story. Between quotation marks, because
        // they are strangers' words: a model that reads the goal is told what those mean.
        let topics: Vec<String> = story.topics.iter().map(|topic| quoted(topic)).collect();
        task.context.goal_description = format!("{} {}", task.context.goal_description, topics.join(" "));
    }
    task
}

/// A topic on one line that cannot end its quotation.
pub(super) fn quoted(topic: &str) -> String {
    let plain: String = topic.chars().filter(|c| !is_hidden(*c) && !matches!(c, '"' | '“' | '”')).take(TOPIC_CHARS_MAX).collect();
    format!("\"{plain}\"")
}

/// Of medium priority, with nothing asked for yet.
pub(super) fn new_task(campaign: &CampaignState, soul: &Soul, task_id: UuidV4, task_type: TaskType, now: DateTime<Utc>) -> AgentTask {
    AgentTask {
        task_id,
        task_type,
        priority: Priority::Medium,
        status: TaskStatus::Pending,
        created_at: UtcTime(now),
        assigned_worker_id: None,
        state_version: campaign.state_version,
        depends_on: Vec::new(),
        attempt: 1,
        feedback: None,
        context: TaskContext {
            goal_description: campaign.goal.goal_description.clone(),
            persona_constraints: soul.directives.clone(),
            required_resources: Vec::new(),
            campaign_id: campaign.goal.campaign_id.clone(),
            agent_id: soul.id.to_string(),
        },
        acceptance_criteria: None,
        transaction: None,
        estimate: None,
    }
}

#[cfg(test)]
mod tests;
