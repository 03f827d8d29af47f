//! The CFO's rules: the common ones of the configuration, tightened for single agents by `policies/{agent_id}.toml`.
//! The common ones are the ceiling: without them nothing may be sent, whatever an agent's own file says.

use crate::config::{
    Settings,
    file::{FirstSeen, LimitSection, OwnLimitSection, OwnPolicySection, PolicySection},
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
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

const TRANSFERS_PER_HOUR_DEFAULT: u64 = 20;

pub fn policies(settings: &Settings) -> Result<SpendingPolicies> {
    let common = settings.file.policy.as_ref().map(policy).transpose().context("[policy]")?;
    let mut by_agent = BTreeMap::new();
    for (path, agent, own) in own_files(settings)? {
        // Read all the same: a slip in a file that counts for nothing is still a slip.
        let tightened = tightened(common.as_ref().unwrap_or(&NOTHING), &own, common.is_some());
        let tightened = tightened.with_context(|| path.display().to_string())?;
        if common.is_some() {
            by_agent.insert(agent, tightened);
        }
    }
    Ok(SpendingPolicies { common, by_agent })
}

/// Files of agents that tighten nothing, because there is nothing to tighten: what each names, for whoever looks for the reason.
pub fn without_effect(settings: &Settings) -> Result<Vec<String>> {
    if settings.file.policy.is_some() {
        return Ok(Vec::new());
    }
    let told = |(path, agent, own): (PathBuf, AgentId, OwnPolicySection)| {
        let limits = own.limits.iter().map(|limit| format!("limits for {} on chain {}", limit.asset, limit.chain));
        let allow = own.allow.iter().map(|_| "allow".to_owned());
        let named: Vec<String> = limits.chain(allow).collect();
        let what = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
        format!(
            "{}{what} opens nothing for {agent}: there is no [policy] in chimera.toml, and such a file can only tighten one",
            path.display()
        )
    };
    Ok(own_files(settings)?.into_iter().map(told).collect())
}

/// What a file is read against where there is no common policy. It allows nothing.
static NOTHING: SpendingPolicy = SpendingPolicy {
    first_seen_recipient: FirstSeenRecipient::Allow,
    allow: BTreeSet::new(),
    deny: BTreeSet::new(),
    transfers_per_hour_max: u64::MAX,
    limits: Vec::new(),
};

/// By name.
fn own_files(settings: &Settings) -> Result<Vec<(PathBuf, AgentId, OwnPolicySection)>> {
    let folder = settings.resolve("policies");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let listed = fs::read_dir(&folder).and_then(Iterator::collect).with_context(|| format!("cannot read {}", folder.display()));
    let mut files: Vec<fs::DirEntry> = listed?;
    files.sort_by_key(fs::DirEntry::file_name);
    let paths = files.iter().map(fs::DirEntry::path).filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.map(|path| read(&path).map(|(agent, own)| (path, agent, own))).collect()
}

fn read(path: &Path) -> Result<(AgentId, OwnPolicySection)> {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let agent = name.parse().with_context(|| format!("{}: its name must be an agent's id", path.display()))?;
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let own = parse_config(&text).map_err(|error| anyhow!("{}:{error}", path.display()))?;
    Ok((agent, own))
}

fn policy(section: &PolicySection) -> Result<SpendingPolicy> {
    let limits: Vec<SpendingLimit> = section.limits.iter().map(limit).collect::<Result<_>>()?;
    for (place, limit) in limits.iter().enumerate() {
        if limits[..place].iter().any(|other| other.chain == limit.chain && other.asset == limit.asset) {
            bail!("{} are given twice; which of them holds?", name_of(limit.chain, &limit.asset));
        }
    }
    Ok(SpendingPolicy {
        first_seen_recipient: section.first_seen_recipient.map_or(FirstSeenRecipient::Ask, first_seen),
        allow: addresses(section.allow.as_deref().unwrap_or_default()).context("allow")?,
        deny: addresses(&section.deny).context("deny")?,
        transfers_per_hour_max: section.transfers_per_hour_max.map_or(TRANSFERS_PER_HOUR_DEFAULT, u64::from),
        limits,
    })
}

/// What the agent's own file says, where it says anything; a looser value is an error, never silently ignored. Where there is no common
/// policy nothing is compared, and nothing comes of it.
fn tightened(common: &SpendingPolicy, own: &OwnPolicySection, has_common: bool) -> Result<SpendingPolicy> {
    let mut policy = common.clone();
    if let Some(given) = own.first_seen_recipient.map(first_seen) {
        if given < common.first_seen_recipient {
            bail!("first_seen_recipient is looser than the common policy's");
        }
        policy.first_seen_recipient = given;
    }
    if let Some(allow) = &own.allow {
        let allow = addresses(allow).context("allow")?;
        if let Some(more) = allow.difference(&common.allow).next().filter(|_| has_common) {
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
        tighten_limit(&mut policy, own_limit, has_common)?;
    }
    Ok(policy)
}

/// Field by field: what the own limit leaves out stays as the common one has it.
fn tighten_limit(policy: &mut SpendingPolicy, own: &OwnLimitSection, has_common: bool) -> Result<()> {
    let chain = chain_id(&own.chain)?;
    let name = name_of(chain, &own.asset);
    let given = |field: &str, text: &Option<String>| -> Result<Option<U256>> {
        text.as_deref().map(|text| parse_units(text).with_context(|| format!("{name}: {field}"))).transpose()
    };
    let (per_transaction, per_day, ask_above) =
        (given("per_transaction", &own.per_transaction)?, given("per_day", &own.per_day)?, given("ask_above", &own.ask_above)?);
    let Some(kept) = policy.limits.iter_mut().find(|kept| kept.chain == chain && kept.asset == own.asset) else {
        if has_common {
            bail!(
                "{name}: [policy] in chimera.toml has no limit for it, so it cannot be sent, and this file would loosen that; add it there first"
            );
        }
        return Ok(());
    };
    for (field, given, kept) in
        [("per_transaction", per_transaction, &mut kept.per_transaction_units), ("per_day", per_day, &mut kept.per_day_units)]
    {
        if let Some(given) = given {
            not_looser(&format!("{name}: {field}"), given, *kept)?;
            *kept = given;
        }
    }
    if let (Some(given), Some(common)) = (ask_above, kept.ask_above_units) {
        not_looser(&format!("{name}: ask_above"), given, common)?;
    }
    kept.ask_above_units = ask_above.or(kept.ask_above_units);
    Ok(())
}

fn name_of(chain: ChainId, asset: &str) -> String {
    format!("limits for {asset} on chain {chain}")
}

fn chain_id(text: &str) -> Result<ChainId> {
    Ok(ChainId(text.parse().with_context(|| format!("{text:?} is not a chain id"))?))
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
        chain: chain_id(&section.chain)?,
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
