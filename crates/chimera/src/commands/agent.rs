//! `chimera agent`: personas and their wallets.

mod lives;

use super::Context;
use crate::{
    cli::{AgentCommand, ForgetFlags},
    config::Misconfigured,
    output::quoted,
    wiring::{Records, models::day_limits},
};
use anyhow::{Context as _, Result, anyhow, bail};
use chimera_core::{
    contracts::{UtcTime, UuidV4},
    domain::soul::Soul,
    ports::{
        agents::{AgentRecord, Agents},
        memories::{Memories, MemoryRecord},
        model_budget::{DayLimits, ModelBudget, ModelDay},
    },
};
use chrono::{DateTime, TimeDelta};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// How many of the newest memories `show` tells.
const MEMORIES_SHOWN_MAX: usize = 10;

pub async fn run(context: Context, command: AgentCommand) -> Result<ExitCode> {
    let records = Records::open(&context.settings)?;
    let done = match command {
        AgentCommand::Create { soul, import } => create(&context, &records, &soul, import).await,
        AgentCommand::Update { id, soul, by } => lives::update(&context, &records, &id, &soul, by).await,
        AgentCommand::Souls { id, number } => lives::souls(&context, &records, &id, number).await,
        AgentCommand::Retire { id, reason, by } => lives::retire(&context, &records, &id, reason, by).await,
        AgentCommand::Reinstate { id, by } => lives::reinstate(&context, &records, &id, &by).await,
        AgentCommand::List => list(&context, &records).await,
        AgentCommand::Show { id } => show(&context, &records, &id).await,
        AgentCommand::Forget(flags) => forget(&context, &records, flags).await,
    };
    records.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn create(context: &Context, records: &Records, path: &Path, import: Option<PathBuf>) -> Result<()> {
    let source = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let soul = Soul::parse(&source).with_context(|| path.display().to_string())?;
    let agent = match import {
        Some(file) => records.create_agent_importing(&context.settings, &soul, source, file).await?,
        None => records.create_agent_alone(&context.settings, &soul, source).await?,
    };
    let shown = json!({ "agent_id": agent.id.as_str(), "address": agent.address.to_string(), "soul_version": agent.soul_version });
    context.output.show(&shown, |out| {
        format!(
            "created {}\n  address      {}\n  soul version {}",
            out.bold(agent.id.as_str()),
            agent.address,
            out.dim(&agent.soul_version)
        )
    })?;
    Ok(())
}

async fn list(context: &Context, records: &Records) -> Result<()> {
    let agents = Agents::list(&records.store).await?;
    let mut shown = Vec::with_capacity(agents.len());
    for agent in &agents {
        shown.push(lives::with_retirement(records, agent, summary(agent)).await?);
    }
    context.output.show(&json!({ "agents": shown }), |out| {
        if agents.is_empty() {
            return "no agents yet; make one with: chimera agent create --soul FILE".to_owned();
        }
        let widest = agents.iter().map(|agent| agent.id.as_str().len()).max().unwrap_or_default();
        let line = |(agent, told): (&AgentRecord, &Value)| {
            let retired = if told["retired"].is_null() { "" } else { "  retired" };
            let id = format!("{:widest$}", agent.id.as_str());
            format!("{}  {}  {}{retired}", out.bold(&id), agent.address, out.dim(&UtcTime(agent.created_at).to_string()))
        };
        agents.iter().zip(&shown).map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(())
}

async fn show(context: &Context, records: &Records, id: &str) -> Result<()> {
    let agent = records.agent(id).await?;
    let soul = Soul::parse(&agent.soul_source).context("the stored SOUL")?;
    let an_hour_ago = records.clock.now() - TimeDelta::hours(1);
    let newest = records.store.since(&agent.id, DateTime::UNIX_EPOCH, MEMORIES_SHOWN_MAX).await?;
    let (long_term, short_term): (Vec<_>, Vec<_>) = newest.into_iter().partition(|memory| memory.at < an_hour_ago);
    let count = Memories::count(&records.store, &agent.id).await?;
    let today = records.store.day(&agent.id, records.clock.now().date_naive()).await?;
    let limits = day_limits(&context.settings);
    let mut shown = lives::with_retirement(records, &agent, summary(&agent)).await?;
    shown["name"] = json!(soul.name);
    shown["handle"] = json!(soul.handle);
    shown["voice_traits"] = json!(soul.voice_traits);
    shown["directives"] = json!(soul.directives);
    shown["platforms"] = json!(soul.platforms.iter().map(|platform| platform.name()).collect::<Vec<_>>());
    let told = |memories: &[MemoryRecord]| {
        let one = |memory: &MemoryRecord| json!({ "memory_id": memory.id, "at": UtcTime(memory.at), "role": memory.role, "content": memory.content });
        memories.iter().map(one).collect::<Vec<Value>>()
    };
    shown["remembers"] = json!(told(&short_term));
    shown["remembers_longer"] = json!(told(&long_term));
    shown["memories"] = json!(count);
    shown["models_today"] = json!({
        "used_tokens": today.used_tokens, "held_tokens": today.held_tokens, "tokens_max": limits.tokens_max,
        "used_micro_usd": today.used_micro_usd, "held_micro_usd": today.held_micro_usd,
    });
    if let Some(most) = limits.micro_usd_max {
        shown["models_today"]["micro_usd_max"] = json!(most);
    }
    context.output.show(&shown, |out| {
        let mut lines = vec![
            format!("{} (@{}), agent {}", out.bold(&soul.name), soul.handle, agent.id),
            format!("  address     {}", agent.address),
            format!("  created     {}", UtcTime(agent.created_at)),
            format!("  platforms   {}", soul.platforms.iter().map(|platform| platform.name()).collect::<Vec<_>>().join(", ")),
            format!("  voice       {}", soul.voice_traits.join(", ")),
        ];
        if let Some(reason) = shown["retired"]["reason"].as_str() {
            lines.push(out.bad(&format!("  retired     {reason}")));
        }
        lines.extend(soul.directives.iter().map(|directive| format!("  directive   {directive}")));
        lines.push(format!("  models      {}", spent(&today, limits)));
        lines.push(format!(
            "  remembers   {count} in all; of the last hour {}, and the newest {} of before:",
            short_term.len(),
            long_term.len()
        ));
        let line = |memory: &MemoryRecord| {
            let when = out.dim(&UtcTime(memory.at).to_string());
            let opening = format!("    {when} {}", out.dim(&memory.id.to_string()));
            std::iter::once(opening).chain(quoted("      ", &memory.content)).collect::<Vec<_>>().join("\n")
        };
        lines.extend(long_term.iter().chain(&short_term).map(line));
        lines.join("\n")
    })?;
    Ok(())
}

/// What the agent's models took of this UTC day, in one line.
fn spent(today: &ModelDay, limits: DayLimits) -> String {
    let most = limits.micro_usd_max.map_or_else(String::new, |most| format!(" of {most}"));
    format!(
        "today {} of {} tokens used, {} held; {}{most} micro-USD used, {} held",
        today.used_tokens, limits.tokens_max, today.held_tokens, today.used_micro_usd, today.held_micro_usd
    )
}

async fn forget(context: &Context, records: &Records, flags: ForgetFlags) -> Result<()> {
    let agent = records.agent(&flags.id).await?;
    let forgotten = match (&flags.memory, &flags.older_than) {
        (Some(memory), _) => {
            let id: UuidV4 = memory.parse().map_err(|error| Misconfigured::mark(anyhow!("--memory: {error}")))?;
            if !records.store.forget(&agent.id, id).await? {
                bail!("{} has no memory {memory}; `chimera agent show {}` tells which it has", agent.id, agent.id);
            }
            1
        }
        (None, Some(age)) => {
            let before = age_of(age).and_then(|age| records.clock.now().checked_sub_signed(age));
            let before =
                before.ok_or_else(|| Misconfigured::mark(anyhow!("--older-than is {age:?}; give an age such as 90d, 12h or 30m")))?;
            records.store.forget_before(&agent.id, before).await?
        }
        (None, None) => return Err(Misconfigured::mark(anyhow!("say which: --memory or --older-than"))),
    };
    context.output.show(&json!({ "agent_id": agent.id.as_str(), "forgotten": forgotten }), |_| {
        let memories = if forgotten == 1 { "memory" } else { "memories" };
        format!("{} forgot {forgotten} {memories}", agent.id)
    })?;
    Ok(())
}

/// `90d`, `12h`, `30m`.
fn age_of(text: &str) -> Option<TimeDelta> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: i64 = number.parse().ok().filter(|number| *number >= 0)?;
    match unit {
        "d" => TimeDelta::try_days(number),
        "h" => TimeDelta::try_hours(number),
        "m" => TimeDelta::try_minutes(number),
        _ => None,
    }
}

fn summary(agent: &AgentRecord) -> Value {
    json!({
        "agent_id": agent.id.as_str(),
        "address": agent.address.to_string(),
        "soul_version": agent.soul_version,
        "created_at": UtcTime(agent.created_at),
    })
}
