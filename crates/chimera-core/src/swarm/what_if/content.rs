//! The Judge's decisions. What a later check held back (meaning, grounding, repetition, a second opinion) stays held: those checks read the
//! world as it was, which is gone, and none of them ever lets through what the thresholds hold.

use super::{Replayed, summed};
use crate::{
    contracts::{
        decision::{HitlReason, JudgeDecision, Verdict},
        views::hindsight::{Outcome, WhatIfDecision, WhatIfDecisions},
    },
    domain::hidden::excerpt,
    ports::recorded::RecordedJudgement,
    swarm::judge::{JudgedAs, Judgement, Thresholds, is_for_score_alone, judge},
};

const WHAT_CHARS_MAX: usize = 140;

/// A decision on record, and whom its text is judged as today.
pub(super) struct Judged {
    pub record: RecordedJudgement,
    pub persona: JudgedAs,
}

/// Oldest first.
pub(super) fn replay<'a>(records: impl Iterator<Item = &'a Judged>, today: &Thresholds, then: &Thresholds) -> WhatIfDecisions {
    // A payment's result is approved as it is: the CFO has decided before anything was signed.
    let texts = records.filter(|judged| judged.record.result.transaction.is_none());
    summed(texts.map(|judged| replayed(judged, today, then)))
}

fn replayed(judged: &Judged, today: &Thresholds, then: &Thresholds) -> Result<Replayed, &'static str> {
    let Judged { record, persona } = judged;
    if record.attempt.is_none() {
        return Err("the event log does not tell which attempt it was");
    }
    if persona.is_err() {
        return Err("the SOUL of its agent cannot be read now");
    }
    let now = judge(&record.task, &record.result, persona, today);
    let moved = if then == today { now.clone() } else { judge(&record.task, &record.result, persona, then) };
    let recorded = outcome(record.decision.decision);
    let bound = Bound::of(&record.decision, &now);
    let (today, then) = match bound {
        Bound::Thresholds => (outcome(now.verdict), outcome(moved.verdict)),
        Bound::SpentBudget if moved.verdict != Verdict::Reject => (recorded, outcome(moved.verdict)),
        Bound::LaterCheck(_) if moved.verdict != now.verdict && moved.verdict == Verdict::Reject => (recorded, Outcome::Refused),
        Bound::LaterCheck(_) | Bound::SpentBudget => (recorded, recorded),
    };
    let artifact = record.result.artifact.as_ref();
    let text = artifact.and_then(|artifact| artifact.payload_text.as_deref()).unwrap_or("a result without a text");
    let held = match bound {
        Bound::LaterCheck(what) if then == recorded => Some(what),
        Bound::LaterCheck(_) | Bound::Thresholds | Bound::SpentBudget => None,
    };
    let decision = WhatIfDecision {
        task_id: record.task.task_id,
        agent_id: record.result.agent_id.clone(),
        at: record.decision.created_at,
        what: excerpt(text, WHAT_CHARS_MAX),
        confidence: Some(record.result.confidence_score),
        recorded,
        today,
        then,
        why: if held.is_some() { record.decision.reason.clone() } else { moved.reason },
        said: record.said,
    };
    Ok(Replayed { decision, held })
}

/// What a decision on record hung on.
#[derive(Clone, Copy)]
enum Bound {
    /// On what `judge` says alone, or on what it said under other values or another SOUL.
    Thresholds,
    /// It could not be paid to be made again, so a person was asked.
    SpentBudget,
    LaterCheck(&'static str),
}

impl Bound {
    fn of(decision: &JudgeDecision, now: &Judgement) -> Self {
        let is_same = decision.decision == now.verdict && decision.hitl_reason == now.hitl_reason;
        if is_for_score_alone(decision) || (is_same && decision.hitl_reason != Some(HitlReason::LowConfidence)) {
            return Self::Thresholds;
        }
        match (decision.decision, decision.hitl_reason) {
            (Verdict::Approve, _) => Self::Thresholds,
            (Verdict::Escalate, Some(HitlReason::Anomalous)) if now.verdict == Verdict::Reject => Self::SpentBudget,
            // Directives that no program can check, and sentences that are doubted: `judge` says so itself.
            (Verdict::Escalate, Some(HitlReason::LowConfidence)) if is_same && now.reason == decision.reason => Self::Thresholds,
            (Verdict::Escalate, Some(HitlReason::SensitiveTopic)) => {
                Self::LaterCheck("a sensitive topic, which a person decides whatever the score")
            }
            (Verdict::Escalate, Some(HitlReason::PolicyViolation)) => Self::LaterCheck("a rule of the policy, or a text that may offend"),
            (Verdict::Escalate, Some(HitlReason::Anomalous)) => Self::LaterCheck("it repeated itself, or could not be checked"),
            (Verdict::Escalate, Some(HitlReason::LowConfidence) | None) => Self::LaterCheck("a check after the thresholds wanted a person"),
            (Verdict::Reject, _) => Self::LaterCheck("sent back by a check after the thresholds, or since its campaign had moved on"),
        }
    }
}

fn outcome(verdict: Verdict) -> Outcome {
    match verdict {
        Verdict::Approve => Outcome::Alone,
        Verdict::Escalate => Outcome::Person,
        Verdict::Reject => Outcome::Refused,
    }
}
