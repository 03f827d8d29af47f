//! What is written on the ledger for each thing that happens.

use super::{Account, LedgerKind, Movement, NewLedgerEntry, Postings};
use crate::{
    contracts::{
        SkillFailure, UtcTime, UuidV4,
        review::{ReviewAction, ReviewAnswer},
    },
    domain::{
        AgentId,
        freeze::{Freeze, FreezeScope},
        money::{Asset, AssetKind, U256, checksummed},
        transfer::{
            Attempt, ForeignMovement, ForeignTransaction, Mined, NewTransfer, Reconciliation, Sent, Settlement, SignedFailure,
            TransferRequest,
        },
    },
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// For a refusal or a release: nothing moved.
pub fn refusal_entry(transfer: &NewTransfer, why: &SkillFailure, at: DateTime<Utc>) -> NewLedgerEntry {
    let outcome = json!({ "state": "refused", "error_code": why.code, "message": why.message, "details": why.details });
    entry(transfer, LedgerKind::Refusal, outcome, Postings::none(), at)
}

/// For a settlement: a payment moves amount and fee, a reverted transaction its fee alone.
pub fn settlement_entry(transfer: &NewTransfer, sent: &Sent, settlement: &Settlement, at: DateTime<Utc>) -> NewLedgerEntry {
    let kind = match settlement {
        Settlement::Confirmed(_) => LedgerKind::Payment,
        Settlement::Reverted { .. } | Settlement::Failed(_) => LedgerKind::Refusal,
    };
    entry(transfer, kind, outcome(sent, settlement), moved(&transfer.request, settlement), at)
}

/// For a settlement whose block is no longer part of the chain: exactly what `settlement_entry` moved goes back. Should the
/// transaction land again, that is a new settlement with an entry of its own.
pub fn reversal_entry(transfer: &NewTransfer, sent: &Sent, settlement: &Settlement, at: DateTime<Utc>) -> NewLedgerEntry {
    let mut outcome = outcome(sent, settlement);
    outcome["taken_back"] = outcome["state"].take();
    outcome["state"] = json!("reorganised");
    entry(transfer, LedgerKind::Reversal, outcome, moved(&transfer.request, settlement).reversed(), at)
}

/// What a person can do to agents and to transfers that wait, and the program to a wallet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlAct {
    Freeze,
    Unfreeze,
    Hold,
    Reconcile,
    Cancel,
    GrantApproved,
    GrantRejected,
    GrantRevoked,
    /// To go on with a store that its signed head contradicts.
    Adopt,
}

impl ControlAct {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Freeze => "freeze",
            Self::Unfreeze => "unfreeze",
            Self::Hold => "hold",
            Self::Reconcile => "reconcile",
            Self::Cancel => "cancel",
            Self::GrantApproved => "grant_approved",
            Self::GrantRejected => "grant_rejected",
            Self::GrantRevoked => "grant_revoked",
            Self::Adopt => "adopt",
        }
    }
}

/// For a person's act. Without `agent` it concerns the whole fleet. `facts` say who did it and why.
fn control_entry(act: ControlAct, agent: Option<AgentId>, task_id: Option<UuidV4>, mut facts: Value, at: DateTime<Utc>) -> NewLedgerEntry {
    facts["act"] = json!(act.as_str());
    NewLedgerEntry { at, kind: LedgerKind::Control, agent, task_id, facts, postings: Postings::none() }
}

pub fn freeze_entry(freeze: &Freeze) -> NewLedgerEntry {
    let facts = json!({ "by": freeze.by, "reason": freeze.reason });
    control_entry(ControlAct::Freeze, freeze.scope.agent().cloned(), None, facts, freeze.at)
}

pub fn unfreeze_entry(scope: &FreezeScope, by: &str, at: DateTime<Utc>) -> NewLedgerEntry {
    control_entry(ControlAct::Unfreeze, scope.agent().cloned(), None, json!({ "by": by }), at)
}

/// For a wallet whose book and chain disagree, or may.
pub fn hold_entry(agent: &AgentId, reason: &str, at: DateTime<Utc>) -> NewLedgerEntry {
    control_entry(ControlAct::Hold, Some(agent.clone()), None, json!({ "by": "chimera", "reason": reason }), at)
}

pub fn reconcile_entry(reconciliation: &Reconciliation) -> NewLedgerEntry {
    let Reconciliation { agent, found, is_complete, by, at, .. } = reconciliation;
    let facts = json!({ "by": by, "transactions": found.len(), "is_complete": is_complete });
    control_entry(ControlAct::Reconcile, Some(agent.clone()), None, facts, *at)
}

/// For a person who wants a transfer under way cancelled; whether it is, the chain says.
pub fn cancel_entry(transfer: &NewTransfer, attempt: &Attempt) -> NewLedgerEntry {
    let facts = json!({ "by": attempt.cancelled_by, "tx_hash": attempt.tx_hash.to_string() });
    let (agent, task_id) = (transfer.request.agent.clone(), transfer.task_id);
    control_entry(ControlAct::Cancel, Some(agent), Some(task_id), facts, attempt.signed_at)
}

/// For a transaction that this book did not send: one entry for each thing that it moved, the first with the fee.
pub fn foreign_entries(reconciliation: &Reconciliation, foreign: &ForeignTransaction) -> Vec<NewLedgerEntry> {
    let Reconciliation { agent, wallet, by, at, .. } = reconciliation;
    let account = || Account::Wallet(agent.clone());
    let chain = foreign.chain;
    let entry = |(place, moved): (usize, &ForeignMovement)| {
        let ForeignMovement { asset, to, units } = moved;
        let fee_wei = if place == 0 { foreign.fee_wei } else { U256::ZERO };
        let facts = json!({
            "state": if foreign.succeeded { "confirmed" } else { "reverted" },
            "origin": "reconciled",
            "by": by,
            "chain_id": chain.to_string(),
            "asset": asset.symbol,
            "decimals": asset.decimals,
            "from": checksummed(wallet),
            "to": checksummed(to),
            "amount_units": units.to_string(),
            "day": foreign.day().to_string(),
            "nonce": foreign.nonce,
            "tx_hash": foreign.tx_hash.to_string(),
            "block_number": foreign.block_number.to_string(),
            "block_time": UtcTime(foreign.block_time),
            "fee_wei": fee_wei.to_string(),
        });
        let postings = Postings::of([
            Movement { from: account(), to: Account::Payee(*to), chain, asset: asset.clone(), units: *units },
            Movement { from: account(), to: Account::Fees, chain, asset: foreign.native.clone(), units: fee_wei },
        ]);
        let kind = if foreign.succeeded { LedgerKind::Payment } else { LedgerKind::Refusal };
        NewLedgerEntry { at: *at, kind, agent: Some(agent.clone()), task_id: None, facts, postings }
    };
    foreign.moved.iter().enumerate().map(entry).collect()
}

/// For a store that its signed head contradicted. `named` is what a head of this node named, if it was one.
pub fn adoption_entry(by: &str, reason: &str, contradiction: &str, named: Option<(u64, String)>, at: DateTime<Utc>) -> NewLedgerEntry {
    let mut facts = json!({ "by": by, "reason": reason, "contradiction": contradiction });
    if let Some((number, hash)) = named {
        facts["head_number"] = json!(number);
        facts["head_hash"] = json!(hash);
    }
    control_entry(ControlAct::Adopt, None, None, facts, at)
}

/// For a person's answer to a transfer's review.
pub fn answer_entry(answer: &ReviewAnswer, transfer: &NewTransfer) -> NewLedgerEntry {
    let act = match answer.action {
        ReviewAction::Approve => ControlAct::GrantApproved,
        ReviewAction::Reject | ReviewAction::Edit => ControlAct::GrantRejected,
    };
    let mut facts = json!({ "by": answer.reviewer_id, "review_id": answer.review_id });
    if let Some(reason) = &answer.reason {
        facts["reason"] = json!(reason);
    }
    let (agent, task_id) = (transfer.request.agent.clone(), transfer.task_id);
    control_entry(act, Some(agent), Some(task_id), facts, answer.reviewed_at.0)
}

/// For an approval that a person took back unused.
pub fn revocation_entry(review_id: UuidV4, by: &str, reason: Option<&str>, transfer: &NewTransfer, at: DateTime<Utc>) -> NewLedgerEntry {
    let mut facts = json!({ "by": by, "review_id": review_id });
    if let Some(reason) = reason {
        facts["reason"] = json!(reason);
    }
    control_entry(ControlAct::GrantRevoked, Some(transfer.request.agent.clone()), Some(transfer.task_id), facts, at)
}

fn outcome(sent: &Sent, settlement: &Settlement) -> Value {
    let mut outcome = match settlement {
        Settlement::Confirmed(mined) => with_block("confirmed", mined),
        Settlement::Reverted { mined, reason } => {
            let mut outcome = with_block("reverted", mined);
            outcome["reason"] = json!(reason);
            outcome
        }
        Settlement::Failed(SignedFailure::Refused { reason }) => json!({ "state": "refused_by_node", "reason": reason }),
        Settlement::Failed(SignedFailure::Replaced) => json!({ "state": "replaced" }),
        Settlement::Failed(SignedFailure::GivenUp { reason }) => json!({ "state": "given_up", "reason": reason }),
    };
    if let Some(tx_hash) = sent.tx_hash().filter(|_| outcome.get("tx_hash").is_none()) {
        outcome["tx_hash"] = json!(tx_hash.to_string());
    }
    outcome["nonce"] = json!(sent.nonce());
    outcome
}

fn with_block(state: &str, mined: &Mined) -> Value {
    json!({
        "state": state,
        "tx_hash": mined.tx_hash.to_string(),
        "block_number": mined.block_number.to_string(),
        "block_time": UtcTime(mined.block_time),
        "fee_wei": mined.fee_wei.to_string(),
    })
}

/// What a settlement takes from the wallet, and where it goes.
fn moved(request: &TransferRequest, settlement: &Settlement) -> Postings {
    let (amount_units, fee_wei) = settlement.costs(request.amount_units);
    let movement = |to, asset, units| Movement { from: Account::Wallet(request.agent.clone()), to, chain: request.chain, asset, units };
    Postings::of([
        movement(Account::Payee(request.to), request.asset.clone(), amount_units),
        movement(Account::Fees, fee_asset(request), fee_wei),
    ])
}

/// A request for a token does not say what its chain calls the native asset.
fn fee_asset(request: &TransferRequest) -> Asset {
    match request.asset.kind {
        AssetKind::Native => request.asset.clone(),
        AssetKind::Token(_) => Asset::native("native"),
    }
}

fn entry(transfer: &NewTransfer, kind: LedgerKind, outcome: Value, postings: Postings, at: DateTime<Utc>) -> NewLedgerEntry {
    let request = &transfer.request;
    let mut facts = json!({
        "transaction_id": transfer.transaction_id,
        "operation": request.operation,
        "chain_id": request.chain.to_string(),
        "asset": request.asset.symbol,
        "decimals": request.asset.decimals,
        "from": checksummed(&request.wallet),
        "to": checksummed(&request.to),
        "amount_units": request.amount_units.to_string(),
        "day": transfer.day().to_string(),
        "daily_spend_key": transfer.named_counter(),
    });
    if let (Value::Object(facts), Value::Object(outcome)) = (&mut facts, outcome) {
        facts.extend(outcome);
    }
    NewLedgerEntry { at, kind, agent: Some(request.agent.clone()), task_id: Some(transfer.task_id), facts, postings }
}

#[cfg(test)]
mod tests;
