//! Skills and tools that cost nothing, so that what is measured is the swarm.

use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, content_generator::EMBEDDED_WRITER},
    ports::{
        resources::{ResourceError, ResourceText, Resources},
        skill_caller::{CallError, SkillCaller},
        tools::{NotListed, PublishTools, ToolAnswer, ToolError, Tools},
    },
};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// As every SOUL wants it: with a label.
const TEXT: &str = "nothing\nAI-generated";

pub(crate) struct NoopSkills;

#[async_trait]
impl SkillCaller for NoopSkills {
    async fn call(&self, _: &str, input: &Value) -> Result<Value, CallError> {
        Ok(json!({
            "success": true, "result_id": UuidV4::random(), "task_id": input["task_id"], "agent_id": input["agent_id"],
            "created_at": "2026-11-15T00:00:00.000Z", "confidence_score": 0.95, "reasoning_trace": "nothing was done", "written_by": EMBEDDED_WRITER,
            "artifact": { "content_type": "text", "payload_text": TEXT, "platform_target": "mastodon" },
        }))
    }
}

pub(crate) struct NoTools;

#[async_trait]
impl Tools for NoTools {
    async fn call(&self, server: &str, _: &str, _: Map<String, Value>, _: Duration) -> Result<ToolAnswer, ToolError> {
        Err(ToolError::NoServer { server: server.to_owned() })
    }
}

#[async_trait]
impl PublishTools for NoTools {
    async fn input_schema(&self, server: &str, _: &str, _: Duration) -> Result<Map<String, Value>, NotListed> {
        Err(NotListed::NoServer { server: server.to_owned() })
    }
}

#[async_trait]
impl Resources for NoTools {
    async fn read(&self, uri: &str, _: Duration) -> Result<Vec<ResourceText>, ResourceError> {
        Err(ResourceError::NoServer { scheme: uri.to_owned() })
    }
}
