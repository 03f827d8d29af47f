//! The CFO's decisions, in the order in which they were asked for: what one course lets through counts against its later requests of the
//! same day and hour, so that a looser limit is used up as it would have been.

use super::{Asked, Replayed, SHARE_MAX, summed};
use crate::{
    contracts::{
        UtcTime,
        views::{
            Money,
            hindsight::{Outcome, WhatIfDecision, WhatIfDecisions, WhatIfMoney},
        },
    },
    domain::{
        AgentId,
        money::{Address, ChainId, U256, checksummed, format_units, look_alike_key},
        transfer::{History, Spend},
    },
    policy::spending::{Rule, SpendingDecision, SpendingPolicies, SpendingPolicy, decide},
    ports::recorded::{PaymentDecided, RecordedPayment, RecordedPayments},
};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Of agents that `is_of` names; the others' requests are no part of anybody's history.
pub(super) fn replay(
    recorded: &RecordedPayments,
    today: &SpendingPolicies,
    then: &SpendingPolicies,
    is_of: impl Fn(&str) -> bool,
) -> (WhatIfDecisions, Vec<WhatIfMoney>) {
    let (mut now, mut moved) = (Course::new(recorded, today), Course::new(recorded, then));
    // What the agents had spent of that day before is not in the record.
    let cut_day = recorded.requests.first().filter(|_| recorded.is_cut).map(|first| first.at.date_naive());
    let requests = recorded.requests.iter().filter(|request| is_of(request.request.agent.as_str()));
    let mut sums: BTreeMap<(ChainId, String), (u8, U256, U256)> = BTreeMap::new();
    let mut replayed = Vec::new();
    for payment in requests {
        let (today, then) = (now.decide(payment), moved.decide(payment));
        if payment.is_limit_lost {
            replayed.push(Err("its caller brought a limit, which is not on record"));
            continue;
        }
        if Some(payment.at.date_naive()) == cut_day {
            replayed.push(Err("what was spent before it on that day is outside of what is looked at"));
            continue;
        }
        let (asset, units) = (&payment.request.asset, payment.request.amount_units);
        let sum = sums.entry((payment.request.chain, asset.symbol.clone())).or_insert((asset.decimals, U256::ZERO, U256::ZERO));
        for (decided, sum) in [(&today, &mut sum.1), (&then, &mut sum.2)] {
            *sum = sum.saturating_add(if decided.outcome == Outcome::Alone { units } else { U256::ZERO });
        }
        replayed.push(Ok(Replayed { held: then.held, decision: decision(payment, today.outcome, then) }));
    }
    let money = sums.into_iter().map(|((chain, asset), (decimals, today, then))| {
        let money = |units: U256| Money { units: units.to_string(), asset: asset.clone(), decimals, chain_id: chain.to_string() };
        WhatIfMoney { today: money(today), then: money(then) }
    });
    let money = money.collect();
    (summed(replayed.into_iter()), money)
}

fn decision(payment: &RecordedPayment, today: Outcome, then: Decided) -> WhatIfDecision {
    let request = &payment.request;
    let amount = format_units(request.amount_units, request.asset.decimals);
    WhatIfDecision {
        task_id: payment.task_id,
        agent_id: request.agent.to_string(),
        at: UtcTime(payment.at),
        what: format!("{amount} {} to {} on chain {}", request.asset.symbol, checksummed(&request.to), request.chain),
        confidence: None,
        recorded: recorded_outcome(&payment.decided),
        today,
        then: then.outcome,
        why: then.why,
        said: payment.said,
    }
}

struct Decided {
    outcome: Outcome,
    why: String,
    held: Option<&'static str>,
}

/// One course of things under one policy.
struct Course<'a> {
    policies: &'a SpendingPolicies,
    /// By agent, chain, asset and day; and what of it a person approved.
    days: BTreeMap<(AgentId, ChainId, String, NaiveDate), (U256, U256)>,
    named: BTreeMap<(String, ChainId, String, NaiveDate), U256>,
    made: BTreeMap<AgentId, Vec<DateTime<Utc>>>,
    known: BTreeSet<(AgentId, ChainId, Address)>,
}

impl<'a> Course<'a> {
    fn new(recorded: &RecordedPayments, policies: &'a SpendingPolicies) -> Self {
        let known = recorded.payees.iter().map(|paid| (paid.agent.clone(), paid.chain, paid.to)).collect();
        Self { policies, days: BTreeMap::new(), named: BTreeMap::new(), made: BTreeMap::new(), known }
    }

    fn decide(&mut self, payment: &RecordedPayment) -> Decided {
        let decided = self.decided(payment);
        self.remember(payment, decided.outcome);
        decided
    }

    fn decided(&self, payment: &RecordedPayment) -> Decided {
        if let Some(held) = held(&payment.decided) {
            return Decided { outcome: recorded_outcome(&payment.decided), why: held.to_owned(), held: Some(held) };
        }
        let request = &payment.request;
        let decision = decide(self.policies.of(&request.agent), request, payment.requested_limit.as_ref(), &self.history(payment));
        let (outcome, why) = match decision {
            SpendingDecision::Approve => (Outcome::Alone, "it is within the agent's policy and budget".to_owned()),
            SpendingDecision::Ask(rule) => (Outcome::Person, rule.explanation().to_owned()),
            SpendingDecision::Suspect { .. } => (Outcome::Person, Rule::LookAlike.explanation().to_owned()),
            SpendingDecision::Refuse(rule) => (Outcome::Refused, rule.explanation().to_owned()),
            SpendingDecision::OverLimit(over) => {
                let whole = |units| format_units(units, request.asset.decimals);
                let spent = whole(over.spent_units.saturating_add(over.reserved_units));
                (
                    Outcome::Refused,
                    format!("{} allows {} {}, with {spent} spent", over.counter, whole(over.limit_units), request.asset.symbol),
                )
            }
        };
        Decided { outcome, why, held: None }
    }

    fn history(&self, payment: &RecordedPayment) -> History {
        let request = &payment.request;
        let (chain, asset, day) = (request.chain, request.asset.symbol.clone(), payment.at.date_naive());
        let (spent, approved) = self.days.get(&(request.agent.clone(), chain, asset.clone(), day)).copied().unwrap_or_default();
        let named = payment.counter().and_then(|name| self.named.get(&(name.to_owned(), chain, asset, day)).copied());
        let an_hour_before = payment.at - TimeDelta::hours(1);
        let made = self.made.get(&request.agent).map(Vec::as_slice).unwrap_or_default();
        let of_agent = self.known.iter().filter(|(agent, _, known)| *agent == request.agent && *known != request.to);
        let alike = of_agent.map(|(_, _, known)| *known).find(|known| look_alike_key(*known) == look_alike_key(request.to));
        let whole = |spent_units| Spend { spent_units, reserved_units: U256::ZERO };
        History {
            recipient_is_known: self.known.contains(&(request.agent.clone(), chain, request.to)),
            look_alike: alike,
            transfers_last_hour: made.iter().rev().take_while(|at| **at > an_hour_before).count() as u64,
            own_day: whole(spent),
            unapproved_day_units: spent.saturating_sub(approved),
            named_day: whole(named.unwrap_or_default()),
            ..History::default()
        }
    }

    /// What goes by itself is paid, unless it came to nothing then for another reason; what a person is asked about, where it was paid then.
    fn remember(&mut self, payment: &RecordedPayment, outcome: Outcome) {
        let day = match outcome {
            Outcome::Alone if payment.decided != PaymentDecided::Allowed => payment.spent_on.or(Some(payment.at.date_naive())),
            Outcome::Alone | Outcome::Person => payment.spent_on,
            Outcome::Refused => None,
        };
        let Some(day) = day else { return };
        let request = &payment.request;
        let (agent, chain, asset, units) = (&request.agent, request.chain, request.asset.symbol.clone(), request.amount_units);
        let (spent, approved) = self.days.entry((agent.clone(), chain, asset.clone(), day)).or_default();
        *spent = spent.saturating_add(units);
        *approved = approved.saturating_add(if outcome == Outcome::Person { units } else { U256::ZERO });
        if let Some(name) = payment.counter() {
            let named = self.named.entry((name.to_owned(), chain, asset, day)).or_default();
            *named = named.saturating_add(units);
        }
        self.made.entry(agent.clone()).or_default().push(payment.at);
        self.known.insert((agent.clone(), chain, request.to));
    }
}

impl RecordedPayment {
    fn counter(&self) -> Option<&str> {
        use crate::domain::transfer::RequestedLimit::{Named, Own};
        match &self.requested_limit {
            Some(Named { key, .. }) => Some(key),
            Some(Own { .. }) | None => None,
        }
    }
}

fn recorded_outcome(decided: &PaymentDecided) -> Outcome {
    match decided {
        PaymentDecided::Allowed => Outcome::Alone,
        PaymentDecided::Asked(_) => Outcome::Person,
        PaymentDecided::Refused(_) => Outcome::Refused,
    }
}

/// What no limit has a say in.
fn held(decided: &PaymentDecided) -> Option<&'static str> {
    let (PaymentDecided::Asked(rule) | PaymentDecided::Refused(rule)) = decided else { return None };
    let is = |other: Rule| rule == other.as_str();
    if is(Rule::Frozen) || is(Rule::WalletHeld) || is(Rule::LedgerContradicted) {
        return Some("money was stopped then: a freeze, a held wallet or a ledger that contradicted itself");
    }
    is(Rule::MayBePaid).then_some("the chain had a payment just like it, which is not on record")
}

/// Today's policies with other limits. An agent's own, tighter ones are scaled as the common ones are.
pub(super) fn scaled(today: &SpendingPolicies, asked: &Asked) -> SpendingPolicies {
    let common_per_hour = today.common.as_ref().map_or(0, |policy| policy.transfers_per_hour_max);
    let moved = |policy: &SpendingPolicy| {
        let mut policy = policy.clone();
        for limit in &mut policy.limits {
            limit.per_transaction_units = part(limit.per_transaction_units, asked.per_transaction_percent);
            limit.per_day_units = part(limit.per_day_units, asked.per_day_percent);
            limit.ask_above_units = limit.ask_above_units.map(|units| part(units, asked.ask_above_percent));
        }
        if let Some(per_hour) = asked.transfers_per_hour_max {
            let is_own = policy.transfers_per_hour_max != common_per_hour;
            policy.transfers_per_hour_max = if is_own { policy.transfers_per_hour_max.min(per_hour) } else { per_hour };
        }
        policy
    };
    SpendingPolicies {
        common: today.common.as_ref().map(moved),
        by_agent: today.by_agent.iter().map(|(agent, policy)| (agent.clone(), moved(policy))).collect(),
    }
}

fn part(units: U256, percent: Option<u64>) -> U256 {
    match percent.map(|percent| percent.min(SHARE_MAX)) {
        Some(percent) if percent != 100 => units.saturating_mul(U256::from(percent)) / U256::from(100),
        Some(_) | None => units,
    }
}

/// What would have to stand in the configuration for one kind of limit.
pub(super) fn lines(today: &SpendingPolicies, then: &SpendingPolicies, key: &str) -> Vec<String> {
    let file = |agent: &AgentId| format!("policies/{agent}.toml: [[limits]]");
    let common = today.common.iter().zip(&then.common).map(|(today, then)| ("[[policy.limits]]".to_owned(), today, then));
    let own = today.by_agent.iter().filter_map(|(agent, today)| Some((file(agent), today, then.by_agent.get(agent)?)));
    let mut lines = Vec::new();
    for (place, today, then) in common.chain(own) {
        for (today, then) in today.limits.iter().zip(&then.limits) {
            let (today_units, then_units) = match key {
                "per_transaction" => (Some(today.per_transaction_units), Some(then.per_transaction_units)),
                "per_day" => (Some(today.per_day_units), Some(then.per_day_units)),
                _ => (today.ask_above_units, then.ask_above_units),
            };
            if let Some(units) = then_units.filter(|_| today_units != then_units) {
                lines.push(format!("{place} of {} on chain {}: {key} = \"{units}\"", then.asset, then.chain));
            }
        }
    }
    lines
}
