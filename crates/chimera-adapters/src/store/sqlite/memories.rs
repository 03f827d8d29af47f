//! The `Memories` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_limit, if_any, json, micros, parsed, rows, time, to_json, to_word, word},
    recollection::note_change,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, memory_context::MemoryRole},
    domain::AgentId,
    ports::{
        StoreError,
        memories::{Memories, MemoryRecord},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

pub(super) const SINCE: &str = "SELECT id, agent_id, at, role, content, campaign_id, lesson FROM memories \
     WHERE agent_id = ?1 AND at >= ?2 ORDER BY at DESC, number DESC LIMIT ?3";
pub(super) const OF_CAMPAIGN: &str = "SELECT id, agent_id, at, role, content, campaign_id, lesson FROM memories \
     WHERE campaign_id = ?1 AND role = 'assistant' ORDER BY number DESC LIMIT ?2";
pub(super) const LESSONS: &str = "SELECT id, agent_id, at, role, content, campaign_id, lesson FROM memories \
     WHERE agent_id = ?1 AND lesson IS NOT NULL ORDER BY number DESC LIMIT ?2";

#[async_trait]
impl Memories for SqliteStore {
    async fn remember(&self, memory: &MemoryRecord) -> Result<(), StoreError> {
        let memory = memory.clone();
        self.write(move |db| insert(db, &memory)).await
    }

    async fn since(&self, agent: &AgentId, since: DateTime<Utc>, limit: usize) -> Result<Vec<MemoryRecord>, StoreError> {
        let agent = agent.clone();
        self.read(move |db| {
            let mut newest_first = rows(db, SINCE, params![agent.as_str(), micros(since), from_limit(limit)], memory)?;
            newest_first.reverse();
            Ok(newest_first)
        })
        .await
    }

    async fn find(&self, agent: &AgentId, id: UuidV4) -> Result<Option<MemoryRecord>, StoreError> {
        let agent = agent.clone();
        self.read(move |db| {
            let find = "SELECT id, agent_id, at, role, content, campaign_id, lesson FROM memories WHERE id = ?1 AND agent_id = ?2";
            db.query_row(find, params![id.to_string(), agent.as_str()], memory).optional().or_store_error()
        })
        .await
    }

    async fn of_campaign(&self, campaign: &str, limit: usize) -> Result<Vec<MemoryRecord>, StoreError> {
        let campaign = campaign.to_owned();
        self.read(move |db| {
            let mut newest_first = rows(db, OF_CAMPAIGN, params![campaign, from_limit(limit)], memory)?;
            newest_first.reverse();
            Ok(newest_first)
        })
        .await
    }

    async fn lessons(&self, agent: &AgentId, limit: usize) -> Result<Vec<MemoryRecord>, StoreError> {
        let agent = agent.clone();
        self.read(move |db| {
            let mut newest_first = rows(db, LESSONS, params![agent.as_str(), from_limit(limit)], memory)?;
            newest_first.reverse();
            Ok(newest_first)
        })
        .await
    }

    async fn count(&self, agent: &AgentId) -> Result<u64, StoreError> {
        let agent = agent.clone();
        self.read(move |db| {
            let find = "SELECT COUNT(*) FROM memories WHERE agent_id = ?1";
            db.query_row(find, params![agent.as_str()], |row| count(row, 0)).or_store_error()
        })
        .await
    }

    async fn forget(&self, agent: &AgentId, id: UuidV4) -> Result<bool, StoreError> {
        let agent = agent.clone();
        self.write(move |db| Ok(forget_those(db, &agent, "agent_id = ?1 AND id = ?2", params![agent.as_str(), id.to_string()])? > 0)).await
    }

    async fn forget_before(&self, agent: &AgentId, before: DateTime<Utc>) -> Result<u64, StoreError> {
        let agent = agent.clone();
        self.write(move |db| forget_those(db, &agent, "agent_id = ?1 AND at < ?2", params![agent.as_str(), micros(before)])).await
    }
}

pub(super) fn insert(db: &Connection, memory: &MemoryRecord) -> Result<(), StoreError> {
    if say_anew(db, memory.id, &memory.agent, memory.role, &memory.content)? {
        return Ok(());
    }
    let insert = "INSERT INTO memories (id, agent_id, at, role, content, campaign_id, lesson) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
         ON CONFLICT DO NOTHING";
    let (id, at, lesson) = (memory.id.to_string(), micros(memory.at), memory.lesson.as_ref().map(to_json));
    let row = params![id, memory.agent.as_str(), at, to_word(&memory.role), memory.content, memory.campaign, lesson];
    db.execute(insert, row).map(drop).or_store_error()
}

/// What is remembered under this id turned out otherwise: by another attempt, or by a person's edit. Whether it did. Ids are the callers', so
/// only what the same agent remembers in the same role changes, and never a lesson.
pub(super) fn say_anew(db: &Connection, id: UuidV4, agent: &AgentId, role: MemoryRole, content: &str) -> Result<bool, StoreError> {
    let change = "UPDATE memories SET content = ?2 WHERE id = ?1 AND agent_id = ?3 AND role = ?4 AND lesson IS NULL AND content <> ?2 \
         RETURNING number";
    let row = params![id.to_string(), content, agent.as_str(), to_word(&role)];
    let changed: Option<i64> = db.query_row(change, row, |row| row.get(0)).optional().or_store_error()?;
    let Some(number) = changed else { return Ok(false) };
    db.execute("DELETE FROM memory_vectors WHERE memory_number = ?1", [number]).or_store_error()?;
    note_change(db, agent)?;
    Ok(true)
}

/// With their vectors: what is forgotten is not found by its meaning either.
fn forget_those(db: &Connection, agent: &AgentId, condition: &str, params: impl Params + Copy) -> Result<u64, StoreError> {
    let vectors = format!("DELETE FROM memory_vectors WHERE memory_number IN (SELECT number FROM memories WHERE {condition})");
    db.execute(&vectors, params).or_store_error()?;
    let forgotten = db.execute(&format!("DELETE FROM memories WHERE {condition}"), params).or_store_error()?;
    if forgotten > 0 {
        note_change(db, agent)?;
    }
    Ok(forgotten as u64)
}

pub(super) fn memory(row: &Row<'_>) -> rusqlite::Result<MemoryRecord> {
    let (id, agent, at, role) = (parsed(row, 0)?, parsed(row, 1)?, time(row, 2)?, word(row, 3)?);
    Ok(MemoryRecord { id, agent, at, role, content: row.get(4)?, campaign: row.get(5)?, lesson: if_any(row, 6, json)? })
}
