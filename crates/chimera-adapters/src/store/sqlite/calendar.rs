//! The `Calendar` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{from_limit, if_any, json, micros, parsed, rows, time, to_json, to_word, word},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    ports::{
        StoreError,
        swarm::{Calendar, CalendarEntry, EntryStatus},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

/// The calendar leads: few of its entries are due, and many campaigns run.
pub(super) const DUE: &str = "SELECT entry_id, campaign_id, at, about, agent_id, platform, content_type, calendar.resource_uris \
     FROM calendar CROSS JOIN campaigns USING (campaign_id) \
     WHERE calendar.status = 'waiting' AND at <= ?1 AND (campaigns.status = 'running' OR at < ?2) ORDER BY at LIMIT ?3";
pub(super) const REMOVE_WAITING: &str = "UPDATE calendar SET status = 'removed' WHERE campaign_id = ?1 AND status = 'waiting'";
pub(super) const OF_CAMPAIGN: &str = "SELECT entry_id, campaign_id, at, about, agent_id, platform, content_type, resource_uris, status, reason \
     FROM calendar WHERE campaign_id = ?1 ORDER BY at";

#[async_trait]
impl Calendar for SqliteStore {
    async fn add(&self, entry: &CalendarEntry) -> Result<(), StoreError> {
        let entry = entry.clone();
        self.write(move |db| {
            let insert = "INSERT INTO calendar (entry_id, campaign_id, at, about, agent_id, platform, content_type, resource_uris, status) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'waiting') ON CONFLICT DO NOTHING";
            let row = params![
                entry.entry_id.to_string(),
                entry.campaign_id,
                micros(entry.at),
                entry.about,
                entry.agent.as_ref().map(|agent| agent.as_str()),
                entry.platform.map(|platform| platform.name()),
                to_word(&entry.content_type),
                to_json(&entry.resource_uris)
            ];
            db.execute(insert, row).map(drop).or_store_error()
        })
        .await
    }

    async fn due(&self, now: DateTime<Utc>, missed_before: DateTime<Utc>, limit: usize) -> Result<Vec<CalendarEntry>, StoreError> {
        self.read(move |db| rows(db, DUE, params![micros(now), micros(missed_before), from_limit(limit)], entry)).await
    }

    async fn settle(&self, entry: &CalendarEntry, status: &EntryStatus) -> Result<EntryStatus, StoreError> {
        let (entry_id, task_id, wanted) = (entry.entry_id, entry.task_id(), status.clone());
        self.write(move |db| {
            let find = "SELECT status, reason FROM calendar WHERE entry_id = ?1";
            let found = db.query_row(find, [entry_id.to_string()], |row| status_at(row, 0)).optional().or_store_error()?;
            // What is not there can neither be planned nor missed.
            let Some(found) = found else { return Ok(EntryStatus::Removed) };
            if found != EntryStatus::Waiting {
                return Ok(found);
            }
            let settled = if is_queued(db, task_id)? { EntryStatus::Planned } else { wanted };
            let update = "UPDATE calendar SET status = ?2, reason = ?3 WHERE entry_id = ?1";
            db.execute(update, params![entry_id.to_string(), settled.name(), settled.reason()]).or_store_error()?;
            Ok(settled)
        })
        .await
    }

    async fn of_campaign(&self, campaign_id: &str) -> Result<Vec<(CalendarEntry, EntryStatus)>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| rows(db, OF_CAMPAIGN, [campaign_id], |row| Ok((entry(row)?, status_at(row, 8)?)))).await
    }
}

fn is_queued(db: &Connection, task_id: UuidV4) -> Result<bool, StoreError> {
    let find = "SELECT EXISTS (SELECT 1 FROM tasks WHERE task_id = ?1)";
    db.query_row(find, [task_id.to_string()], |row| row.get(0)).or_store_error()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<CalendarEntry> {
    Ok(CalendarEntry {
        entry_id: parsed(row, 0)?,
        campaign_id: row.get(1)?,
        at: time(row, 2)?,
        about: row.get(3)?,
        agent: if_any(row, 4, parsed)?,
        platform: if_any(row, 5, parsed)?,
        content_type: word(row, 6)?,
        resource_uris: json(row, 7)?,
    })
}

fn status_at(row: &Row<'_>, column: usize) -> rusqlite::Result<EntryStatus> {
    let name: String = row.get(column)?;
    Ok(match name.as_str() {
        "waiting" => EntryStatus::Waiting,
        "planned" => EntryStatus::Planned,
        "missed" => EntryStatus::Missed { reason: row.get::<_, Option<String>>(column + 1)?.unwrap_or_default() },
        "removed" => EntryStatus::Removed,
        _ => return Err(rusqlite::Error::InvalidColumnType(column, name, Type::Text)),
    })
}
