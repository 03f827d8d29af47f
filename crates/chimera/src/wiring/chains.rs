//! The chains that are known by their id and those of the configuration, which says where their nodes are.

use super::{
    explorers::explorers,
    known_chains::{self, KNOWN_CHAINS, KnownChain, USDC_DECIMALS, known_chain},
};
use crate::config::{
    Settings,
    file::{ChainSection, TokenSection},
};
use anyhow::{Context, Result, bail};
use chimera_adapters::chain::{EvmChain, RpcClient};
use chimera_core::{
    domain::{
        money::{Asset, ChainId, parse_address, parse_units},
        transfer::FeeLimits,
    },
    ports::chain_directory::{ChainDirectory, ChainEntry},
};
use std::{collections::BTreeMap, sync::Arc};
use url::Url;

/// In `rpc`: the embedded chain of the data folder.
pub const DEVNET_RPC: &str = "devnet";
/// More would only make a dead chain slower to tell.
const NODES_MAX: usize = 8;
const CONFIRMATIONS: u64 = 1;

/// `devnet_url` is where the embedded chain answers, when there is one.
pub fn directory(settings: &Settings, devnet_url: Option<&Url>) -> Result<ChainDirectory> {
    // What only the pages need is wrong from the start all the same.
    explorers(settings)?;
    let mut sections = BTreeMap::new();
    for known in &KNOWN_CHAINS {
        sections.insert(known.id, ChainSection::default());
    }
    for (id, section) in &settings.file.chains {
        sections.insert(chain_id(id)?.0, section.clone());
    }
    let entries = sections
        .iter()
        .map(|(id, section)| entry(*id, section, devnet_url).with_context(|| format!("[chains.{id}]")))
        .collect::<Result<Vec<_>>>()?;
    Ok(ChainDirectory::new(chain_id(&settings.file.default_chain)?, entries))
}

/// What each chain calls its native asset, by the chain's id.
pub fn native_symbols(settings: &Settings) -> BTreeMap<String, String> {
    let known = KNOWN_CHAINS.iter().map(|chain| (chain.id.to_string(), chain.native.to_owned()));
    let configured = settings.file.chains.iter().filter_map(|(id, section)| Some((id.clone(), section.native.clone()?)));
    known.chain(configured).collect()
}

/// Whether any chain is the embedded one, and which id it has.
pub fn devnet_chain_id(settings: &Settings) -> Result<Option<u64>> {
    let mut ids = settings.file.chains.iter().filter(|(_, section)| section.rpc.iter().any(|rpc| rpc == DEVNET_RPC)).map(|(id, _)| id);
    let id = ids.next().map(|id| chain_id(id)).transpose()?;
    if let Some(second) = ids.next() {
        bail!("[chains.{second}] is a second chain on the embedded devnet; a data folder has one");
    }
    Ok(id.map(|id| id.0))
}

/// The section's fields, each with what is known of the chain where the section is silent.
fn entry(id: u64, section: &ChainSection, devnet_url: Option<&Url>) -> Result<ChainEntry> {
    let known = known_chain(id);
    let own_or_known = |own: &Option<String>, of_known: fn(&KnownChain) -> &'static str, field: &str| {
        let text = own.clone().or_else(|| known.map(|known| of_known(known).to_owned()));
        text.with_context(|| format!("{field} is missing; chain {id} is not one of those that are known without it"))
    };
    let fee = |own: &Option<String>, of_known: fn(&KnownChain) -> &'static str, otherwise: &'static str, field: &'static str| {
        let text = own.as_deref().unwrap_or_else(|| known.map_or(otherwise, of_known));
        parse_units(text).context(field)
    };
    if section.rpc.len() > NODES_MAX {
        bail!("rpc lists {} addresses; at most {NODES_MAX} are tried", section.rpc.len());
    }
    let urls = section.rpc.iter().map(|rpc| rpc_url(rpc, devnet_url)).collect::<Result<Vec<_>>>()?;
    Ok(ChainEntry {
        id: ChainId(id),
        name: own_or_known(&section.name, |known| known.name, "name")?,
        native: Asset::native(&own_or_known(&section.native, |known| known.native, "native")?),
        tokens: tokens(section, known)?,
        fee_limits: FeeLimits {
            per_transaction_max_wei: fee(
                &section.fee_per_transaction_max_wei,
                |known| known.fee_per_transaction_max_wei,
                known_chains::FEE_PER_TRANSACTION_MAX_WEI,
                "fee_per_transaction_max_wei",
            )?,
            per_day_max_wei: fee(
                &section.fees_per_day_max_wei,
                |known| known.fees_per_day_max_wei,
                known_chains::FEES_PER_DAY_MAX_WEI,
                "fees_per_day_max_wei",
            )?,
        },
        chain: Arc::new(EvmChain::new(ChainId(id), RpcClient::new(urls)?, section.confirmations.unwrap_or(CONFIRMATIONS))),
    })
}

fn tokens(section: &ChainSection, known: Option<&KnownChain>) -> Result<Vec<Asset>> {
    let mut tokens = section.tokens.iter().map(token).collect::<Result<Vec<_>>>()?;
    if let Some(known) = known
        && !tokens.iter().any(|token| token.symbol == "USDC")
    {
        tokens.push(Asset::token("USDC", parse_address(known.usdc).context("the known address of USDC")?, USDC_DECIMALS));
    }
    Ok(tokens)
}

fn token(section: &TokenSection) -> Result<Asset> {
    let address = parse_address(&section.address).with_context(|| format!("token {}", section.symbol))?;
    Ok(Asset::token(&section.symbol, address, section.decimals))
}

fn rpc_url(rpc: &str, devnet_url: Option<&Url>) -> Result<Url> {
    if rpc == DEVNET_RPC {
        return devnet_url.cloned().context("rpc names the embedded devnet, which is not running");
    }
    // The address is not repeated: it may carry a key.
    let url = Url::parse(rpc).context("an rpc address is not a URL")?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("an rpc address has the scheme {:?}; only http and https are spoken", url.scheme());
    }
    Ok(url)
}

fn chain_id(text: &str) -> Result<ChainId> {
    text.parse().map(ChainId).with_context(|| format!("{text:?} is not a chain id"))
}

#[cfg(test)]
mod tests;
