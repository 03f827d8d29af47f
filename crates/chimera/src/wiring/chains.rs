//! The chains of the configuration, and Base, which is known without being configured.

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
pub const BASE: &str = "8453";
const BASE_USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/// `devnet_url` is where the embedded chain answers, when there is one.
pub fn directory(settings: &Settings, devnet_url: Option<&Url>) -> Result<ChainDirectory> {
    let mut sections: BTreeMap<String, ChainSection> = settings.file.chains.clone();
    sections.entry(BASE.to_owned()).or_insert_with(base);
    let entries = sections
        .iter()
        .map(|(id, section)| entry(id, section, devnet_url).with_context(|| format!("[chains.{id}]")))
        .collect::<Result<Vec<_>>>()?;
    Ok(ChainDirectory::new(chain_id(&settings.file.default_chain)?, entries))
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

fn base() -> ChainSection {
    ChainSection { name: "base".to_owned(), native: "ETH".to_owned(), ..ChainSection::unnamed() }
}

fn entry(id: &str, section: &ChainSection, devnet_url: Option<&Url>) -> Result<ChainEntry> {
    let id_text = id;
    let id = chain_id(id)?;
    let urls = section.rpc.iter().map(|rpc| rpc_url(rpc, devnet_url)).collect::<Result<Vec<_>>>()?;
    let mut tokens = section.tokens.iter().map(token).collect::<Result<Vec<_>>>()?;
    if id_text == BASE && !tokens.iter().any(|token| token.symbol == "USDC") {
        tokens.push(Asset::token("USDC", parse_address(BASE_USDC).expect("the address of Base's USDC is one"), 6));
    }
    Ok(ChainEntry {
        id,
        name: section.name.clone(),
        native: Asset::native(&section.native),
        tokens,
        fee_limits: FeeLimits {
            per_transaction_max_wei: parse_units(&section.fee_per_transaction_max_wei).context("fee_per_transaction_max_wei")?,
            per_day_max_wei: parse_units(&section.fees_per_day_max_wei).context("fees_per_day_max_wei")?,
        },
        chain: Arc::new(EvmChain::new(id, RpcClient::new(urls)?, section.confirmations)),
    })
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
