//! The `Ledger` port, and the one way to add to it: `append`, inside the write that it records.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, from_limit, json, micros, parsed, rows, time},
};
use async_trait::async_trait;
use chimera_core::{
    domain::AgentId,
    ports::{
        StoreError,
        ledger::{GENESIS_HASH, Ledger, LedgerEntry, LedgerKind, LedgerVerdict, NewLedgerEntry, chained_hash},
    },
};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

/// Adds the entry at the end of the chain. Call it in the `write` that changes what the entry tells of, so that neither is
/// ever there without the other.
pub fn append(db: &Connection, new: &NewLedgerEntry) -> Result<LedgerEntry, StoreError> {
    let last = db
        .query_row("SELECT number, hash FROM ledger ORDER BY number DESC LIMIT 1", [], |row| Ok((count(row, 0)?, row.get(1)?)))
        .optional()
        .or_store_error()?;
    let (last_number, previous_hash) = last.unwrap_or_else(|| (0, GENESIS_HASH.to_owned()));
    let number = last_number + 1;
    let hash = new.chained_hash(number, &previous_hash);
    db.execute(
        "INSERT INTO ledger (number, at, kind, agent_id, task_id, facts, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            from_count(number)?,
            micros(new.at),
            new.kind.as_str(),
            new.agent.as_str(),
            new.task_id.to_string(),
            new.facts.to_string(),
            hash
        ],
    )
    .or_store_error()?;
    Ok(LedgerEntry { number, entry: new.clone(), hash })
}

pub(super) const OF_AGENT: &str =
    "SELECT number, at, kind, agent_id, task_id, facts, hash FROM ledger WHERE agent_id = ?1 ORDER BY number DESC LIMIT ?2";
const OF_ALL: &str = "SELECT number, at, kind, agent_id, task_id, facts, hash FROM ledger ORDER BY number DESC LIMIT ?1";

#[async_trait]
impl Ledger for SqliteStore {
    async fn list(&self, agent: Option<&AgentId>, limit: usize) -> Result<Vec<LedgerEntry>, StoreError> {
        let agent = agent.cloned();
        self.read(move |db| {
            let limit = from_limit(limit);
            match agent {
                Some(agent) => rows(db, OF_AGENT, params![agent.as_str(), limit], entry),
                None => rows(db, OF_ALL, [limit], entry),
            }
        })
        .await
    }

    async fn verify(&self) -> Result<LedgerVerdict, StoreError> {
        self.read(|db| verify(db).or_store_error()).await
    }
}

/// Reads the columns as they are: an entry that no longer makes sense is a finding, not an error.
fn verify(db: &Connection) -> rusqlite::Result<LedgerVerdict> {
    let mut statement = db.prepare("SELECT number, at, kind, agent_id, task_id, facts, hash FROM ledger ORDER BY number")?;
    let mut rows = statement.query([])?;
    let mut verdict = LedgerVerdict { entries: 0, first_bad: None };
    let mut previous_hash = GENESIS_HASH.to_owned();
    while let Some(row) = rows.next()? {
        verdict.entries += 1;
        let expected_number = verdict.entries;
        let text = |column| row.get::<_, String>(column);
        let (at_micros, hash) = (row.get(1)?, text(6)?);
        let expected_hash = chained_hash(&previous_hash, expected_number, at_micros, &text(2)?, &text(3)?, &text(4)?, &text(5)?);
        if verdict.first_bad.is_none() && (count(row, 0)? != expected_number || hash != expected_hash) {
            verdict.first_bad = Some(expected_number);
        }
        previous_hash = hash;
    }
    Ok(verdict)
}

fn entry(row: &Row<'_>) -> rusqlite::Result<LedgerEntry> {
    let kind: String = row.get(2)?;
    let kind =
        LedgerKind::ALL.into_iter().find(|known| known.as_str() == kind).ok_or(rusqlite::Error::InvalidColumnType(2, kind, Type::Text))?;
    let new = NewLedgerEntry { at: time(row, 1)?, kind, agent: parsed(row, 3)?, task_id: parsed(row, 4)?, facts: json(row, 5)? };
    Ok(LedgerEntry { number: count(row, 0)?, entry: new, hash: row.get(6)? })
}
