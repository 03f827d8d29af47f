//! Transfers, counters, nonces, reviews, freezes and ledger entries in memory, under one lock.

mod book;

use crate::{
    contracts::{
        SkillFailure, UuidV4,
        decision::JudgeDecision,
        review::{ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
    },
    domain::{
        AgentId,
        freeze::{Freeze, FreezeScope},
        ledger::{answer_entry, cancel_entry, freeze_entry, refusal_entry, reversal_entry, revocation_entry, unfreeze_entry},
        money::{Address, B256, ChainId, U256},
        transfer::{
            Attempt, FeeLimits, Grant, Handover, NewTransfer, Reconciliation, Settlement, SignedFailure, SigningTerms, Spend,
            TransferEvent, TransferRecord, TransferState, Verdict,
        },
    },
    ports::{
        StoreError,
        grants::{Grants, NotRevoked, Revocation, Revoked, revocation_decision, revoked},
        kill_switch::KillSwitch,
        ledger::NewLedgerEntry,
        transfers::{
            Answered, Assignment, Judge, Recorded, Reservation, Transfers, answer_decision, cfo_decision, confirms_address, review_item,
        },
        wallet_book::{BookStanding, WalletBook},
    },
};
use async_trait::async_trait;
use book::{Book, Counter, Row, counters_of};
use chrono::{DateTime, Utc};
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct FakeTransfers(Mutex<Book>);

impl FakeTransfers {
    pub fn ledger(&self) -> Vec<NewLedgerEntry> {
        self.book().ledger.clone()
    }

    pub fn reviews(&self) -> Vec<ReviewItem> {
        self.book().reviews.clone()
    }

    pub fn decisions(&self) -> Vec<JudgeDecision> {
        self.book().decisions.clone()
    }

    /// Another one that knows the same, and goes its own way from here.
    pub fn copy(&self) -> Self {
        Self(Mutex::new(self.book().clone()))
    }

    /// Two that know the same have the same outline, whatever ids were drawn for it.
    pub fn outline(&self) -> String {
        self.book().outline()
    }

    /// What is spent and reserved on wallets' own counters, on all days together.
    pub fn committed_units(&self) -> U256 {
        let book = self.book();
        let own = book.counters.iter().filter(|((counter, ..), _)| matches!(counter, Counter::Own(..)));
        own.fold(U256::ZERO, |sum, (_, spend)| sum.saturating_add(spend.committed_units()))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().expect("no test panics while holding the book")
    }
}

fn misfit(error: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(error.to_string())
}

#[async_trait]
impl Transfers for FakeTransfers {
    async fn reserve(&self, transfer: &NewTransfer, judge: Judge) -> Result<Reservation, StoreError> {
        let mut book = self.book();
        let existing = book.of_task(transfer.task_id).map(|row| row.record.clone());
        let granted = match existing {
            Some(record) if !record.is_granted_at(transfer.reserved_at) => return Ok(Reservation::Existing(Box::new(record))),
            Some(record) => {
                let event = TransferEvent::Reserve { at: transfer.reserved_at, lease_until: transfer.lease_until };
                Some(record.after(event).map_err(misfit)?)
            }
            None => None,
        };
        let transfer = granted.as_ref().map_or_else(|| transfer.clone(), |record| record.transfer.clone());
        let history = book.history(&transfer, granted.as_ref().and_then(|record| record.grant));
        let verdict = judge(&history);
        book.decisions.push(cfo_decision(&transfer, &verdict));
        let (state, reservation) = match verdict {
            Verdict::Refuse(failure) => {
                let row = book.row(transfer.transaction_id);
                let last = row.and_then(|row| row.refusal.replace(failure.code));
                if granted.is_none() || last != Some(failure.code) {
                    book.ledger.push(refusal_entry(&transfer, &failure, transfer.reserved_at));
                }
                return Ok(Reservation::Refused(failure));
            }
            Verdict::Ask { rule, reason } => {
                let review_id = UuidV4::random();
                book.reviews.push(review_item(&transfer, review_id, &reason));
                book.ask_for_foreign(&transfer);
                (TransferState::AwaitingReview { review_id, rule: rule.clone() }, Reservation::Asked { review_id, rule, refusal: None })
            }
            Verdict::Hold { rule, reason, refusal } => {
                let review_id = UuidV4::random();
                book.ledger.push(refusal_entry(&transfer, &refusal, transfer.reserved_at));
                book.reviews.push(review_item(&transfer, review_id, &reason));
                let state = TransferState::AwaitingReview { review_id, rule: rule.clone() };
                (state, Reservation::Asked { review_id, rule, refusal: Some(refusal) })
            }
            Verdict::Approve => {
                for counter in counters_of(&transfer, granted.is_some()) {
                    book.counter(counter, &transfer).reserved_units += transfer.request.amount_units;
                }
                (TransferState::Reserved, Reservation::Reserved(Box::new(transfer.clone())))
            }
        };
        match granted {
            Some(record) => {
                let id = record.transfer.transaction_id;
                book.row(id).expect("found above").record = record;
            }
            None => {
                let record = TransferRecord { transfer, grant: None, state };
                book.transfers.push(Row::new(record));
            }
        }
        Ok(reservation)
    }

    async fn assign(&self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError> {
        let mut book = self.book();
        Ok(match book.give_nonce(transaction_id, terms) {
            Ok((nonce, _)) => {
                book.hold_fee(transaction_id, nonce, terms.fee_max_wei);
                Assignment::Nonce(nonce)
            }
            Err(refusal) => *refusal,
        })
    }

    async fn hand_over(
        &self,
        transaction_id: UuidV4,
        terms: &SigningTerms,
        block_number: u64,
        at: DateTime<Utc>,
    ) -> Result<Assignment, StoreError> {
        let mut book = self.book();
        Ok(match book.give_nonce(transaction_id, terms) {
            Ok((nonce, 0)) => {
                book.hold_fee(transaction_id, nonce, terms.fee_max_wei);
                let row = book.row(transaction_id).expect("found before");
                let handover = Handover { nonce, block_number, at };
                row.record = row.record.clone().after(TransferEvent::HandOver(handover)).map_err(misfit)?;
                Assignment::Nonce(nonce)
            }
            Ok(_) => Assignment::Busy,
            Err(refusal) => *refusal,
        })
    }

    async fn record_signed(&self, transaction_id: UuidV4, attempt: &Attempt) -> Result<Recorded, StoreError> {
        let mut book = self.book();
        let Some(row) = book.reserved(transaction_id) else { return Ok(Recorded::Lost) };
        let Some((nonce, _)) = row.held else { return Ok(Recorded::Lost) };
        let agent = row.record.transfer.request.agent.clone();
        if let Some(freeze) = book.freeze_of(&agent) {
            return Ok(Recorded::Frozen(freeze));
        }
        let row = book.row(transaction_id).expect("found above");
        row.record = row.record.clone().after(TransferEvent::Sign { nonce, attempt: attempt.clone() }).map_err(misfit)?;
        Ok(Recorded::Recorded)
    }

    async fn record_bump(
        &self,
        transaction_id: UuidV4,
        attempt: &Attempt,
        fee_max_wei: U256,
        limits: &FeeLimits,
    ) -> Result<Recorded, StoreError> {
        let mut book = self.book();
        let Some(row) = book.row(transaction_id) else { return Ok(Recorded::Lost) };
        let Ok(bumped) = row.record.clone().after(TransferEvent::Bump(attempt.clone())) else { return Ok(Recorded::Lost) };
        let Some((nonce, held_wei)) = row.held else { return Ok(Recorded::Lost) };
        let transfer = bumped.transfer.clone();
        if let Some(freeze) = book.freeze_of(&transfer.request.agent) {
            return Ok(Recorded::Frozen(freeze));
        }
        let fees = book.counter(Counter::Fees, &transfer);
        let others = Spend { reserved_units: fees.reserved_units - held_wei, ..*fees };
        if let Some(problem) = limits.check(fee_max_wei, others) {
            return Ok(Recorded::Refused(problem));
        }
        fees.reserved_units = others.reserved_units + fee_max_wei;
        let row = book.row(transaction_id).expect("found above");
        (row.record, row.held) = (bumped, Some((nonce, fee_max_wei)));
        if attempt.cancelled_by.is_some() {
            book.ledger.push(cancel_entry(&transfer, attempt));
        }
        Ok(Recorded::Recorded)
    }

    async fn mark_broadcast(&self, transaction_id: UuidV4) -> Result<(), StoreError> {
        let mut book = self.book();
        if let Some(row) = book.row(transaction_id)
            && let Ok(record) = row.record.clone().after(TransferEvent::Accept)
        {
            row.record = record;
        }
        Ok(())
    }

    async fn mark_replaced(&self, transaction_id: UuidV4, by: B256, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        let mut book = self.book();
        let Some(row) = book.row(transaction_id) else { return Err(misfit("there is no such transfer")) };
        let Ok(record) = row.record.clone().after(TransferEvent::Replace(by)) else { return Ok(row.record.clone()) };
        row.record = record.clone();
        book.hold(&record.transfer.request.agent, "another transaction has used a nonce", at);
        Ok(record)
    }

    async fn settle(&self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        self.book().settle(transaction_id, settlement, at)
    }

    async fn unsettle(&self, transaction_id: UuidV4, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        let mut book = self.book();
        let Some(row) = book.row(transaction_id) else { return Err(misfit("there is no such transfer")) };
        let before = row.record.clone();
        let Some((sent, settlement)) = before.state.in_a_block().filter(|_| !row.is_final) else { return Ok(before) };
        let Ok(record) = before.clone().after(TransferEvent::Vanish) else { return Ok(before) };
        row.record = record.clone();
        let fee_max_wei = row.held.map(|(_, fee)| fee).unwrap_or_default();
        book.hold_again(&record, fee_max_wei, &settlement);
        book.ledger.push(reversal_entry(&record.transfer, &sent, &settlement, at));
        Ok(record)
    }

    async fn finalize(&self, transaction_ids: &[UuidV4]) -> Result<(), StoreError> {
        let mut book = self.book();
        for id in transaction_ids {
            book.finalize(*id);
        }
        Ok(())
    }

    async fn release(&self, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut book = self.book();
        let Some(row) = book.reserved(transaction_id) else { return Ok(false) };
        let fee_max_wei = row.held.take().map(|(_, fee)| fee).unwrap_or_default();
        let held = row.record.clone();
        row.record = held.clone().after(TransferEvent::Release).map_err(misfit)?;
        let is_news = held.grant.is_none() || row.refusal != Some(why.code);
        row.refusal = Some(why.code);
        book.free(&held, fee_max_wei);
        if is_news {
            book.ledger.push(refusal_entry(&held.transfer, why, at));
        }
        Ok(true)
    }

    async fn answer_review(&self, answer: &ReviewAnswer, grant_until: DateTime<Utc>) -> Result<Answered, StoreError> {
        let mut book = self.book();
        let Some(review) = book.reviews.iter().find(|review| review.review_id == answer.review_id) else { return Ok(Answered::NotFound) };
        if review.status != ReviewStatus::Pending {
            return Ok(Answered::AlreadyDecided(review.status));
        }
        let task_id = review.task_id;
        let Some(row) = book.of_task(task_id) else { return Ok(Answered::NotFound) };
        let (record, is_approval) = (row.record.clone(), answer.action == ReviewAction::Approve);
        let (id, reason) = (record.transfer.transaction_id, answer.reason.clone().unwrap_or_default());
        let answered = match (&record.state, is_approval) {
            (TransferState::AwaitingReview { review_id, rule }, true) => {
                let address_confirmed = match confirms_address(rule, &record.transfer, answer) {
                    Ok(confirmed) => confirmed,
                    Err(unconfirmed) => return Ok(unconfirmed),
                };
                let grant = Grant { review_id: *review_id, until: grant_until, address_confirmed };
                Answered::Granted(Box::new(record.clone().after(TransferEvent::Grant(grant)).map_err(misfit)?))
            }
            (TransferState::AwaitingReview { .. }, false) => {
                Answered::Declined(Box::new(record.clone().after(TransferEvent::Decline { reason }).map_err(misfit)?))
            }
            (TransferState::HandedOver(_), true) => return Ok(Answered::NothingToApprove),
            (TransferState::HandedOver(_), false) => {
                let settlement = Settlement::Failed(SignedFailure::GivenUp { reason });
                Answered::GivenUp(Box::new(book.settle(id, &settlement, answer.reviewed_at.0)?))
            }
            _ => {
                book.close_review(answer.review_id, ReviewStatus::Expired);
                return Ok(Answered::AlreadyDecided(ReviewStatus::Expired));
            }
        };
        if let Answered::Granted(record) | Answered::Declined(record) = &answered {
            book.row(id).expect("found above").record = (**record).clone();
        }
        book.close_review(answer.review_id, if is_approval { ReviewStatus::Approved } else { ReviewStatus::Rejected });
        book.decisions.push(answer_decision(answer, task_id));
        book.ledger.push(answer_entry(answer, &record.transfer));
        Ok(answered)
    }

    async fn ask_about(&self, transaction_id: UuidV4, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
        let mut book = self.book();
        let Some(transfer) = book.row(transaction_id).map(|row| row.record.transfer.clone()) else { return Ok(()) };
        let review_id = UuidV4::named(&["handed_over", &transaction_id.to_string()]);
        if !book.reviews.iter().any(|review| review.review_id == review_id) {
            let mut review = review_item(&transfer, review_id, reason);
            review.created_at.0 = at;
            book.reviews.push(review);
        }
        Ok(())
    }

    async fn find(&self, task_id: UuidV4) -> Result<Option<TransferRecord>, StoreError> {
        Ok(self.book().of_task(task_id).map(|row| row.record.clone()))
    }

    async fn open(&self) -> Result<Vec<TransferRecord>, StoreError> {
        Ok(self.book().transfers.iter().filter(|row| row.record.state.is_open()).map(|row| row.record.clone()).collect())
    }

    async fn granted(&self, now: DateTime<Utc>) -> Result<Vec<TransferRecord>, StoreError> {
        Ok(self.book().transfers.iter().map(|row| &row.record).filter(|record| record.is_granted_at(now)).cloned().collect())
    }

    async fn not_final(&self) -> Result<Vec<TransferRecord>, StoreError> {
        let book = self.book();
        let is_it = |row: &&Row| !row.is_final && row.record.state.in_a_block().is_some();
        Ok(book.transfers.iter().filter(is_it).map(|row| row.record.clone()).collect())
    }
}

#[async_trait]
impl Grants for FakeTransfers {
    async fn revoke(&self, revocation: &Revocation) -> Result<Revoked, StoreError> {
        let mut book = self.book();
        let review = book.reviews.iter().find(|review| review.review_id == revocation.review_id).cloned();
        let record = review.as_ref().and_then(|review| book.of_task(review.task_id)).map(|row| row.record.clone());
        let Some((review, record)) = review.zip(record) else { return Ok(Revoked::NotDone(NotRevoked::NotFound)) };
        let after = match revoked(&review, record, revocation) {
            Ok(after) => after,
            Err(problem) => return Ok(Revoked::NotDone(problem)),
        };
        let transfer = &after.transfer;
        book.row(transfer.transaction_id).expect("found above").record = after.clone();
        book.decisions.push(revocation_decision(revocation, review.task_id));
        let reason = revocation.reason.as_deref();
        book.ledger.push(revocation_entry(revocation.review_id, &revocation.by, reason, transfer, revocation.at));
        Ok(Revoked::Done(Box::new(after)))
    }
}

#[async_trait]
impl KillSwitch for FakeTransfers {
    async fn freeze(&self, freeze: &Freeze) -> Result<(), StoreError> {
        let mut book = self.book();
        book.freezes.entry(freeze.scope.clone()).or_insert_with(|| freeze.clone());
        book.ledger.push(freeze_entry(freeze));
        Ok(())
    }

    async fn unfreeze(&self, scope: &FreezeScope, by: &str, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut book = self.book();
        let was_frozen = book.freezes.remove(scope).is_some();
        if was_frozen {
            book.ledger.push(unfreeze_entry(scope, by, at));
        }
        Ok(was_frozen)
    }

    async fn hold(&self, agent: &AgentId, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.book().hold(agent, reason, at);
        Ok(())
    }

    async fn frozen(&self, agent: &AgentId) -> Result<Option<Freeze>, StoreError> {
        Ok(self.book().freeze_of(agent))
    }
}

#[async_trait]
impl WalletBook for FakeTransfers {
    async fn standing(&self, wallet: Address, chain: ChainId) -> Result<BookStanding, StoreError> {
        let book = self.book();
        let is_it = |row: &&Row| {
            let request = &row.record.transfer.request;
            row.record.state.is_open() && (request.wallet, request.chain) == (wallet, chain)
        };
        let open = book.transfers.iter().filter(is_it).map(|row| row.record.clone()).collect();
        Ok(BookStanding { consumed_next: book.consumed_next(wallet, chain), open })
    }

    async fn chains(&self, wallet: Address) -> Result<Vec<ChainId>, StoreError> {
        let book = self.book();
        let used = book.consumed_next.keys().copied();
        let open = book.transfers.iter().filter(|row| row.record.state.is_open()).map(|row| &row.record.transfer.request);
        let chains = used.chain(open.map(|request| (request.wallet, request.chain))).filter(|(owner, _)| *owner == wallet);
        Ok(chains.map(|(_, chain)| chain).collect::<std::collections::BTreeSet<_>>().into_iter().collect())
    }

    async fn held(&self, agent: &AgentId) -> Result<Option<Freeze>, StoreError> {
        Ok(self.book().holds.get(agent).cloned())
    }

    async fn reconcile(&self, reconciliation: &Reconciliation) -> Result<(), StoreError> {
        self.book().reconcile(reconciliation);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn the_fake_holds_to_the_port() {
        suites::transfers::all(|| ((), FakeTransfers::default())).await;
        suites::transfers::governance(|| ((), FakeTransfers::default())).await;
        suites::transfers::book(|| ((), FakeTransfers::default())).await;
    }
}
