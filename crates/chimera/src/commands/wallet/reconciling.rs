//! `chimera wallet reconcile | cancel`: the book of a wallet brought in line with the chain, and a way out for what does not land.

use super::Context;
use crate::wiring::{App, Role};
use anyhow::{Context as _, Result};
use chimera_core::{
    contracts::UuidV4,
    domain::{
        AgentId,
        money::format_units,
        transfer::{ForeignMovement, ForeignTransaction, TransferRecord, TransferState},
    },
    ports::wallet_book::WalletBook,
    skills::wallet_transaction::Reconciled,
};
use serde_json::{Value, json};

pub async fn reconcile(context: &Context, agent: &str, by: &str) -> Result<()> {
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let done = reconcile_in(context, &app, agent, by).await;
    app.close().await;
    done
}

async fn reconcile_in(context: &Context, app: &App, id: &str, by: &str) -> Result<()> {
    let agent = app.records.agent(id).await?.id;
    let held = app.records.store.held(&agent).await?;
    let reconciled = app.wallet.reconcile(&agent, by).await?;
    let shown = json!({
        "agent_id": agent.as_str(),
        "was_held": held.is_some(),
        "held": !reconciled.is_complete && held.is_some(),
        "found": reconciled.found.iter().map(found_json).collect::<Vec<_>>(),
        "settled": reconciled.settled.iter().map(settled_json).collect::<Vec<_>>(),
        "chains": reconciled.chains.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    context.output.show(&shown, |out| {
        let mut lines = vec![verdict(&agent, held.is_some(), &reconciled)];
        for foreign in &reconciled.found {
            lines.extend(found_lines(foreign));
        }
        for record in &reconciled.settled {
            let transfer = &record.transfer;
            lines.push(format!("  task {} came to its end with it: {}", transfer.task_id, record.state.name()));
        }
        lines[0] = out.bold(&lines[0]).to_string();
        lines.join("\n")
    })?;
    Ok(())
}

pub async fn cancel(context: &Context, task: &str, by: &str) -> Result<()> {
    let task_id: UuidV4 =
        task.parse().with_context(|| format!("{task:?} is not the id of a task; `chimera wallet show` lists those under way"))?;
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let done = app.wallet.cancel(task_id, by).await;
    app.close().await;
    let record = done?;
    context.output.show(&settled_json(&record), |_| match &record.state {
        TransferState::Reverted { .. } => format!("task {task_id} is cancelled: its nonce is used, and it can land no more"),
        TransferState::Confirmed { .. } => format!("task {task_id} was faster: it is paid"),
        _ => format!("task {task_id} is not in a block yet, and neither is what cancels it; whichever lands counts, and it is watched"),
    })?;
    Ok(())
}

fn verdict(agent: &AgentId, was_held: bool, reconciled: &Reconciled) -> String {
    let found = match reconciled.found.len() {
        0 if reconciled.chains.is_empty() => "no chain with a node is configured, and the book knows of no transfer".to_owned(),
        0 => "the chain knows nothing of its wallet that the book does not".to_owned(),
        1 => "one transaction that the book did not know is on the ledger and on the budget of its day".to_owned(),
        many => format!("{many} transactions that the book did not know are on the ledger and on the budgets of their days"),
    };
    match (was_held, reconciled.is_complete) {
        (_, false) => format!("{agent} stays held: {found}, and there are more; run this again"),
        (true, true) => format!("{agent} is no longer held: {found}"),
        (false, true) => format!("{agent} was not held: {found}"),
    }
}

fn found_lines(foreign: &ForeignTransaction) -> Vec<String> {
    let what = |moved: &ForeignMovement| {
        let amount = format_units(moved.units, moved.asset.decimals);
        format!("  {amount} {} to {}", moved.asset.symbol, moved.to.to_checksum(None))
    };
    let fee = format_units(foreign.fee_wei, foreign.native.decimals);
    let outcome = if foreign.succeeded { "" } else { ", reverted" };
    let place = format!(
        "    {} in block {} of chain {}, {}{outcome}; fee {fee} {}",
        foreign.tx_hash,
        foreign.block_number,
        foreign.chain,
        foreign.day(),
        foreign.native.symbol
    );
    foreign.moved.iter().map(what).chain([place]).collect()
}

fn found_json(foreign: &ForeignTransaction) -> Value {
    let moved = |moved: &ForeignMovement| json!({ "asset": moved.asset.symbol, "to": moved.to.to_checksum(None), "amount_units": moved.units.to_string() });
    json!({
        "tx_hash": foreign.tx_hash.to_string(),
        "chain_id": foreign.chain.to_string(),
        "nonce": foreign.nonce,
        "block_number": foreign.block_number.to_string(),
        "day": foreign.day().to_string(),
        "succeeded": foreign.succeeded,
        "fee_wei": foreign.fee_wei.to_string(),
        "moved": foreign.moved.iter().map(moved).collect::<Vec<_>>(),
    })
}

fn settled_json(record: &TransferRecord) -> Value {
    json!({ "task_id": record.transfer.task_id, "state": record.state.name() })
}
