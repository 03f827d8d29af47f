//! `chimera wallet freeze | unfreeze | policy`: the kill switch, and the rules as they apply to one agent.

use super::super::Context;
use crate::{
    cli::FreezeFlags,
    wiring::{Records, policies},
};
use anyhow::{Result, bail};
use chimera_core::{
    domain::{
        AgentId,
        freeze::{Freeze, FreezeCause, FreezeScope},
        money::Address,
    },
    policy::spending::SpendingPolicy,
    ports::{kill_switch::KillSwitch, ledger::CONTRADICTED_WAY_ON},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Needs neither chain nor upstream: a freeze must work when those are what is wrong.
pub async fn freeze(context: &Context, flags: FreezeFlags) -> Result<()> {
    let records = Records::open(&context.settings)?;
    let scope = scope(&records, &flags).await?;
    let reason = flags.reason.unwrap_or_else(|| "an operator froze it".to_owned());
    let freeze = Freeze { scope: scope.clone(), reason, by: flags.by, at: records.clock.now(), cause: FreezeCause::KillSwitch };
    records.store.freeze(&freeze).await?;
    context.output.show(&shown(&scope, true), |_| {
        format!(
            "{scope} is frozen: nothing is signed or sent; what is under way is only watched.\nLift it with: chimera wallet unfreeze {}",
            flag(&scope)
        )
    })?;
    records.close().await;
    Ok(())
}

pub async fn unfreeze(context: &Context, flags: FreezeFlags) -> Result<()> {
    let records = Records::open(&context.settings)?;
    let scope = scope(&records, &flags).await?;
    let was_frozen = records.store.unfreeze(&scope, &flags.by, records.clock.now()).await?;
    let still = match &scope {
        FreezeScope::Agent(agent) => records.store.frozen(agent).await?,
        FreezeScope::Fleet => None,
    };
    context.output.show(&shown(&scope, still.is_some()), |_| match (was_frozen, still) {
        (_, Some(Freeze { cause: FreezeCause::Unreconciled, reason, .. })) => {
            format!("{scope} is not frozen, but its wallet is held: {reason}\nRun: chimera wallet reconcile {}", flag(&scope))
        }
        (_, Some(Freeze { cause: FreezeCause::Retired, reason, .. })) => format!("{scope} is not frozen, but retired: {reason}"),
        (_, Some(freeze)) => format!("{scope} stays frozen with {}: {}", freeze.scope, freeze.reason),
        (true, None) => format!("{scope} is no longer frozen"),
        (false, None) => format!("{scope} was not frozen"),
    })?;
    records.close().await;
    Ok(())
}

async fn scope(records: &Records, flags: &FreezeFlags) -> Result<FreezeScope> {
    match (&flags.agent, flags.all) {
        (Some(id), false) => Ok(FreezeScope::Agent(records.agent(id).await?.id)),
        (None, true) => Ok(FreezeScope::Fleet),
        _ => bail!("name one agent with --agent ID, or the whole fleet with --all"),
    }
}

fn flag(scope: &FreezeScope) -> String {
    scope.agent().map_or_else(|| "--all".to_owned(), |agent| format!("--agent {agent}"))
}

fn shown(scope: &FreezeScope, frozen: bool) -> Value {
    json!({ "agent_id": scope.agent().map(AgentId::as_str), "all": scope.agent().is_none(), "frozen": frozen })
}

/// One line on what keeps the money where it is.
pub fn stopped(freeze: &Freeze) -> String {
    let Freeze { scope, reason, .. } = freeze;
    match freeze.cause {
        FreezeCause::KillSwitch => format!("  frozen: {reason} ({scope})"),
        FreezeCause::Retired => format!("  retired: {reason} ({scope})"),
        FreezeCause::Unreconciled => format!("  held: {reason}; run chimera wallet reconcile {}", flag(scope)),
        FreezeCause::LedgerContradicted => format!("  nothing is paid: {reason}; {CONTRADICTED_WAY_ON}"),
    }
}

/// The effective policy: the common one, tightened by the agent's own file.
pub async fn policy(context: &Context, id: &str) -> Result<()> {
    let records = Records::open(&context.settings)?;
    let agent = records.agent(id).await?;
    let policies = policies::policies(&context.settings).map_err(crate::config::Misconfigured::mark)?;
    let freeze = records.store.frozen(&agent.id).await?;
    let Some(policy) = policies.of(&agent.id) else {
        let none = json!({ "agent_id": agent.id.as_str(), "policy": null, "frozen": freeze.is_some() });
        context
            .output
            .show(&none, |_| format!("agent {} has no policy, so it cannot send anything; add [policy] to chimera.toml", agent.id))?;
        records.close().await;
        return Ok(());
    };
    let value = json!({ "agent_id": agent.id.as_str(), "policy": as_json(policy), "frozen": freeze.is_some() });
    context.output.show(&value, |out| {
        let mut lines = vec![format!("what the CFO holds {} to", out.bold(agent.id.as_str()))];
        if let Some(freeze) = &freeze {
            lines.push(out.bad(&stopped(freeze)));
        }
        lines.push(format!("  first-seen recipients   {}", policy.first_seen_recipient.as_str()));
        lines.push(format!("  transfers per hour      at most {}", policy.transfers_per_hour_max));
        let list = |name: &str, addresses: &BTreeSet<Address>| {
            format!("  {name:<22}  {}", if addresses.is_empty() { "nobody".to_owned() } else { checksummed(addresses).join(", ") })
        };
        lines.push(list("allow", &policy.allow));
        lines.push(list("deny", &policy.deny));
        for limit in &policy.limits {
            let ask = limit.ask_above_units.map_or_else(|| "never asks".to_owned(), |units| format!("asks above {units}"));
            lines.push(format!(
                "  {} on chain {}: {} a transaction, {} a day, {ask} (smallest units)",
                limit.asset, limit.chain, limit.per_transaction_units, limit.per_day_units
            ));
        }
        lines.join("\n")
    })?;
    records.close().await;
    Ok(())
}

fn checksummed(addresses: &BTreeSet<Address>) -> Vec<String> {
    addresses.iter().map(|address| address.to_checksum(None)).collect()
}

fn as_json(policy: &SpendingPolicy) -> Value {
    let limits: Vec<Value> = policy
        .limits
        .iter()
        .map(|limit| {
            let mut shown = json!({
                "chain": limit.chain.to_string(),
                "asset": limit.asset,
                "per_transaction": limit.per_transaction_units.to_string(),
                "per_day": limit.per_day_units.to_string(),
            });
            if let Some(units) = limit.ask_above_units {
                shown["ask_above"] = json!(units.to_string());
            }
            shown
        })
        .collect();
    json!({
        "first_seen_recipient": policy.first_seen_recipient.as_str(),
        "allow": checksummed(&policy.allow),
        "deny": checksummed(&policy.deny),
        "transfers_per_hour_max": policy.transfers_per_hour_max,
        "limits": limits,
    })
}
