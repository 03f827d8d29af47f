//! The end of a transfer that has left, and the end taken back when its block vanishes.

use super::{
    super::{OrStoreError, ledger},
    budget::{self, Counter},
    by_id, leaving, misfit, reservation,
    row::{self, StoredTransfer},
};
use chimera_core::{
    contracts::UuidV4,
    domain::{
        ledger::{reversal_entry, settlement_entry},
        money::{U256, checksummed},
        transfer::{NewTransfer, Settlement, TransferEvent, TransferRecord},
    },
    ports::StoreError,
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};

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
    free(db, &settled, fee_max_wei, spent_units, fee_wei)?;
    if settlement.consumes_nonce() {
        leaving::consume(db, transfer, sent.nonce())?;
    }
    if matches!(settlement, Settlement::Confirmed(_)) {
        remember_payee(db, transfer)?;
    }
    ledger::append(db, &settlement_entry(transfer, &sent, settlement, at))?;
    row::set_state(db, &settled)?;
    Ok(settled)
}

pub(super) fn unsettle(db: &Connection, transaction_id: UuidV4, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
    let StoredTransfer { record, fee_max_wei, is_final, .. } = existing(db, transaction_id)?;
    let Some((sent, settlement)) = record.state.in_a_block().filter(|_| !is_final) else { return Ok(record) };
    let Ok(open) = record.clone().after(TransferEvent::Vanish) else { return Ok(record) };
    let transfer = &open.transfer;
    let (spent_units, fee_wei) = settlement.costs(transfer.request.amount_units);
    for counter in budget::counters_of(transfer, open.grant.is_some()) {
        budget::hold_again(db, &counter, transfer, transfer.request.amount_units, spent_units)?;
    }
    budget::hold_again(db, &Counter::Fees, transfer, fee_max_wei, fee_wei)?;
    ledger::append(db, &reversal_entry(transfer, &sent, &settlement, at))?;
    row::set_state(db, &open)?;
    Ok(open)
}

fn existing(db: &Connection, transaction_id: UuidV4) -> Result<StoredTransfer, StoreError> {
    by_id(db, transaction_id)?.ok_or_else(|| misfit(format!("there is no transfer {transaction_id}")))
}

/// Ends what is held for a transfer: `spent_units` and `fee_wei` become spend, the rest is free again.
pub(super) fn free(
    db: &Connection,
    record: &TransferRecord,
    fee_max_wei: U256,
    spent_units: U256,
    fee_wei: U256,
) -> Result<(), StoreError> {
    let transfer = &record.transfer;
    for counter in budget::counters_of(transfer, record.grant.is_some()) {
        budget::settle(db, &counter, transfer, transfer.request.amount_units, spent_units)?;
    }
    budget::settle(db, &Counter::Fees, transfer, fee_max_wei, fee_wei)
}

fn remember_payee(db: &Connection, transfer: &NewTransfer) -> Result<(), StoreError> {
    let request = &transfer.request;
    let mut remember = db
        .prepare_cached("INSERT INTO payees (agent_id, chain_id, recipient, look_alike) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING")
        .or_store_error()?;
    let look_alike = reservation::look_alike_text(request.to);
    let params = params![request.agent.as_str(), request.chain.to_string(), checksummed(&request.to), look_alike];
    remember.execute(params).map(drop).or_store_error()
}
