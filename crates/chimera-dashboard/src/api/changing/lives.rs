//! What becomes of an agent after it is made: another SOUL, retirement, return; and play money, where there is any.

use super::{answer, contradicts, done};
use crate::{
    Dashboard, Problem,
    api::{
        entity_tag,
        reading::souls::newest,
        request::{Call, no_such},
    },
};
use axum::{
    http::{StatusCode, header},
    response::Response,
};
use chimera_core::{
    contracts::UtcTime,
    domain::AgentId,
    ports::agent_lives::{ChangeSoulError, Retired, Retirement, SoulChange},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Another SOUL for an agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewSoul {
    /// SOUL.md, whole, with the agent's id.
    #[schemars(length(min = 1, max = 100_000))]
    soul: String,
}

/// The SOUL that the agent has now.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct SoulChanged {
    agent_id: String,
    number: u64,
    /// Hex sha-256 of the text.
    soul_version: String,
}

pub(in crate::api) async fn change_soul(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let NewSoul { soul } = call.body()?;
    let agent = call.agent_id()?;
    let seen = newest(&dashboard, &agent).await?;
    entity_tag::check(&call.headers, seen.number, &seen)?;
    let by = call.visitor.name.to_string();
    let change = SoulChange::new(&agent, soul, by, dashboard.clock.now()).map_err(|error| contradicts("/soul", error.to_string()))?;
    // Who named a state means that one, also when another save comes between the look and the write.
    let change = if call.headers.contains_key(header::IF_MATCH) { change.written_from(seen.number) } else { change };
    let number = dashboard.lives.change_soul(&change).await.map_err(not_changed)?;
    let changed = SoulChanged { agent_id: agent.to_string(), number, soul_version: change.version().to_owned() };
    answer(StatusCode::OK, &changed).map(|response| entity_tag::with(response, number))
}

fn not_changed(error: ChangeSoulError) -> Problem {
    match error {
        ChangeSoulError::NoSuchAgent(id) => no_such("agent", id.as_str()),
        ChangeSoulError::Moved { .. } => {
            Problem::new(StatusCode::CONFLICT, "conflict", format!("Not now: {error}."), "Look at that version, and save once more.")
        }
        ChangeSoulError::Store(error) => error.into(),
    }
}

/// Why an agent is retired.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct Retiring {
    /// For whoever finds it retired.
    #[schemars(length(min = 1, max = 500))]
    reason: String,
}

/// The retirement that stands, and what ended with it.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct RetiredAgent {
    agent_id: String,
    reason: String,
    by: String,
    at: UtcTime,
    /// Tasks that were given up.
    tasks: usize,
    /// Reviews that were closed.
    reviews: usize,
    /// Payments that waited for a person, and were declined.
    payments: usize,
    /// Approvals of payments that were not made yet, which are revoked.
    approvals: usize,
    /// Approved posts that will not be sent.
    posts: usize,
    /// Dates of its own on the calendar, which are missed.
    dates: usize,
    /// Payments that may have left, and are followed on the chain.
    followed: u64,
}

pub(in crate::api) async fn retire(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let Retiring { reason } = call.body()?;
    let agent = existing(&dashboard, &call).await?;
    let asked = Retirement { agent, reason, by: call.visitor.name.to_string(), at: dashboard.clock.now() };
    let Retired { retirement, ended } = dashboard.lives.retire(&asked).await?;
    let retired = RetiredAgent {
        agent_id: retirement.agent.to_string(),
        reason: retirement.reason,
        by: retirement.by,
        at: UtcTime(retirement.at),
        tasks: ended.tasks,
        reviews: ended.reviews,
        payments: ended.payments,
        approvals: ended.approvals,
        posts: ended.posts,
        dates: ended.dates,
        followed: ended.followed,
    };
    answer(StatusCode::OK, &retired)
}

pub(in crate::api) async fn reinstate(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let agent = existing(&dashboard, &call).await?;
    if dashboard.lives.reinstate(&agent, call.visitor.name.as_str(), dashboard.clock.now()).await? {
        return done();
    }
    let detail = format!("Agent {agent} is not retired.");
    Err(Problem::new(StatusCode::CONFLICT, "out_of_turn", detail, "/api/fleet says what each agent does."))
}

/// What an agent was given.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Funded {
    agent_id: String,
    /// As a sentence.
    told: String,
}

pub(in crate::api) async fn fund(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let agent = existing(&dashboard, &call).await?;
    let Some(play_money) = &dashboard.play_money else {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "no_play_money",
            "There is no play money here: no chain is the embedded one.",
            "Send real assets to the agent's address.",
        ));
    };
    let told = play_money.give(&agent).await?;
    answer(StatusCode::CREATED, &Funded { agent_id: agent.to_string(), told })
}

async fn existing(dashboard: &Dashboard, call: &Call) -> Result<AgentId, Problem> {
    let id = call.agent_id()?;
    dashboard.agents.find(&id).await?.map(|found| found.id).ok_or_else(|| no_such("agent", id.as_str()))
}
