//! The `Ledger` port, and the one way to add to it: `append`, inside the write that it records.

mod adopt;
mod copying;
mod file_state;
mod guard;
mod head;
mod seal;
mod verify;

pub use adopt::{AdoptError, Adopted};
pub(super) use copying::{NotCopied, seal_copy, verify_copy};
pub(super) use guard::{Guard, contradicted, contradiction, has_log};
pub(super) use head::HeadKeeper;
pub(super) use seal::Seal;

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, from_limit, json, parsed, rows, time},
};
use async_trait::async_trait;
use chimera_core::{
    domain::{
        AgentId,
        ledger::{EntryFields, EntryText, GENESIS_HASH, Link, Postings, Signing},
    },
    ports::{
        StoreError,
        ledger::{Ledger, LedgerEntry, LedgerKind, LedgerVerdict, NewLedgerEntry},
    },
};
use rusqlite::{Connection, OptionalExtension, Row, Statement, params, types::Type};
use std::{error::Error, str::FromStr, sync::Arc};

/// Adds the entry at the end of the chain, signed. Call it in the `write` that changes what the entry tells of, so that neither is
/// ever there without the other.
pub fn append(db: &Connection, new: &NewLedgerEntry) -> Result<LedgerEntry, StoreError> {
    let mut insert = db.prepare_cached(INSERT).or_store_error()?;
    let Sealed { number, hash, signature } = add(db, &mut insert, &last(db)?, &new.to_text(), Signing::Own)?;
    Ok(LedgerEntry { number, entry: new.clone(), hash, signature })
}

/// All of one write. The last is signed, and with it those before it: none of them is ever there without it.
pub(super) fn append_all(db: &Connection, entries: &[&EntryText]) -> Result<(), StoreError> {
    let Some((signed, before)) = entries.split_last() else { return Ok(()) };
    let (mut insert, mut end) = (db.prepare_cached(INSERT).or_store_error()?, last(db)?);
    for entry in before {
        end = add(db, &mut insert, &end, entry, Signing::Later)?;
    }
    add(db, &mut insert, &end, signed, Signing::Own).map(drop)
}

/// What makes an entry one of the chain.
struct Sealed {
    number: u64,
    hash: String,
    /// Absent where a later one vouches for it, and in entries from before there were signatures.
    signature: Option<String>,
}

/// The end of the chain.
fn last(db: &Connection) -> Result<Sealed, StoreError> {
    let select = "SELECT number, hash, signature FROM ledger ORDER BY number DESC LIMIT 1";
    let read = |row: &Row<'_>| Ok(Sealed { number: count(row, 0)?, hash: row.get(1)?, signature: row.get(2)? });
    let found = db.prepare_cached(select).and_then(|mut select| select.query_row([], read)).optional().or_store_error()?;
    Ok(found.unwrap_or_else(|| Sealed { number: 0, hash: GENESIS_HASH.to_owned(), signature: None }))
}

const INSERT: &str = "INSERT INTO ledger (number, at, kind, agent_id, task_id, facts, postings, hash, signature) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

fn add(db: &Connection, insert: &mut Statement<'_>, end: &Sealed, text: &EntryText, signing: Signing) -> Result<Sealed, StoreError> {
    let number = end.number + 1;
    let previous = Link { hash: end.hash.as_bytes(), signature: end.signature.as_deref().unwrap_or_default().as_bytes() };
    let hash = alloy_primitives::hex::encode(EntryFields { signing, ..text.fields() }.chained_hash(number, previous));
    let signature = match signing {
        Signing::Own => Some(sign(db, &hash)?),
        Signing::Later => None,
    };
    let EntryText { at_micros, kind, agent_id, task_id, facts, postings } = text;
    let row = params![from_count(number)?, at_micros, kind, agent_id, task_id, facts, postings, hash, signature];
    insert.execute(row).or_store_error()?;
    Ok(Sealed { number, hash, signature })
}

/// Not by RETURNING, for which SQLite opens a table of its own each time.
fn sign(db: &Connection, hash: &str) -> Result<String, StoreError> {
    let sign = "SELECT ledger_signature(?1)";
    db.prepare_cached(sign).and_then(|mut sign| sign.query_row([hash], |row| row.get(0))).or_store_error()
}

pub(super) const ENTRY_COLUMNS: &str = "number, at, kind, agent_id, task_id, facts, postings, hash, signature";
pub(super) const OF_AGENT: &str = "SELECT number, at, kind, agent_id, task_id, facts, postings, hash, signature FROM ledger \
     WHERE agent_id = ?1 ORDER BY number DESC LIMIT ?2";
pub(super) const PAGE_OF_AGENT: &str = "SELECT number, at, kind, agent_id, task_id, facts, postings, hash, signature FROM ledger \
     WHERE agent_id = ?1 AND number > ?2 ORDER BY number LIMIT ?3";

#[async_trait]
impl Ledger for SqliteStore {
    async fn list(&self, agent: Option<&AgentId>, limit: usize) -> Result<Vec<LedgerEntry>, StoreError> {
        let agent = agent.cloned();
        self.read(move |db| {
            let limit = from_limit(limit);
            match agent {
                Some(agent) => rows(db, OF_AGENT, params![agent.as_str(), limit], entry_of),
                None => rows(db, &format!("SELECT {ENTRY_COLUMNS} FROM ledger ORDER BY number DESC LIMIT ?1"), [limit], entry_of),
            }
        })
        .await
    }

    async fn page(&self, agent: Option<&AgentId>, after: u64, limit: usize) -> Result<Vec<LedgerEntry>, StoreError> {
        let agent = agent.cloned();
        self.read(move |db| {
            let (after, limit) = (from_count(after)?, from_limit(limit));
            match agent {
                Some(agent) => rows(db, PAGE_OF_AGENT, params![agent.as_str(), after, limit], entry_of),
                None => {
                    let page = format!("SELECT {ENTRY_COLUMNS} FROM ledger WHERE number > ?1 ORDER BY number LIMIT ?2");
                    rows(db, &page, [after, limit], entry_of)
                }
            }
        })
        .await
    }

    async fn verify(&self) -> Result<LedgerVerdict, StoreError> {
        let seal = Arc::clone(&self.seal);
        self.read(move |db| {
            let head = seal.found_head().map_err(|error| StoreError::Failed(Box::new(error)))?;
            verify::verify(db, &seal.key, &head).or_store_error()
        })
        .await
    }
}

pub(super) fn entry_of(row: &Row<'_>) -> rusqlite::Result<LedgerEntry> {
    let kind: String = row.get(2)?;
    let kind =
        LedgerKind::ALL.into_iter().find(|known| known.as_str() == kind).ok_or(rusqlite::Error::InvalidColumnType(2, kind, Type::Text))?;
    let new = NewLedgerEntry {
        at: time(row, 1)?,
        kind,
        agent: unless_empty(row, 3)?,
        task_id: unless_empty(row, 4)?,
        facts: json(row, 5)?,
        postings: postings(row, 6)?,
    };
    Ok(LedgerEntry { number: count(row, 0)?, entry: new, hash: row.get(7)?, signature: row.get(8)? })
}

fn unless_empty<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    if row.get_ref(column)?.as_str()?.is_empty() { Ok(None) } else { parsed(row, column).map(Some) }
}

fn postings(row: &Row<'_>, column: usize) -> rusqlite::Result<Postings> {
    if row.get::<_, Option<String>>(column)?.is_none() {
        return Ok(Postings::none());
    }
    let value: serde_json::Value = json(row, column)?;
    Postings::from_json(&value).map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}
