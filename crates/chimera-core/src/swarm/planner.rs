//! Turns a goal and a trend into tasks. Decides and queues, executes nothing.

mod by_model;
pub mod former;
pub mod media;
pub mod shaped;
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
    domain::{
        Platform,
        campaign::{NotAReach, Reach},
        hidden::is_hidden,
        soul::Soul,
    },
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

/// What stands in a campaign's goal, and nothing can be planned by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unplannable {
    #[error(transparent)]
    Payment(#[from] NotAPayment),
    #[error(transparent)]
    Reach(#[from] NotAReach),
}

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

/// One post per agent and platform, and the campaign's payment by the first agent once its first post is done.
/// The ids follow from campaign, goal, story, agent and platform, so planning one story twice queues nothing new.
pub fn plan(
    campaign: &CampaignState,
    souls: &[Soul],
    story: &Story,
    terms: &Terms,
    now: DateTime<Utc>,
) -> Result<Vec<AgentTask>, Unplannable> {
    let reach = Reach::of(&campaign.goal.budget_constraints)?;
    let mut tasks: Vec<AgentTask> = Vec::new();
    for soul in souls {
        let platforms: Vec<Platform> = reach.of_soul(soul).collect();
        // An agent with one platform tells a story once, and needs no count.
        let telling = |number: u32| (platforms.len() > 1).then_some(number);
        for (platform, number) in platforms.iter().zip(1..) {
            let mut task = content_task(campaign, soul, story, *platform, now);
            task.context.telling = telling(number);
            tasks.push(task);
        }
    }
    let payment = payment_of(&campaign.goal.budget_constraints)?.filter(|_| terms.may_pay);
    let first = souls.first().and_then(|soul| Some((soul, tasks.iter().find(|task| task.context.agent_id == soul.id.as_str())?)));
    if let (Some(transaction), Some((soul, post))) = (payment, first) {
        let id =
            task_id(&campaign.goal.campaign_id, campaign.goal_version, &story.cluster_id, soul.id.as_str(), TaskType::ExecuteTransaction);
        let mut task = new_task(campaign, soul, id, TaskType::ExecuteTransaction, now);
        task.depends_on = vec![post.task_id];
        task.transaction = Some(transaction);
        tasks.push(task);
    }
    Ok(tasks)
}

/// Posts that were kept of a plan, with what depends on them. What waits for one that is gone waits for another of its agent; where there
/// is none it goes as well.
pub(super) fn with_dependents(mut kept: Vec<AgentTask>, planned: &[AgentTask]) -> Vec<AgentTask> {
    let posts: Vec<(UuidV4, String)> = kept.iter().map(|task| (task.task_id, task.context.agent_id.clone())).collect();
    for task in planned.iter().filter(|task| !task.depends_on.is_empty()) {
        let is_kept = |id: &UuidV4| posts.iter().any(|(kept, _)| kept == id);
        if task.depends_on.iter().all(is_kept) {
            kept.push(task.clone());
        } else if let Some((other, _)) = posts.iter().find(|(_, agent)| *agent == task.context.agent_id) {
            kept.push(AgentTask { depends_on: vec![*other], ..task.clone() });
        }
    }
    kept
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

/// The id that a story's post on its agent's first platform has, or its payment, whoever plans it and however often. Those of one story
/// stand together, since they are queued together.
pub fn task_id(campaign_id: &str, goal_version: u64, cluster_id: &str, agent_id: &str, task_type: TaskType) -> UuidV4 {
    UuidV4::named_in(cluster_id, &[campaign_id, &goal_version.to_string(), cluster_id, agent_id, kind(task_type)])
}

/// The id that a story's post has on this platform. On the first one of the SOUL it is that of before there were others: what was posted
/// there then is not posted again.
pub fn post_id(campaign_id: &str, goal_version: u64, cluster_id: &str, soul: &Soul, platform: Platform) -> UuidV4 {
    let (agent_id, task_type) = (soul.id.as_str(), TaskType::GenerateContent);
    if soul.platforms.first() == Some(&platform) {
        return task_id(campaign_id, goal_version, cluster_id, agent_id, task_type);
    }
    further_post_id(campaign_id, goal_version, cluster_id, agent_id, platform.name())
}

fn further_post_id(campaign_id: &str, goal_version: u64, cluster_id: &str, agent_id: &str, platform: &str) -> UuidV4 {
    let goal_version = goal_version.to_string();
    UuidV4::named_in(cluster_id, &[campaign_id, &goal_version, cluster_id, agent_id, kind(TaskType::GenerateContent), platform])
}

/// Whether the task was planned for this story, under the goal of this version.
pub fn is_of_story(task: &AgentTask, goal_version: u64, cluster_id: &str) -> bool {
    let context = &task.context;
    let (campaign_id, agent_id) = (&context.campaign_id, &context.agent_id);
    let further =
        task.acceptance_criteria.as_ref().map(|made| further_post_id(campaign_id, goal_version, cluster_id, agent_id, &made.platform));
    task.task_id == task_id(campaign_id, goal_version, cluster_id, agent_id, task.task_type)
        || Some(task.task_id) == further
        || task.task_id == former::task_id(campaign_id, goal_version, cluster_id, agent_id, task.task_type)
}

fn kind(task_type: TaskType) -> &'static str {
    match task_type {
        TaskType::GenerateContent => "generate_content",
        TaskType::ReplyComment => "reply_comment",
        TaskType::ExecuteTransaction => "execute_transaction",
    }
}

fn content_task(campaign: &CampaignState, soul: &Soul, story: &Story, platform: Platform, now: DateTime<Utc>) -> AgentTask {
    let id = post_id(&campaign.goal.campaign_id, campaign.goal_version, &story.cluster_id, soul, platform);
    let mut task = new_task(campaign, soul, id, TaskType::GenerateContent, now);
    // Not a list: perception reads a goal with many aspects as a broad one, and this is about one story. Between quotation marks, because
    // they are strangers' words: a model that reads the goal is told what those mean.
    let topics: Vec<String> = story.topics.iter().map(|topic| quoted(topic)).collect();
    task.context.goal_description = format!("{} {}", task.context.goal_description, topics.join(" "));
    task.context.required_resources = story.resource_uris.clone();
    task.acceptance_criteria = Some(text_on(platform.name()));
    if story.signal_strength >= HIGH_PRIORITY_SIGNAL {
        task.priority = Priority::High;
    }
    task
}

/// How good it must be is the Judge's to say: a skill that refused what is below some score would keep it from being judged.
pub(super) fn text_on(platform: &str) -> TaskAcceptance {
    TaskAcceptance { min_confidence: 0.0, content_type: ContentType::Text, video_tier: None, platform: platform.to_owned() }
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
            telling: None,
            form: None,
            brief: None,
        },
        acceptance_criteria: None,
        transaction: None,
        estimate: None,
    }
}

#[cfg(test)]
mod tests;
