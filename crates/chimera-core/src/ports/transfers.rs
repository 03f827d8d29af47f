//! Transfers and the budgets they draw on, kept together so that both change in one transaction.

use super::StoreError;
use crate::{
    contracts::{
        SkillFailure, UtcTime, UuidV4,
        decision::{self, HitlReason, JudgeDecision},
        review::{ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
        task::TaskTransaction,
        wallet_transaction::WalletParams,
    },
    domain::{
        freeze::Freeze,
        money::{B256, U256, checksummed, parse_address},
        transfer::{Attempt, FeeLimits, History, LOOK_ALIKE, NewTransfer, Settlement, SigningTerms, TermsProblem, TransferRecord, Verdict},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Judges a request over the past that the store has read in the same transaction. Pure: a store may run it more than once.
pub type Judge = Arc<dyn Fn(&History) -> Verdict + Send + Sync>;

/// Each method is one transaction, durable when it returns, and whole: two callers, in one process or many, never both pass a limit,
/// get one nonce, or reserve for one task. States change as `TransferRecord::after` says, and in no other way.
#[async_trait]
pub trait Transfers: Send + Sync {
    /// A task that has a transfer already (bound, or reserved and under way) gets that one, and is not judged; only one that a person
    /// has granted, and whose grant still stands, is judged once more and then reserved.
    /// Otherwise `judge` decides, and its decision is written down: approval reserves amount and counters; asking opens a review and
    /// binds the task; refusal goes on the ledger, that of a granted transfer only when it is another code than the last time.
    async fn reserve(&self, transfer: &NewTransfer, judge: Judge) -> Result<Reservation, StoreError>;
    /// Gives the reserved transfer a nonce and holds its maximum fee, if `terms_problem` finds none and nothing is frozen. Where the chain
    /// counts more transactions of the wallet than the book knows, the wallet is held instead.
    async fn assign(&self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError>;
    /// The same for a wallet elsewhere, which takes its own nonces: the transfer is written down as handed over at `block_number`, and
    /// the task is bound. Only one at a time, since only the nonce tells whose payment the chain shows.
    async fn hand_over(
        &self,
        transaction_id: UuidV4,
        terms: &SigningTerms,
        block_number: u64,
        at: DateTime<Utc>,
    ) -> Result<Assignment, StoreError>;
    /// Writes the signed bytes down and binds the task. Anything but `Recorded`: the bytes must not be sent.
    async fn record_signed(&self, transaction_id: UuidV4, attempt: &Attempt) -> Result<Recorded, StoreError>;
    /// Writes a further attempt down, with `fee_max_wei` held instead of the fee of the one before, if the limits allow it.
    async fn record_bump(
        &self,
        transaction_id: UuidV4,
        attempt: &Attempt,
        fee_max_wei: U256,
        limits: &FeeLimits,
    ) -> Result<Recorded, StoreError>;
    /// A node has the bytes. Changes nothing once the transfer is settled.
    async fn mark_broadcast(&self, transaction_id: UuidV4) -> Result<(), StoreError>;
    /// A final transaction that is not ours has the nonce: the transfer can land no more, is never sent again, and keeps its budget; the
    /// agent's wallet is held from then on. Changes nothing once the transfer is settled. Returns what stands.
    async fn mark_replaced(&self, transaction_id: UuidV4, by: B256, at: DateTime<Utc>) -> Result<TransferRecord, StoreError>;
    /// Ends a transfer that has left with its counters and its ledger entry; one that is settled already stays as it is. Returns what stands.
    async fn settle(&self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError>;
    /// Takes a settlement back whose block vanished: spend becomes reservation again, and the ledger says so. One that is not settled,
    /// or is final, stays as it is. Returns what stands.
    async fn unsettle(&self, transaction_id: UuidV4, at: DateTime<Utc>) -> Result<TransferRecord, StoreError>;
    /// The block of these transfers can no longer vanish. What one that reverted still held of its amount is free from then on.
    async fn finalize(&self, transaction_ids: &[UuidV4]) -> Result<(), StoreError>;
    /// Gives an unsigned reservation up, with its nonce and counters, and puts `why` on the ledger; of a granted transfer, which is tried
    /// again and again, only when it is another code than the last time. `false`: it is signed or gone, and stays so.
    async fn release(&self, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError>;
    /// A person's answer to a transfer's review, with decision and ledger entry. The first answer counts.
    async fn answer_review(&self, answer: &ReviewAnswer, grant_until: DateTime<Utc>) -> Result<Answered, StoreError>;
    /// Asks a person about a transfer that was handed over and never showed; once per transfer.
    async fn ask_about(&self, transaction_id: UuidV4, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError>;
    /// The transfer that the task is bound to, or that is under way for it.
    async fn find(&self, task_id: UuidV4) -> Result<Option<TransferRecord>, StoreError>;
    /// Every transfer that still holds budget, oldest first.
    async fn open(&self) -> Result<Vec<TransferRecord>, StoreError>;
    /// Every transfer that a person granted and that is not made yet, oldest first; without those whose grant ran out before `now`.
    async fn granted(&self, now: DateTime<Utc>) -> Result<Vec<TransferRecord>, StoreError>;
    /// Every transfer in a block that can still vanish, oldest first.
    async fn not_final(&self) -> Result<Vec<TransferRecord>, StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reservation {
    /// The caller owns this transfer until its `lease_until`. Of a granted one, ids and request are those that the person saw.
    Reserved(Box<NewTransfer>),
    /// What the task has already.
    Existing(Box<TransferRecord>),
    Asked {
        review_id: UuidV4,
        rule: String,
        /// What the caller is told where it is refused as well.
        refusal: Option<SkillFailure>,
    },
    Refused(SkillFailure),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment {
    Nonce(u64),
    Refused(TermsProblem),
    Frozen(Freeze),
    /// Another transfer of the wallet elsewhere is not settled yet.
    Busy,
    /// The reservation was given up meanwhile.
    Lost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    Recorded,
    Frozen(Freeze),
    Refused(TermsProblem),
    /// The transfer was given up or settled meanwhile.
    Lost,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// It may now be made, once.
    Granted(Box<TransferRecord>),
    /// It is never made.
    Declined(Box<TransferRecord>),
    /// A transfer that was handed over and never showed: its budget is free again.
    GivenUp(Box<TransferRecord>),
    /// Somebody was faster, or it solved itself.
    AlreadyDecided(ReviewStatus),
    /// What it asks can only be rejected.
    NothingToApprove,
    /// The recipient looks like a known one, and the address that was typed again, if any was, is not the recipient's. Nothing is decided.
    AddressNotConfirmed,
    /// There is no such review, or it is not about a transfer.
    NotFound,
}

/// Whether an approval confirms the recipient's address; an error where the question cannot be answered without that.
pub fn confirms_address(rule: &str, transfer: &NewTransfer, answer: &ReviewAnswer) -> Result<bool, Answered> {
    let is_asked = rule == LOOK_ALIKE;
    match answer.confirmed_address.as_deref() {
        Some(text) if parse_address(text).ok() == Some(transfer.request.to) => Ok(is_asked),
        // Whoever types another address means another payment, asked or not.
        Some(_) => Err(Answered::AddressNotConfirmed),
        None if is_asked => Err(Answered::AddressNotConfirmed),
        None => Ok(false),
    }
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
                to_address: Some(checksummed(&request.to)),
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
        Verdict::Ask { reason, .. } | Verdict::Hold { reason, .. } => {
            (decision::Verdict::Escalate, reason.as_str(), Some(HitlReason::Anomalous))
        }
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

/// A person's answer to a transfer's review, as a store writes it down in `answer_review`.
pub fn answer_decision(answer: &ReviewAnswer, task_id: UuidV4) -> JudgeDecision {
    let (decision, word) = match answer.action {
        ReviewAction::Approve => (decision::Verdict::Approve, "approved"),
        ReviewAction::Reject | ReviewAction::Edit => (decision::Verdict::Reject, "rejected"),
    };
    let reason = match &answer.reason {
        Some(reason) => format!("{word} by {}: {reason}", answer.reviewer_id),
        None => format!("{word} by {}", answer.reviewer_id),
    };
    JudgeDecision {
        decision_id: UuidV4::random(),
        result_id: None,
        task_id,
        decision,
        state_version: 0,
        created_at: answer.reviewed_at,
        reason,
        hitl_reason: None,
    }
}
