//! Checks every Worker result. Only what stands here approves, rejects or escalates.

mod duplicates;
mod personas;

pub use personas::{JudgedAs, Personas, persona_of};

use crate::{
    contracts::{
        UtcTime, UuidV4,
        decision::{HitlReason, JudgeDecision, Verdict},
        result::WorkerResult,
        review::{ReviewItem, ReviewStatus},
        task::AgentTask,
    },
    domain::platform::Platform,
    policy::{
        crisis,
        publication::{Persona, attribution},
        sensitive,
    },
    ports::StoreError,
    ports::agents::Agents,
    ports::content_check::ContentCheck,
    ports::swarm::{Consequence, DecideError, Judgements, Outbox, Post, PostStatus},
};
use chrono::{DateTime, Utc};
use futures::future::try_join_all;

/// How many results one round of judging takes.
const RESULTS_PER_ROUND_MAX: usize = 1024;
/// How much of what is repeated a reason tells.
const REPEATED_CHARS_MAX: usize = 80;

/// The configuration's `[judge]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    pub approve_above: f64,
    pub reject_below: f64,
    pub retries_max: u32,
    /// May text that the embedded composer wrote be approved without a person. Who wrote it is told by the result, not by the configuration.
    pub auto_approve_embedded: bool,
}

/// What the Judge says, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    pub verdict: Verdict,
    pub reason: String,
    pub hitl_reason: Option<HitlReason>,
}

/// Pure: the same task, result, persona and thresholds give the same judgement.
pub fn judge(task: &AgentTask, result: &WorkerResult, persona: &JudgedAs, thresholds: &Thresholds) -> Judgement {
    match (&result.artifact, &result.transaction) {
        (Some(_), None) => match persona {
            Ok(persona) => judge_content(task, result, persona, thresholds),
            Err(why) => escalate(HitlReason::PolicyViolation, why),
        },
        (None, Some(transaction)) => {
            let facts = &transaction.result;
            let hash = facts.tx_hash.as_deref().unwrap_or("no transaction");
            let block = facts.block_number.as_deref().unwrap_or("-");
            approve(format!("the CFO allowed it before signing, and {hash} is in block {block}"))
        }
        _ => escalate(HitlReason::Anomalous, "the result is neither content nor a transaction"),
    }
}

fn judge_content(task: &AgentTask, result: &WorkerResult, persona: &Persona, thresholds: &Thresholds) -> Judgement {
    let text = result.artifact.as_ref().and_then(|artifact| artifact.payload_text.as_deref()).unwrap_or_default();
    if crisis::offers_help(text) {
        return escalate(HitlReason::SensitiveTopic, "whoever is answered may be in danger: a person decides, at once");
    }
    if crisis::comforts(text) {
        return escalate(HitlReason::SensitiveTopic, "whoever is answered writes of something heavy: a person decides");
    }
    let mut problems = unmet_criteria(task, result);
    let platform = result.artifact.as_ref().and_then(|artifact| artifact.platform_target.as_deref()?.parse::<Platform>().ok());
    problems.extend(persona.problems(platform, text, attribution(text)).iter().map(ToString::to_string));
    if !problems.is_empty() {
        return retry_or_ask(task, thresholds, HitlReason::PolicyViolation, &problems.join("; "));
    }
    let topics = sensitive::topics(text);
    if !topics.is_empty() {
        let named: Vec<&str> = topics.iter().map(|topic| topic.name()).collect();
        return escalate(HitlReason::SensitiveTopic, &format!("it touches {}, which a person decides", named.join(" and ")));
    }
    let score = result.confidence_score;
    let unchecked: Vec<&str> = persona.unchecked().collect();
    if score > thresholds.approve_above && unchecked.is_empty() {
        return approve(format!("confidence {score:.2} is above {:.2}", thresholds.approve_above));
    }
    if score < thresholds.reject_below {
        return retry_or_ask(
            task,
            thresholds,
            HitlReason::LowConfidence,
            &format!("confidence {score:.2} is below {:.2}", thresholds.reject_below),
        );
    }
    // Whoever wrote it, and however sure they are: whether it keeps these, only a person can say.
    if !unchecked.is_empty() {
        return escalate(HitlReason::LowConfidence, &format!("no program can check {}, so a person does", quoted(&unchecked)));
    }
    if thresholds.auto_approve_embedded && result.is_by_composer() {
        return approve(format!("confidence {score:.2} is at least {:.2}, and auto_approve_embedded is set", thresholds.reject_below));
    }
    let writer = match result.written_by.as_deref() {
        Some(writer) if thresholds.auto_approve_embedded => format!(", and {writer} wrote it"),
        None if thresholds.auto_approve_embedded => ", and it does not say who wrote it".to_owned(),
        _ => String::new(),
    };
    let reason = format!("confidence {score:.2} is between {:.2} and {:.2}{writer}", thresholds.reject_below, thresholds.approve_above);
    escalate(HitlReason::LowConfidence, &reason)
}

/// How many directives a reason names.
const UNCHECKED_NAMED_MAX: usize = 3;

fn quoted(directives: &[&str]) -> String {
    let named: Vec<String> = directives.iter().take(UNCHECKED_NAMED_MAX).map(|directive| format!("{directive:?}")).collect();
    let more = directives.len().saturating_sub(UNCHECKED_NAMED_MAX);
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
}

/// The second opinion on a text that no person is asked about yet, or only for its score: meaning tells what words do not. What would be tried
/// again is looked at too, since what is sensitive is a person's to decide whatever its score.
fn with_second_opinion(judgement: Judgement, result: &WorkerResult, check: &dyn ContentCheck) -> Judgement {
    let is_open = judgement.verdict != Verdict::Escalate || judgement.hitl_reason == Some(HitlReason::LowConfidence);
    let Some(text) = result.artifact.as_ref().and_then(|artifact| artifact.payload_text.as_deref()).filter(|_| is_open) else {
        return judgement;
    };
    let signs = check.check(text);
    if signs.is_offensive && judgement.verdict != Verdict::Reject {
        return escalate(HitlReason::PolicyViolation, "it may offend, which a person decides");
    }
    match signs.sensitive_topic {
        Some(topic) => escalate(HitlReason::SensitiveTopic, &format!("its meaning touches {topic}, which a person decides")),
        None => judgement,
    }
}

/// What the task asked for and the result is not.
fn unmet_criteria(task: &AgentTask, result: &WorkerResult) -> Vec<String> {
    let Some(artifact) = &result.artifact else { return vec!["there is no artifact".to_owned()] };
    let Some(criteria) = &task.acceptance_criteria else { return vec!["the task asked for no content".to_owned()] };
    let mut problems = Vec::new();
    if artifact.content_type != criteria.content_type {
        problems.push(format!("asked for {:?}, got {:?}", criteria.content_type, artifact.content_type));
    }
    if artifact.platform_target.as_deref() != Some(criteria.platform.as_str()) {
        problems.push(format!("asked for {}, got {}", criteria.platform, artifact.platform_target.as_deref().unwrap_or("no platform")));
    }
    match (criteria.platform.parse::<Platform>(), artifact.payload_text.as_deref()) {
        (Ok(_), Some(_)) => {}
        (Ok(_), None) => problems.push("there is no text".to_owned()),
        (Err(_), _) => problems.push(format!("{} is not a platform", criteria.platform)),
    }
    if result.confidence_score < criteria.min_confidence {
        problems.push(format!("confidence {:.2} is below the task's {:.2}", result.confidence_score, criteria.min_confidence));
    }
    problems
}

fn approve(reason: String) -> Judgement {
    Judgement { verdict: Verdict::Approve, reason, hitl_reason: None }
}

fn escalate(hitl_reason: HitlReason, reason: &str) -> Judgement {
    Judgement { verdict: Verdict::Escalate, reason: reason.to_owned(), hitl_reason: Some(hitl_reason) }
}

fn retry_or_ask(task: &AgentTask, thresholds: &Thresholds, hitl_reason: HitlReason, reason: &str) -> Judgement {
    if task.attempt <= thresholds.retries_max {
        return Judgement { verdict: Verdict::Reject, reason: reason.to_owned(), hitl_reason: None };
    }
    escalate(hitl_reason, &format!("{reason}, after {} attempts", task.attempt))
}

/// What a result is compared with, beyond its own words.
#[derive(Clone, Copy)]
pub struct Checks<'a> {
    /// Who the agents are, and what their SOULs ask for.
    pub agents: &'a dyn Agents,
    pub personas: &'a Personas,
    /// What the text means.
    pub content: &'a dyn ContentCheck,
    /// What the agent said before, or is about to say.
    pub outbox: &'a dyn Outbox,
}

/// What one pass of judging goes by.
struct Pass<'a> {
    store: &'a dyn Judgements,
    checks: Checks<'a>,
    thresholds: &'a Thresholds,
    now: DateTime<Utc>,
}

/// Decides everything that waits, all at once, so that the store commits it together; answers the decisions made.
pub async fn judge_waiting(
    store: &dyn Judgements,
    checks: Checks<'_>,
    thresholds: &Thresholds,
    now: DateTime<Utc>,
) -> Result<Vec<JudgeDecision>, StoreError> {
    let pass = Pass { store, checks, thresholds, now };
    let waiting = store.undecided(RESULTS_PER_ROUND_MAX).await?;
    let personas = checks.personas.of(checks.agents, waiting.iter().map(|(task, _)| task)).await?;
    let judging = waiting.iter().enumerate().map(|(place, (task, result))| {
        let persona = personas.of(task);
        judge_one(&pass, persona, &waiting[..place], task, result)
    });
    try_join_all(judging).await
}

/// `earlier` are those that are judged at the same time and came before it.
async fn judge_one(
    pass: &Pass<'_>,
    persona: JudgedAs,
    earlier: &[(AgentTask, WorkerResult)],
    task: &AgentTask,
    result: &WorkerResult,
) -> Result<JudgeDecision, StoreError> {
    let Pass { store, checks, thresholds, now } = pass;
    let mut judgement = with_second_opinion(judge(task, result, &persona, thresholds), result, checks.content);
    if judgement.verdict != Verdict::Reject
        && let Some(said) = duplicates::repeated(checks.outbox, earlier, task, result).await?
    {
        let shown: String = said.chars().take(REPEATED_CHARS_MAX).collect();
        let reason = format!("it says again what the agent said or is about to say: \"{shown}…\"");
        judgement = retry_or_ask(task, thresholds, HitlReason::Anomalous, &reason);
    }
    let mut decided = decide(*store, task, result, &judgement, *now).await;
    if let Err(DecideError::BudgetGone(gone)) = &decided
        && judgement.verdict == Verdict::Reject
    {
        // It cannot be paid to be made again: a person decides on what there is.
        judgement = escalate(HitlReason::Anomalous, &format!("{}; {gone}", judgement.reason));
        decided = decide(*store, task, result, &judgement, *now).await;
    }
    let decision = match decided {
        Ok(decision) => decision,
        Err(DecideError::Store(error)) => return Err(error),
        // What the task was planned for is no longer so: back to the Planner, with nothing committed.
        Err(moved) => send_back(*store, task, result, moved.to_string(), *now).await?,
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
pub(super) fn post(task: &AgentTask, result: &WorkerResult) -> Option<Post> {
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
        reply_to: super::replying::answered_post(task),
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

#[cfg(test)]
mod tests;
