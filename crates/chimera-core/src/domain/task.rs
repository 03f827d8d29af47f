//! A task as the queue sees it: where it is in its life, and what it makes.

mod state;

pub use state::{OutOfTurn, TaskEvent, TaskState};

use crate::contracts::{
    content_generator::ContentType,
    task::{AgentTask, TaskType},
};

/// What a task makes, in two or three words: "text for bluesky", "reply on mastodon", "payment".
pub fn what(task: &AgentTask) -> String {
    let criteria = task.acceptance_criteria.as_ref();
    let platform = criteria.map_or("?", |criteria| criteria.platform.as_str());
    match (task.task_type, criteria.map(|criteria| criteria.content_type)) {
        (TaskType::ExecuteTransaction, _) => "payment".to_owned(),
        (TaskType::ReplyComment, _) => format!("reply on {platform}"),
        (TaskType::GenerateContent, Some(ContentType::Image)) => format!("picture for {platform}"),
        (TaskType::GenerateContent, Some(ContentType::Video)) => format!("video for {platform}"),
        (TaskType::GenerateContent, Some(ContentType::Text) | None) => format!("text for {platform}"),
    }
}
