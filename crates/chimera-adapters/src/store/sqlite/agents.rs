//! The `Agents` port.

use super::{
    OrStoreError, SqliteStore, agent_lives,
    columns::{micros, parsed, rows, time},
};
use async_trait::async_trait;
use chimera_core::{
    domain::AgentId,
    ports::{
        StoreError,
        agent_lives::Retirement,
        agents::{AgentRecord, Agents, CreateAgentError},
    },
};
use rusqlite::{Connection, OptionalExtension, Row, params};

#[async_trait]
impl Agents for SqliteStore {
    async fn create(&self, agent: &AgentRecord) -> Result<(), CreateAgentError> {
        let agent = agent.clone();
        self.write(move |db| {
            let added = db
                .execute(
                    "INSERT INTO agents (id, soul_source, soul_version, address, created_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
                    params![agent.id.as_str(), agent.soul_source, agent.soul_version, agent.address.to_string(), micros(agent.created_at)],
                )
                .or_store_error()?;
            if added == 0 { Err(CreateAgentError::Exists(agent.id)) } else { Ok(()) }
        })
        .await
    }

    async fn find(&self, id: &AgentId) -> Result<Option<AgentRecord>, StoreError> {
        let id = id.clone();
        self.read(move |db| find(db, &id)).await
    }

    async fn find_all(&self, ids: &[AgentId]) -> Result<Vec<AgentRecord>, StoreError> {
        let ids = ids.to_vec();
        self.read(move |db| ids.iter().filter_map(|id| find(db, id).transpose()).collect()).await
    }

    async fn retirement(&self, id: &AgentId) -> Result<Option<Retirement>, StoreError> {
        let id = id.clone();
        self.read(move |db| agent_lives::retirement(db, &id)).await
    }

    async fn list(&self) -> Result<Vec<AgentRecord>, StoreError> {
        self.read(|db| rows(db, &select("ORDER BY id"), [], agent)).await
    }
}

fn find(db: &Connection, id: &AgentId) -> Result<Option<AgentRecord>, StoreError> {
    let mut statement = db.prepare_cached(&select("WHERE id = ?1")).or_store_error()?;
    statement.query_row([id.as_str()], agent).optional().or_store_error()
}

fn select(rest: &str) -> String {
    format!("SELECT id, soul_source, soul_version, address, created_at FROM agents {rest}")
}

fn agent(row: &Row<'_>) -> rusqlite::Result<AgentRecord> {
    Ok(AgentRecord {
        id: parsed(row, 0)?,
        soul_source: row.get(1)?,
        soul_version: row.get(2)?,
        address: parsed(row, 3)?,
        created_at: time(row, 4)?,
    })
}
