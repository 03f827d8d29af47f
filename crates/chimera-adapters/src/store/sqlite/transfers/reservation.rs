//! Judging, reserving and giving up what was never signed.

use super::{
    super::{
        OrStoreError,
        columns::{parsed, to_word},
        judgements, ledger,
    },
    book,
    budget::{self, Counter},
    by_id, by_task, freezes, misfit, row, settlement, velocity,
};
use chimera_core::{
    contracts::{SkillFailure, UuidV4},
    domain::{
        ledger::refusal_entry,
        money::{Address, checksummed, look_alike_key},
        transfer::{Grant, History, NewTransfer, TransferEvent, TransferRecord, TransferState, Verdict},
    },
    ports::{
        StoreError,
        transfers::{Judge, Reservation, cfo_decision, review_item},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

pub(in super::super) const KNOWN: &str = "SELECT EXISTS (SELECT 1 FROM payees WHERE agent_id = ?1 AND chain_id = ?2 AND recipient = ?3)";
pub(in super::super) const ALIKE: &str = "SELECT recipient FROM payees WHERE agent_id = ?1 AND look_alike = ?2 AND recipient <> ?3 LIMIT 1";

pub(super) fn reserve(db: &Connection, transfer: &NewTransfer, judge: &Judge) -> Result<Reservation, StoreError> {
    let mut last_refusal = None;
    let granted = match by_task(db, transfer.task_id)? {
        Some(existing) if !existing.record.is_granted_at(transfer.reserved_at) => {
            return Ok(Reservation::Existing(Box::new(existing.record)));
        }
        Some(granted) => {
            last_refusal = granted.refusal_code;
            let event = TransferEvent::Reserve { at: transfer.reserved_at, lease_until: transfer.lease_until };
            Some(granted.record.after(event).map_err(misfit)?)
        }
        None => None,
    };
    // Of a granted transfer, what the person saw is what is made.
    let transfer = granted.as_ref().map_or(transfer, |record| &record.transfer);
    let history = history(db, transfer, granted.as_ref().and_then(|record| record.grant))?;
    let verdict = judge(&history);
    judgements::record_of(db, &cfo_decision(transfer, &verdict), Some(&transfer.request.agent))?;
    match (verdict, &granted) {
        (Verdict::Refuse(failure), granted) => {
            let code = to_word(&failure.code);
            if granted.is_none() || last_refusal.as_ref() != Some(&code) {
                ledger::append(db, &refusal_entry(transfer, &failure, transfer.reserved_at))?;
                row::set_refusal_code(db, transfer.transaction_id, &code)?;
            }
            Ok(Reservation::Refused(failure))
        }
        (Verdict::Ask { rule, reason }, None) => {
            if let Some(tx_hash) = history.reconciled_alike {
                book::ask_for(db, tx_hash, transfer.task_id)?;
            }
            ask(db, transfer, rule, &reason, None)
        }
        (Verdict::Hold { rule, reason, refusal }, None) => {
            ledger::append(db, &refusal_entry(transfer, &refusal, transfer.reserved_at))?;
            ask(db, transfer, rule, &reason, Some(refusal))
        }
        (Verdict::Ask { rule, .. } | Verdict::Hold { rule, .. }, Some(_)) => {
            Err(misfit(format!("rule {rule} asks again about a transfer that a person granted")))
        }
        (Verdict::Approve, granted) => {
            for counter in budget::counters_of(transfer, granted.is_some()) {
                budget::reserve(db, &counter, transfer, transfer.request.amount_units)?;
            }
            velocity::add(db, transfer)?;
            match granted {
                Some(record) => row::set_state(db, record)?,
                None => row::insert(db, &TransferRecord { transfer: transfer.clone(), grant: None, state: TransferState::Reserved })?,
            }
            Ok(Reservation::Reserved(Box::new(transfer.clone())))
        }
    }
}

/// Opens the review, and binds the task.
fn ask(
    db: &Connection,
    transfer: &NewTransfer,
    rule: String,
    reason: &str,
    refusal: Option<SkillFailure>,
) -> Result<Reservation, StoreError> {
    let review_id = UuidV4::random();
    judgements::add_review(db, &review_item(transfer, review_id, reason))?;
    let state = TransferState::AwaitingReview { review_id, rule: rule.clone() };
    row::insert(db, &TransferRecord { transfer: transfer.clone(), grant: None, state })?;
    Ok(Reservation::Asked { review_id, rule, refusal })
}

fn history(db: &Connection, transfer: &NewTransfer, grant: Option<Grant>) -> Result<History, StoreError> {
    let request = &transfer.request;
    let agent = request.agent.as_str();
    let transfers_last_hour = velocity::last_hour(db, agent, transfer.reserved_at)?;
    let mut known = db.prepare_cached(KNOWN).or_store_error()?;
    let (chain, recipient) = (request.chain.to_string(), checksummed(&request.to));
    let recipient_is_known = known.query_row(params![agent, chain, recipient], |row| row.get(0)).or_store_error()?;
    let mut alike = db.prepare_cached(ALIKE).or_store_error()?;
    let look_alike: Option<Address> =
        alike.query_row(params![agent, look_alike_text(request.to), recipient], |row| parsed(row, 0)).optional().or_store_error()?;
    let own_day = budget::spend(db, &Counter::Own, transfer)?;
    let approved_day = budget::spend(db, &Counter::Approved, transfer)?;
    let named_day = match transfer.named_counter() {
        Some(name) => budget::spend(db, &Counter::Named(name), transfer)?,
        None => Default::default(),
    };
    Ok(History {
        freeze: freezes::frozen(db, &request.agent)?,
        recipient_is_known,
        look_alike,
        reconciled_alike: book::foreign_like(db, transfer)?,
        transfers_last_hour,
        own_day,
        unapproved_day_units: own_day.committed_units().saturating_sub(approved_day.committed_units()),
        named_day,
        is_granted: grant.is_some(),
        address_is_confirmed: grant.is_some_and(|grant| grant.address_confirmed),
    })
}

/// As the migration writes it.
pub(in super::super) fn look_alike_text(address: Address) -> String {
    look_alike_key(address).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn release(db: &Connection, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError> {
    let Some(stored) = by_id(db, transaction_id)?.filter(|stored| stored.record.state == TransferState::Reserved) else {
        return Ok(false);
    };
    settlement::free(db, &stored.record, stored.fee_max_wei)?;
    velocity::take_back(db, &stored.record.transfer)?;
    let code = to_word(&why.code);
    // A granted transfer is tried again and again; the ledger hears of it when something changes.
    if stored.record.grant.is_none() || stored.refusal_code.as_ref() != Some(&code) {
        ledger::append(db, &refusal_entry(&stored.record.transfer, why, at))?;
    }
    row::set_state(db, &stored.record.after(TransferEvent::Release).map_err(misfit)?)?;
    let give_back = "UPDATE transfers SET nonce = NULL, fee_max_wei = NULL, reason = ?2, refusal_code = ?3 WHERE transaction_id = ?1";
    db.execute(give_back, params![transaction_id.to_string(), why.message, code]).or_store_error()?;
    Ok(true)
}
