//! A task that its Workers could not do, or not better: a person is told, with the reason, and decides.

use crate::{
    contracts::{
        UtcTime, UuidV4,
        result::WorkerResult,
        review::{ReviewAction, ReviewItem, ReviewStatus},
        task::{AgentTask, TaskType},
    },
    ports::swarm::Attempt,
};
use chrono::{DateTime, Utc};

/// The best of what was made, and no person has turned down.
fn best(attempts: &[Attempt]) -> Option<&WorkerResult> {
    let is_rejected = |attempt: &&Attempt| attempt.answer.as_ref().is_some_and(|answer| answer.action == ReviewAction::Reject);
    let open = attempts.iter().filter(|attempt| !is_rejected(attempt) && attempt.result.artifact.is_some());
    open.map(|attempt| &attempt.result).max_by(|one, other| one.confidence_score.total_cmp(&other.confidence_score))
}

/// What a person is asked: about the best attempt where there is one, else whether to try again.
pub fn review(task: &AgentTask, attempts: &[Attempt], reason: &str, now: DateTime<Utc>) -> ReviewItem {
    let best = best(attempts);
    let wanted = match task.task_type {
        TaskType::GenerateContent => "the post",
        TaskType::ReplyComment => "the reply",
        TaskType::ExecuteTransaction => "the payment",
    };
    let escalation_reason = match best {
        Some(_) => format!("this is the best of {} attempts, and no better one could be made: {reason}", attempts.len()),
        None => format!("{wanted} could not be made: {reason}"),
    };
    ReviewItem {
        review_id: UuidV4::named(&["stuck", &task.task_id.to_string(), &task.attempt.to_string()]),
        result_id: best.map(|result| result.result_id),
        task_id: task.task_id,
        agent_id: task.context.agent_id.clone(),
        escalation_reason,
        artifact: best.and_then(|result| result.artifact.clone()),
        transaction: None,
        confidence_score: best.map(|result| result.confidence_score),
        reasoning_trace: best.map(|result| result.reasoning_trace.clone()),
        created_at: UtcTime(now),
        status: ReviewStatus::Pending,
    }
}
