//! The wallet skill on what it runs on: SQLite, the keystore, JSON-RPC and the embedded chain.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chimera_adapters::{
    chain::{EvmChain, RpcClient},
    keystore::Keystore,
    store::sqlite::SqliteStore,
};
use chimera_core::{
    contracts::failure,
    domain::{
        AgentId,
        money::{Address, Asset, ChainId, U256},
        transfer::FeeLimits,
    },
    policy::spending::{FirstSeenRecipient, SpendingLimit, SpendingPolicies, SpendingPolicy},
    ports::{
        StoreError,
        agents::{AgentRecord, Agents},
        chain::Chain,
        chain_directory::{ChainDirectory, ChainEntry},
        ledger::{Ledger, LedgerVerdict},
        signer::Signer,
        swarm::Judgements,
        transfers::Transfers,
    },
    skills::{
        NoProgress, Skill, WALLET_TRANSACTION,
        wallet_transaction::{Permits, TransferSettings, Unsigned, Wallet, WalletTransaction},
    },
    testing::{
        fake_clock::ManualClock,
        mortal::{Death, Mortal},
    },
};
use chimera_devnet::{Devnet, DevnetConfig};
use futures::future::join_all;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

const NOW: &str = "2026-11-15T12:00:00Z";
const RECIPIENT: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const PER_DAY: u64 = 2_000;
/// Above this a person is asked.
const ASK_ABOVE_WEI: u64 = 1_000;

/// A data folder, a chain behind JSON-RPC, and an agent with play money.
struct World {
    folder: TempDir,
    devnet: Devnet,
    chain: Arc<dyn Chain>,
    signer: Arc<dyn Signer>,
    wallet: Address,
    shutdown: CancellationToken,
    tasks: TaskTracker,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let devnet = Devnet::open(DevnetConfig::default()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
        tasks.spawn(chimera_devnet::serve(devnet.clone(), listener, shutdown.clone()));
        let chain = EvmChain::new(ChainId(devnet.chain_id()), RpcClient::new(vec![url]).unwrap(), 1);
        let keystore = Keystore::new(folder.path().join("keystore"), Some("correct horse".to_owned().into()));
        let wallet = keystore.create(&selam()).await.unwrap();
        devnet.fund(wallet, U256::from(10).pow(U256::from(18))).unwrap();
        devnet.mint_usdc(wallet, U256::from(1_000_000)).unwrap();
        let agent = AgentRecord {
            id: selam(),
            soul_source: String::new(),
            soul_version: String::new(),
            address: wallet,
            created_at: NOW.parse().unwrap(),
        };
        let world = Self { folder, devnet, chain: Arc::new(chain), signer: Arc::new(keystore), wallet, shutdown, tasks };
        Agents::create(&world.store(), &agent).await.unwrap();
        world
    }

    /// A handle with a writer of its own, as another process would have.
    fn store(&self) -> SqliteStore {
        SqliteStore::open(&self.folder.path().join("chimera.db")).unwrap()
    }

    fn program(&self, store: &SqliteStore) -> WalletTransaction {
        self.program_with(store, Arc::new(store.clone()), self.chain.clone(), self.signer.clone())
    }

    fn program_with(
        &self,
        store: &SqliteStore,
        transfers: Arc<dyn Transfers>,
        chain: Arc<dyn Chain>,
        signer: Arc<dyn Signer>,
    ) -> WalletTransaction {
        let id = ChainId(self.devnet.chain_id());
        let limit = |asset: &str, ask_above_units| SpendingLimit {
            chain: id,
            asset: asset.to_owned(),
            per_transaction_units: U256::from(PER_DAY),
            per_day_units: U256::from(PER_DAY),
            ask_above_units,
        };
        let policy = SpendingPolicy {
            first_seen_recipient: FirstSeenRecipient::Allow,
            allow: Default::default(),
            deny: Default::default(),
            transfers_per_hour_max: 10_000,
            limits: vec![limit("ETH", Some(U256::from(ASK_ABOVE_WEI))), limit("USDC", None)],
        };
        let entry = ChainEntry {
            id,
            name: "devnet".to_owned(),
            native: Asset::native("ETH"),
            tokens: vec![self.usdc()],
            fee_limits: FeeLimits {
                per_transaction_max_wei: U256::from(2_000_000_000_000_000_u64),
                per_day_max_wei: U256::from(10).pow(U256::from(18)),
            },
            chain,
        };
        let wallet = Wallet {
            agents: Arc::new(store.clone()),
            transfers,
            permits: Permits::new(Arc::new(store.clone())),
            book: Arc::new(store.clone()),
            sending: Default::default(),
            watching_since: Default::default(),
            signer,
            chains: ChainDirectory::new(id, vec![entry]),
            policies: SpendingPolicies { common: Some(policy), ..SpendingPolicies::default() },
            clock: Arc::new(ManualClock::at(NOW)),
            settings: TransferSettings::default(),
        };
        WalletTransaction::new(wallet, TaskTracker::new())
    }

    /// What the chain says the recipient has.
    async fn received(&self, asset: &Asset) -> u64 {
        self.chain.balance(RECIPIENT.parse().unwrap(), asset).await.unwrap().to()
    }

    fn usdc(&self) -> Asset {
        Asset::token("USDC", self.devnet.usdc(), 6)
    }

    async fn close(self) {
        self.shutdown.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

fn selam() -> AgentId {
    "selam".parse().unwrap()
}

fn transfer(number: u8, asset: &str, amount: u64) -> Value {
    let operation = if asset == "ETH" { "native_transfer" } else { "token_transfer" };
    json!({
        "task_id": format!("00000000-0000-4000-8000-0000000000{number:02x}"),
        "agent_id": "selam",
        "operation": operation,
        "params": { "asset": asset, "to_address": RECIPIENT, "amount_wei_or_units": amount.to_string() },
    })
}

async fn call(program: &WalletTransaction, input: &Value) -> Value {
    match program.run(input, &NoProgress).await {
        Ok(body) => body,
        Err(error) => failure::answer(WALLET_TRANSACTION.answer_id, true, input, error),
    }
}

/// The sum of the confirmed payments on the ledger.
async fn ledger_sum(store: &SqliteStore) -> u64 {
    let entries = Ledger::list(store, None, 10_000).await.unwrap();
    let payments = entries.iter().filter(|entry| entry.entry.facts["state"] == "confirmed");
    payments.map(|entry| entry.entry.facts["amount_units"].as_str().unwrap().parse::<u64>().unwrap()).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ether_and_tokens_move_and_the_answer_is_what_the_chain_says() {
    let world = World::new().await;
    let store = world.store();
    let program = world.program(&store);

    let ether = call(&program, &transfer(1, "ETH", 700)).await;
    let tokens = call(&program, &transfer(2, "USDC", 500)).await;
    let again = call(&world.program(&world.store()), &transfer(2, "USDC", 500)).await;
    let over = call(&program, &transfer(3, "USDC", 1_501)).await;

    assert_eq!(ether["success"], true, "{ether:#}");
    assert_eq!(tokens["success"], true, "{tokens:#}");
    assert_eq!(tokens, again);
    assert_eq!(tokens["result"]["balance_wei_or_units"], "999500");
    assert_eq!(over["error_code"], "budget_exceeded");
    assert_eq!((world.received(&Asset::native("ETH")).await, world.received(&world.usdc()).await), (700, 500));
    assert_eq!(store.verify().await.unwrap(), LedgerVerdict::sound(3));
    assert_eq!(world.chain.confirmed_nonce(world.wallet).await.unwrap(), 2);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_transfers_in_two_programs_the_budget_lets_exactly_one_hundred_through() {
    let world = World::new().await;
    let stores = [world.store(), world.store()];
    let programs = [world.program(&stores[0]), world.program(&stores[1])];
    let inputs: Vec<Value> = (1..=200).map(|number| transfer(number, "USDC", PER_DAY / 100)).collect();

    let answers = join_all(inputs.iter().enumerate().map(|(index, input)| call(&programs[index % 2], input))).await;

    let confirmed = answers.iter().filter(|answer| answer["success"] == true).count();
    let refused = answers.iter().filter(|answer| answer["error_code"] == "budget_exceeded").count();
    let others: Vec<&Value> =
        answers.iter().filter(|answer| answer["success"] == false && answer["error_code"] != "budget_exceeded").collect();
    assert_eq!((confirmed, refused), (100, 100), "{others:#?}");
    assert_eq!(world.received(&world.usdc()).await, PER_DAY);
    assert_eq!(ledger_sum(&stores[0]).await, PER_DAY);
    assert_eq!(stores[1].verify().await.unwrap(), LedgerVerdict::sound(200));
    assert_eq!(stores[0].open().await.unwrap(), []);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_death_at_any_point_a_reopened_store_settles_or_releases_and_each_task_pays_once() {
    let world = World::new().await;
    let mut paid = 0;
    for points in 0..100u8 {
        let store = world.store();
        let death = Death::after(points.into());
        let program = world.program_with(
            &store,
            Arc::new(Mortal::<dyn Transfers>::new(Arc::new(store.clone()), &death)),
            Arc::new(Mortal::<dyn Chain>::new(world.chain.clone(), &death)),
            Arc::new(Mortal::<dyn Signer>::new(world.signer.clone(), &death)),
        );
        let input = transfer(points, "USDC", 10);
        let has_died = tokio::select! {
            _ = call(&program, &input) => false,
            () = death.has_come() => true,
        };

        let reopened = world.store();
        let restarted = world.program(&reopened);
        restarted.settle_open(Unsigned::ReleaseAll).await.unwrap();
        assert_eq!(reopened.open().await.unwrap(), [], "death at point {points}");
        let answer = call(&restarted, &input).await;

        paid += 10;
        assert_eq!(answer["success"], true, "death at point {points}: {answer:#}");
        assert_eq!(world.received(&world.usdc()).await, paid, "death at point {points}");
        if !has_died {
            assert!(points > 20, "a transfer has more points than {points}");
            break;
        }
    }
    let store = world.store();
    assert_eq!(ledger_sum(&store).await, paid);
    assert_eq!(store.verify().await.unwrap().first_bad, None);
    world.close().await;
}

#[tokio::test]
async fn the_cfos_decision_and_its_question_are_on_record() {
    let world = World::new().await;
    let store = world.store();
    let program = world.program(&store);
    assert_eq!(call(&program, &transfer(1, "USDC", PER_DAY + 1)).await["error_code"], "budget_exceeded");
    assert_eq!(call(&program, &transfer(1, "USDC", 5)).await["success"], true);
    let asked = call(&program, &transfer(2, "ETH", ASK_ABOVE_WEI + 1)).await;

    let decisions: Vec<String> = store
        .read::<_, StoreError>(|db| {
            let mut statement = db.prepare("SELECT json_extract(decision, '$.decision') FROM decisions ORDER BY number").unwrap();
            let words = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            Ok(words)
        })
        .await
        .unwrap();

    assert_eq!(asked["error_code"], "approval_required");
    assert_eq!(decisions, ["reject", "approve", "escalate"]);
    let reviews = store.pending_reviews().await.unwrap();
    assert_eq!(asked["details"]["review_id"], json!(reviews[0].review_id));
    assert_eq!(call(&world.program(&world.store()), &transfer(2, "ETH", ASK_ABOVE_WEI + 1)).await, asked);
    world.close().await;
}
