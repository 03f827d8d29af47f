//! Death on demand, for the tests that restart the real program: `CHIMERA_TEST_DIE_AT=transfers.record_signed:after:1` kills the process
//! as `kill -9` would, after the first call of that step. Debug builds only.

use crate::config::{Misconfigured, Settings};
use anyhow::{Context, Result, anyhow, bail};
use async_trait::async_trait;
use chimera_core::{
    ports::{
        chain::Chain,
        chain_directory::{ChainDirectory, ChainEntry},
        signer::Signer,
        transfers::Transfers,
        watched::{self, Watched, Watcher},
    },
    skills::wallet_transaction::Wallet,
};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// The wallet as it was, unless the environment names a point to die at.
pub fn in_wallet(wallet: Wallet, settings: &Settings) -> Result<Wallet> {
    let Some(text) = settings.dies_at() else { return Ok(wallet) };
    let point = Arc::new(text.parse::<FailPoint>().map_err(Misconfigured::mark)?);
    let entries = wallet
        .chains
        .all()
        .map(|entry| ChainEntry { chain: Arc::new(Watched::<dyn Chain>::new(entry.chain.clone(), &point)), ..ChainEntry::clone(entry) });
    let chains = ChainDirectory::new(wallet.chains.default_chain(), entries.collect());
    Ok(Wallet {
        transfers: Arc::new(Watched::<dyn Transfers>::new(wallet.transfers, &point)),
        signer: Arc::new(Watched::<dyn Signer>::new(wallet.signer, &point)),
        chains,
        ..wallet
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

struct FailPoint {
    step: String,
    side: Side,
    /// Calls that are still survived.
    calls_left: AtomicU64,
}

impl FromStr for FailPoint {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        let [step, side, call] = parts[..] else { bail!("{text:?} is no point to die at; write step:before:1 or step:after:1") };
        if !watched::steps().any(|known| known == step) {
            bail!("{step:?} is no step; there are {}", watched::steps().collect::<Vec<_>>().join(", "));
        }
        let side = match side {
            "before" => Side::Before,
            "after" => Side::After,
            _ => bail!("{side:?} is neither before nor after"),
        };
        let call: u64 = call.parse().with_context(|| format!("{call:?} is not the number of a call"))?;
        let calls_left = call.checked_sub(1).ok_or_else(|| anyhow!("calls are counted from 1"))?;
        Ok(Self { step: step.to_owned(), side, calls_left: AtomicU64::new(calls_left) })
    }
}

impl FailPoint {
    async fn reached(&self, step: &str, side: Side) {
        if step != self.step || side != self.side {
            return;
        }
        let survived = self.calls_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if survived.is_err() {
            // Not an exit: nothing of this process may run any more, neither destructors nor other threads.
            kill(Pid::this(), Signal::SIGKILL).expect("a process may end itself");
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Watcher for FailPoint {
    async fn before(&self, step: &'static str) {
        self.reached(step, Side::Before).await;
    }

    async fn after(&self, step: &'static str) {
        self.reached(step, Side::After).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_to_die_at_is_read_whole_or_refused() {
        let point: FailPoint = "transfers.record_signed:after:3".parse().unwrap();
        assert_eq!((point.step.as_str(), point.side, point.calls_left.into_inner()), ("transfers.record_signed", Side::After, 2));
        for wrong in ["", "transfers.settle", "transfers.settle:before", "transfers.pay:before:1", "chain.id:during:1", "chain.id:after:0"]
        {
            assert!(wrong.parse::<FailPoint>().is_err(), "{wrong:?}");
        }
    }
}
