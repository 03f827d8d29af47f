//! New agents.

use super::answer;
use crate::{
    Dashboard, Problem,
    api::request::{Call, no_such},
};
use axum::{http::StatusCode, response::Response};
use chimera_core::{domain::Soul, ports::agent_lives::its_soul};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A persona.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewAgent {
    /// SOUL.md, whole.
    #[schemars(length(min = 1, max = 100_000))]
    soul: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Created {
    agent_id: String,
}

pub(in crate::api) async fn create(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let NewAgent { soul } = call.body()?;
    let agent_id = dashboard.operations.create_agent(&soul).await?;
    answer(StatusCode::CREATED, &Created { agent_id })
}

/// A SOUL to be checked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct GivenSoul {
    /// SOUL.md, whole.
    #[schemars(length(min = 1, max = 100_000))]
    soul: String,
    /// Whose it is to be; without it, a new agent's.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"))]
    agent_id: Option<String>,
}

/// What a SOUL says, or what is wrong with it.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Checked {
    ok: bool,
    /// The first thing that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Of the file, where it is wrong; 1 is the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    platforms: Vec<String>,
    directives: Vec<String>,
    /// The label that ends every text of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    disclosure: Option<String>,
}

pub(in crate::api) async fn check(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let GivenSoul { soul, agent_id } = call.body()?;
    let checked = match Soul::parse(&soul) {
        Ok(parsed) => found(&parsed, why_not(&dashboard, &parsed, agent_id.as_deref(), &soul).await?),
        Err(error) => Checked {
            ok: false,
            problem: Some(error.problem.to_string()),
            line: Some(error.line),
            agent_id: None,
            name: None,
            handle: None,
            platforms: Vec::new(),
            directives: Vec::new(),
            disclosure: None,
        },
    };
    answer(StatusCode::OK, &checked)
}

/// What stands against a SOUL that is one.
async fn why_not(dashboard: &Dashboard, parsed: &Soul, agent_id: Option<&str>, source: &str) -> Result<Option<String>, Problem> {
    if let Some(agent) = agent_id {
        let agent = agent.parse().map_err(|_not_an_id| no_such("agent", agent))?;
        return Ok(its_soul(&agent, source).err().map(|error| error.to_string()));
    }
    let is_taken = dashboard.agents.find(&parsed.id).await?.is_some();
    Ok(is_taken.then(|| format!("there is an agent {} already", parsed.id)))
}

fn found(soul: &Soul, problem: Option<String>) -> Checked {
    Checked {
        ok: problem.is_none(),
        problem,
        line: None,
        agent_id: Some(soul.id.to_string()),
        name: Some(soul.name.clone()),
        handle: Some(soul.handle.clone()),
        platforms: soul.platforms.iter().map(|platform| platform.name().to_owned()).collect(),
        directives: soul.directives.clone(),
        disclosure: Some(soul.disclosure.clone()),
    }
}
