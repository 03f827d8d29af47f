//! How many transfers an agent made in the last hour. Counted by the minute, so that it costs the same for one and for thousands; only
//! those of the minute that the hour began in are looked at one by one.

use super::super::{
    OrStoreError,
    columns::{count, micros},
};
use chimera_core::{domain::transfer::NewTransfer, ports::StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, params};

pub(in super::super) const IN_MINUTE: &str = "SELECT count(*) FROM transfers WHERE agent_id = ?1 AND reserved_at > ?2 \
     AND reserved_at < ?3 AND state <> 'released' AND state <> 'awaiting_review' AND state <> 'granted' AND state <> 'declined'";
const IN_MINUTES: &str = "SELECT ifnull(sum(made), 0) FROM transfer_minutes WHERE agent_id = ?1 AND minute > ?2";
const MINUTE_MICROS: i64 = 60_000_000;

pub(super) fn last_hour(db: &Connection, agent: &str, at: DateTime<Utc>) -> Result<u64, StoreError> {
    let began = micros(at - TimeDelta::hours(1));
    let minute = began.div_euclid(MINUTE_MICROS);
    let whole = db.prepare_cached(IN_MINUTES).and_then(|mut find| find.query_row(params![agent, minute], |row| count(row, 0)));
    let end = (minute + 1) * MINUTE_MICROS;
    let first = db.prepare_cached(IN_MINUTE).and_then(|mut find| find.query_row(params![agent, began, end], |row| count(row, 0)));
    Ok(whole.or_store_error()? + first.or_store_error()?)
}

/// The transfer is made: it counts from now on.
pub(super) fn add(db: &Connection, transfer: &NewTransfer) -> Result<(), StoreError> {
    let add = "INSERT INTO transfer_minutes (agent_id, minute, made) VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET made = made + 1";
    change(db, add, transfer)
}

/// It was given up before it was signed.
pub(super) fn take_back(db: &Connection, transfer: &NewTransfer) -> Result<(), StoreError> {
    change(db, "UPDATE transfer_minutes SET made = made - 1 WHERE agent_id = ?1 AND minute = ?2", transfer)
}

fn change(db: &Connection, statement: &str, transfer: &NewTransfer) -> Result<(), StoreError> {
    let key = params![transfer.request.agent.as_str(), micros(transfer.reserved_at).div_euclid(MINUTE_MICROS)];
    db.prepare_cached(statement).and_then(|mut change| change.execute(key)).map(drop).or_store_error()
}
