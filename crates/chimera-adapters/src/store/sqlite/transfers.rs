//! The `Transfers` port: a transfer, its counters, its nonce, its review, its decision and its ledger entry change together or not at all.

mod budget;
mod row;

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, micros},
    judgements, ledger,
};
use async_trait::async_trait;
use budget::Counter;
use chimera_core::{
    contracts::{SkillFailure, UuidV4},
    domain::{
        money::U256,
        transfer::{
            History, NewTransfer, Pending, Settlement, Signed, SigningTerms, TransferRecord, TransferState, Verdict, choose_nonce,
            terms_problem,
        },
    },
    ports::{
        StoreError,
        signer::SignedTransaction,
        transfers::{
            Assignment, Judge, Reservation, Transfers, cfo_decision, native_value_wei, refusal_entry, review_item, settlement_entry,
        },
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use row::StoredTransfer;
use rusqlite::{Connection, OptionalExtension, params};

#[async_trait]
impl Transfers for SqliteStore {
    async fn reserve(&self, transfer: &NewTransfer, judge: Judge) -> Result<Reservation, StoreError> {
        let transfer = transfer.clone();
        self.write(move |db| reserve(db, &transfer, &judge)).await
    }

    async fn assign(&self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError> {
        let terms = *terms;
        self.write(move |db| assign(db, transaction_id, &terms)).await
    }

    async fn record_signed(&self, transaction_id: UuidV4, signed: &SignedTransaction) -> Result<bool, StoreError> {
        let signed = signed.clone();
        self.write(move |db| {
            let Some(stored) = by_id(db, transaction_id)?.filter(|stored| stored.record.state == TransferState::Reserved) else {
                return Ok(false);
            };
            let Some(nonce) = stored.nonce else { return Ok(false) };
            let state = TransferState::Signed(Signed { nonce, tx_hash: signed.tx_hash, raw: signed.raw });
            row::set_state(db, transaction_id, &state)?;
            Ok(true)
        })
        .await
    }

    async fn mark_broadcast(&self, transaction_id: UuidV4) -> Result<(), StoreError> {
        self.write(move |db| {
            let mark = "UPDATE transfers SET state = 'broadcast' WHERE transaction_id = ?1 AND state = 'signed'";
            db.execute(mark, [transaction_id.to_string()]).map(drop).or_store_error()
        })
        .await
    }

    async fn settle(&self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        let settlement = settlement.clone();
        self.write(move |db| settle(db, transaction_id, &settlement, at)).await
    }

    async fn release(&self, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let why = why.clone();
        self.write(move |db| release(db, transaction_id, &why, at)).await
    }

    async fn find(&self, task_id: UuidV4) -> Result<Option<TransferRecord>, StoreError> {
        self.read(move |db| Ok(by_task(db, task_id)?.map(|stored| stored.record))).await
    }

    async fn open(&self) -> Result<Vec<TransferRecord>, StoreError> {
        self.read(|db| Ok(row::select(db, OPEN, [])?.into_iter().map(|stored| stored.record).collect())).await
    }
}

pub(super) const OPEN: &str = "state IN ('reserved', 'signed', 'broadcast') ORDER BY number";
pub(super) const OF_TASK: &str = "task_id = ?1 AND state <> 'released'";
pub(super) const IN_FLIGHT: &str = "wallet = ?1 AND chain_id = ?2 AND nonce IS NOT NULL AND state IN ('reserved', 'signed', 'broadcast')";
pub(super) const RECENT: &str =
    "SELECT count(*) FROM transfers WHERE agent_id = ?1 AND reserved_at > ?2 AND state NOT IN ('released', 'awaiting_review')";
pub(super) const KNOWN: &str =
    "SELECT EXISTS (SELECT 1 FROM transfers WHERE agent_id = ?1 AND chain_id = ?2 AND recipient = ?3 AND state = 'confirmed')";

fn by_task(db: &Connection, task_id: UuidV4) -> Result<Option<StoredTransfer>, StoreError> {
    Ok(row::select(db, OF_TASK, [task_id.to_string()])?.pop())
}

/// `None` also for one that was released: it binds nothing.
fn by_id(db: &Connection, transaction_id: UuidV4) -> Result<Option<StoredTransfer>, StoreError> {
    Ok(row::select(db, "transaction_id = ?1 AND state <> 'released'", [transaction_id.to_string()])?.pop())
}

fn reserve(db: &Connection, transfer: &NewTransfer, judge: &Judge) -> Result<Reservation, StoreError> {
    if let Some(existing) = by_task(db, transfer.task_id)? {
        return Ok(Reservation::Existing(Box::new(existing.record)));
    }
    let verdict = judge(&history(db, transfer)?);
    judgements::record(db, &cfo_decision(transfer, &verdict))?;
    match verdict {
        Verdict::Refuse(failure) => {
            ledger::append(db, &refusal_entry(transfer, &failure, transfer.reserved_at))?;
            Ok(Reservation::Refused(failure))
        }
        Verdict::Ask { rule, reason } => {
            let review_id = UuidV4::random();
            judgements::add_review(db, &review_item(transfer, review_id, &reason))?;
            row::insert(db, transfer, Some((review_id, &rule)))?;
            Ok(Reservation::Asked { review_id, rule })
        }
        Verdict::Approve => {
            for counter in budget::counters_of(transfer) {
                budget::reserve(db, &counter, transfer, transfer.request.amount_units)?;
            }
            row::insert(db, transfer, None)?;
            Ok(Reservation::Reserved)
        }
    }
}

fn history(db: &Connection, transfer: &NewTransfer) -> Result<History, StoreError> {
    let request = &transfer.request;
    let hour_ago = transfer.reserved_at - TimeDelta::hours(1);
    let transfers_last_hour =
        db.query_row(RECENT, params![request.agent.as_str(), micros(hour_ago)], |row| count(row, 0)).or_store_error()?;
    let known = params![request.agent.as_str(), request.chain.to_string(), request.to.to_string()];
    let recipient_is_known = db.query_row(KNOWN, known, |row| row.get(0)).or_store_error()?;
    let own_day = budget::spend(db, &Counter::Own, transfer)?;
    let named_day = match &transfer.named_counter {
        Some(name) => budget::spend(db, &Counter::Named(name), transfer)?,
        None => Default::default(),
    };
    // Nothing that a person approved is spent yet, so all of the day is unapproved.
    let unapproved_day_units = own_day.committed_units();
    Ok(History { recipient_is_known, transfers_last_hour, own_day, unapproved_day_units, named_day })
}

fn assign(db: &Connection, transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError> {
    let Some(stored) = by_id(db, transaction_id)?.filter(|stored| stored.record.state == TransferState::Reserved) else {
        return Ok(Assignment::Lost);
    };
    let transfer = &stored.record.transfer;
    let request = &transfer.request;
    let key = params![request.wallet.to_string(), request.chain.to_string()];
    let others = row::select(db, IN_FLIGHT, key)?;
    let pending = others.iter().fold(Pending::default(), |sum, other| {
        let other_request = &other.record.transfer.request;
        let same_asset = other_request.asset.kind == request.asset.kind;
        Pending {
            native_wei: sum.native_wei.saturating_add(native_value_wei(other_request)),
            fees_max_wei: sum.fees_max_wei.saturating_add(other.fee_max_wei),
            asset_units: sum.asset_units.saturating_add(if same_asset { other_request.amount_units } else { U256::ZERO }),
        }
    });
    let fees_day = budget::spend(db, &Counter::Fees, transfer)?;
    if let Some(problem) = terms_problem(request, terms, &pending, fees_day) {
        return Ok(Assignment::Refused(problem));
    }
    let held: Vec<u64> = others.iter().filter_map(|other| other.nonce).collect();
    let nonce = choose_nonce(terms.next_nonce, consumed_next(db, transfer)?, &held);
    budget::reserve(db, &Counter::Fees, transfer, terms.fee_max_wei)?;
    let assign = "UPDATE transfers SET nonce = ?2, fee_max_wei = ?3 WHERE transaction_id = ?1";
    db.execute(assign, params![transaction_id.to_string(), from_count(nonce)?, terms.fee_max_wei.to_string()]).or_store_error()?;
    Ok(Assignment::Nonce(nonce))
}

fn settle(db: &Connection, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
    let stored = by_id(db, transaction_id)?.ok_or_else(|| StoreError::Corrupt(format!("there is no transfer {transaction_id}")))?;
    let StoredTransfer { mut record, fee_max_wei, .. } = stored;
    let signed = match &record.state {
        TransferState::Signed(signed) | TransferState::Broadcast(signed) => signed.clone(),
        TransferState::AwaitingReview { .. }
        | TransferState::Reserved
        | TransferState::Confirmed { .. }
        | TransferState::Reverted { .. }
        | TransferState::Failed { .. } => return Ok(record),
    };
    let transfer = &record.transfer;
    let (spent_units, fee_wei) = settlement.costs(transfer.request.amount_units);
    free(db, transfer, fee_max_wei, spent_units, fee_wei)?;
    if settlement.consumes_nonce() {
        consume(db, transfer, signed.nonce)?;
    }
    ledger::append(db, &settlement_entry(transfer, &signed, settlement, at))?;
    record.state = settlement.clone().end(signed);
    row::set_state(db, transaction_id, &record.state)?;
    Ok(record)
}

fn release(db: &Connection, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError> {
    let Some(stored) = by_id(db, transaction_id)?.filter(|stored| stored.record.state == TransferState::Reserved) else {
        return Ok(false);
    };
    let transfer = &stored.record.transfer;
    free(db, transfer, stored.fee_max_wei, U256::ZERO, U256::ZERO)?;
    ledger::append(db, &refusal_entry(transfer, why, at))?;
    let release = "UPDATE transfers SET state = 'released', reason = ?2 WHERE transaction_id = ?1";
    db.execute(release, params![transaction_id.to_string(), why.message]).or_store_error()?;
    Ok(true)
}

/// Ends what is held for a transfer: `spent_units` and `fee_wei` become spend, the rest is free again.
fn free(db: &Connection, transfer: &NewTransfer, fee_max_wei: U256, spent_units: U256, fee_wei: U256) -> Result<(), StoreError> {
    for counter in budget::counters_of(transfer) {
        budget::settle(db, &counter, transfer, transfer.request.amount_units, spent_units)?;
    }
    budget::settle(db, &Counter::Fees, transfer, fee_max_wei, fee_wei)
}

fn consumed_next(db: &Connection, transfer: &NewTransfer) -> Result<u64, StoreError> {
    let find = "SELECT consumed_next FROM wallet_nonces WHERE wallet = ?1 AND chain_id = ?2";
    let key = params![transfer.request.wallet.to_string(), transfer.request.chain.to_string()];
    Ok(db.query_row(find, key, |row| count(row, 0)).optional().or_store_error()?.unwrap_or_default())
}

fn consume(db: &Connection, transfer: &NewTransfer, nonce: u64) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO wallet_nonces (wallet, chain_id, consumed_next) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO UPDATE SET consumed_next = max(consumed_next, excluded.consumed_next)",
        params![transfer.request.wallet.to_string(), transfer.request.chain.to_string(), from_count(nonce + 1)?],
    )
    .map(drop)
    .or_store_error()
}
