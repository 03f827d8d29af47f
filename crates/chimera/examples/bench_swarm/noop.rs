//! Skills and tools that cost nothing, so that what is measured is the swarm.

use anyhow::Result;
use async_trait::async_trait;
use chimera_adapters::store::SqliteStore;
use chimera_core::{
    contracts::UuidV4,
    ports::{
        StoreError,
        resources::{ResourceError, ResourceText, Resources},
        skill_caller::{CallError, SkillCaller},
        tools::{ToolError, Tools},
    },
};
use serde_json::{Map, Value, json};
use std::time::Duration;

pub struct NoopSkills;

#[async_trait]
impl SkillCaller for NoopSkills {
    async fn call(&self, _: &str, input: &Value) -> Result<Value, CallError> {
        Ok(json!({
            "success": true, "result_id": UuidV4::random(), "task_id": input["task_id"], "agent_id": input["agent_id"],
            "created_at": "2026-11-15T00:00:00.000Z", "confidence_score": 0.95, "reasoning_trace": "nothing was done",
            "artifact": { "content_type": "text", "payload_text": "nothing", "platform_target": "mastodon" },
        }))
    }
}

pub struct NoTools;

#[async_trait]
impl Tools for NoTools {
    async fn call(&self, server: &str, _: &str, _: Map<String, Value>, _: Duration) -> Result<Value, ToolError> {
        Err(ToolError::NoServer { server: server.to_owned() })
    }
}

#[async_trait]
impl Resources for NoTools {
    async fn read(&self, uri: &str, _: Duration) -> Result<Vec<ResourceText>, ResourceError> {
        Err(ResourceError::NoServer { scheme: uri.to_owned() })
    }
}

/// How many posts have left, here as dry runs.
pub async fn posts(store: &SqliteStore) -> Result<usize> {
    let count: i64 = store
        .read(|db| db.query_row("SELECT count(*) FROM ledger", [], |row| row.get(0)).map_err(|error| StoreError::Failed(Box::new(error))))
        .await?;
    Ok(usize::try_from(count)?)
}
