//! The CFO: may this transfer be made? Limits and refusals are judged before anything that asks a person,
//! so that nobody is asked about a transfer that could not be made anyway.

use crate::domain::{
    AgentId,
    money::{Address, ChainId, U256},
    transfer::{History, OverLimit, Spend, TransferRequest},
};
use std::collections::{BTreeMap, BTreeSet};

/// The rules for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendingPolicy {
    pub first_seen_recipient: FirstSeenRecipient,
    /// Recipients that are never first-seen; waives nothing else.
    pub allow: BTreeSet<Address>,
    pub deny: BTreeSet<Address>,
    pub transfers_per_hour_max: u64,
    /// An asset without a limit cannot be sent.
    pub limits: Vec<SpendingLimit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FirstSeenRecipient {
    Allow,
    Ask,
    Refuse,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendingLimit {
    pub chain: ChainId,
    pub asset: String,
    pub per_transaction_units: U256,
    pub per_day_units: U256,
    /// A person approves above this: one transfer, or the day's sum that no person approved.
    pub ask_above_units: Option<U256>,
}

/// The effective policy of every agent.
#[derive(Debug, Clone, Default)]
pub struct SpendingPolicies {
    /// For agents without one of their own; `None` refuses their transfers.
    pub common: Option<SpendingPolicy>,
    /// Already tightened against the common one.
    pub by_agent: BTreeMap<AgentId, SpendingPolicy>,
}

impl SpendingPolicies {
    pub fn of(&self, agent: &AgentId) -> Option<&SpendingPolicy> {
        self.by_agent.get(agent).or(self.common.as_ref())
    }
}

/// The daily limit that a request brings along. It can only tighten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedLimit {
    /// On the agent's own counter.
    Own { limit_units: U256 },
    /// On a further counter, shared by whoever names it.
    Named { key: String, limit_units: U256 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpendingDecision {
    Approve,
    Ask(Rule),
    Refuse(Rule),
    OverLimit(OverLimit),
}

/// The rule that fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    NoPolicy,
    AssetWithoutLimit,
    Deny,
    TransfersPerHourMax,
    FirstSeenRecipient,
    AskAbove,
    ChainIdMismatch,
}

impl Rule {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoPolicy => "no_policy",
            Self::AssetWithoutLimit => "asset_without_limit",
            Self::Deny => "deny",
            Self::TransfersPerHourMax => "transfers_per_hour_max",
            Self::FirstSeenRecipient => "first_seen_recipient",
            Self::AskAbove => "ask_above",
            Self::ChainIdMismatch => "chain_id_mismatch",
        }
    }

    /// What it means for the one who asked.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NoPolicy => {
                "the agent has no spending policy, so it cannot send anything; an operator can add [policy] to the configuration"
            }
            Self::AssetWithoutLimit => {
                "the policy has no limit for this asset on this chain, so it cannot be sent; an operator can add [[policy.limits]] for it"
            }
            Self::Deny => "the recipient is on the policy's deny list",
            Self::TransfersPerHourMax => "the agent has made as many transfers in the last hour as its policy allows; wait and call again",
            Self::FirstSeenRecipient => "the agent has never paid this recipient, and it is not on the policy's allow list",
            Self::AskAbove => "the amount, or the day's sum with it, is above what the policy lets pass without a person",
            Self::ChainIdMismatch => "the configured node serves another chain than the one asked for; an operator must mend its address",
        }
    }
}

pub fn decide(
    policy: Option<&SpendingPolicy>,
    request: &TransferRequest,
    requested: Option<&RequestedLimit>,
    history: &History,
) -> SpendingDecision {
    use SpendingDecision::{Approve, Ask, Refuse};
    let Some(policy) = policy else { return Refuse(Rule::NoPolicy) };
    let Some(limit) = policy.limits.iter().find(|limit| limit.chain == request.chain && limit.asset == request.asset.symbol) else {
        return Refuse(Rule::AssetWithoutLimit);
    };
    if policy.deny.contains(&request.to) {
        return Refuse(Rule::Deny);
    }
    if let Some(over) = over_limit(limit, request.amount_units, requested, history) {
        return SpendingDecision::OverLimit(over);
    }
    if history.transfers_last_hour >= policy.transfers_per_hour_max {
        return Refuse(Rule::TransfersPerHourMax);
    }
    let is_first_seen = !history.recipient_is_known && !policy.allow.contains(&request.to);
    match policy.first_seen_recipient {
        FirstSeenRecipient::Refuse if is_first_seen => return Refuse(Rule::FirstSeenRecipient),
        FirstSeenRecipient::Ask if is_first_seen => return Ask(Rule::FirstSeenRecipient),
        FirstSeenRecipient::Allow | FirstSeenRecipient::Ask | FirstSeenRecipient::Refuse => {}
    }
    let unapproved = history.unapproved_day_units.saturating_add(request.amount_units);
    if limit.ask_above_units.is_some_and(|ask_above| unapproved > ask_above) {
        return Ask(Rule::AskAbove);
    }
    Approve
}

fn over_limit(limit: &SpendingLimit, asked: U256, requested: Option<&RequestedLimit>, history: &History) -> Option<OverLimit> {
    let own_limit = match requested {
        Some(RequestedLimit::Own { limit_units }) => limit.per_day_units.min(*limit_units),
        Some(RequestedLimit::Named { .. }) | None => limit.per_day_units,
    };
    OverLimit::check("per_transaction", limit.per_transaction_units, Spend::default(), asked)
        .or_else(|| OverLimit::check("per_day", own_limit, history.own_day, asked))
        .or_else(|| match requested {
            Some(RequestedLimit::Named { key, limit_units }) => OverLimit::check(key, *limit_units, history.named_day, asked),
            Some(RequestedLimit::Own { .. }) | None => None,
        })
}

#[cfg(test)]
mod tests;
