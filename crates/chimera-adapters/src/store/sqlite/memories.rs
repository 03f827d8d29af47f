//! The `Memories` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_limit, micros, parsed, rows, time, to_word, word},
    recollection::note_change,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        memories::{Memories, MemoryRecord},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

pub(super) const SINCE: &str = "SELECT id, agent_id, at, role, content, campaign_id FROM memories \
     WHERE agent_id = ?1 AND at >= ?2 ORDER BY at DESC, number DESC LIMIT ?3";
pub(super) const OF_CAMPAIGN: &str = "SELECT id, agent_id, at, role, content, campaign_id FROM memories \
     WHERE campaign_id = ?1 AND role = 'assistant' ORDER BY number DESC LIMIT ?2";

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
            let find = "SELECT id, agent_id, at, role, content, campaign_id FROM memories WHERE id = ?1 AND agent_id = ?2";
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
    db.execute(
        "INSERT INTO memories (id, agent_id, at, role, content, campaign_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        params![memory.id.to_string(), memory.agent.as_str(), micros(memory.at), to_word(&memory.role), memory.content, memory.campaign],
    )
    .map(drop)
    .or_store_error()
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
    Ok(MemoryRecord { id, agent, at, role, content: row.get(4)?, campaign: row.get(5)? })
}
