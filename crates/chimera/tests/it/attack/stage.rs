//! Agents with money on an anvil that mines only when it is told to, behind several nodes that may all misbehave.

use super::node::Node;
use crate::{
    anvil::{Anvil, USDC, number},
    books::{Asset, Books, Sent, sent_by},
    crash::{lane::copy, life::told},
    program::{Folder, PATIENCE, Running, SOUL, Serving, run},
    wallet_stage::{WALLET, config},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use serde_json::{Value, json};
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    sync::Arc,
    time::Duration,
};
use tokio::{process::Command, task::JoinSet, time::timeout};

pub(crate) const ETHER: u128 = 1_000_000_000_000_000_000;
pub(crate) const WEI_AT_START: u128 = 10 * ETHER;
pub(crate) const UNITS_AT_START: u128 = 1_000_000_000;
/// Whom somebody else pays with the wallet's key.
pub(crate) const STRANGER: &str = "0x00000000000000000000000000000000057a9e12";
const FOREIGN_GAS_PRICE: &str = "0xba43b7400"; // 50 gwei
/// Of all agents together: enough for some fifty payments at what anvil takes.
pub(crate) const FEES_PER_DAY_WEI: u128 = 4_000_000_000_000_000;
/// A block this deep is final: of an epoch of two slots, two epochs back.
const FINAL_AFTER: u64 = 4;
/// What un-mines a block at most: a final one stays.
pub(crate) const REORG_DEPTH_MAX: u64 = FINAL_AFTER - 1;

/// Opens with the tests' passphrase, which it stretches next to not at all: a program that signs starts in a moment.
const VAULT: &str = r#"{"version": 1, "scrypt_log_n": 1, "scrypt_r": 1, "scrypt_p": 1,
    "salt": "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
    "sealed_data_key": {"cipher": "xchacha20-poly1305", "nonce": "111111111111111111111111111111111111111111111111",
    "ciphertext": "b9d1f99ddf90d4c5164ea35d61f08a8b64a565f3a4f2a7db55ad2be3179255dd38bded2d4a452278734cb97605cdb088"}}"#;

#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub(crate) id: &'static str,
    pub(crate) address: String,
}

/// A folder with agents and their keys, to copy for every run.
pub(crate) struct Prepared {
    folder: Folder,
    agents: Vec<Agent>,
    limits: Limits,
}

/// An anvil with its nodes, for one run after another.
pub(crate) struct Lane {
    pub(crate) anvil: Anvil,
    pub(crate) nodes: Vec<Node>,
    pub(crate) agents: Vec<Agent>,
    prepared: Arc<Prepared>,
    token_code: Value,
    /// Of the chain before anything was paid.
    snapshot: Value,
}

/// What the token's contract does with a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    Honest,
    /// Moves nothing and reverts nothing; it also says that everybody has plenty.
    ReturnsFalse,
    Reverts,
}

/// What an agent may spend in a day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) wei: u128,
    pub(crate) units: u128,
}

impl Limits {
    pub(crate) fn of(self, asset: Asset) -> u128 {
        match asset {
            Asset::Eth => self.wei,
            Asset::Usdc => self.units,
        }
    }
}

impl Prepared {
    pub(crate) async fn with(agents: &[&'static str], limits: Limits) -> Arc<Self> {
        let folder = Folder::new();
        let vault = folder.write("chimera-data/keystore/vault.json", VAULT);
        for (path, mode) in [(folder.data(), 0o700), (folder.data().join("keystore"), 0o700), (vault, 0o600)] {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        let mut made = Vec::new();
        for id in agents {
            let soul = SOUL.replace("id: selam", &format!("id: {id}")).replace("selam.makes", &format!("{id}.makes"));
            let soul = folder.write("soul.md", soul);
            let told = folder.json(&["agent", "create", "--soul", soul.to_str().unwrap()]).await;
            made.push(Agent { id, address: told["address"].as_str().unwrap().to_owned() });
        }
        Arc::new(Self { folder, agents: made, limits })
    }
}

impl Lane {
    /// `None` when there is no anvil and that is allowed.
    pub(crate) async fn open(nodes: usize, prepared: &Arc<Prepared>) -> Option<Self> {
        let anvil = Anvil::start_with(&["--no-mining", "--slots-in-an-epoch", "2"]).await?;
        let mut before = Vec::new();
        for _ in 0..nodes {
            before.push(Node::before(&anvil.url).await);
        }
        for agent in &prepared.agents {
            anvil.give_wei(&agent.address, WEI_AT_START).await;
            anvil.give_usdc(&agent.address, UNITS_AT_START).await;
        }
        let token_code = anvil.rpc("eth_getCode", json!([USDC, "latest"])).await;
        let snapshot = anvil.rpc("evm_snapshot", json!([])).await;
        Some(Self { anvil, nodes: before, agents: prepared.agents.clone(), prepared: prepared.clone(), token_code, snapshot })
    }

    /// The chain, the nodes and the folder as they were before anything was paid.
    pub(crate) async fn begin(&mut self) -> Folder {
        self.anvil.rpc("evm_revert", json!([self.snapshot])).await;
        self.anvil.rpc("anvil_dropAllTransactions", json!([])).await;
        self.snapshot = self.anvil.rpc("evm_snapshot", json!([])).await;
        self.nodes.iter().for_each(Node::forget);
        self.folder()
    }

    /// Another folder with the same keys, in which nothing was ever paid.
    pub(crate) fn folder(&self) -> Folder {
        let folder = Folder::new();
        copy(self.prepared.folder.path(), folder.path());
        let urls: Vec<&str> = self.nodes.iter().map(|node| node.url.as_str()).collect();
        let config = config(&urls.join("\", \""), &policy(self.prepared.limits));
        folder.write("chimera.toml", config.replace("\"500000000000000000\"", &format!("\"{FEES_PER_DAY_WEI}\"")));
        folder
    }

    pub(crate) async fn mine(&self, blocks: u64) {
        self.anvil.rpc("anvil_mine", json!([format!("{blocks:#x}")])).await;
    }

    /// What is in a block now is final, and so is that something else is in none.
    pub(crate) async fn make_final(&self) {
        self.mine(2 * FINAL_AFTER).await;
    }

    /// The last blocks never were, and what was in them is in no pool.
    pub(crate) async fn un_mine(&self, blocks: u64) {
        let height = u64::try_from(number(&self.anvil.rpc("eth_blockNumber", json!([])).await)).unwrap();
        let depth = blocks.min(REORG_DEPTH_MAX).min(height);
        if depth > 0 {
            self.anvil.rpc("anvil_reorg", json!([depth, []])).await;
        }
    }

    /// Everything that nodes held back arrives now. A chain that does not want it any more says so, and that is all.
    pub(crate) async fn deliver_held(&self) {
        for raw in self.nodes.iter().flat_map(Node::take_held) {
            self.deliver(&raw).await;
        }
    }

    /// Whatever any node was ever given, in the order of the nonces that it may have: a chain takes each at most once.
    pub(crate) async fn deliver_given(&self) {
        for raw in self.nodes.iter().flat_map(Node::given) {
            self.deliver(&raw).await;
        }
    }

    async fn deliver(&self, raw: &str) {
        self.post("eth_sendRawTransaction", json!([raw])).await;
    }

    /// Whatever anvil says.
    async fn post(&self, method: &str, params: Value) {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        reqwest::Client::new().post(&self.anvil.url).json(&body).send().await.unwrap();
    }

    pub(crate) async fn token_becomes(&self, token: Token) {
        let code = match token {
            Token::Honest => self.token_code.clone(),
            Token::ReturnsFalse => json!("0x366044141563ffffffff025f5260205ff3"),
            Token::Reverts => json!("0x5f5ffd"),
        };
        self.anvil.rpc("anvil_setCode", json!([USDC, code])).await;
    }

    /// What is in the token's books, whatever its code says.
    pub(crate) async fn usdc_of(&self, address: &str) -> u128 {
        let word = format!("{:0>64}", address.strip_prefix("0x").unwrap());
        let slot = self.anvil.rpc("web3_sha3", json!([format!("0x{word}{}", "0".repeat(64))])).await;
        number(&self.anvil.rpc("eth_getStorageAt", json!([USDC, slot, "latest"])).await)
    }

    pub(crate) async fn has(&self, asset: Asset, address: &str) -> u128 {
        match asset {
            Asset::Eth => self.anvil.wei_of(address).await,
            Asset::Usdc => self.usdc_of(address).await,
        }
    }

    /// Somebody else with the wallet's key pays `STRANGER`, with the wallet's next nonce, and outbids whatever waits with it.
    pub(crate) async fn foreign(&self, agent: &Agent, wei: u128) {
        let address = &agent.address;
        self.anvil.rpc("anvil_impersonateAccount", json!([address])).await;
        let nonce = self.anvil.transactions_of(address).await;
        let transaction = json!({
            "from": address, "to": STRANGER, "nonce": format!("{nonce:#x}"), "value": format!("{wei:#x}"), "gas": "0x5208",
            "maxFeePerGas": FOREIGN_GAS_PRICE, "maxPriorityFeePerGas": FOREIGN_GAS_PRICE,
        });
        // Two of them may have the same nonce; then the first one stands.
        self.post("eth_sendTransaction", json!([transaction])).await;
        self.anvil.rpc("anvil_stopImpersonatingAccount", json!([address])).await;
    }

    pub(crate) async fn on_chain(&self, agent: &Agent) -> Vec<Sent> {
        sent_by(&self.anvil, &agent.address, 0).await
    }

    /// Until the store has nothing under way; blocks are made meanwhile. Whether it came to that in time.
    pub(crate) async fn settles(&self, folder: &Folder, within: Duration) -> bool {
        let settling = async {
            while Books::read(folder).open_transfers() > 0 {
                self.mine(1).await;
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        };
        timeout(within, settling).await.is_ok()
    }

    /// Until signed bytes have arrived at any node more often than `before`.
    pub(crate) async fn given_more_than(&self, before: &[usize]) {
        let arrivals = self.nodes.iter().zip(before).map(|(node, count)| Box::pin(node.given_more_than(*count)));
        futures::future::select_all(arrivals).await;
    }

    pub(crate) fn given(&self) -> Vec<usize> {
        self.nodes.iter().map(|node| node.given().len()).collect()
    }
}

fn policy(limits: Limits) -> String {
    let mut text = "[policy]\nfirst_seen_recipient = \"allow\"\ntransfers_per_hour_max = 100000\n".to_owned();
    for asset in [Asset::Eth, Asset::Usdc] {
        let (symbol, limit) = (asset.symbol(), limits.of(asset));
        text +=
            &format!("[[policy.limits]]\nchain = \"8453\"\nasset = \"{symbol}\"\nper_transaction = \"{limit}\"\nper_day = \"{limit}\"\n");
    }
    text
}

/// `chimera serve` of one folder, and a client of it.
pub(crate) struct Program {
    pub(crate) serving: Serving,
    caller: Arc<McpSkillCaller>,
}

impl Program {
    pub(crate) async fn start(folder: &Folder) -> Self {
        Self::connected(folder.serve_with(&["--roles", "none"]).await).await
    }

    /// It dies at this fail point, should it get there. `None` when it got there while it started.
    pub(crate) async fn start_to_die_at(folder: &Folder, point: &str) -> Option<Self> {
        let mut command = folder.command(&["serve", "--listen", "127.0.0.1:0", "--json", "--roles", "none"]);
        command.env("CHIMERA_TEST_DIE_AT", point);
        let mut running = Running::start(command);
        let told = told(&mut running).await?;
        let token = fs::read_to_string(folder.data().join("token")).unwrap();
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        let serving = Serving { running, url: text("mcp"), health: text("health"), token };
        let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.ok()?;
        Some(Self { serving, caller: Arc::new(caller) })
    }

    async fn connected(serving: Serving) -> Self {
        let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
        Self { serving, caller: Arc::new(caller) }
    }

    /// `None` when it died meanwhile. Outlives a borrow, so that it can be waited for elsewhere.
    pub(crate) fn call(&self, input: &Value) -> impl Future<Output = Option<Value>> + Send + use<> {
        let (caller, input) = (self.caller.clone(), input.clone());
        async move { timeout(PATIENCE, caller.call(WALLET, &input)).await.expect("an answer in time").ok() }
    }

    /// Another process on the same folder, which asks and waits.
    pub(crate) fn ask_beside(folder: &Folder, input: &Value) -> Asked {
        let (command, input) = (folder.command(&["call", WALLET, "--input", "-"]), input.to_string());
        let mut call = JoinSet::new();
        call.spawn(async move { serde_json::from_str(&run(command, input.as_bytes()).await.stdout).ok() });
        Asked(call)
    }

    /// Another process that does what it does, until it has or this is dropped.
    pub(crate) fn beside(command: Command) -> Asked {
        let mut call = JoinSet::new();
        call.spawn(async move { Some(Value::from(run(command, b"").await.stdout)) });
        Asked(call)
    }

    /// Asks, and does not wait for the answer.
    pub(crate) fn ask(&self, input: &Value) -> Asked {
        let mut call = JoinSet::new();
        call.spawn(self.call(input));
        Asked(call)
    }

    pub(crate) async fn kill(self) {
        drop(self.caller);
        self.serving.kill().await;
    }

    /// It killed itself.
    pub(crate) async fn died(mut self) {
        self.serving.running.exit().await;
    }
}

/// A call that somebody waits for elsewhere; given up when it is dropped.
pub(crate) struct Asked(JoinSet<Option<Value>>);

impl Asked {
    /// `None` when the program died meanwhile.
    pub(crate) async fn answer(&mut self) -> Option<Value> {
        self.0.join_next().await.expect("there is one answer").unwrap()
    }

    /// `None` when there is none yet.
    pub(crate) fn answer_if_there(&mut self) -> Option<Option<Value>> {
        self.0.try_join_next().map(Result::unwrap)
    }
}
