//! The CFO: may this transfer be made? Limits and refusals are judged before anything that asks a person,
//! so that nobody is asked about a transfer that could not be made anyway.

mod look_alike;

pub use look_alike::compared;

use crate::domain::{
    AgentId,
    freeze::FreezeCause,
    money::{Address, ChainId, U256, look_alike_key},
    transfer::{History, LOOK_ALIKE, OverLimit, RequestedLimit, Spend, TransferRequest},
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

impl FirstSeenRecipient {
    /// As the configuration says it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Refuse => "refuse",
        }
    }
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
    /// The ceiling of all, and what holds for agents without one of their own; `None` refuses every transfer.
    pub common: Option<SpendingPolicy>,
    /// Already tightened against the common one.
    pub by_agent: BTreeMap<AgentId, SpendingPolicy>,
}

impl SpendingPolicies {
    pub fn of(&self, agent: &AgentId) -> Option<&SpendingPolicy> {
        let common = self.common.as_ref()?;
        Some(self.by_agent.get(agent).unwrap_or(common))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpendingDecision {
    Approve,
    Ask(Rule),
    /// Refused, and put before a person: the recipient looks like `known` and is another. Only the whole address, typed again, lifts it.
    Suspect {
        known: Address,
    },
    Refuse(Rule),
    OverLimit(OverLimit),
}

/// The rule that fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    Frozen,
    WalletHeld,
    NoPolicy,
    AssetWithoutLimit,
    Deny,
    LookAlike,
    TransfersPerHourMax,
    FirstSeenRecipient,
    MayBePaid,
    AskAbove,
    ChainIdMismatch,
    /// A person was asked, and said no.
    Declined,
    GrantExpired,
    LedgerContradicted,
}

impl Rule {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Frozen => "frozen",
            Self::WalletHeld => "wallet_held",
            Self::NoPolicy => "no_policy",
            Self::AssetWithoutLimit => "asset_without_limit",
            Self::Deny => "deny",
            Self::LookAlike => LOOK_ALIKE,
            Self::TransfersPerHourMax => "transfers_per_hour_max",
            Self::FirstSeenRecipient => "first_seen_recipient",
            Self::MayBePaid => "may_be_paid",
            Self::AskAbove => "ask_above",
            Self::ChainIdMismatch => "chain_id_mismatch",
            Self::Declined => "declined",
            Self::GrantExpired => "grant_expired",
            Self::LedgerContradicted => "ledger_contradicted",
        }
    }

    /// What it means for the one who asked.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Frozen => "spending is frozen; an operator lifts that with `chimera wallet unfreeze`",
            Self::WalletHeld => {
                "the chain knows transactions of this wallet that the book does not, or may know some; nothing is sent until an operator \
                 has run `chimera wallet reconcile`"
            }
            Self::NoPolicy => {
                "there is no spending policy, so nothing can be sent; an operator can add [policy] to chimera.toml, which policies/{agent_id}.toml \
                 can tighten and never replace"
            }
            Self::AssetWithoutLimit => {
                "the policy has no limit for this asset on this chain, so it cannot be sent; an operator can add [[policy.limits]] for it"
            }
            Self::Deny => "the recipient is on the policy's deny list",
            Self::LookAlike => {
                "the recipient's address begins and ends like that of a known payee and is another one, as in address poisoning; \
                 nothing is sent unless a person compares both and types the whole address again, or puts it on the policy's allow list"
            }
            Self::TransfersPerHourMax => "the agent has made as many transfers in the last hour as its policy allows; wait and call again",
            Self::FirstSeenRecipient => "the agent has never paid this recipient, and it is not on the policy's allow list",
            Self::MayBePaid => {
                "a reconciliation found a payment on the chain that is exactly like this one; it may be this very transfer, made from a copy \
                 of the store that is no more: reject it if so, and approve it to pay once more"
            }
            Self::AskAbove => "the amount, or the day's sum with it, is above what the policy lets pass without a person",
            Self::ChainIdMismatch => "the configured node serves another chain than the one asked for; an operator must mend its address",
            Self::Declined => "a person was asked about this transfer and declined it; it is never made under this task_id",
            Self::GrantExpired => "a person approved this transfer, but it was not made in time; ask again with a new task_id",
            Self::LedgerContradicted => {
                "the signed head of the ledger contradicts the store, so nothing is paid; an operator puts back the files that belong \
                 together, or runs `chimera ledger adopt`"
            }
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
    if let Some(freeze) = &history.freeze {
        return Refuse(match freeze.cause {
            FreezeCause::KillSwitch | FreezeCause::Retired => Rule::Frozen,
            FreezeCause::Unreconciled => Rule::WalletHeld,
            FreezeCause::LedgerContradicted => Rule::LedgerContradicted,
        });
    }
    let Some(policy) = policy else { return Refuse(Rule::NoPolicy) };
    let Some(limit) = policy.limits.iter().find(|limit| limit.chain == request.chain && limit.asset == request.asset.symbol) else {
        return Refuse(Rule::AssetWithoutLimit);
    };
    if policy.deny.contains(&request.to) {
        return Refuse(Rule::Deny);
    }
    let is_known = history.recipient_is_known || policy.allow.contains(&request.to);
    let looks_like = |known: &Address| *known != request.to && look_alike_key(*known) == look_alike_key(request.to);
    let alike = history.look_alike.or_else(|| policy.allow.iter().copied().find(looks_like));
    if let Some(known) = alike.filter(|_| !is_known && !history.address_is_confirmed) {
        // Whoever approved for another reason has not compared the addresses: that waives nothing here.
        return if history.is_granted { Refuse(Rule::LookAlike) } else { SpendingDecision::Suspect { known } };
    }
    if let Some(over) = over_limit(limit, request.amount_units, requested, history) {
        return SpendingDecision::OverLimit(over);
    }
    if history.transfers_last_hour >= policy.transfers_per_hour_max {
        return Refuse(Rule::TransfersPerHourMax);
    }
    if policy.first_seen_recipient == FirstSeenRecipient::Refuse && !is_known {
        return Refuse(Rule::FirstSeenRecipient);
    }
    if history.is_granted {
        return Approve;
    }
    // First among those that ask: whoever answers must know it.
    if history.reconciled_alike.is_some() {
        return Ask(Rule::MayBePaid);
    }
    if policy.first_seen_recipient == FirstSeenRecipient::Ask && !is_known {
        return Ask(Rule::FirstSeenRecipient);
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
