//! Checks every Worker result. Only what stands here approves, rejects or escalates.

mod commit;
mod docket;
mod duplicates;
mod grounding;
mod material;
mod personas;
mod second_opinion;

pub(super) use commit::post;
pub use docket::Docket;
pub use personas::{JudgedAs, Personas, persona_of};
pub use second_opinion::SecondOpinion;

use crate::{
    contracts::{
        decision::{HitlReason, JudgeDecision, Verdict},
        result::WorkerResult,
        task::AgentTask,
    },
    domain::platform::Platform,
    policy::{
        crisis,
        publication::{Persona, attribution},
        sensitive,
    },
    ports::{
        StoreError,
        agents::Agents,
        content_check::ContentCheck,
        embedder::Embedder,
        perception::Perception,
        swarm::{Judgements, Outbox},
    },
};
use chrono::{DateTime, Utc};

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
    let doubted: Vec<&str> = result.doubted.iter().map(String::as_str).collect();
    if score > thresholds.approve_above && unchecked.is_empty() && doubted.is_empty() {
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
    if !doubted.is_empty() {
        return escalate(HitlReason::LowConfidence, &format!("its checks doubt {}, so a person decides", quoted(&doubted)));
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

/// Whether a decision on record is what [`judge_content`] says for the score alone, and nothing that came after it had a word.
pub(super) fn is_for_score_alone(decision: &JudgeDecision) -> bool {
    let reason = decision.reason.as_str();
    let is_for_score = match decision.decision {
        Verdict::Approve => true,
        Verdict::Escalate => reason.contains(" is between ") || reason.contains(" is below "),
        Verdict::Reject => reason.contains(" is below "),
    };
    is_for_score && reason.starts_with("confidence ") && !second_opinion::is_in(reason)
}

/// How many directives or sentences a reason names.
const NAMED_MAX: usize = 3;

fn quoted(passages: &[&str]) -> String {
    let named: Vec<String> = passages.iter().take(NAMED_MAX).map(|passage| format!("{passage:?}")).collect();
    let more = passages.len().saturating_sub(NAMED_MAX);
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
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
    /// What the task's resources hold.
    pub perception: &'a dyn Perception,
    /// Reads what seems to deny the material beside it.
    pub embedder: &'a dyn Embedder,
    /// What the agent said before, or is about to say.
    pub outbox: &'a dyn Outbox,
    /// A language model that is asked what it thinks, where one is configured for it.
    pub second_opinion: Option<&'a SecondOpinion>,
}

/// Decides everything that waits, and waits for whatever that takes; answers the decisions made.
pub async fn judge_waiting(
    store: &dyn Judgements,
    checks: Checks<'_>,
    thresholds: &Thresholds,
    now: DateTime<Utc>,
) -> Result<Vec<JudgeDecision>, StoreError> {
    let mut docket = Docket::new(store, checks, *thresholds);
    docket.take(now).await?;
    docket.decide_all().await.into_iter().collect()
}

#[cfg(test)]
mod tests;
