//! How money leaves: nonces and fees, signatures, bumps and handovers, each written down before anything is sent.

use super::{
    super::{
        OrStoreError,
        columns::{count, from_count, if_any, parsed, rows, units},
        ledger,
        turns::{Desk, go_on},
    },
    book,
    budget::{self, Counter},
    by_id, freezes, misfit,
    row::{self, StoredTransfer},
};
use chimera_core::{
    contracts::UuidV4,
    domain::{
        AgentId,
        ledger::cancel_entry,
        money::{Address, AssetKind, ChainId, U256, checksummed},
        transfer::{
            Attempt, FeeLimits, Handover, NewTransfer, Pending, SigningTerms, Spend, TransferEvent, TransferRequest, TransferState,
            chain_is_ahead, choose_nonce, terms_problem,
        },
    },
    ports::{
        StoreError,
        transfers::{Assignment, Recorded},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

pub(in super::super) const IN_FLIGHT: &str = "wallet = ?1 AND chain_id = ?2 AND nonce IS NOT NULL AND (state = 'reserved' OR state = 'handed_over' OR state = 'signed' OR state = 'broadcast')";

/// A transfer that wants its nonce.
pub(in super::super) struct Assign {
    pub(super) transaction_id: UuidV4,
    pub(super) terms: SigningTerms,
}

pub(in super::super) type AssignDesk = Desk<Assign, Assignment>;

/// Nonces are given out in turns: what a wallet has under way, which each of them has to look at, is read once for all of a turn.
pub(in super::super) fn desk() -> Arc<AssignDesk> {
    Desk::new(|db, asks| {
        let mut under_way = UnderWay::default();
        asks.iter().map(|ask| assign(db, ask, &mut under_way)).collect()
    })
}

/// `Err` when something was written and not all of it.
fn assign(db: &Connection, ask: &Assign, under_way: &mut UnderWay) -> Result<Result<Assignment, StoreError>, StoreError> {
    match choose(db, ask.transaction_id, &ask.terms, under_way) {
        Err(error) => go_on(db).map(|()| Err(error)),
        Ok(Choice::Nonce { stored, nonce, .. }) => {
            let transfer = &stored.record.transfer;
            hold(db, transfer, nonce, ask.terms.fee_max_wei)?;
            under_way.add(transfer, nonce, ask.terms.fee_max_wei);
            Ok(Ok(Assignment::Nonce(nonce)))
        }
        Ok(Choice::Ahead(ahead)) => ahead.hold(db).map(Ok),
        Ok(Choice::None(refusal)) => Ok(Ok(refusal)),
    }
}

pub(super) fn hand_over(
    db: &Connection,
    transaction_id: UuidV4,
    terms: &SigningTerms,
    block_number: u64,
    at: DateTime<Utc>,
) -> Result<Assignment, StoreError> {
    let (stored, nonce) = match choose(db, transaction_id, terms, &mut UnderWay::default())? {
        Choice::Nonce { stored, nonce, others: 0 } => (stored, nonce),
        Choice::Nonce { .. } => return Ok(Assignment::Busy),
        Choice::Ahead(ahead) => return ahead.hold(db),
        Choice::None(refusal) => return Ok(refusal),
    };
    hold(db, &stored.record.transfer, nonce, terms.fee_max_wei)?;
    let handed_over = TransferEvent::HandOver(Handover { nonce, block_number, at });
    row::set_state(db, &stored.record.after(handed_over).map_err(misfit)?)?;
    Ok(Assignment::Nonce(nonce))
}

enum Choice {
    Nonce { stored: Box<StoredTransfer>, nonce: u64, others: usize },
    Ahead(Ahead),
    None(Assignment),
}

/// The chain knows more of the wallet than the book: it is to be held.
struct Ahead {
    agent: AgentId,
    reason: String,
    at: DateTime<Utc>,
}

impl Ahead {
    fn hold(self, db: &Connection) -> Result<Assignment, StoreError> {
        Ok(Assignment::Frozen(book::hold(db, &self.agent, &self.reason, self.at)?))
    }
}

/// Writes nothing.
fn choose(db: &Connection, transaction_id: UuidV4, terms: &SigningTerms, under_way: &mut UnderWay) -> Result<Choice, StoreError> {
    let Some(stored) = by_id(db, transaction_id)?.filter(|stored| stored.record.state == TransferState::Reserved) else {
        return Ok(Choice::None(Assignment::Lost));
    };
    let transfer = &stored.record.transfer;
    let request = &transfer.request;
    if let Some(freeze) = freezes::frozen(db, &request.agent)? {
        return Ok(Choice::None(Assignment::Frozen(freeze)));
    }
    let others = under_way.of(db, transfer)?;
    let held: Vec<u64> = others.iter().map(|other| other.nonce).collect();
    let consumed_next = book::consumed_next(db, request.wallet, request.chain)?;
    if let Some(reason) = chain_is_ahead(request.chain, terms.next_nonce, consumed_next, &held) {
        return Ok(Choice::Ahead(Ahead { agent: request.agent.clone(), reason, at: transfer.reserved_at }));
    }
    let pending = others.iter().fold(Pending::default(), |sum, other| Pending {
        native_wei: sum.native_wei.saturating_add(if other.kind == AssetKind::Native { other.amount_units } else { U256::ZERO }),
        fees_max_wei: sum.fees_max_wei.saturating_add(other.fee_max_wei),
        asset_units: sum.asset_units.saturating_add(if other.kind == request.asset.kind { other.amount_units } else { U256::ZERO }),
    });
    let fees_day = budget::spend(db, &Counter::Fees, transfer)?;
    if let Some(problem) = terms_problem(request, terms, &pending, fees_day) {
        return Ok(Choice::None(Assignment::Refused(problem)));
    }
    let nonce = choose_nonce(terms.next_nonce, consumed_next, &held);
    Ok(Choice::Nonce { stored: Box::new(stored), nonce, others: held.len() })
}

/// What wallets have under way, as this turn has read and added to it.
#[derive(Default)]
struct UnderWay(HashMap<(Address, ChainId), Vec<InFlight>>);

impl UnderWay {
    fn of(&mut self, db: &Connection, transfer: &NewTransfer) -> Result<&[InFlight], StoreError> {
        Ok(match self.0.entry(key(transfer)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(in_flight(db, transfer)?),
        })
    }

    fn add(&mut self, transfer: &NewTransfer, nonce: u64, fee_max_wei: U256) {
        let TransferRequest { asset, amount_units, .. } = &transfer.request;
        self.0.entry(key(transfer)).or_default().push(InFlight { nonce, kind: asset.kind, amount_units: *amount_units, fee_max_wei });
    }
}

fn key(transfer: &NewTransfer) -> (Address, ChainId) {
    (transfer.request.wallet, transfer.request.chain)
}

/// What matters of a transfer that has its nonce and is in no block yet. Every transfer looks at all of them, so whole records would cost
/// too much.
struct InFlight {
    nonce: u64,
    kind: AssetKind,
    amount_units: U256,
    fee_max_wei: U256,
}

fn in_flight(db: &Connection, transfer: &NewTransfer) -> Result<Vec<InFlight>, StoreError> {
    let request = &transfer.request;
    let select = format!("SELECT nonce, token, amount_units, fee_max_wei FROM transfers WHERE {IN_FLIGHT}");
    rows(db, &select, params![checksummed(&request.wallet), request.chain.to_string()], |row| {
        Ok(InFlight {
            nonce: count(row, 0)?,
            kind: if_any(row, 1, parsed)?.map_or(AssetKind::Native, AssetKind::Token),
            amount_units: units(row, 2)?,
            fee_max_wei: if_any(row, 3, units)?.unwrap_or_default(),
        })
    })
}

fn hold(db: &Connection, transfer: &NewTransfer, nonce: u64, fee_max_wei: U256) -> Result<(), StoreError> {
    budget::reserve(db, &Counter::Fees, transfer, fee_max_wei)?;
    let mut assign = db.prepare_cached("UPDATE transfers SET nonce = ?2, fee_max_wei = ?3 WHERE transaction_id = ?1").or_store_error()?;
    let params = params![transfer.transaction_id.to_string(), from_count(nonce)?, fee_max_wei.to_string()];
    assign.execute(params).map(drop).or_store_error()
}

pub(super) fn record_signed(db: &Connection, transaction_id: UuidV4, attempt: Attempt) -> Result<Recorded, StoreError> {
    let Some(stored) = by_id(db, transaction_id)?.filter(|stored| stored.record.state == TransferState::Reserved) else {
        return Ok(Recorded::Lost);
    };
    let Some(nonce) = stored.nonce else { return Ok(Recorded::Lost) };
    if let Some(freeze) = freezes::frozen(db, &stored.record.transfer.request.agent)? {
        return Ok(Recorded::Frozen(freeze));
    }
    row::set_state(db, &stored.record.after(TransferEvent::Sign { nonce, attempt }).map_err(misfit)?)?;
    Ok(Recorded::Recorded)
}

pub(super) fn record_bump(
    db: &Connection,
    transaction_id: UuidV4,
    attempt: Attempt,
    fee_max_wei: U256,
    limits: &FeeLimits,
) -> Result<Recorded, StoreError> {
    let Some(StoredTransfer { record, fee_max_wei: held_wei, .. }) = by_id(db, transaction_id)? else { return Ok(Recorded::Lost) };
    let Ok(bumped) = record.after(TransferEvent::Bump(attempt.clone())) else { return Ok(Recorded::Lost) };
    let transfer = &bumped.transfer;
    if let Some(freeze) = freezes::frozen(db, &transfer.request.agent)? {
        return Ok(Recorded::Frozen(freeze));
    }
    let day = budget::spend(db, &Counter::Fees, transfer)?;
    let others = Spend { reserved_units: day.reserved_units.saturating_sub(held_wei), ..day };
    if let Some(problem) = limits.check(fee_max_wei, others) {
        return Ok(Recorded::Refused(problem));
    }
    budget::settle(db, &Counter::Fees, transfer, held_wei, U256::ZERO)?;
    budget::reserve(db, &Counter::Fees, transfer, fee_max_wei)?;
    row::add_bump(db, transaction_id, &attempt, fee_max_wei)?;
    row::set_state(db, &bumped)?;
    if attempt.cancelled_by.is_some() {
        ledger::append(db, &cancel_entry(transfer, &attempt))?;
    }
    Ok(Recorded::Recorded)
}
