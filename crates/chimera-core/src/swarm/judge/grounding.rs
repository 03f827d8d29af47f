//! Whether what a text says stands in what its task had, by the Judge's own reading and not by the word of whoever wrote it.

use super::{Judgement, Thresholds, escalate, material::Found, retry_or_ask};
use crate::{
    composer::{Given, unfounded},
    contracts::{
        decision::{HitlReason, Verdict},
        result::WorkerResult,
        task::{AgentTask, TaskType},
    },
    domain::Soul,
    ports::embedder::Embedder,
};

/// Faults that a reason names; the others are counted.
const FAULTS_TOLD_MAX: usize = 5;
const FAULT_CHARS_MAX: usize = 160;

/// Everything in the text that nobody said.
pub(super) fn faults(task: &AgentTask, result: &WorkerResult, soul: &Soul, found: &Found, embedder: &dyn Embedder) -> Vec<String> {
    let Some(text) = result.artifact.as_ref().and_then(|artifact| artifact.payload_text.as_deref()) else { return Vec::new() };
    let context = &task.context;
    let constraints: Vec<String> = context.persona_constraints.iter().chain(&context.brief).cloned().collect();
    let given = Given { soul, goal: &context.goal_description, constraints: &constraints, sources: &found.sources };
    unfounded(&given, said(task, text), embedder)
}

/// Without whom a reply is addressed to, which is no claim.
fn said<'a>(task: &AgentTask, text: &'a str) -> &'a str {
    if task.task_type != TaskType::ReplyComment || !text.starts_with('@') {
        return text;
    }
    text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
}

/// What is unfounded is made again. Where it may rest on what is not known any more, nobody but a person can say, and nothing goes through, but
/// for the embedded composer's passages: it has no words of its own to invent anything with, and the reason says what was not seen.
pub(super) fn with_faults(
    judgement: Judgement,
    (task, result): (&AgentTask, &WorkerResult),
    thresholds: &Thresholds,
    faults: &[String],
    gap: Option<&str>,
) -> Judgement {
    if faults.is_empty() {
        return judgement;
    }
    let told = told(faults);
    let is_open = judgement.verdict == Verdict::Approve || judgement.hitl_reason == Some(HitlReason::LowConfidence);
    match gap {
        // Whoever decides, or writes it anew, should know.
        _ if !is_open => Judgement { reason: format!("{}; {told}", judgement.reason), ..judgement },
        Some(gap) if result.is_by_composer() => {
            let reason =
                format!("{}; its passage was not found again, since {gap}, and rests on the composer's own checks", judgement.reason);
            Judgement { reason, ..judgement }
        }
        Some(gap) => escalate(HitlReason::Anomalous, &format!("{told}; it could not be checked further, since {gap}: a person decides")),
        None => retry_or_ask(task, thresholds, HitlReason::PolicyViolation, &told),
    }
}

fn told(faults: &[String]) -> String {
    let shortened = |fault: &String| fault.chars().take(FAULT_CHARS_MAX).collect::<String>();
    let told = faults.iter().take(FAULTS_TOLD_MAX).map(shortened).collect::<Vec<_>>().join("; ");
    let more = faults.len().saturating_sub(FAULTS_TOLD_MAX);
    if more == 0 { told } else { format!("{told}; and {more} more") }
}
