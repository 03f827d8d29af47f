//! `chimera wallet reconcile | cancel`: the book of a wallet brought in line with the chain, and a way out for what does not land.

use super::Context;
use crate::{
    mission_control::wallets::Wallets,
    wiring::{App, Role},
};
use anyhow::{Context as _, Result, anyhow};
use chimera_core::{
    contracts::UuidV4,
    domain::{
        money::format_units,
        transfer::{ForeignMovement, ForeignTransaction},
    },
};
use chimera_dashboard::Refusal;

pub async fn reconcile(context: &Context, agent: &str, by: &str) -> Result<()> {
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let done = reconcile_in(context, &app, agent, by).await;
    app.close().await;
    done
}

async fn reconcile_in(context: &Context, app: &App, id: &str, by: &str) -> Result<()> {
    let agent = app.records.agent(id).await?.id;
    let (shown, reconciled) = Wallets::of(app).reconciled(&agent, by).await.map_err(refused)?;
    context.output.show(&serde_json::to_value(&shown)?, |out| {
        let mut lines = vec![out.bold(&shown.told).to_string()];
        for foreign in &reconciled.found {
            lines.extend(found_lines(foreign));
        }
        lines.extend(shown.settled.iter().map(|settled| format!("  task {} came to its end with it: {}", settled.task_id, settled.state)));
        lines.join("\n")
    })?;
    Ok(())
}

pub async fn cancel(context: &Context, task: &str, by: &str) -> Result<()> {
    let task_id: UuidV4 =
        task.parse().with_context(|| format!("{task:?} is not the id of a task; `chimera wallet show` lists those under way"))?;
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let done = Wallets::of(&app).cancelled(task_id, by).await;
    app.close().await;
    let cancelled = done.map_err(refused)?;
    context.output.show(&serde_json::to_value(&cancelled)?, |_| cancelled.told.clone())?;
    Ok(())
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

fn refused(refusal: Refusal) -> anyhow::Error {
    anyhow!("{}. {}", refusal.problem, refusal.next)
}
