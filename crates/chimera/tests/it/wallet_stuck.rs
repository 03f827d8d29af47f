//! Transactions that do not land, and blocks that vanish, on a real anvil; the skill with its real adapters, and no patience.

use crate::{
    anvil::Anvil,
    program::PASSPHRASE,
    wallet_stage::{RECIPIENT, usdc},
};
use chimera_adapters::{
    chain::{EvmChain, RpcClient},
    keystore::Keystore,
    store::SqliteStore,
};
use chimera_core::{
    domain::{
        money::{Asset, ChainId, U256},
        transfer::{FeeLimits, Sent, Signed},
    },
    policy::spending::{FirstSeenRecipient, SpendingLimit, SpendingPolicies, SpendingPolicy},
    ports::{
        agents::{AgentRecord, Agents},
        chain_directory::{ChainDirectory, ChainEntry},
        clock::Clock,
        ledger::Ledger,
        signer::Signer,
        transfers::Transfers,
    },
    skills::{
        NoProgress, Skill,
        wallet_transaction::{Permits, TransferSettings, Unsigned, Wallet, WalletTransaction},
    },
    testing::fake_clock::ManualClock,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::task::TaskTracker;

struct Stage {
    _folder: tempfile::TempDir,
    anvil: Anvil,
    store: SqliteStore,
    wallet: WalletTransaction,
    address: String,
}

const BASE: ChainId = ChainId(8453);

/// An agent with money, on an anvil that mines only when told; fees are raised and receipts given up at once.
async fn stage() -> Option<Stage> {
    let anvil = Anvil::start_with(&["--no-mining"]).await?;
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at("2026-11-15T12:00:00Z"));
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("chimera.db")).unwrap();
    let keystore = Arc::new(Keystore::new(folder.path().join("keystore"), Some(PASSPHRASE.to_owned().into())));
    let id = "selam".parse().unwrap();
    let address = keystore.create(&id).await.unwrap();
    let agent = AgentRecord { id, soul_source: String::new(), soul_version: String::new(), address, created_at: clock.now() };
    store.create(&agent).await.unwrap();
    anvil.give_wei(&address.to_string(), 1_000_000_000_000_000_000).await;
    anvil.give_usdc(&address.to_string(), 1_000_000_000).await;
    let units = U256::from(1_000_000_000_u64);
    let limit =
        SpendingLimit { chain: BASE, asset: "USDC".to_owned(), per_transaction_units: units, per_day_units: units, ask_above_units: None };
    let policy = SpendingPolicy {
        first_seen_recipient: FirstSeenRecipient::Allow,
        allow: Default::default(),
        deny: Default::default(),
        transfers_per_hour_max: 1_000,
        limits: vec![limit],
    };
    let one_ether = U256::from(10).pow(U256::from(18));
    let entry = ChainEntry {
        id: BASE,
        name: "base".to_owned(),
        native: Asset::native("ETH"),
        tokens: vec![Asset::token("USDC", crate::anvil::USDC.parse().unwrap(), 6)],
        fee_limits: FeeLimits { per_transaction_max_wei: one_ether, per_day_max_wei: one_ether },
        chain: Arc::new(EvmChain::new(BASE, RpcClient::new(vec![anvil.url.parse().unwrap()]).unwrap(), 1)),
    };
    let wallet = Wallet {
        agents: Arc::new(store.clone()),
        transfers: Arc::new(store.clone()),
        permits: Permits::new(Arc::new(store.clone())),
        book: Arc::new(store.clone()),
        signer: keystore,
        sending: Default::default(),
        chains: ChainDirectory::new(BASE, vec![entry]),
        policies: SpendingPolicies { common: Some(policy), ..SpendingPolicies::default() },
        clock: clock.clone(),
        watching_since: clock.now(),
        settings: TransferSettings { receipt_deadline_ms: 0, resend_after_ms: 0, stuck_after_ms: 0, ..TransferSettings::default() },
    };
    let wallet = WalletTransaction::new(wallet, TaskTracker::new());
    Some(Stage { _folder: folder, anvil, store, wallet, address: address.to_string() })
}

impl Stage {
    async fn call(&self, input: &Value) -> Value {
        match self.wallet.run(input, &NoProgress).await {
            Ok(answer) => answer,
            Err(failure) => json!({ "success": false, "error_code": failure.code, "details": failure.details }),
        }
    }

    async fn settle(&self) {
        self.wallet.settle_open(Unsigned::ReleaseExpired).await.unwrap();
        self.wallet.watch_blocks().await.unwrap();
    }

    async fn signed(&self, input: &Value) -> Signed {
        let record = Transfers::find(&self.store, input["task_id"].as_str().unwrap().parse().unwrap()).await.unwrap().unwrap();
        match record.state.sent() {
            Some(Sent::Signed(signed)) => signed,
            other => panic!("{other:?}"),
        }
    }

    async fn mine(&self, blocks: u64) {
        self.anvil.rpc("anvil_mine", json!([format!("{blocks:#x}")])).await;
    }
}

#[tokio::test]
async fn a_transfer_that_pays_too_little_is_sent_with_a_higher_fee_and_lands_once() {
    let Some(stage) = stage().await else { return };
    let input = usdc(1_500_000);
    let first = stage.call(&input).await;
    assert_eq!(first["details"]["state"], "unknown", "{first}");
    // Just above what any attempt so far is willing to pay: the block leaves them out.
    let too_dear = stage.signed(&input).await.last().gas.max_fee_per_gas_wei + 1;
    stage.anvil.rpc("anvil_setNextBlockBaseFeePerGas", json!([format!("{too_dear:#x}")])).await;
    stage.mine(1).await;
    assert_eq!(stage.anvil.transactions_of(&stage.address).await, 0, "left out");
    stage.settle().await;
    stage.settle().await;
    stage.mine(1).await;
    stage.settle().await;

    let done = stage.call(&input).await;
    assert_eq!(done["success"], true, "{done}");
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 1_500_000);
    assert_eq!(stage.anvil.transactions_of(&stage.address).await, 1);
    let signed = stage.signed(&input).await;
    assert!(signed.attempts.len() >= 2, "every hash is kept");
    assert_ne!(done["result"]["tx_hash"], signed.attempts[0].tx_hash.to_string(), "a later attempt landed");
    stage.store.close().await;
}

#[tokio::test]
async fn a_block_that_vanishes_puts_its_transfer_under_way_again_and_it_lands_once() {
    let Some(stage) = stage().await else { return };
    let input = usdc(1_500_000);
    stage.call(&input).await;
    stage.mine(1).await;
    stage.settle().await;
    let before = stage.call(&input).await;
    assert_eq!(before["success"], true, "{before}");

    stage.anvil.rpc("anvil_rollback", json!([1])).await;
    stage.anvil.rpc("anvil_dropAllTransactions", json!([])).await;
    stage.mine(2).await;
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 0, "the payment is gone");
    stage.settle().await;
    assert_eq!(stage.store.open().await.unwrap().len(), 1, "under way again");
    stage.settle().await;
    stage.mine(1).await;
    stage.settle().await;

    let after = stage.call(&input).await;
    assert_eq!(after["success"], true, "{after}");
    assert_ne!(before["result"]["block_number"], after["result"]["block_number"]);
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 1_500_000);
    let kinds: Vec<&str> =
        Ledger::list(&stage.store, None, 10).await.unwrap().iter().rev().map(|entry| entry.entry.kind.as_str()).collect();
    assert_eq!(kinds, ["payment", "reversal", "payment"]);
    stage.store.close().await;
}
