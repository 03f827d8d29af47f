//! Transfers, counters, nonces, reviews and ledger entries in memory, under one lock.

use crate::{
    contracts::{SkillFailure, UuidV4, decision::JudgeDecision, review::ReviewItem},
    domain::{
        AgentId,
        money::{Address, ChainId, U256},
        transfer::{
            History, NewTransfer, Pending, Settlement, Signed, SigningTerms, Spend, TransferRecord, TransferState, Verdict, choose_nonce,
            terms_problem,
        },
    },
    ports::{
        StoreError,
        ledger::NewLedgerEntry,
        signer::SignedTransaction,
        transfers::{
            Assignment, Judge, Reservation, Transfers, cfo_decision, native_value_wei, refusal_entry, review_item, settlement_entry,
        },
    },
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::{
    collections::{HashMap, HashSet},
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
    reviews: Vec<ReviewItem>,
    decisions: Vec<JudgeDecision>,
    ledger: Vec<NewLedgerEntry>,
}

struct Row {
    record: TransferRecord,
    /// The nonce and the maximum fee, once assigned.
    held: Option<(u64, U256)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Counter {
    Own(Address, String),
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

fn counters_of(transfer: &NewTransfer) -> Vec<Counter> {
    let request = &transfer.request;
    let symbol = request.asset.symbol.clone();
    let own = Counter::Own(request.wallet, symbol.clone());
    let named = transfer.named_counter.clone().map(|key| Counter::Named(key, symbol));
    std::iter::once(own).chain(named).collect()
}

impl Book {
    fn counter(&mut self, counter: Counter, transfer: &NewTransfer) -> &mut Spend {
        self.counters.entry((counter, transfer.request.chain, transfer.day())).or_default()
    }

    fn row(&mut self, transaction_id: UuidV4) -> Option<&mut Row> {
        self.transfers.iter_mut().find(|row| row.record.transfer.transaction_id == transaction_id)
    }

    fn history(&mut self, transfer: &NewTransfer) -> History {
        let request = &transfer.request;
        let hour_ago = transfer.reserved_at - TimeDelta::hours(1);
        let is_recent = |row: &&Row| {
            let other = &row.record.transfer;
            other.request.agent == request.agent
                && other.reserved_at > hour_ago
                && !matches!(row.record.state, TransferState::AwaitingReview { .. })
        };
        let transfers_last_hour = self.transfers.iter().filter(is_recent).count() as u64;
        let recipient_is_known = self.known.contains(&(request.agent.clone(), request.chain, request.to));
        let spends: Vec<Spend> = counters_of(transfer).into_iter().map(|counter| *self.counter(counter, transfer)).collect();
        let own_day = spends[0];
        let unapproved_day_units = own_day.committed_units();
        History {
            recipient_is_known,
            transfers_last_hour,
            own_day,
            unapproved_day_units,
            named_day: spends.get(1).copied().unwrap_or_default(),
        }
    }

    /// Ends what is held for a transfer: `spent_units` and `fee_wei` become spend, the rest is free again.
    fn free(&mut self, transfer: &NewTransfer, fee_max_wei: U256, spent_units: U256, fee_wei: U256) {
        for counter in counters_of(transfer) {
            let spend = self.counter(counter, transfer);
            spend.reserved_units -= transfer.request.amount_units;
            spend.spent_units += spent_units;
        }
        let fees = self.counter(Counter::Fees, transfer);
        fees.reserved_units -= fee_max_wei;
        fees.spent_units += fee_wei;
    }
}

#[async_trait]
impl Transfers for FakeTransfers {
    async fn reserve(&self, transfer: &NewTransfer, judge: Judge) -> Result<Reservation, StoreError> {
        let mut book = self.book();
        if let Some(row) = book.transfers.iter().find(|row| row.record.transfer.task_id == transfer.task_id) {
            return Ok(Reservation::Existing(Box::new(row.record.clone())));
        }
        let history = book.history(transfer);
        let verdict = judge(&history);
        book.decisions.push(cfo_decision(transfer, &verdict));
        let (state, reservation) = match verdict {
            Verdict::Refuse(failure) => {
                book.ledger.push(refusal_entry(transfer, &failure, transfer.reserved_at));
                return Ok(Reservation::Refused(failure));
            }
            Verdict::Ask { rule, reason } => {
                let review_id = UuidV4::random();
                book.reviews.push(review_item(transfer, review_id, &reason));
                (TransferState::AwaitingReview { review_id, rule: rule.clone() }, Reservation::Asked { review_id, rule })
            }
            Verdict::Approve => {
                for counter in counters_of(transfer) {
                    book.counter(counter, transfer).reserved_units += transfer.request.amount_units;
                }
                (TransferState::Reserved, Reservation::Reserved)
            }
        };
        book.transfers.push(Row { record: TransferRecord { transfer: transfer.clone(), state }, held: None });
        Ok(reservation)
    }

    async fn assign(&self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError> {
        let mut book = self.book();
        let Some(transfer) = book.row(transaction_id).filter(|row| row.record.state == TransferState::Reserved) else {
            return Ok(Assignment::Lost);
        };
        let transfer = transfer.record.transfer.clone();
        let request = &transfer.request;
        let mut pending = Pending::default();
        let mut held = Vec::new();
        for row in book.transfers.iter().filter(|row| row.record.state.is_open()) {
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
        let fees_day = *book.counter(Counter::Fees, &transfer);
        if let Some(problem) = terms_problem(request, terms, &pending, fees_day) {
            return Ok(Assignment::Refused(problem));
        }
        let consumed_next = book.consumed_next.get(&(request.wallet, request.chain)).copied().unwrap_or_default();
        let nonce = choose_nonce(terms.next_nonce, consumed_next, &held);
        book.counter(Counter::Fees, &transfer).reserved_units += terms.fee_max_wei;
        book.row(transaction_id).expect("found above").held = Some((nonce, terms.fee_max_wei));
        Ok(Assignment::Nonce(nonce))
    }

    async fn record_signed(&self, transaction_id: UuidV4, signed: &SignedTransaction) -> Result<bool, StoreError> {
        let mut book = self.book();
        let Some(row) = book.row(transaction_id).filter(|row| row.record.state == TransferState::Reserved) else { return Ok(false) };
        let Some((nonce, _)) = row.held else { return Ok(false) };
        row.record.state = TransferState::Signed(Signed { nonce, tx_hash: signed.tx_hash, raw: signed.raw.clone() });
        Ok(true)
    }

    async fn mark_broadcast(&self, transaction_id: UuidV4) -> Result<(), StoreError> {
        let mut book = self.book();
        if let Some(row) = book.row(transaction_id)
            && let TransferState::Signed(signed) = &row.record.state
        {
            row.record.state = TransferState::Broadcast(signed.clone());
        }
        Ok(())
    }

    async fn settle(&self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        let mut book = self.book();
        let Some(row) = book.row(transaction_id) else { return Err(StoreError::Corrupt(format!("there is no transfer {transaction_id}"))) };
        let signed = match &row.record.state {
            TransferState::Signed(signed) | TransferState::Broadcast(signed) => signed.clone(),
            _ => return Ok(row.record.clone()),
        };
        let fee_max_wei = row.held.map(|(_, fee)| fee).unwrap_or_default();
        row.record.state = settlement.clone().end(signed.clone());
        let record = row.record.clone();
        let transfer = &record.transfer;
        let request = &transfer.request;
        let (spent_units, fee_wei) = settlement.costs(request.amount_units);
        book.free(transfer, fee_max_wei, spent_units, fee_wei);
        if settlement.consumes_nonce() {
            let consumed = book.consumed_next.entry((request.wallet, request.chain)).or_default();
            *consumed = (*consumed).max(signed.nonce + 1);
        }
        if matches!(settlement, Settlement::Confirmed(_)) {
            book.known.insert((request.agent.clone(), request.chain, request.to));
        }
        book.ledger.push(settlement_entry(transfer, &signed, settlement, at));
        Ok(record)
    }

    async fn release(&self, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut book = self.book();
        let is_it = |row: &Row| row.record.transfer.transaction_id == transaction_id && row.record.state == TransferState::Reserved;
        let Some(index) = book.transfers.iter().position(is_it) else { return Ok(false) };
        let row = book.transfers.remove(index);
        let fee_max_wei = row.held.map(|(_, fee)| fee).unwrap_or_default();
        book.free(&row.record.transfer, fee_max_wei, U256::ZERO, U256::ZERO);
        book.ledger.push(refusal_entry(&row.record.transfer, why, at));
        Ok(true)
    }

    async fn find(&self, task_id: UuidV4) -> Result<Option<TransferRecord>, StoreError> {
        Ok(self.book().transfers.iter().find(|row| row.record.transfer.task_id == task_id).map(|row| row.record.clone()))
    }

    async fn open(&self) -> Result<Vec<TransferRecord>, StoreError> {
        Ok(self.book().transfers.iter().filter(|row| row.record.state.is_open()).map(|row| row.record.clone()).collect())
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
