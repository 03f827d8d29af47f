//! What the fake keeps, and how its counters move.

use crate::{
    contracts::{
        ErrorCode, UuidV4,
        decision::JudgeDecision,
        review::{ReviewItem, ReviewStatus},
    },
    domain::{
        AgentId,
        freeze::{Freeze, FreezeScope},
        ledger::{NewLedgerEntry, foreign_entries, hold_entry, reconcile_entry, settlement_entry},
        money::{Address, AssetKind, B256, ChainId, U256, look_alike_key},
        transfer::{
            ForeignMovement, Grant, History, NewTransfer, Pending, Reconciliation, Settlement, SigningTerms, Spend, TransferEvent,
            TransferRecord, TransferRequest, TransferState, chain_is_ahead, choose_nonce, terms_problem,
        },
    },
    ports::{StoreError, transfers::Assignment},
};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Clone, Default)]
pub(super) struct Book {
    /// In the order of their reservation.
    pub(super) transfers: Vec<Row>,
    pub(super) counters: HashMap<(Counter, ChainId, NaiveDate), Spend>,
    pub(super) consumed_next: HashMap<(Address, ChainId), u64>,
    pub(super) known: HashSet<(AgentId, ChainId, Address)>,
    pub(super) freezes: BTreeMap<FreezeScope, Freeze>,
    pub(super) holds: HashMap<AgentId, Freeze>,
    pub(super) foreign: Vec<ForeignPayment>,
    pub(super) reviews: Vec<ReviewItem>,
    pub(super) decisions: Vec<JudgeDecision>,
    pub(super) ledger: Vec<NewLedgerEntry>,
}

#[derive(Clone)]
pub(super) struct Row {
    pub(super) record: TransferRecord,
    /// The nonce and the maximum fee, once assigned.
    pub(super) held: Option<(u64, U256)>,
    pub(super) is_final: bool,
    /// The code of the last time that it was given up.
    pub(super) refusal: Option<ErrorCode>,
}

impl Row {
    pub(super) fn new(record: TransferRecord) -> Self {
        Self { record, held: None, is_final: false, refusal: None }
    }
}

/// What a reconciliation found, and whether a task was asked about it.
#[derive(Clone)]
pub(super) struct ForeignPayment {
    wallet: Address,
    chain: ChainId,
    tx_hash: B256,
    moved: ForeignMovement,
    is_asked: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Counter {
    Own(Address, String),
    /// What a person approved of `Own`.
    Approved(Address, String),
    Named(String, String),
    Fees,
}

/// The own counter first.
pub(super) fn counters_of(transfer: &NewTransfer, is_granted: bool) -> Vec<Counter> {
    let request = &transfer.request;
    let symbol = request.asset.symbol.clone();
    let mut counters = vec![Counter::Own(request.wallet, symbol.clone())];
    counters.extend(is_granted.then(|| Counter::Approved(request.wallet, symbol.clone())));
    counters.extend(transfer.named_counter().map(|key| Counter::Named(key.to_owned(), symbol)));
    counters
}

impl Book {
    pub(super) fn counter(&mut self, counter: Counter, transfer: &NewTransfer) -> &mut Spend {
        self.counters.entry((counter, transfer.request.chain, transfer.day())).or_default()
    }

    pub(super) fn row(&mut self, transaction_id: UuidV4) -> Option<&mut Row> {
        self.transfers
            .iter_mut()
            .find(|row| row.record.transfer.transaction_id == transaction_id && row.record.state != TransferState::Released)
    }

    pub(super) fn reserved(&mut self, transaction_id: UuidV4) -> Option<&mut Row> {
        self.row(transaction_id).filter(|row| row.record.state == TransferState::Reserved)
    }

    pub(super) fn of_task(&self, task_id: UuidV4) -> Option<&Row> {
        self.transfers.iter().find(|row| row.record.transfer.task_id == task_id && row.record.state != TransferState::Released)
    }

    pub(super) fn freeze_of(&self, agent: &AgentId) -> Option<Freeze> {
        let own = || self.freezes.get(&FreezeScope::Agent(agent.clone()));
        self.freezes.get(&FreezeScope::Fleet).or_else(own).or_else(|| self.holds.get(agent)).cloned()
    }

    pub(super) fn hold(&mut self, agent: &AgentId, reason: &str, at: DateTime<Utc>) {
        if !self.holds.contains_key(agent) {
            self.holds.insert(agent.clone(), Freeze::hold(agent.clone(), reason.to_owned(), at));
            self.ledger.push(hold_entry(agent, reason, at));
        }
    }

    pub(super) fn consumed_next(&self, wallet: Address, chain: ChainId) -> u64 {
        self.consumed_next.get(&(wallet, chain)).copied().unwrap_or_default()
    }

    pub(super) fn reconcile(&mut self, reconciliation: &Reconciliation) {
        let wallet = reconciliation.wallet;
        for foreign in &reconciliation.found {
            let chain = foreign.chain;
            if self.foreign.iter().any(|known| (known.wallet, known.chain, known.tx_hash) == (wallet, chain, foreign.tx_hash)) {
                continue;
            }
            for moved in &foreign.moved {
                let own = Counter::Own(wallet, moved.asset.symbol.clone());
                self.counters.entry((own, chain, foreign.day())).or_default().spent_units += moved.units;
                let payment = ForeignPayment { wallet, chain, tx_hash: foreign.tx_hash, moved: moved.clone(), is_asked: false };
                self.foreign.push(payment);
            }
            self.counters.entry((Counter::Fees, chain, foreign.day())).or_default().spent_units += foreign.fee_wei;
            self.ledger.extend(foreign_entries(reconciliation, foreign));
        }
        for (chain, next) in &reconciliation.next_nonces {
            let consumed = self.consumed_next.entry((wallet, *chain)).or_default();
            *consumed = (*consumed).max(*next);
        }
        if reconciliation.is_complete {
            self.holds.remove(&reconciliation.agent);
        }
        self.ledger.push(reconcile_entry(reconciliation));
    }

    fn foreign_like(&mut self, transfer: &NewTransfer) -> Option<&mut ForeignPayment> {
        let TransferRequest { wallet, chain, asset, to, amount_units, .. } = &transfer.request;
        self.foreign.iter_mut().find(|foreign| {
            !foreign.is_asked
                && (foreign.wallet, foreign.chain, foreign.moved.asset.kind) == (*wallet, *chain, asset.kind)
                && (foreign.moved.to, foreign.moved.units) == (*to, *amount_units)
        })
    }

    /// One payment is asked about once.
    pub(super) fn ask_for_foreign(&mut self, transfer: &NewTransfer) {
        if let Some(foreign) = self.foreign_like(transfer) {
            foreign.is_asked = true;
        }
    }

    /// What it knows, as text, but for ids that are drawn at random and what only grows.
    pub(super) fn outline(&self) -> String {
        let mut lines = Vec::new();
        for row in self.transfers.iter().filter(|row| row.record.state != TransferState::Released) {
            let TransferRecord { transfer, state, .. } = &row.record;
            lines.push(format!("{} {} {:?} {:?} {}", transfer.task_id, transfer.reserved_at, state, row.held, row.is_final));
        }
        let mut counters: Vec<String> = self.counters.iter().map(|counter| format!("{counter:?}")).collect();
        counters.sort();
        lines.extend(counters);
        lines.push(format!("{:?} {:?}", self.consumed_next, self.freezes.keys()));
        lines.push(format!("{:?}", self.holds.keys()));
        lines.extend(self.foreign.iter().map(|foreign| format!("{} {}", foreign.tx_hash, foreign.is_asked)));
        lines.join("\n")
    }

    /// Its block stays: what a revert still holds is free.
    pub(super) fn finalize(&mut self, transaction_id: UuidV4) {
        let Some(row) = self.row(transaction_id).filter(|row| !row.is_final) else { return };
        row.is_final = true;
        let record = row.record.clone();
        if matches!(record.state, TransferState::Reverted { .. }) {
            for counter in counters_of(&record.transfer, record.grant.is_some()) {
                self.counter(counter, &record.transfer).reserved_units -= record.transfer.request.amount_units;
            }
        }
    }

    pub(super) fn history(&mut self, transfer: &NewTransfer, grant: Option<Grant>) -> History {
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
            reconciled_alike: self.foreign_like(transfer).map(|foreign| foreign.tx_hash),
            transfers_last_hour,
            own_day,
            unapproved_day_units: own_day.committed_units().saturating_sub(approved_day.committed_units()),
            named_day,
            is_granted: grant.is_some(),
            address_is_confirmed: grant.is_some_and(|grant| grant.address_confirmed),
        }
    }

    /// Gives up what is held for an unsigned transfer.
    pub(super) fn free(&mut self, record: &TransferRecord, fee_max_wei: U256) {
        let transfer = &record.transfer;
        for counter in counters_of(transfer, record.grant.is_some()) {
            self.counter(counter, transfer).reserved_units -= transfer.request.amount_units;
        }
        self.counter(Counter::Fees, transfer).reserved_units -= fee_max_wei;
    }

    /// What a settlement costs becomes spend; the rest of what is held is free, but for what it keeps.
    fn spend(&mut self, record: &TransferRecord, fee_max_wei: U256, settlement: &Settlement) {
        let transfer = &record.transfer;
        let (spent_units, fee_wei) = settlement.costs(transfer.request.amount_units);
        if !settlement.keeps_amount() {
            for counter in counters_of(transfer, record.grant.is_some()) {
                let spend = self.counter(counter, transfer);
                spend.reserved_units -= transfer.request.amount_units;
                spend.spent_units += spent_units;
            }
        }
        let fees = self.counter(Counter::Fees, transfer);
        fees.reserved_units -= fee_max_wei;
        fees.spent_units += fee_wei;
    }

    /// The opposite of `spend`.
    pub(super) fn hold_again(&mut self, record: &TransferRecord, fee_max_wei: U256, settlement: &Settlement) {
        let transfer = &record.transfer;
        let (spent_units, fee_wei) = settlement.costs(transfer.request.amount_units);
        if !settlement.keeps_amount() {
            for counter in counters_of(transfer, record.grant.is_some()) {
                let spend = self.counter(counter, transfer);
                spend.reserved_units += transfer.request.amount_units;
                spend.spent_units -= spent_units;
            }
        }
        let fees = self.counter(Counter::Fees, transfer);
        fees.reserved_units += fee_max_wei;
        fees.spent_units -= fee_wei;
    }

    /// What `assign` and `hand_over` share: the nonce that is given out, and how many others are in flight.
    pub(super) fn give_nonce(&mut self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<(u64, usize), Box<Assignment>> {
        let Some(row) = self.reserved(transaction_id) else { return Err(Box::new(Assignment::Lost)) };
        let transfer = row.record.transfer.clone();
        let request = &transfer.request;
        if let Some(freeze) = self.freeze_of(&request.agent) {
            return Err(Box::new(Assignment::Frozen(freeze)));
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
            if other.asset.kind == AssetKind::Native {
                pending.native_wei += other.amount_units;
            }
            if other.asset.kind == request.asset.kind {
                pending.asset_units += other.amount_units;
            }
        }
        let consumed_next = self.consumed_next(request.wallet, request.chain);
        if let Some(reason) = chain_is_ahead(request.chain, terms.next_nonce, consumed_next, &held) {
            self.hold(&request.agent, &reason, transfer.reserved_at);
            let freeze = Freeze::hold(request.agent.clone(), reason, transfer.reserved_at);
            return Err(Box::new(Assignment::Frozen(freeze)));
        }
        let fees_day = *self.counter(Counter::Fees, &transfer);
        if let Some(problem) = terms_problem(request, terms, &pending, fees_day) {
            return Err(Box::new(Assignment::Refused(problem)));
        }
        Ok((choose_nonce(terms.next_nonce, consumed_next, &held), held.len()))
    }

    pub(super) fn hold_fee(&mut self, transaction_id: UuidV4, nonce: u64, fee_max_wei: U256) {
        let row = self.row(transaction_id).expect("found before");
        row.held = Some((nonce, fee_max_wei));
        let transfer = row.record.transfer.clone();
        self.counter(Counter::Fees, &transfer).reserved_units += fee_max_wei;
    }

    pub(super) fn settle(
        &mut self,
        transaction_id: UuidV4,
        settlement: &Settlement,
        at: DateTime<Utc>,
    ) -> Result<TransferRecord, StoreError> {
        let Some(row) = self.row(transaction_id) else { return Err(StoreError::Corrupt(format!("there is no transfer {transaction_id}"))) };
        let Some(sent) = row.record.state.sent() else { return Ok(row.record.clone()) };
        let Ok(record) = row.record.clone().after(TransferEvent::Settle(settlement.clone())) else { return Ok(row.record.clone()) };
        row.record = record.clone();
        let fee_max_wei = row.held.map(|(_, fee)| fee).unwrap_or_default();
        let transfer = &record.transfer;
        let request = &transfer.request;
        self.spend(&record, fee_max_wei, settlement);
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

impl Book {
    pub(super) fn close_review(&mut self, review_id: UuidV4, status: ReviewStatus) {
        for review in self.reviews.iter_mut().filter(|review| review.review_id == review_id) {
            review.status = status;
        }
    }
}
