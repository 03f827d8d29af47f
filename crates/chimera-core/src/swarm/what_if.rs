//! Recorded decisions made again, by the very functions of the Judge and the CFO, under other thresholds (a backtest). Writes nothing.

mod content;
mod payments;

use super::{
    agreement::agreement,
    judge::{Personas, Thresholds},
};
use crate::{
    contracts::{
        UtcTime,
        review::ReviewAction,
        views::hindsight::{Outcome, Said, WhatIf, WhatIfDecision, WhatIfDecisions, WhatIfReason, WhatIfSetting, WhatIfSuggestion},
    },
    domain::AgentId,
    policy::spending::SpendingPolicies,
    ports::{
        StoreError,
        agents::Agents,
        recorded::{RecordedDecisions, RecordedJudgement, RecordedPayments},
        swarm::AnsweredReview,
    },
};
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use content::Judged;
use std::collections::BTreeMap;

/// How far back it looks, and at how many decisions of each kind.
pub const DAYS: i64 = 30;
pub const DECISIONS_MAX: usize = 1_000;
/// How many decisions an answer names.
const NAMED_MAX: usize = 100;
/// Of today's value, in percent.
const SHARE_MAX: u64 = 400;
const TRANSFERS_PER_HOUR_MAX: u64 = 1_000;

/// What decides today.
#[derive(Debug, Clone)]
pub struct Rules {
    pub thresholds: Thresholds,
    pub spending: SpendingPolicies,
}

/// What is asked about; today's values where nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub agent: Option<AgentId>,
    pub approve_above_percent: Option<u64>,
    pub reject_below_percent: Option<u64>,
    /// Of what the policy allows today.
    pub per_transaction_percent: Option<u64>,
    pub per_day_percent: Option<u64>,
    pub ask_above_percent: Option<u64>,
    pub transfers_per_hour_max: Option<u64>,
}

/// Everything that a replay needs, read once.
pub struct Record {
    since: DateTime<Utc>,
    until: DateTime<Utc>,
    judged: Vec<Judged>,
    payments: RecordedPayments,
}

impl Record {
    pub async fn read(records: &dyn RecordedDecisions, agents: &dyn Agents, now: DateTime<Utc>) -> Result<Self, StoreError> {
        let since = (now - TimeDelta::days(DAYS)).date_naive().and_time(NaiveTime::MIN).and_utc();
        let judgements = records.judgements(since, DECISIONS_MAX).await?;
        let personas = Personas::default();
        let personas = personas.of(agents, judgements.iter().map(|record| &record.task)).await?;
        let judged = judgements.into_iter().map(|record| Judged { persona: personas.of(&record.task).map(|(_, persona)| persona), record });
        Ok(Self { since, until: now, judged: judged.collect(), payments: records.payments(since, DECISIONS_MAX).await? })
    }

    /// Pure: the same record, rules and question give the same answer. It judges thousands of texts: not for a thread that serves others.
    pub fn what_if(&self, rules: &Rules, asked: &Asked) -> WhatIf {
        let then = Rules { thresholds: thresholds(rules.thresholds, asked), spending: payments::scaled(&rules.spending, asked) };
        let is_of = |agent: &str| asked.agent.as_ref().is_none_or(|only| only.as_str() == agent);
        let (paid, money) = payments::replay(&self.payments, &rules.spending, &then.spending, is_of);
        WhatIf {
            since: UtcTime(self.since),
            until: UtcTime(self.until),
            decisions_max: DECISIONS_MAX as u64,
            agent_id: asked.agent.as_ref().map(ToString::to_string),
            settings: settings(rules, &then, asked),
            content: content::replay(
                self.judged.iter().filter(|judged| is_of(&judged.record.result.agent_id)),
                &rules.thresholds,
                &then.thresholds,
            ),
            payments: paid,
            money,
            suggestions: self.suggestions(&rules.thresholds, is_of),
        }
    }

    fn suggestions(&self, thresholds: &Thresholds, is_of: impl Fn(&str) -> bool) -> Vec<WhatIfSuggestion> {
        let answers: Vec<AnsweredReview> = self.judged.iter().filter_map(|judged| answered(&judged.record)).collect();
        let found = agreement(&answers, thresholds).into_iter().filter(|one| is_of(one.agent.as_str()));
        found
            .map(|one| WhatIfSuggestion {
                agent_id: one.agent.to_string(),
                answers: one.answers() as u64,
                agreed: one.agreed as u64,
                approve_above: one.suggestion.approve_above,
                reject_below: one.suggestion.reject_below,
            })
            .collect()
    }
}

/// Of content about which the Judge was not sure, as `chimera review agreement` takes it.
fn answered(record: &RecordedJudgement) -> Option<AnsweredReview> {
    use crate::contracts::decision::HitlReason;
    let action = match record.said {
        Said::Approved => ReviewAction::Approve,
        Said::Edited => ReviewAction::Edit,
        Said::Rejected => ReviewAction::Reject,
        Said::Nothing | Said::Waiting | Said::Expired => return None,
    };
    let was_unsure = record.decision.hitl_reason == Some(HitlReason::LowConfidence);
    let agent = record.result.agent_id.parse().ok().filter(|_| was_unsure)?;
    Some(AnsweredReview { agent, confidence: record.result.confidence_score, action })
}

/// A bound is never on the wrong side of the other one: whichever is moved pushes it along.
fn thresholds(today: Thresholds, asked: &Asked) -> Thresholds {
    let share = |asked: Option<u64>, today: f64| match asked {
        // A slider has whole percents; where today's value has none, its neighbour stands for it.
        Some(percent) if percent != percent_of(today).round() as u64 => percent.min(100) as f64 / 100.0,
        Some(_) | None => today,
    };
    let (approve_above, reject_below) =
        (share(asked.approve_above_percent, today.approve_above), share(asked.reject_below_percent, today.reject_below));
    let reject_below = if asked.reject_below_percent.is_none() { reject_below.min(approve_above) } else { reject_below };
    Thresholds { approve_above: approve_above.max(reject_below), reject_below, ..today }
}

/// Without the noise of binary fractions.
fn percent_of(share: f64) -> f64 {
    (share * 1_000_000.0).round() / 10_000.0
}

fn settings(rules: &Rules, then: &Rules, asked: &Asked) -> Vec<WhatIfSetting> {
    let score = |parameter: &str, told: &str, key: &str, today: f64, value: f64| WhatIfSetting {
        parameter: parameter.to_owned(),
        told: told.to_owned(),
        today: percent_of(today),
        value: percent_of(value),
        min: 0,
        max: 100,
        lines: if (today - value).abs() < f64::EPSILON { Vec::new() } else { vec![format!("[judge] {key} = {value}")] },
    };
    let (today, moved) = (&rules.thresholds, &then.thresholds);
    let mut settings = vec![
        score(
            "approve_above_percent",
            "A text goes out by itself when its confidence is above",
            "approve_above",
            today.approve_above,
            moved.approve_above,
        ),
        score(
            "reject_below_percent",
            "A text is sent back to be made again when its confidence is below",
            "reject_below",
            today.reject_below,
            moved.reject_below,
        ),
    ];
    let Some(common) = &rules.spending.common else { return settings };
    for (parameter, told, share, key) in [
        ("per_transaction_percent", "The most that one payment may be, of today's limit", asked.per_transaction_percent, "per_transaction"),
        ("per_day_percent", "The most that an agent may pay a day, of today's limit", asked.per_day_percent, "per_day"),
        ("ask_above_percent", "A person is asked about payments above, of today's limit", asked.ask_above_percent, "ask_above"),
    ] {
        settings.push(WhatIfSetting {
            parameter: parameter.to_owned(),
            told: told.to_owned(),
            today: 100.0,
            value: share.unwrap_or(100).min(SHARE_MAX) as f64,
            min: 0,
            max: SHARE_MAX,
            lines: payments::lines(&rules.spending, &then.spending, key),
        });
    }
    let value = then.spending.common.as_ref().map_or(common.transfers_per_hour_max, |policy| policy.transfers_per_hour_max);
    settings.push(WhatIfSetting {
        parameter: "transfers_per_hour_max".to_owned(),
        told: "The most payments that an agent may make in an hour".to_owned(),
        today: common.transfers_per_hour_max as f64,
        value: value as f64,
        min: 0,
        max: common.transfers_per_hour_max.saturating_mul(4).clamp(20, TRANSFERS_PER_HOUR_MAX),
        lines: if value == common.transfers_per_hour_max { Vec::new() } else { vec![format!("[policy] transfers_per_hour_max = {value}")] },
    });
    settings
}

/// One decision, made again.
struct Replayed {
    decision: WhatIfDecision,
    /// What holds it, whatever the values are.
    held: Option<&'static str>,
}

/// Counts what was replayed, and names the newest of what differs; `replayed` is oldest first.
fn summed(replayed: impl Iterator<Item = Result<Replayed, &'static str>>) -> WhatIfDecisions {
    let mut sums = WhatIfDecisions::default();
    let (mut held, mut unreplayable) = (BTreeMap::new(), BTreeMap::new());
    for one in replayed {
        let Replayed { decision, held: by } = match one {
            Ok(replayed) => replayed,
            Err(why) => {
                *unreplayable.entry(why).or_insert(0) += 1;
                continue;
            }
        };
        sums.recorded.count(decision.recorded);
        sums.today.count(decision.today);
        sums.then.count(decision.then);
        if let Some(by) = by {
            *held.entry(by).or_insert(0) += 1;
        }
        if decision.then == Outcome::Alone && decision.today != Outcome::Alone {
            sums.loosened.count(decision.said);
        }
        if decision.recorded != decision.today {
            sums.differing += 1;
            sums.differences.push(decision.clone());
        }
        if decision.then != decision.today {
            sums.changed += 1;
            sums.changes.push(decision);
        }
    }
    for named in [&mut sums.changes, &mut sums.differences] {
        named.reverse();
        named.truncate(NAMED_MAX);
    }
    (sums.held, sums.unreplayable) = (reasons(held), reasons(unreplayable));
    sums
}

fn reasons(counts: BTreeMap<&'static str, u64>) -> Vec<WhatIfReason> {
    counts.into_iter().map(|(why, count)| WhatIfReason { why: why.to_owned(), count }).collect()
}

#[cfg(test)]
mod tests;
