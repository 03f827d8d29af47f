//! The wallet skill with a CDP account, on SQLite and the embedded chain: CDP signs, we write down and send.

use super::{API_KEY_ID, FakeCdp, Keys, Mood, agent};
use crate::{
    chain::{EvmChain, RpcClient},
    store::sqlite::SqliteStore,
    wallet::{CdpCredentials, CdpSigner},
};
use alloy_consensus::TxEip1559;
use alloy_primitives::{Address, U256};
use axum::http::{Method, StatusCode};
use chimera_core::{
    contracts::failure,
    domain::{
        money::{Asset, ChainId},
        transfer::FeeLimits,
    },
    policy::spending::{FirstSeenRecipient, SpendingLimit, SpendingPolicies, SpendingPolicy},
    ports::{
        agents::{AgentRecord, Agents},
        chain::Chain,
        chain_directory::{ChainDirectory, ChainEntry},
        clock::Clock,
        signer::Signer,
    },
    skills::{
        NoProgress, Skill, WALLET_TRANSACTION,
        wallet_transaction::{Permits, TransferSettings, Wallet, WalletTransaction},
    },
    testing::fake_clock::ManualClock,
};
use chimera_devnet::{Devnet, DevnetConfig};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

const RECIPIENT: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

struct World {
    cdp: FakeCdp,
    skill: WalletTransaction,
    chain: Arc<EvmChain>,
    usdc: Asset,
    wallet: Address,
    _folder: TempDir,
    _serving: JoinSet<()>,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("chimera.db")).unwrap();
        let devnet = Devnet::open(DevnetConfig::default()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn({
            let devnet = devnet.clone();
            async move { chimera_devnet::serve(devnet, listener, CancellationToken::new()).await.unwrap() }
        });
        let id = ChainId(devnet.chain_id());
        let chain = Arc::new(EvmChain::new(id, RpcClient::new(vec![url]).unwrap(), 1));
        let clock = Arc::new(ManualClock::at("2026-11-15T12:00:00Z"));
        let keys = Keys::ed25519();
        let cdp = FakeCdp::start(API_KEY_ID, keys.api_public, &keys.wallet_public, clock.clone()).await;
        let credentials = CdpCredentials::parse(API_KEY_ID, &keys.api_secret, &keys.wallet_secret).unwrap();
        let signer = Arc::new(CdpSigner::new(cdp.url.clone(), credentials, Arc::new(store.clone()), clock.clone()).unwrap());
        let wallet = signer.create(&agent("selam")).await.unwrap();
        let usdc = Asset::token("USDC", devnet.usdc(), 6);
        devnet.fund(wallet, U256::from(10).pow(U256::from(18))).unwrap();
        devnet.mint_usdc(wallet, U256::from(1_000_000)).unwrap();
        let record = AgentRecord {
            id: agent("selam"),
            soul_source: String::new(),
            soul_version: String::new(),
            address: wallet,
            created_at: clock.now(),
        };
        Agents::create(&store, &record).await.unwrap();
        let skill = WalletTransaction::new(skill_parts(&store, signer, id, &chain, &usdc, clock), TaskTracker::new());
        Self { cdp, skill, chain, usdc, wallet, _folder: folder, _serving: serving }
    }

    async fn pay(&self, number: u8, units: u64) -> Value {
        let input = json!({
            "task_id": format!("00000000-0000-4000-8000-0000000000{number:02x}"),
            "agent_id": "selam",
            "operation": "token_transfer",
            "params": { "asset": "USDC", "to_address": RECIPIENT, "amount_wei_or_units": units.to_string() },
        });
        match self.skill.run(&input, &NoProgress).await {
            Ok(body) => body,
            Err(error) => failure::answer(WALLET_TRANSACTION.answer_id, true, &input, error),
        }
    }

    async fn received(&self) -> u64 {
        self.chain.balance(RECIPIENT.parse().unwrap(), &self.usdc).await.unwrap().to()
    }
}

fn skill_parts(
    store: &SqliteStore,
    signer: Arc<CdpSigner>,
    id: ChainId,
    chain: &Arc<EvmChain>,
    usdc: &Asset,
    clock: Arc<ManualClock>,
) -> Wallet {
    // A budget for one of the tests' payments: a failed one must give it back.
    let limit = SpendingLimit {
        chain: id,
        asset: "USDC".to_owned(),
        per_transaction_units: U256::from(500),
        per_day_units: U256::from(500),
        ask_above_units: None,
    };
    let policy = SpendingPolicy {
        first_seen_recipient: FirstSeenRecipient::Allow,
        allow: Default::default(),
        deny: Default::default(),
        transfers_per_hour_max: 100,
        limits: vec![limit],
    };
    let fee_limits =
        FeeLimits { per_transaction_max_wei: U256::from(2_000_000_000_000_000_u64), per_day_max_wei: U256::from(10).pow(U256::from(18)) };
    let entry = ChainEntry {
        id,
        name: "devnet".to_owned(),
        native: Asset::native("ETH"),
        tokens: vec![usdc.clone()],
        fee_limits,
        chain: chain.clone(),
    };
    Wallet {
        agents: Arc::new(store.clone()),
        transfers: Arc::new(store.clone()),
        permits: Permits::new(Arc::new(store.clone())),
        book: Arc::new(store.clone()),
        sending: Default::default(),
        watching_since: Default::default(),
        signer,
        chains: ChainDirectory::new(id, vec![entry]),
        policies: SpendingPolicies { common: Some(policy), ..SpendingPolicies::default() },
        clock,
        settings: TransferSettings::default(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cdp_signs_we_send_and_what_it_does_not_sign_as_asked_costs_nothing() {
    let world = World::new().await;
    let steals: fn(&mut TxEip1559) = |transaction| transaction.value += U256::from(1);

    world.cdp.set_mood(Mood::Tampers(steals));
    let tampered = world.pay(1, 500).await;
    world.cdp.set_mood(Mood::Answers(Method::POST, StatusCode::TOO_MANY_REQUESTS, String::new()));
    let limited = world.pay(1, 500).await;
    let sent_before = world.chain.confirmed_nonce(world.wallet).await.unwrap();
    world.cdp.set_mood(Mood::Honest);
    let paid = world.pay(1, 500).await;
    let repeated = world.pay(1, 500).await;

    assert_eq!(tampered["error_code"], "provider_error", "{tampered}");
    assert!(tampered["message"].as_str().unwrap().contains("another value than asked for; nothing was sent"), "{tampered}");
    assert_eq!(limited["error_code"], "rate_limited", "{limited}");
    assert_eq!(sent_before, 0);
    assert_eq!(paid["success"], true, "{paid}");
    assert_eq!(repeated["result"]["tx_hash"], paid["result"]["tx_hash"]);
    assert_eq!((world.received().await, world.chain.confirmed_nonce(world.wallet).await.unwrap()), (500, 1));
    let signed = world.cdp.seen().iter().filter(|seen| seen.line.ends_with("/sign/transaction")).count();
    assert_eq!(signed, 3, "what is signed and written down is not signed again");
}
