//!
//! A small EVM chain inside the process, behind the usual `eth_*` JSON-RPC.
//!
//! ```text
//! Devnet::open(config) ──► devnet.rpc(request)          in the same process
//!                     └──► serve(devnet, listener, …)   over HTTP POST, for viem, alloy, web3
//! ```
//!
//! It comes with a six-decimal test USDC at a fixed address. Nobody owns money at the start:
//! [`Devnet::fund`] and [`Devnet::mint_usdc`] (or `devnet_fund` and `devnet_mintUsdc`) give it out.
//! With a folder in its config it keeps every acknowledged transaction across restarts and crashes.
//!
//! What it is **not**:
//! - no reorganisations: `safe` and `finalized` mean the latest block;
//! - no L1 data fee, unlike a real rollup, so a transfer costs less than it would on Base;
//! - only the latest state: a balance, nonce, slot, code or call at an older block is refused, and
//!   `pending` answers with the latest state (except for the transaction count, which counts what waits);
//! - no state trie: `stateRoot` is zero (transactions and receipts have real roots);
//! - no blob or delegation transactions: legacy, EIP-2930 and EIP-1559 only;
//! - no accounts of its own: it never signs;
//! - no clock under load: timestamps strictly increase, so more than one block per second runs ahead;
//! - no pruning: all of it lives in memory, and opening replays the whole journal. That takes about half
//!   a millisecond of CPU per transaction in a debug build.
//!
//! Where things are: `chain` holds state and mines, `execution` runs the EVM, `call` simulates,
//! `transaction` decodes, `pool` keeps what waits, `journal` writes it down, `usdc` is the test money,
//! `rpc` speaks JSON-RPC and `server` HTTP. Nothing else of Chimera is used.

mod call;
mod chain;
mod error;
mod execution;
mod journal;
mod pool;
mod rpc;
mod server;
mod transaction;
mod usdc;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

pub use alloy_primitives::{Address, U256};
pub use error::{DevnetError, Refusal};
pub use server::{mine_on_time, serve};
pub use usdc::ADDRESS as USDC;

use chain::Chain;

/// Chain ids of public networks. A devnet that answers to one of them could have a transaction
/// signed for it replayed with real money.
const PUBLIC_CHAIN_IDS: [u64; 7] = [1, 10, 137, 8453, 42161, 84532, 11_155_111];

/// How a devnet is opened. `DevnetConfig::default()` is chain 31337, a block per transaction, in memory.
#[derive(Debug, Clone)]
pub struct DevnetConfig {
    /// Ids of public networks are refused.
    pub chain_id: u64,
    /// `None`: each transaction gets a block at once. `Some`: a block, even an empty one, on every
    /// tick, for as long as [`serve`] or [`mine_on_time`] runs.
    pub block_time: Option<Duration>,
    /// The folder that keeps the chain. `None`: it is gone when the devnet is dropped.
    pub path: Option<PathBuf>,
    /// Seconds since 1970, for block timestamps.
    pub clock: fn() -> u64,
}

impl Default for DevnetConfig {
    fn default() -> Self {
        Self { chain_id: 31337, block_time: None, path: None, clock: system_seconds }
    }
}

/// A handle on one chain; clones share it.
#[derive(Clone)]
pub struct Devnet {
    chain: Arc<RwLock<Chain>>,
    chain_id: u64,
    block_time: Option<Duration>,
}

impl Devnet {
    /// Opens the chain in `config.path`, or starts a new one there.
    pub fn open(config: DevnetConfig) -> Result<Self, DevnetError> {
        if config.chain_id == 0 || PUBLIC_CHAIN_IDS.contains(&config.chain_id) {
            return Err(DevnetError::ForbiddenChainId { chain_id: config.chain_id });
        }
        if config.block_time == Some(Duration::ZERO) {
            return Err(DevnetError::ZeroBlockTime);
        }

        let chain = Chain::open(&config)?;
        Ok(Self { chain: Arc::new(RwLock::new(chain)), chain_id: config.chain_id, block_time: config.block_time })
    }

    /// Answers one JSON-RPC request or a batch. `Value::Null` means that nothing is to be answered
    /// (notifications only). Blocks on the disk: from async code, call it on a blocking thread.
    pub fn rpc(&self, request: serde_json::Value) -> serde_json::Value {
        rpc::answer(self, request)
    }

    /// Adds test ether to an account, at once and without a block.
    pub fn fund(&self, address: Address, amount_wei: U256) -> Result<(), DevnetError> {
        self.write()?.fund(address, amount_wei)
    }

    /// Adds test USDC (millionths) to an account, at once, without a block and without an event.
    pub fn mint_usdc(&self, address: Address, amount_units: U256) -> Result<(), DevnetError> {
        self.write()?.mint_usdc(address, amount_units)
    }

    /// Mines one block of whatever is ready, possibly nothing, and returns its number.
    pub fn mine(&self) -> Result<u64, DevnetError> {
        self.write()?.mine()
    }

    /// Where the test USDC lives: the same address on every devnet.
    pub fn usdc(&self) -> Address {
        usdc::ADDRESS
    }

    pub fn chain_id(&self) -> u64 {
        self.chain_id
    }

    fn block_time(&self) -> Option<Duration> {
        self.block_time
    }

    fn read(&self) -> Result<RwLockReadGuard<'_, Chain>, DevnetError> {
        self.chain.read().map_err(|_| DevnetError::Poisoned)
    }

    fn write(&self) -> Result<RwLockWriteGuard<'_, Chain>, DevnetError> {
        self.chain.write().map_err(|_| DevnetError::Poisoned)
    }
}

#[expect(clippy::disallowed_methods, reason = "the one default clock; whoever needs another passes it in")]
fn system_seconds() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since_1970| since_1970.as_secs())
}
