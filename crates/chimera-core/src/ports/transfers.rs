//! Transfers and the budgets they draw on, kept together so that both change in one transaction.

use super::{
    StoreError,
    ledger::{LedgerKind, NewLedgerEntry},
};
use crate::{
    contracts::{
        SkillFailure, UtcTime, UuidV4,
        decision::{self, HitlReason, JudgeDecision},
        review::{ReviewItem, ReviewStatus},
        task::TaskTransaction,
        wallet_transaction::WalletParams,
    },
    domain::{
        money::{AssetKind, U256},
        transfer::{
            History, Mined, NewTransfer, Settlement, Signed, SignedFailure, SigningTerms, TermsProblem, TransferRecord, TransferRequest,
            Verdict,
        },
    },
    ports::signer::SignedTransaction,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::sync::Arc;

/// Judges a request over the past that the store has read in the same transaction. Pure: a store may run it more than once.
pub type Judge = Arc<dyn Fn(&History) -> Verdict + Send + Sync>;

/// Each method is one transaction, durable when it returns, and whole: two callers, in one process or many, never both pass a limit,
/// get one nonce, or reserve for one task.
#[async_trait]
pub trait Transfers: Send + Sync {
    /// A task that has a transfer already (bound, or reserved and under way) gets that one, and is not judged.
    /// Otherwise `judge` decides, and its decision is written down: approval reserves amount and counters; asking opens a review and binds the task; refusal goes on the ledger.
    async fn reserve(&self, transfer: &NewTransfer, judge: Judge) -> Result<Reservation, StoreError>;
    /// Gives the reserved transfer a nonce and holds its maximum fee, if `terms_problem` finds none.
    async fn assign(&self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError>;
    /// Writes the signed bytes down and binds the task. `false`: the reservation was given up meanwhile, and the bytes must not be sent.
    async fn record_signed(&self, transaction_id: UuidV4, signed: &SignedTransaction) -> Result<bool, StoreError>;
    /// A node has the bytes. Changes nothing once the transfer is settled.
    async fn mark_broadcast(&self, transaction_id: UuidV4) -> Result<(), StoreError>;
    /// Ends a signed transfer with its counters and its ledger entry; one that is settled already stays as it is. Returns what stands.
    async fn settle(&self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError>;
    /// Gives an unsigned reservation up, with its nonce and counters, and puts `why` on the ledger. `false`: it is signed or gone, and stays so.
    async fn release(&self, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError>;
    /// The transfer that the task is bound to, or that is under way for it.
    async fn find(&self, task_id: UuidV4) -> Result<Option<TransferRecord>, StoreError>;
    /// Every transfer that still holds budget, oldest first.
    async fn open(&self) -> Result<Vec<TransferRecord>, StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reservation {
    /// The caller owns the transfer until `lease_until`.
    Reserved,
    /// What the task has already.
    Existing(Box<TransferRecord>),
    Asked {
        review_id: UuidV4,
        rule: String,
    },
    Refused(SkillFailure),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment {
    Nonce(u64),
    Refused(TermsProblem),
    /// The reservation was given up meanwhile.
    Lost,
}

/// The question for a person, as a store writes it in `reserve`.
pub fn review_item(transfer: &NewTransfer, review_id: UuidV4, reason: &str) -> ReviewItem {
    let request = &transfer.request;
    ReviewItem {
        review_id,
        result_id: None,
        task_id: transfer.task_id,
        agent_id: request.agent.to_string(),
        escalation_reason: reason.to_owned(),
        artifact: None,
        transaction: Some(TaskTransaction {
            operation: request.operation,
            params: WalletParams {
                asset: request.asset.symbol.clone(),
                to_address: Some(request.to.to_checksum(None)),
                amount_wei_or_units: Some(request.amount_units.to_string()),
                chain_id: Some(request.chain.to_string()),
            },
            budget_check: None,
        }),
        confidence_score: None,
        reasoning_trace: None,
        created_at: UtcTime(transfer.reserved_at),
        status: ReviewStatus::Pending,
    }
}

/// The CFO's decision, as a store writes it down in `reserve` whatever the verdict: nothing is signed without one on record.
pub fn cfo_decision(transfer: &NewTransfer, verdict: &Verdict) -> JudgeDecision {
    let (decision, reason, hitl_reason) = match verdict {
        Verdict::Approve => (decision::Verdict::Approve, "the transfer is within the agent's policy and budget", None),
        Verdict::Ask { reason, .. } => (decision::Verdict::Escalate, reason.as_str(), Some(HitlReason::Anomalous)),
        Verdict::Refuse(failure) => (decision::Verdict::Reject, failure.message.as_str(), None),
    };
    JudgeDecision {
        decision_id: UuidV4::random(),
        result_id: None,
        task_id: transfer.task_id,
        decision,
        // A transfer is judged against the wallet's own history, not against a campaign's state.
        state_version: 0,
        created_at: UtcTime(transfer.reserved_at),
        reason: reason.to_owned(),
        hitl_reason,
    }
}

/// What a store puts on the ledger for a refusal or a release.
pub fn refusal_entry(transfer: &NewTransfer, why: &SkillFailure, at: DateTime<Utc>) -> NewLedgerEntry {
    let outcome = json!({ "state": "refused", "error_code": why.code, "message": why.message, "details": why.details });
    entry(transfer, LedgerKind::Refusal, outcome, at)
}

/// What a store puts on the ledger for a settlement.
pub fn settlement_entry(transfer: &NewTransfer, signed: &Signed, settlement: &Settlement, at: DateTime<Utc>) -> NewLedgerEntry {
    let (kind, mut outcome) = match settlement {
        Settlement::Confirmed(mined) => (LedgerKind::Payment, with_block("confirmed", mined)),
        Settlement::Reverted { mined, reason } => {
            let mut outcome = with_block("reverted", mined);
            outcome["reason"] = json!(reason);
            (LedgerKind::Refusal, outcome)
        }
        Settlement::Failed(SignedFailure::Refused { reason }) => {
            (LedgerKind::Refusal, json!({ "state": "refused_by_node", "reason": reason }))
        }
        Settlement::Failed(SignedFailure::Replaced) => (LedgerKind::Refusal, json!({ "state": "replaced" })),
    };
    outcome["tx_hash"] = json!(signed.tx_hash.to_string());
    outcome["nonce"] = json!(signed.nonce);
    entry(transfer, kind, outcome, at)
}

/// The most that this transfer can take from the wallet's native balance besides its fee.
pub fn native_value_wei(request: &TransferRequest) -> U256 {
    match request.asset.kind {
        AssetKind::Native => request.amount_units,
        AssetKind::Token(_) => U256::ZERO,
    }
}

fn with_block(state: &str, mined: &Mined) -> Value {
    json!({
        "state": state,
        "block_number": mined.block_number.to_string(),
        "block_time": UtcTime(mined.block_time),
        "fee_wei": mined.fee_wei.to_string(),
    })
}

fn entry(transfer: &NewTransfer, kind: LedgerKind, outcome: Value, at: DateTime<Utc>) -> NewLedgerEntry {
    let request = &transfer.request;
    let mut facts = json!({
        "transaction_id": transfer.transaction_id,
        "operation": request.operation,
        "chain_id": request.chain.to_string(),
        "asset": request.asset.symbol,
        "from": request.wallet.to_checksum(None),
        "to": request.to.to_checksum(None),
        "amount_units": request.amount_units.to_string(),
        "day": transfer.day().to_string(),
    });
    if let (Value::Object(facts), Value::Object(outcome)) = (&mut facts, outcome) {
        facts.extend(outcome);
    }
    NewLedgerEntry { at, kind, agent: request.agent.clone(), task_id: transfer.task_id, facts }
}
