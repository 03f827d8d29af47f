//! The `Books` port: the ledger read backwards, as far as the days go that are asked for.

use super::super::{
    OrStoreError, SqliteStore,
    ledger::{ENTRY_COLUMNS, entry_of},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::views::money::DayResult,
    domain::{AgentId, ledger::DayResults},
    ports::{StoreError, books::Books},
};
use chrono::{Days, NaiveDate};
use rusqlite::{Connection, params};

#[async_trait]
impl Books for SqliteStore {
    async fn results(&self, agent: Option<&AgentId>, since: NaiveDate) -> Result<Vec<DayResult>, StoreError> {
        let agent = agent.cloned();
        self.read(move |db| results(db, agent.as_ref(), since)).await
    }
}

fn results(db: &Connection, agent: Option<&AgentId>, since: NaiveDate) -> Result<Vec<DayResult>, StoreError> {
    let of_agent = if agent.is_some() { "agent_id = ?1" } else { "?1 IS NULL" };
    let backwards = format!("SELECT {ENTRY_COLUMNS} FROM ledger WHERE {of_agent} ORDER BY number DESC");
    let mut find = db.prepare_cached(&backwards).or_store_error()?;
    let mut rows = find.query(params![agent.map(AgentId::as_str)]).or_store_error()?;
    // Entries are written in the order of their times but for moments, and a clock that was set back.
    let certainly_before = since.checked_sub_days(Days::new(1)).unwrap_or(since);
    let mut results = DayResults::default();
    while let Some(row) = rows.next().or_store_error()? {
        let entry = entry_of(row).or_store_error()?.entry;
        let day = entry.at.date_naive();
        if day < certainly_before {
            break;
        }
        if day >= since {
            results.add(entry.at, &entry.postings);
        }
    }
    Ok(results.rows())
}
