//! `chimera ledger`: what was done, whether the record of it is whole, and what it comes to.

mod export;
mod pnl;

use super::Context;
use crate::{cli::LedgerCommand, mission_control::words::Words, output::Output, wiring::Records};
use anyhow::Result;
use chimera_core::{
    domain::AgentId,
    ports::ledger::{Ledger, LedgerEntry},
};
use serde_json::{Value, json};
use std::process::ExitCode;

pub async fn run(context: Context, command: LedgerCommand) -> Result<ExitCode> {
    match command {
        LedgerCommand::List { agent, limit } => {
            with_records(&context, async |records| list(&context, records, agent.as_deref(), limit).await).await
        }
        LedgerCommand::Verify => with_records(&context, async |records| verify(&context, records).await).await,
        LedgerCommand::Adopt { reason, by } => with_records(&context, async |records| adopt(&context, records, &reason, &by).await).await,
        LedgerCommand::Export { csv, agent } => {
            with_records(&context, async |records| export::run(&context, records, csv, agent.as_deref()).await).await
        }
        LedgerCommand::Pnl { agent } => pnl::run(context, agent.as_deref()).await,
    }
}

async fn with_records(context: &Context, work: impl AsyncFnOnce(&Records) -> Result<ExitCode>) -> Result<ExitCode> {
    let records = Records::open(&context.settings)?;
    let done = work(&records).await;
    records.close().await;
    done
}

async fn list(context: &Context, records: &Records, agent: Option<&str>, limit: usize) -> Result<ExitCode> {
    let agent = known(records, agent).await?;
    let entries = Ledger::list(&records.store, agent.as_ref(), limit).await?;
    let words = Words::new(&context.settings);
    let shown: Vec<Value> = entries.iter().map(|entry| words.to_json(entry)).collect();
    context.output.show(&json!({ "entries": shown }), |out| {
        if entries.is_empty() {
            return "nothing is on the ledger yet".to_owned();
        }
        table(out, &entries, &words)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn table(out: &Output, entries: &[LedgerEntry], words: &Words) -> String {
    let who = |entry: &LedgerEntry| entry.entry.agent.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
    let number_width = entries.iter().map(|entry| entry.number.to_string().len()).max().unwrap_or_default().max(2);
    let agent_width = entries.iter().map(|entry| who(entry).len()).max().unwrap_or_default().max(5);
    let header = format!("{:>number_width$}  {:<19}  {:<8}  {:<agent_width$}  what happened", "no", "time (UTC)", "kind", "agent");
    let mut lines = vec![out.dim(&header)];
    for entry in entries {
        let at = entry.entry.at.format("%Y-%m-%d %H:%M:%S").to_string();
        let kind = format!("{:<8}", entry.entry.kind.as_str());
        lines.push(format!(
            "{:>number_width$}  {}  {}  {:<agent_width$}  {}",
            entry.number,
            out.dim(&at),
            out.bold(&kind),
            who(entry),
            words.of(entry)
        ));
    }
    lines.join("\n")
}

async fn verify(context: &Context, records: &Records) -> Result<ExitCode> {
    let verdict = records.store.verify().await?;
    let mut shown = json!({ "ok": verdict.is_sound(), "entries": verdict.entries });
    if let Some(problem) = &verdict.problem {
        shown["problem"] = json!(problem.to_string());
    }
    if let Some(number) = verdict.first_bad {
        shown["first_bad"] = json!(number);
    }
    context.output.show(&shown, |out| match &verdict.problem {
        None => {
            format!("{}  {} entries, all as this node wrote and signed them, and the budgets they come to", out.good("ok"), verdict.entries)
        }
        Some(problem) => format!(
            "{}  {problem}\n      {} entries are there; keep a copy of the data folder and find out who changed it",
            out.bad("MEND"),
            verdict.entries
        ),
    })?;
    Ok(if verdict.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn adopt(context: &Context, records: &Records, reason: &str, by: &str) -> Result<ExitCode> {
    let adopted = records.store.adopt(by, reason, records.clock.now()).await?;
    let shown = json!({ "contradiction": adopted.contradiction, "entry": adopted.entry.number, "held": adopted.held });
    context.output.show(&shown, |out| {
        let mut lines = vec![
            format!("{}  this database is the one from now on, which entry {} says", out.bold("adopted"), adopted.entry.number),
            format!("  it was contradicted: {}", adopted.contradiction),
        ];
        lines.extend(adopted.held.iter().map(|agent| format!("  {agent} is held; compare with: chimera wallet reconcile --agent {agent}")));
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The agent that a flag names, which must be there.
async fn known(records: &Records, agent: Option<&str>) -> Result<Option<AgentId>> {
    match agent {
        Some(id) => Ok(Some(records.agent(id).await?.id)),
        None => Ok(None),
    }
}
