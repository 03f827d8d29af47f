//! `chimera agent`: personas and their wallets.

use super::Context;
use crate::{cli::AgentCommand, wiring::Records};
use anyhow::{Context as _, Result};
use chimera_core::{
    contracts::UtcTime,
    domain::soul::Soul,
    ports::agents::{AgentRecord, Agents},
    ports::memories::Memories,
};
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
        AgentCommand::List => list(&context, &records).await,
        AgentCommand::Show { id } => show(&context, &records, &id).await,
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
    let shown: Vec<Value> = agents.iter().map(summary).collect();
    context.output.show(&json!({ "agents": shown }), |out| {
        if agents.is_empty() {
            return "no agents yet; make one with: chimera agent create --soul FILE".to_owned();
        }
        let widest = agents.iter().map(|agent| agent.id.as_str().len()).max().unwrap_or_default();
        let line = |agent: &AgentRecord| {
            let id = format!("{:widest$}", agent.id.as_str());
            format!("{}  {}  {}", out.bold(&id), agent.address, out.dim(&UtcTime(agent.created_at).to_string()))
        };
        agents.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(())
}

async fn show(context: &Context, records: &Records, id: &str) -> Result<()> {
    let agent = records.agent(id).await?;
    let soul = Soul::parse(&agent.soul_source).context("the stored SOUL")?;
    let since = records.clock.now() - chrono::TimeDelta::hours(1);
    let memories = records.store.since(&agent.id, since, MEMORIES_SHOWN_MAX).await?;
    let mut shown = summary(&agent);
    shown["name"] = json!(soul.name);
    shown["handle"] = json!(soul.handle);
    shown["voice_traits"] = json!(soul.voice_traits);
    shown["directives"] = json!(soul.directives);
    shown["platforms"] = json!(soul.platforms.iter().map(|platform| platform.name()).collect::<Vec<_>>());
    shown["remembers"] = json!(
        memories
            .iter()
            .map(|memory| json!({ "memory_id": memory.id, "at": UtcTime(memory.at), "content": memory.content }))
            .collect::<Vec<_>>()
    );
    context.output.show(&shown, |out| {
        let mut lines = vec![
            format!("{} (@{}), agent {}", out.bold(&soul.name), soul.handle, agent.id),
            format!("  address     {}", agent.address),
            format!("  created     {}", UtcTime(agent.created_at)),
            format!("  platforms   {}", soul.platforms.iter().map(|platform| platform.name()).collect::<Vec<_>>().join(", ")),
            format!("  voice       {}", soul.voice_traits.join(", ")),
        ];
        lines.extend(soul.directives.iter().map(|directive| format!("  directive   {directive}")));
        if memories.is_empty() {
            lines.push("  remembers   nothing of the last hour".to_owned());
        }
        lines
            .extend(memories.iter().map(|memory| format!("  remembers   {} {}", out.dim(&UtcTime(memory.at).to_string()), memory.content)));
        lines.join("\n")
    })?;
    Ok(())
}

fn summary(agent: &AgentRecord) -> Value {
    json!({
        "agent_id": agent.id.as_str(),
        "address": agent.address.to_string(),
        "soul_version": agent.soul_version,
        "created_at": UtcTime(agent.created_at),
    })
}
