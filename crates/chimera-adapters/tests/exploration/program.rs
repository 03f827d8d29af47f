//! The skill as a program has it, on a store and a chain of the exploration.

use super::{
    chain::{CHAIN, ModelChain},
    shelf::Shelf,
    world::PER_DAY,
};
use chimera_core::{
    domain::{
        money::{Asset, U256},
        transfer::FeeLimits,
    },
    policy::spending::{FirstSeenRecipient, SpendingLimit, SpendingPolicies, SpendingPolicy},
    ports::{
        chain::Chain,
        chain_directory::{ChainDirectory, ChainEntry},
        transfers::Transfers,
        watched::{Watched, Watcher},
    },
    skills::wallet_transaction::{Permits, TransferSettings, Wallet, WalletTransaction},
    testing::{fake_clock::ManualClock, fake_signer::FakeSigner},
};
use std::sync::Arc;
use tokio_util::task::TaskTracker;

pub fn program(
    shelf: &Shelf,
    chain: &Arc<ModelChain>,
    mortal: &Arc<impl Watcher + 'static>,
    clock: &Arc<ManualClock>,
) -> WalletTransaction {
    let limit = SpendingLimit {
        chain: CHAIN,
        asset: "ETH".to_owned(),
        per_transaction_units: U256::from(PER_DAY),
        per_day_units: U256::from(PER_DAY),
        ask_above_units: None,
    };
    let policy = SpendingPolicy {
        first_seen_recipient: FirstSeenRecipient::Allow,
        allow: Default::default(),
        deny: Default::default(),
        transfers_per_hour_max: 1_000,
        limits: vec![limit],
    };
    let watched: Arc<dyn Chain> = Arc::new(Watched::<dyn Chain>::new(chain.clone(), mortal));
    let fees = U256::from(1_000_000_u64);
    let entry = ChainEntry {
        id: CHAIN,
        name: "model".to_owned(),
        native: Asset::native("ETH"),
        tokens: Vec::new(),
        fee_limits: FeeLimits { per_transaction_max_wei: fees, per_day_max_wei: fees },
        chain: watched,
    };
    let wallet = Wallet {
        agents: shelf.agents.clone(),
        transfers: Arc::new(Watched::<dyn Transfers>::new(shelf.transfers.clone(), mortal)),
        permits: Permits::new(shelf.kill_switch.clone()),
        book: shelf.book.clone(),
        signer: Arc::new(FakeSigner::default()),
        sending: Default::default(),
        chains: ChainDirectory::new(CHAIN, vec![entry]),
        policies: SpendingPolicies { common: Some(policy), ..SpendingPolicies::default() },
        clock: clock.clone(),
        watching_since: Default::default(),
        // One look each: time is a move of its own.
        settings: TransferSettings {
            receipt_poll_first_ms: 0,
            receipt_poll_max_ms: 0,
            receipt_deadline_ms: 0,
            broadcast_attempts_max: 1,
            ..TransferSettings::default()
        },
    };
    WalletTransaction::new(wallet, TaskTracker::new())
}
