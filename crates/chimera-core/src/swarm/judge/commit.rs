//! A judgement becomes a decision on record, with what follows from it, against the state that the task was planned for.

use super::{Judgement, escalate};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        decision::{HitlReason, JudgeDecision, Verdict},
        result::WorkerResult,
        review::{ReviewItem, ReviewStatus},
        task::AgentTask,
    },
    ports::{
        StoreError,
        swarm::{Consequence, DecideError, Judgements, Post, PostStatus},
    },
};
use chrono::{DateTime, Utc};

pub(super) async fn commit(
    store: &dyn Judgements,
    task: &AgentTask,
    result: &WorkerResult,
    mut judgement: Judgement,
    now: DateTime<Utc>,
) -> Result<JudgeDecision, StoreError> {
    let mut decided = decide(store, task, result, &judgement, now).await;
    if let Err(DecideError::BudgetGone(gone)) = &decided
        && judgement.verdict == Verdict::Reject
    {
        // It cannot be paid to be made again: a person decides on what there is.
        judgement = escalate(HitlReason::Anomalous, &format!("{}; {gone}", judgement.reason));
        decided = decide(store, task, result, &judgement, now).await;
    }
    let decision = match decided {
        Ok(decision) => decision,
        Err(DecideError::Store(error)) => return Err(error),
        // What the task was planned for is no longer so: back to the Planner, with nothing committed.
        Err(moved) => send_back(store, task, result, moved.to_string(), now).await?,
    };
    tracing::info!(task.id = %task.task_id, "judged task {}: {:?}, {}", task.task_id, decision.decision, decision.reason);
    Ok(decision)
}

async fn send_back(
    store: &dyn Judgements,
    task: &AgentTask,
    result: &WorkerResult,
    reason: String,
    now: DateTime<Utc>,
) -> Result<JudgeDecision, StoreError> {
    let stale = Judgement { verdict: Verdict::Reject, reason: reason.clone(), hitl_reason: None };
    let decision = decision(task, result, &stale, now);
    store.decide(&decision, &Consequence::Return { reason }).await.map_err(|error| match error {
        DecideError::Store(error) => error,
        refused => StoreError::Corrupt(format!("a return to the Planner was refused: {refused}")),
    })?;
    Ok(decision)
}

async fn decide(
    store: &dyn Judgements,
    task: &AgentTask,
    result: &WorkerResult,
    judgement: &Judgement,
    now: DateTime<Utc>,
) -> Result<JudgeDecision, DecideError> {
    let decision = decision(task, result, judgement, now);
    store.decide(&decision, &consequence(task, result, judgement, now)).await?;
    Ok(decision)
}

fn decision(task: &AgentTask, result: &WorkerResult, judgement: &Judgement, now: DateTime<Utc>) -> JudgeDecision {
    JudgeDecision {
        decision_id: UuidV4::named(&["decision", &result.result_id.to_string()]),
        result_id: Some(result.result_id),
        task_id: task.task_id,
        decision: judgement.verdict,
        state_version: task.state_version,
        created_at: UtcTime(now),
        reason: judgement.reason.clone(),
        hitl_reason: judgement.hitl_reason,
    }
}

fn consequence(task: &AgentTask, result: &WorkerResult, judgement: &Judgement, now: DateTime<Utc>) -> Consequence {
    match judgement.verdict {
        Verdict::Reject => Consequence::Retry { feedback: judgement.reason.clone() },
        Verdict::Escalate => Consequence::AskPerson(Box::new(review(task, result, &judgement.reason, now))),
        Verdict::Approve => match post(task, result) {
            Some(post) => Consequence::Publish(post),
            None => Consequence::Complete,
        },
    }
}

/// What an approval lets out, when there is anything to let out.
pub(in crate::swarm) fn post(task: &AgentTask, result: &WorkerResult) -> Option<Post> {
    let artifact = result.artifact.as_ref()?;
    Some(Post {
        post_id: UuidV4::named(&["post", &result.result_id.to_string()]),
        task_id: task.task_id,
        result_id: result.result_id,
        campaign_id: task.context.campaign_id.clone(),
        agent: task.context.agent_id.parse().ok()?,
        platform: artifact.platform_target.clone()?,
        text: artifact.payload_text.clone()?,
        media_uri: artifact.payload_media_uri.clone(),
        reply_to: crate::swarm::replying::answered_post(task),
        status: PostStatus::Approved,
        begun_at: None,
        url: None,
    })
}

fn review(task: &AgentTask, result: &WorkerResult, reason: &str, now: DateTime<Utc>) -> ReviewItem {
    ReviewItem {
        review_id: UuidV4::named(&["review", &result.result_id.to_string()]),
        result_id: Some(result.result_id),
        task_id: task.task_id,
        agent_id: task.context.agent_id.clone(),
        escalation_reason: reason.to_owned(),
        artifact: result.artifact.clone(),
        transaction: task.transaction.clone(),
        confidence_score: Some(result.confidence_score),
        reasoning_trace: Some(result.reasoning_trace.clone()),
        created_at: UtcTime(now),
        status: ReviewStatus::Pending,
    }
}
