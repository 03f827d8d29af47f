//! How values look in columns: times as microseconds, ids as text, nested messages as JSON.

use super::OrStoreError;
use chimera_core::{domain::money::U256, ports::StoreError};
use chrono::{DateTime, Utc};
use rusqlite::{
    Connection, Params, Row,
    types::{Type, ValueRef},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{error::Error, str::FromStr};

/// All rows of a query.
pub(super) fn rows<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = db.prepare_cached(sql).or_store_error()?;
    let rows = statement.query_map(params, read).or_store_error()?;
    rows.collect::<Result<_, _>>().or_store_error()
}

pub(super) fn micros(at: DateTime<Utc>) -> i64 {
    at.timestamp_micros()
}

pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<DateTime<Utc>> {
    let micros = row.get(column)?;
    DateTime::from_timestamp_micros(micros).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, micros))
}

pub(super) fn time_if_any(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<DateTime<Utc>>> {
    if_any(row, column, time)
}

pub(super) fn if_any<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&Row<'_>, usize) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    if row.get_ref(column)? == ValueRef::Null { Ok(None) } else { read(row, column).map(Some) }
}

pub(super) fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    let text = row.get_ref(column)?.as_str().map_err(|error| unreadable(column, error))?;
    text.parse().map_err(|error| unreadable(column, error))
}

/// An amount. Nearly all fit in half of a uint256, which is read several times as fast.
pub(super) fn units(row: &Row<'_>, column: usize) -> rusqlite::Result<U256> {
    let text = row.get_ref(column)?.as_str().map_err(|error| unreadable(column, error))?;
    match text.parse::<u128>() {
        Ok(small) => Ok(U256::from(small)),
        Err(_larger) => parsed(row, column),
    }
}

pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(&row.get::<_, String>(column)?).map_err(|error| unreadable(column, error))
}

pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the contracts' types always serialise: no map has keys other than text")
}

/// An enum of the contracts by its word on the wire.
pub(super) fn word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_value(serde_json::Value::String(row.get(column)?)).map_err(|error| unreadable(column, error))
}

pub(super) fn to_word(value: &impl Serialize) -> String {
    to_json(value).trim_matches('"').to_owned()
}

pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number = row.get(column)?;
    u64::try_from(number).map_err(|_negative| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

/// SQLite counts to 2^63; what is larger is no count of ours.
pub(super) fn from_count(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|error| StoreError::Failed(Box::new(error)))
}

/// A limit that no row count can reach stands for "all".
pub(super) fn from_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn unreadable(column: usize, error: impl Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}
