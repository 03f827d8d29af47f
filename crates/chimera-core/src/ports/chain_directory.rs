//! The chains that are known: what each is called, what can be held on it, and the node that speaks for it.

use super::chain::Chain;
use crate::domain::{
    money::{Asset, ChainId},
    transfer::FeeLimits,
};
use std::{collections::BTreeMap, sync::Arc};

/// Clones share the entries.
#[derive(Clone)]
pub struct ChainDirectory {
    default_chain: ChainId,
    chains: BTreeMap<ChainId, Arc<ChainEntry>>,
}

#[derive(Clone)]
pub struct ChainEntry {
    pub id: ChainId,
    pub name: String,
    pub native: Asset,
    pub tokens: Vec<Asset>,
    pub fee_limits: FeeLimits,
    pub chain: Arc<dyn Chain>,
}

impl ChainDirectory {
    /// `default_chain` is what a request without `chain_id` means; when it is none of `chains`, such a request is refused.
    pub fn new(default_chain: ChainId, chains: Vec<ChainEntry>) -> Self {
        Self { default_chain, chains: chains.into_iter().map(|entry| (entry.id, Arc::new(entry))).collect() }
    }

    pub fn default_chain(&self) -> ChainId {
        self.default_chain
    }

    pub fn get(&self, chain: ChainId) -> Option<&Arc<ChainEntry>> {
        self.chains.get(&chain)
    }

    /// By chain id.
    pub fn all(&self) -> impl Iterator<Item = &Arc<ChainEntry>> {
        self.chains.values()
    }
}

impl ChainEntry {
    /// Symbols are case-sensitive.
    pub fn asset(&self, symbol: &str) -> Option<&Asset> {
        std::iter::once(&self.native).chain(&self.tokens).find(|asset| asset.symbol == symbol)
    }

    pub fn symbols(&self) -> Vec<&str> {
        std::iter::once(&self.native).chain(&self.tokens).map(|asset| asset.symbol.as_str()).collect()
    }
}
