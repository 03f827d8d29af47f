//! Transfers, counters, nonces, reviews, freezes and ledger entries in memory, under one lock.

use crate::{
    contracts::{
        SkillFailure, UuidV4,
        decision::JudgeDecision,
        review::{ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
    },
    domain::{
        AgentId,
        freeze::{Freeze, FreezeScope},
        ledger::{answer_entry, freeze_entry, refusal_entry, reversal_entry, settlement_entry, unfreeze_entry},
        money::{Address, ChainId, U256, look_alike_key},
        transfer::{
            Attempt, FeeLimits, Grant, Handover, History, NewTransfer, Pending, Settlement, SignedFailure, SigningTerms, Spend,
            TransferEvent, TransferRecord, TransferState, Verdict, choose_nonce, terms_problem,
        },
    },
    ports::{
        StoreError,
        kill_switch::KillSwitch,
        ledger::NewLedgerEntry,
        transfers::{
            Answered, Assignment, Judge, Recorded, Reservation, Transfers, answer_decision, cfo_decision, native_value_wei, review_item,
        },
    },
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Mutex, MutexGuard},
};

#[derive(Default)]
pub struct FakeTransfers(Mutex<Book>);

#[derive(Default)]
struct Book {
    /// In the order of their reservation.
    transfers: Vec<Row>,
    counters: HashMap<(Counter, ChainId, NaiveDate), Spend>,
    consumed_next: HashMap<(Address, ChainId), u64>,
    known: HashSet<(AgentId, ChainId, Address)>,
    freezes: BTreeMap<FreezeScope, Freeze>,
    reviews: Vec<ReviewItem>,
    decisions: Vec<JudgeDecision>,
    ledger: Vec<NewLedgerEntry>,
}

struct Row {
    record: TransferRecord,
    /// The nonce and the maximum fee, once assigned.
    held: Option<(u64, U256)>,
    is_final: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Counter {
    Own(Address, String),
    /// What a person approved of `Own`.
    Approved(Address, String),
    Named(String, String),
    Fees,
}

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

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().expect("no test panics while holding the book")
    }
}

/// The own counter first.
fn counters_of(transfer: &NewTransfer, is_granted: bool) -> Vec<Counter> {
    let request = &transfer.request;
    let symbol = request.asset.symbol.clone();
    let mut counters = vec![Counter::Own(request.wallet, symbol.clone())];
    counters.extend(is_granted.then(|| Counter::Approved(request.wallet, symbol.clone())));
    counters.extend(transfer.named_counter().map(|key| Counter::Named(key.to_owned(), symbol)));
    counters
}

impl Book {
    fn counter(&mut self, counter: Counter, transfer: &NewTransfer) -> &mut Spend {
        self.counters.entry((counter, transfer.request.chain, transfer.day())).or_default()
    }

    fn row(&mut self, transaction_id: UuidV4) -> Option<&mut Row> {
        self.transfers
            .iter_mut()
            .find(|row| row.record.transfer.transaction_id == transaction_id && row.record.state != TransferState::Released)
    }

    fn reserved(&mut self, transaction_id: UuidV4) -> Option<&mut Row> {
        self.row(transaction_id).filter(|row| row.record.state == TransferState::Reserved)
    }

    fn of_task(&self, task_id: UuidV4) -> Option<&Row> {
        self.transfers.iter().find(|row| row.record.transfer.task_id == task_id && row.record.state != TransferState::Released)
    }

    fn freeze_of(&self, agent: &AgentId) -> Option<Freeze> {
        self.freezes.get(&FreezeScope::Fleet).or_else(|| self.freezes.get(&FreezeScope::Agent(agent.clone()))).cloned()
    }

    fn history(&mut self, transfer: &NewTransfer, is_granted: bool) -> History {
        let request = &transfer.request;
        let hour_ago = transfer.reserved_at - TimeDelta::hours(1);
        let is_recent = |row: &&Row| {
            let other = &row.record.transfer;
            other.request.agent == request.agent
                && other.reserved_at > hour_ago
                && (row.record.state.is_open() || row.record.state.sent().is_some())
        };
        let transfers_last_hour = self.transfers.iter().filter(is_recent).count() as u64;
        let recipient_is_known = self.known.contains(&(request.agent.clone(), request.chain, request.to));
        let is_alike = |known: Address| known != request.to && look_alike_key(known) == look_alike_key(request.to);
        let look_alike =
            self.known.iter().find(|(agent, _, known)| *agent == request.agent && is_alike(*known)).map(|(_, _, known)| *known);
        let symbol = request.asset.symbol.clone();
        let own_day = *self.counter(Counter::Own(request.wallet, symbol.clone()), transfer);
        let approved_day = *self.counter(Counter::Approved(request.wallet, symbol.clone()), transfer);
        let named_day = match transfer.named_counter() {
            Some(key) => *self.counter(Counter::Named(key.to_owned(), symbol), transfer),
            None => Spend::default(),
        };
        History {
            freeze: self.freeze_of(&request.agent),
            recipient_is_known,
            look_alike,
            transfers_last_hour,
            own_day,
            unapproved_day_units: own_day.committed_units().saturating_sub(approved_day.committed_units()),
            named_day,
            is_granted,
        }
    }

    /// Moves what is held for a transfer: `spent_units` and `fee_wei` become spend, the rest is free again.
    fn free(&mut self, record: &TransferRecord, fee_max_wei: U256, spent_units: U256, fee_wei: U256) {
        let transfer = &record.transfer;
        for counter in counters_of(transfer, record.grant.is_some()) {
            let spend = self.counter(counter, transfer);
            spend.reserved_units -= transfer.request.amount_units;
            spend.spent_units += spent_units;
        }
        let fees = self.counter(Counter::Fees, transfer);
        fees.reserved_units -= fee_max_wei;
        fees.spent_units += fee_wei;
    }

    /// The opposite of `free`.
    fn hold_again(&mut self, record: &TransferRecord, fee_max_wei: U256, spent_units: U256, fee_wei: U256) {
        let transfer = &record.transfer;
        for counter in counters_of(transfer, record.grant.is_some()) {
            let spend = self.counter(counter, transfer);
            spend.reserved_units += transfer.request.amount_units;
            spend.spent_units -= spent_units;
        }
        let fees = self.counter(Counter::Fees, transfer);
        fees.reserved_units += fee_max_wei;
        fees.spent_units -= fee_wei;
    }

    /// What `assign` and `hand_over` share: the nonce that is given out, and how many others are in flight.
    fn give_nonce(&mut self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<(u64, usize), Assignment> {
        let Some(row) = self.reserved(transaction_id) else { return Err(Assignment::Lost) };
        let transfer = row.record.transfer.clone();
        let request = &transfer.request;
        if let Some(freeze) = self.freeze_of(&request.agent) {
            return Err(Assignment::Frozen(freeze));
        }
        let mut pending = Pending::default();
        let mut held = Vec::new();
        for row in self.transfers.iter().filter(|row| row.record.state.is_open()) {
            let other = &row.record.transfer.request;
            let Some((nonce, fee_max_wei)) = row.held.filter(|_| other.wallet == request.wallet && other.chain == request.chain) else {
                continue;
            };
            held.push(nonce);
            pending.fees_max_wei += fee_max_wei;
            pending.native_wei += native_value_wei(other);
            if other.asset.kind == request.asset.kind {
                pending.asset_units += other.amount_units;
            }
        }
        let fees_day = *self.counter(Counter::Fees, &transfer);
        if let Some(problem) = terms_problem(request, terms, &pending, fees_day) {
            return Err(Assignment::Refused(problem));
        }
        let consumed_next = self.consumed_next.get(&(request.wallet, request.chain)).copied().unwrap_or_default();
        Ok((choose_nonce(terms.next_nonce, consumed_next, &held), held.len()))
    }

    fn hold_fee(&mut self, transaction_id: UuidV4, nonce: u64, fee_max_wei: U256) {
        let row = self.row(transaction_id).expect("found before");
        row.held = Some((nonce, fee_max_wei));
        let transfer = row.record.transfer.clone();
        self.counter(Counter::Fees, &transfer).reserved_units += fee_max_wei;
    }

    fn settle(&mut self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        let Some(row) = self.row(transaction_id) else { return Err(StoreError::Corrupt(format!("there is no transfer {transaction_id}"))) };
        let Some(sent) = row.record.state.sent() else { return Ok(row.record.clone()) };
        let Ok(record) = row.record.clone().after(TransferEvent::Settle(settlement.clone())) else { return Ok(row.record.clone()) };
        row.record = record.clone();
        let fee_max_wei = row.held.map(|(_, fee)| fee).unwrap_or_default();
        let transfer = &record.transfer;
        let request = &transfer.request;
        let (spent_units, fee_wei) = settlement.costs(request.amount_units);
        self.free(&record, fee_max_wei, spent_units, fee_wei);
        if settlement.consumes_nonce() {
            let consumed = self.consumed_next.entry((request.wallet, request.chain)).or_default();
            *consumed = (*consumed).max(sent.nonce() + 1);
        }
        if matches!(settlement, Settlement::Confirmed(_)) {
            self.known.insert((request.agent.clone(), request.chain, request.to));
        }
        self.ledger.push(settlement_entry(transfer, &sent, settlement, at));
        Ok(record)
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
        let history = book.history(&transfer, granted.is_some());
        let verdict = judge(&history);
        book.decisions.push(cfo_decision(&transfer, &verdict));
        let (state, reservation) = match verdict {
            Verdict::Refuse(failure) => {
                book.ledger.push(refusal_entry(&transfer, &failure, transfer.reserved_at));
                return Ok(Reservation::Refused(failure));
            }
            Verdict::Ask { rule, reason } => {
                let review_id = UuidV4::random();
                book.reviews.push(review_item(&transfer, review_id, &reason));
                (TransferState::AwaitingReview { review_id, rule: rule.clone() }, Reservation::Asked { review_id, rule })
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
                book.transfers.push(Row { record, held: None, is_final: false });
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
            Err(refusal) => refusal,
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
            Err(refusal) => refusal,
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
        let (spent_units, fee_wei) = settlement.costs(record.transfer.request.amount_units);
        book.hold_again(&record, fee_max_wei, spent_units, fee_wei);
        book.ledger.push(reversal_entry(&record.transfer, &sent, &settlement, at));
        Ok(record)
    }

    async fn finalize(&self, transaction_ids: &[UuidV4]) -> Result<(), StoreError> {
        let mut book = self.book();
        for id in transaction_ids {
            if let Some(row) = book.row(*id) {
                row.is_final = true;
            }
        }
        Ok(())
    }

    async fn release(&self, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut book = self.book();
        let Some(row) = book.reserved(transaction_id) else { return Ok(false) };
        let fee_max_wei = row.held.take().map(|(_, fee)| fee).unwrap_or_default();
        let held = row.record.clone();
        row.record = held.clone().after(TransferEvent::Release).map_err(misfit)?;
        book.free(&held, fee_max_wei, U256::ZERO, U256::ZERO);
        book.ledger.push(refusal_entry(&held.transfer, why, at));
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
            (TransferState::AwaitingReview { review_id, .. }, true) => {
                let grant = Grant { review_id: *review_id, until: grant_until };
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

impl Book {
    fn close_review(&mut self, review_id: UuidV4, status: ReviewStatus) {
        for review in self.reviews.iter_mut().filter(|review| review.review_id == review_id) {
            review.status = status;
        }
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

    async fn frozen(&self, agent: &AgentId) -> Result<Option<Freeze>, StoreError> {
        Ok(self.book().freeze_of(agent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn the_fake_holds_to_the_port() {
        suites::transfers::all(|| ((), FakeTransfers::default())).await;
    }
}
