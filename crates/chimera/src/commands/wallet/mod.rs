//! `chimera wallet`: an agent's address, what it holds, and its key.

mod governance;
mod keys;
mod reconciling;

use super::Context;
use crate::{
    cli::WalletCommand,
    mission_control::play_money,
    wiring::{App, Role},
};
use anyhow::{Result, bail};
use chimera_core::{
    contracts::UtcTime,
    domain::{
        freeze::FreezeCause,
        money::{AssetKind, ChainId, format_units},
        transfer::TransferRecord,
    },
    ports::{chain_directory::ChainEntry, kill_switch::KillSwitch, transfers::Transfers},
};
use serde_json::{Value, json};
use std::process::ExitCode;

pub async fn run(context: Context, command: WalletCommand) -> Result<ExitCode> {
    match command {
        WalletCommand::Show { agent } => show(&context, &agent).await?,
        WalletCommand::Fund { agent } => fund(&context, &agent).await?,
        WalletCommand::Import { agent, file } => keys::import(&context, &agent, file).await?,
        WalletCommand::Export { agent, out } => keys::export(&context, &agent, &out).await?,
        WalletCommand::Passphrase => keys::change_passphrase(&context).await?,
        WalletCommand::Freeze(flags) => governance::freeze(&context, flags).await?,
        WalletCommand::Unfreeze(flags) => governance::unfreeze(&context, flags).await?,
        WalletCommand::Reconcile { agent, by } => reconciling::reconcile(&context, &agent, &by).await?,
        WalletCommand::Cancel { task, by } => reconciling::cancel(&context, &task, &by).await?,
        WalletCommand::Policy { agent } => governance::policy(&context, &agent).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, agent: &str) -> Result<()> {
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let done = show_in(context, &app, agent).await;
    app.close().await;
    done
}

async fn fund(context: &Context, agent: &str) -> Result<()> {
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let done = fund_in(&app, agent).await;
    app.close().await;
    let address = done?;
    context.output.show(&json!({ "agent_id": agent, "address": address, "eth": "1", "usdc": "25" }), |_| {
        format!("{agent} has 1 ETH and 25 USDC more at {address}: play money of the embedded chain")
    })?;
    Ok(())
}

async fn fund_in(app: &App, agent: &str) -> Result<String> {
    let address = app.records.agent(agent).await?.address;
    let Some(chain) = &app.devnet_url else {
        bail!(
            "play money is for the embedded chain, and no chain here is embedded: send real assets to {address}, or set rpc = [\"devnet\"] for chain 31337"
        );
    };
    play_money::give(chain, address).await?;
    Ok(address.to_string())
}

async fn show_in(context: &Context, app: &App, id: &str) -> Result<()> {
    let agent = app.records.agent(id).await?;
    let freeze = app.records.store.frozen(&agent.id).await?;
    let mut chains = Vec::new();
    for entry in app.chains.all().filter(|entry| entry.chain.has_node()) {
        chains.push(chain_state(entry, agent.address).await);
    }
    let mut under_way = app.records.store.open().await?;
    under_way.retain(|record| record.transfer.request.agent == agent.id);
    let shown = json!({
        "agent_id": agent.id.as_str(),
        "address": agent.address.to_string(),
        "chains": chains,
        "frozen": freeze.is_some(),
        "held": freeze.as_ref().is_some_and(|freeze| freeze.cause == FreezeCause::Unreconciled),
        "under_way": under_way.iter().map(under_way_json).collect::<Vec<_>>(),
    });
    context.output.show(&shown, |out| {
        let mut lines = vec![format!("{}  {}", out.bold(agent.id.as_str()), agent.address)];
        if let Some(freeze) = &freeze {
            lines.push(out.bad(&governance::stopped(freeze)));
        }
        for chain in &chains {
            lines.push(format!(
                "  {} (chain {})",
                chain["name"].as_str().unwrap_or_default(),
                chain["chain_id"].as_str().unwrap_or_default()
            ));
            for balance in chain["balances"].as_array().into_iter().flatten() {
                lines.push(format!(
                    "    {:<6} {}",
                    balance["asset"].as_str().unwrap_or_default(),
                    balance["formatted"].as_str().unwrap_or_default()
                ));
            }
            if let Some(error) = chain["error"].as_str() {
                lines.push(format!("    {}", out.dim(error)));
            }
        }
        for record in &under_way {
            lines.push(format!("  under way: {}", under_way_line(record)));
        }
        lines.join("\n")
    })?;
    Ok(())
}

fn under_way_line(record: &TransferRecord) -> String {
    let (transfer, request) = (&record.transfer, &record.transfer.request);
    let amount = format_units(request.amount_units, request.asset.decimals);
    let since = transfer.reserved_at.format("%Y-%m-%d %H:%M:%S UTC");
    let (symbol, to) = (&request.asset.symbol, request.to.to_checksum(None));
    format!("{amount} {symbol} to {to}, {} since {since} (task {})", record.state.name(), transfer.task_id)
}

fn under_way_json(record: &TransferRecord) -> Value {
    let (transfer, request) = (&record.transfer, &record.transfer.request);
    let mut shown = json!({
        "task_id": transfer.task_id,
        "state": record.state.name(),
        "chain_id": request.chain.to_string(),
        "asset": request.asset.symbol,
        "to": request.to.to_checksum(None),
        "amount_units": request.amount_units.to_string(),
        "reserved_at": UtcTime(transfer.reserved_at),
    });
    if let Some(tx_hash) = record.state.sent().and_then(|sent| sent.tx_hash()) {
        shown["tx_hash"] = json!(tx_hash.to_string());
    }
    shown
}

/// Balances, or why they cannot be read.
async fn chain_state(entry: &ChainEntry, owner: chimera_core::domain::money::Address) -> Value {
    let ChainId(id) = entry.id;
    let mut state = json!({ "chain_id": id.to_string(), "name": entry.name });
    let mut balances = Vec::new();
    for asset in std::iter::once(&entry.native).chain(&entry.tokens) {
        match entry.chain.balance(owner, asset).await {
            Ok(units) => balances.push(json!({
                "asset": asset.symbol,
                "native": asset.kind == AssetKind::Native,
                "units": units.to_string(),
                "formatted": format_units(units, asset.decimals),
            })),
            Err(error) => {
                state["error"] = json!(error.to_string());
                break;
            }
        }
    }
    if !balances.is_empty() {
        state["balances"] = json!(balances);
    }
    state
}
