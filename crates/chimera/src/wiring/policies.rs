//! The CFO's rules: the common ones of the configuration, tightened for single agents by `policies/{agent_id}.toml`.

use crate::config::{
    Settings,
    file::{FirstSeen, LimitSection, PolicySection},
    parse_config,
};
use anyhow::{Context, Result, anyhow, bail};
use chimera_core::{
    domain::{
        AgentId,
        money::{Address, ChainId, U256, parse_address, parse_units},
    },
    policy::spending::{FirstSeenRecipient, SpendingLimit, SpendingPolicies, SpendingPolicy},
};
use std::{collections::BTreeSet, fs, path::Path};

const TRANSFERS_PER_HOUR_DEFAULT: u64 = 20;

pub fn policies(settings: &Settings) -> Result<SpendingPolicies> {
    let common = settings.file.policy.as_ref().map(policy).transpose().context("[policy]")?;
    let mut policies = SpendingPolicies { common, ..SpendingPolicies::default() };
    let folder = settings.resolve("policies");
    if !folder.is_dir() {
        return Ok(policies);
    }
    let mut files: Vec<_> = fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    for file in files {
        let path = file.path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let (agent, own) = read(&path)?;
        let tightened = match &policies.common {
            Some(common) => tightened(common, &own),
            None => policy(&own),
        };
        policies.by_agent.insert(agent, tightened.with_context(|| path.display().to_string())?);
    }
    Ok(policies)
}

fn read(path: &Path) -> Result<(AgentId, PolicySection)> {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let agent = name.parse().with_context(|| format!("{}: its name must be an agent's id", path.display()))?;
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let own = parse_config(&text).map_err(|error| anyhow!("{}:{error}", path.display()))?;
    Ok((agent, own))
}

fn policy(section: &PolicySection) -> Result<SpendingPolicy> {
    Ok(SpendingPolicy {
        first_seen_recipient: section.first_seen_recipient.map_or(FirstSeenRecipient::Ask, first_seen),
        allow: addresses(section.allow.as_deref().unwrap_or_default()).context("allow")?,
        deny: addresses(&section.deny).context("deny")?,
        transfers_per_hour_max: section.transfers_per_hour_max.map_or(TRANSFERS_PER_HOUR_DEFAULT, u64::from),
        limits: section.limits.iter().map(limit).collect::<Result<_>>()?,
    })
}

/// What the agent's own file says, where it says anything; a looser value is an error, never silently ignored.
fn tightened(common: &SpendingPolicy, own: &PolicySection) -> Result<SpendingPolicy> {
    let mut policy = common.clone();
    if let Some(given) = own.first_seen_recipient.map(first_seen) {
        if given < common.first_seen_recipient {
            bail!("first_seen_recipient is looser than the common policy's");
        }
        policy.first_seen_recipient = given;
    }
    if let Some(allow) = &own.allow {
        let allow = addresses(allow).context("allow")?;
        if let Some(more) = allow.difference(&common.allow).next() {
            bail!("allow names {more}, which the common policy does not allow");
        }
        policy.allow = allow;
    }
    policy.deny.extend(addresses(&own.deny).context("deny")?);
    if let Some(given) = own.transfers_per_hour_max.map(u64::from) {
        not_looser("transfers_per_hour_max", given, common.transfers_per_hour_max)?;
        policy.transfers_per_hour_max = given;
    }
    for own_limit in &own.limits {
        let own_limit = limit(own_limit)?;
        let name = format!("limits for {} on chain {}", own_limit.asset, own_limit.chain);
        let Some(kept) = policy.limits.iter_mut().find(|kept| kept.chain == own_limit.chain && kept.asset == own_limit.asset) else {
            bail!("{name}: the common policy has none, so this would loosen it");
        };
        not_looser(&format!("{name}: per_transaction"), own_limit.per_transaction_units, kept.per_transaction_units)?;
        not_looser(&format!("{name}: per_day"), own_limit.per_day_units, kept.per_day_units)?;
        let ask_above_units = match (own_limit.ask_above_units, kept.ask_above_units) {
            (Some(given), Some(common)) => {
                not_looser(&format!("{name}: ask_above"), given, common)?;
                Some(given)
            }
            (given, common) => given.or(common),
        };
        *kept = SpendingLimit { ask_above_units, ..own_limit };
    }
    Ok(policy)
}

fn not_looser<T: PartialOrd + std::fmt::Display>(name: &str, given: T, common: T) -> Result<()> {
    if given > common {
        bail!("{name} is {given}, looser than the common policy's {common}");
    }
    Ok(())
}

fn limit(section: &LimitSection) -> Result<SpendingLimit> {
    let units = |name: &str, text: &str| -> Result<U256> { parse_units(text).with_context(|| format!("{name} of {}", section.asset)) };
    Ok(SpendingLimit {
        chain: ChainId(section.chain.parse().with_context(|| format!("{:?} is not a chain id", section.chain))?),
        asset: section.asset.clone(),
        per_transaction_units: units("per_transaction", &section.per_transaction)?,
        per_day_units: units("per_day", &section.per_day)?,
        ask_above_units: section.ask_above.as_deref().map(|text| units("ask_above", text)).transpose()?,
    })
}

fn first_seen(given: FirstSeen) -> FirstSeenRecipient {
    match given {
        FirstSeen::Allow => FirstSeenRecipient::Allow,
        FirstSeen::Ask => FirstSeenRecipient::Ask,
        FirstSeen::Refuse => FirstSeenRecipient::Refuse,
    }
}

fn addresses(texts: &[String]) -> Result<BTreeSet<Address>> {
    texts.iter().map(|text| parse_address(text).with_context(|| format!("{text:?}"))).collect()
}

#[cfg(test)]
mod tests;
