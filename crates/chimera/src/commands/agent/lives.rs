//! What becomes of an agent after it is made: another SOUL, retirement, return.

use super::Context;
use crate::wiring::Records;
use anyhow::{Context as _, Result, anyhow, bail};
use chimera_core::{
    contracts::UtcTime,
    ports::{
        agent_lives::{AgentLives, Ended, Retired, Retirement, SoulChange},
        agents::{AgentRecord, Agents},
        queries::{Cursor, PageOf},
    },
};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// How many SOULs are listed.
const SOULS_SHOWN_MAX: usize = 50;

pub async fn update(context: &Context, records: &Records, id: &str, path: &Path, by: String) -> Result<()> {
    let source = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let agent = records.agent(id).await?;
    let change = SoulChange::new(&agent.id, source, by, records.clock.now()).with_context(|| path.display().to_string())?;
    let number = records.store.change_soul(&change).await?;
    let shown = json!({ "agent_id": id, "number": number, "soul_version": change.version(), "address": agent.address.to_string() });
    context.output.show(&shown, |out| {
        if change.version() == agent.soul_version {
            return format!("{} has this SOUL already: version {number}", out.bold(id));
        }
        format!(
            "{} writes by version {number} of its SOUL from its next task on; its id and its wallet {} stay",
            out.bold(id),
            agent.address
        )
    })?;
    Ok(())
}

pub async fn souls(context: &Context, records: &Records, id: &str, number: Option<u64>) -> Result<()> {
    let agent = records.agent(id).await?;
    let page = match number {
        Some(number) => PageOf::first(1).after(Cursor { number: number.saturating_add(1).min(i64::MAX as u64) }),
        None => PageOf::first(SOULS_SHOWN_MAX),
    };
    let found = records.store.souls(&agent.id, &page).await?.items;
    if let Some(number) = number {
        let soul = found.into_iter().find(|soul| soul.number == number);
        let soul = soul.ok_or_else(|| anyhow!("{id} has no version {number} of its SOUL; `chimera agent souls {id}` lists all"))?;
        context.output.show(&json!(soul), |_| soul.soul_source.clone())?;
        return Ok(());
    }
    context.output.show(&json!({ "agent_id": id, "souls": found }), |out| {
        let line = |soul: &chimera_core::contracts::views::souls::SoulVersion| {
            let by = soul.by.as_deref().unwrap_or("as it was made");
            format!("{:>4}  {}  {by}  {}", soul.number, soul.at, out.dim(&soul.soul_version))
        };
        found.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(())
}

pub async fn retire(context: &Context, records: &Records, id: &str, reason: String, by: String) -> Result<()> {
    let agent = records.agent(id).await?;
    let asked = Retirement { agent: agent.id.clone(), reason, by, at: records.clock.now() };
    let Retired { retirement, ended } = records.store.retire(&asked).await?;
    let shown = json!({
        "agent_id": id,
        "retired": told(&retirement),
        "address": agent.address.to_string(),
        "ended": {
            "tasks": ended.tasks, "reviews": ended.reviews, "payments": ended.payments, "approvals": ended.approvals, "posts": ended.posts, "dates": ended.dates,
        },
        "followed": ended.followed,
    });
    context.output.show(&shown, |out| {
        if retirement != asked {
            return format!("{} was retired already, since {}: {}", out.bold(id), UtcTime(retirement.at), retirement.reason);
        }
        let mut lines = vec![format!("{} is retired; its wallet {} stays", out.bold(id), agent.address)];
        lines.extend(ends(&ended));
        lines.push(format!("Let it work again with: chimera agent reinstate {id}"));
        lines.join("\n")
    })?;
    Ok(())
}

/// What ended and what goes on, without what there was none of.
fn ends(ended: &Ended) -> Vec<String> {
    let Ended { tasks, reviews, payments, approvals, posts, dates, followed } = *ended;
    [
        (tasks as u64, "tasks given up"),
        (reviews as u64, "reviews closed"),
        (payments as u64, "payments declined"),
        (approvals as u64, "approvals of payments revoked"),
        (posts as u64, "posts withdrawn"),
        (dates as u64, "dates taken off the calendar"),
        (followed, "payments that may have left, followed on the chain"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("  {count} {what}"))
    .collect()
}

pub async fn reinstate(context: &Context, records: &Records, id: &str, by: &str) -> Result<()> {
    let agent = records.agent(id).await?;
    if !records.store.reinstate(&agent.id, by, records.clock.now()).await? {
        bail!("{id} is not retired");
    }
    context.output.show(&json!({ "agent_id": id, "retired": null }), |out| {
        format!("{} works again; what ended with its retirement stays ended", out.bold(id))
    })?;
    Ok(())
}

fn told(retirement: &Retirement) -> Value {
    json!({ "reason": retirement.reason, "by": retirement.by, "at": UtcTime(retirement.at) })
}

/// What is told of the agent, and why it is retired if it is.
pub async fn with_retirement(records: &Records, agent: &AgentRecord, mut shown: Value) -> Result<Value> {
    if let Some(retirement) = Agents::retirement(&records.store, &agent.id).await? {
        shown["retired"] = told(&retirement);
    }
    Ok(shown)
}
