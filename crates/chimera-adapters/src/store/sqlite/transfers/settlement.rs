//! The end of a transfer that has left, and the end taken back when its block vanishes.

use super::{
    super::{OrStoreError, ledger},
    book,
    budget::{self, Counter},
    by_id, misfit, reservation,
    row::{self, StoredTransfer},
};
use chimera_core::{
    contracts::UuidV4,
    domain::{
        ledger::{reversal_entry, settlement_entry},
        money::{B256, U256, checksummed},
        transfer::{NewTransfer, Settlement, TransferEvent, TransferRecord, TransferRequest},
    },
    ports::StoreError,
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

pub(super) fn settle(
    db: &Connection,
    transaction_id: UuidV4,
    settlement: &Settlement,
    at: DateTime<Utc>,
) -> Result<TransferRecord, StoreError> {
    let StoredTransfer { record, fee_max_wei, .. } = existing(db, transaction_id)?;
    let Some(sent) = record.state.sent() else { return Ok(record) };
    let Ok(settled) = record.clone().after(TransferEvent::Settle(settlement.clone())) else { return Ok(record) };
    let transfer = &settled.transfer;
    let (spent_units, fee_wei) = settlement.costs(transfer.request.amount_units);
    if !settlement.keeps_amount() {
        for counter in budget::counters_of(transfer, settled.grant.is_some()) {
            budget::settle(db, &counter, transfer, transfer.request.amount_units, spent_units)?;
        }
    }
    budget::settle(db, &Counter::Fees, transfer, fee_max_wei, fee_wei)?;
    if settlement.consumes_nonce() {
        book::consume(db, transfer.request.wallet, transfer.request.chain, sent.nonce() + 1)?;
    }
    if matches!(settlement, Settlement::Confirmed(_)) {
        remember_payee(db, transfer)?;
    }
    ledger::append(db, &settlement_entry(transfer, &sent, settlement, at))?;
    row::set_state(db, &settled)?;
    if settlement.keeps_amount() {
        row::set_amount_held(db, transaction_id, true)?;
    }
    Ok(settled)
}

/// The block stays, and what a revert still holds of its amount is free.
pub(super) fn finalize(db: &Connection, transaction_id: UuidV4) -> Result<(), StoreError> {
    let mut finalize = db
        .prepare_cached("UPDATE transfers SET final = 1 WHERE transaction_id = ?1 AND final = 0 RETURNING amount_held")
        .or_store_error()?;
    let holds: Option<bool> = finalize.query_row([transaction_id.to_string()], |row| row.get(0)).optional().or_store_error()?;
    if holds != Some(true) {
        return Ok(());
    }
    let StoredTransfer { record, .. } = existing(db, transaction_id)?;
    for counter in budget::counters_of(&record.transfer, record.grant.is_some()) {
        budget::settle(db, &counter, &record.transfer, record.transfer.request.amount_units, U256::ZERO)?;
    }
    row::set_amount_held(db, transaction_id, false)
}

pub(super) fn mark_replaced(db: &Connection, transaction_id: UuidV4, by: B256, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
    let StoredTransfer { record, .. } = existing(db, transaction_id)?;
    let Ok(replaced) = record.clone().after(TransferEvent::Replace(by)) else { return Ok(record) };
    row::set_state(db, &replaced)?;
    let TransferRequest { agent, chain, .. } = &replaced.transfer.request;
    let reason = format!("transaction {by} on chain {chain} has a nonce that this book gave to another one: another program has the key");
    book::hold(db, agent, &reason, at)?;
    Ok(replaced)
}

pub(super) fn unsettle(db: &Connection, transaction_id: UuidV4, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
    let StoredTransfer { record, fee_max_wei, is_final, is_amount_held, .. } = existing(db, transaction_id)?;
    let Some((sent, settlement)) = record.state.in_a_block().filter(|_| !is_final) else { return Ok(record) };
    let Ok(open) = record.clone().after(TransferEvent::Vanish) else { return Ok(record) };
    let transfer = &open.transfer;
    let (spent_units, fee_wei) = settlement.costs(transfer.request.amount_units);
    if !is_amount_held {
        for counter in budget::counters_of(transfer, open.grant.is_some()) {
            budget::hold_again(db, &counter, transfer, transfer.request.amount_units, spent_units)?;
        }
    }
    budget::hold_again(db, &Counter::Fees, transfer, fee_max_wei, fee_wei)?;
    if matches!(settlement, Settlement::Confirmed(_)) {
        take_back_payment(db, transfer)?;
    }
    ledger::append(db, &reversal_entry(transfer, &sent, &settlement, at))?;
    row::set_state(db, &open)?;
    row::set_amount_held(db, transaction_id, false)?;
    Ok(open)
}

fn existing(db: &Connection, transaction_id: UuidV4) -> Result<StoredTransfer, StoreError> {
    by_id(db, transaction_id)?.ok_or_else(|| misfit(format!("there is no transfer {transaction_id}")))
}

/// Gives up what is held for an unsigned transfer.
pub(super) fn free(db: &Connection, record: &TransferRecord, fee_max_wei: U256) -> Result<(), StoreError> {
    let transfer = &record.transfer;
    for counter in budget::counters_of(transfer, record.grant.is_some()) {
        budget::settle(db, &counter, transfer, transfer.request.amount_units, U256::ZERO)?;
    }
    budget::settle(db, &Counter::Fees, transfer, fee_max_wei, U256::ZERO)
}

/// The payee stays known: it was paid once, and may be again.
fn take_back_payment(db: &Connection, transfer: &NewTransfer) -> Result<(), StoreError> {
    let request = &transfer.request;
    let take_back = "UPDATE payees SET payments = payments - 1 WHERE agent_id = ?1 AND chain_id = ?2 AND recipient = ?3 AND payments > 0";
    let payee = params![request.agent.as_str(), request.chain.to_string(), checksummed(&request.to)];
    db.prepare_cached(take_back).and_then(|mut take_back| take_back.execute(payee)).map(drop).or_store_error()
}

fn remember_payee(db: &Connection, transfer: &NewTransfer) -> Result<(), StoreError> {
    let request = &transfer.request;
    let mut remember = db
        .prepare_cached(
            "INSERT INTO payees (agent_id, chain_id, recipient, look_alike, payments) VALUES (?1, ?2, ?3, ?4, 1) \
             ON CONFLICT DO UPDATE SET payments = payments + 1",
        )
        .or_store_error()?;
    let look_alike = reservation::look_alike_text(request.to);
    let params = params![request.agent.as_str(), request.chain.to_string(), checksummed(&request.to), look_alike];
    remember.execute(params).map(drop).or_store_error()
}
