//! The `Memories` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{from_limit, micros, parsed, rows, time, to_word, word},
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
use rusqlite::{OptionalExtension, Row, params};

pub(super) const SINCE: &str = "SELECT id, agent_id, at, role, content FROM memories \
     WHERE agent_id = ?1 AND at >= ?2 ORDER BY at DESC, number DESC LIMIT ?3";

#[async_trait]
impl Memories for SqliteStore {
    async fn remember(&self, memory: &MemoryRecord) -> Result<(), StoreError> {
        let memory = memory.clone();
        self.write(move |db| {
            db.execute(
                "INSERT INTO memories (id, agent_id, at, role, content) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
                params![memory.id.to_string(), memory.agent.as_str(), micros(memory.at), to_word(&memory.role), memory.content],
            )
            .map(drop)
            .or_store_error()
        })
        .await
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
            let find = "SELECT id, agent_id, at, role, content FROM memories WHERE id = ?1 AND agent_id = ?2";
            db.query_row(find, params![id.to_string(), agent.as_str()], memory).optional().or_store_error()
        })
        .await
    }
}

fn memory(row: &Row<'_>) -> rusqlite::Result<MemoryRecord> {
    Ok(MemoryRecord { id: parsed(row, 0)?, agent: parsed(row, 1)?, at: time(row, 2)?, role: word(row, 3)?, content: row.get(4)? })
}
