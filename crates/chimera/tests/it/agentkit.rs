//! A wallet that signs and sends by itself, behind our governance, on a real anvil: once played by a stand-in with AgentKit's recorded
//! words, and once by the real AgentKit where it is installed.

use crate::{
    anvil::{Anvil, USDC},
    peers::{self, Peer},
    program::{Folder, PATIENCE, Serving},
    wallet_stage::{DENIED, POLICY, RECIPIENT, Stage, UNITS_AT_START, WALLET, WEI_AT_START, config, eth, usdc, with},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use std::{fs, path::Path, time::Duration};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::timeout,
};

/// anvil's first account, which everybody knows.
const ITS_ADDRESS: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const ITS_KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// Loading the real one takes a core for ten seconds; five at once would keep each other from answering in time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

#[derive(Debug, Clone, Copy)]
enum Kit {
    StandIn,
    Real,
}

/// The agent `selam`, whose wallet is AgentKit's.
struct KitStage {
    stage: Stage,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl KitStage {
    /// `None` when what it needs is not there and that is allowed.
    async fn set(kit: Kit) -> Option<Self> {
        let node = peers::program(Peer::Node)?;
        let home = match kit {
            Kit::StandIn => None,
            Kit::Real => Some(peers::program(Peer::AgentKit)?),
        };
        let turn = match kit {
            Kit::StandIn => None,
            Kit::Real => Some(ONE_AT_A_TIME.lock().await),
        };
        let anvil = Anvil::start().await?;
        let folder = Folder::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let script = match kit {
            Kit::StandIn => "stand-in.mjs",
            Kit::Real => "bridge.mjs",
        };
        let mut environment = vec![
            ("AGENTKIT_RPC_URL", anvil.url.clone()),
            ("AGENTKIT_KEY", ITS_KEY.to_owned()),
            ("AGENTKIT_RECORDED", shown(&root.join("crates/chimera-adapters/src/wallet/agentkit/recorded.json"))),
            ("AGENTKIT_PID_FILE", shown(&folder.path().join("pid"))),
            ("AGENTKIT_LOG", shown(&folder.path().join("asked"))),
        ];
        environment.extend(home.map(|home| ("AGENTKIT_HOME", shown(&home))));
        let environment: Vec<String> = environment.iter().map(|(name, value)| format!("{name} = {}", json!(value))).collect();
        let wallet = format!(
            "[upstreams.kit]\ncommand = {}\nenv = {{ {} }}\n[agents.selam.wallet]\nkind = \"agentkit\"\nupstream = \"kit\"\n",
            json!([shown(&node), shown(&root.join("tests/peers/agentkit").join(script))]),
            environment.join(", "),
        );
        folder.write("chimera.toml", config(&anvil.url, &format!("{POLICY}{wallet}")));
        let address = folder.create_agent().await;
        assert_eq!(address, ITS_ADDRESS, "the agent's address is that of the wallet elsewhere");
        anvil.give_wei(&address, WEI_AT_START).await;
        anvil.give_usdc(&address, UNITS_AT_START).await;
        Some(Self { stage: Stage { anvil, folder, address }, _turn: turn })
    }

    /// The transfers that it was asked for, since it was started for the first time.
    fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.stage.folder.path().join("asked")).unwrap_or_default();
        asked.lines().filter(|action| action.contains("transfer")).map(str::to_owned).collect()
    }

    /// Kills the process that plays the wallet, as it would die by itself.
    fn kill_it(&self) {
        let pid: i32 = fs::read_to_string(self.stage.folder.path().join("pid")).unwrap().parse().unwrap();
        kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    }

    /// One program for the whole test, so that AgentKit is loaded once.
    async fn serve(&self) -> (Serving, McpSkillCaller) {
        let serving = self.stage.folder.serve().await;
        let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
        (serving, caller)
    }

    /// The call must fail with this code, and nothing may have left the wallet.
    async fn refused(&self, caller: &McpSkillCaller, code: &str, input: &Value) -> Value {
        let sent_before = self.stage.anvil.transactions_of(ITS_ADDRESS).await;
        let answer = caller.call(WALLET, input).await.unwrap();
        assert_eq!((&answer["success"], answer["error_code"].as_str()), (&json!(false), Some(code)), "{input} got {answer}");
        assert_eq!(self.stage.anvil.transactions_of(ITS_ADDRESS).await, sent_before);
        answer
    }

    /// The task's outcome, once the program knows it.
    async fn settled(&self, caller: &McpSkillCaller, input: &Value) -> Value {
        let settling = async {
            loop {
                let answer = caller.call(WALLET, input).await.unwrap();
                let is_open = answer["success"] == false && answer["details"]["state"] == "unknown";
                if !is_open {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        timeout(PATIENCE, settling).await.expect("the transfer is settled in time")
    }

    async fn transaction(&self, hash: &Value) -> (Value, Value) {
        let transaction = self.stage.anvil.rpc("eth_getTransactionByHash", json!([hash])).await;
        let receipt = self.stage.anvil.rpc("eth_getTransactionReceipt", json!([hash])).await;
        (transaction, receipt)
    }
}

fn shown(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

async fn the_doctor_sees_whether_it_is_the_agents_wallet(kit: Kit) {
    let Some(kit) = KitStage::set(kit).await else { return };

    let told = kit.stage.folder.json(&["doctor"]).await;

    let check = told["checks"].as_array().unwrap().iter().find(|check| check["check"] == "wallet selam").unwrap();
    assert_eq!((&check["ok"], &check["found"]), (&json!(true), &json!(format!("{ITS_ADDRESS} on chain 8453 answers"))));
}

async fn transfers_are_paid_once(kit: Kit) {
    let Some(kit) = KitStage::set(kit).await else { return };
    let stage = &kit.stage;
    let before = stage.anvil.wei_of(RECIPIENT).await;
    let (tokens, native) = (usdc(1_500_000), eth(123_456_789));
    let (serving, caller) = kit.serve().await;

    let paid = caller.call(WALLET, &tokens).await.unwrap();
    let paid_native = caller.call(WALLET, &native).await.unwrap();
    let repeated = caller.call(WALLET, &tokens).await.unwrap();
    kit.refused(&caller, "invalid_input", &with(tokens, "/params/amount_wei_or_units", "1500001")).await;
    caller.close().await;
    serving.stop().await.calm();

    for answer in [&paid, &paid_native] {
        assert_eq!(answer["success"], true, "{answer}");
        let (transaction, receipt) = kit.transaction(&answer["result"]["tx_hash"]).await;
        assert_eq!(transaction["from"], ITS_ADDRESS.to_lowercase());
        assert_eq!(receipt["status"], "0x1");
        assert_eq!(answer["result"]["block_number"], crate::anvil::number(&receipt["blockNumber"]).to_string());
    }
    assert_eq!((&repeated["transaction_id"], &repeated["result"]["tx_hash"]), (&paid["transaction_id"], &paid["result"]["tx_hash"]));
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 1_500_000);
    assert_eq!(stage.anvil.wei_of(RECIPIENT).await, before + 123_456_789);
    assert_eq!(stage.anvil.transactions_of(ITS_ADDRESS).await, 2);
    assert_eq!(kit.asked(), ["ERC20ActionProvider_transfer", "WalletActionProvider_native_transfer"]);
}

async fn what_our_policy_refuses_never_reaches_it(kit: Kit) {
    let Some(kit) = KitStage::set(kit).await else { return };
    let (serving, caller) = kit.serve().await;

    let denied = kit.refused(&caller, "not_approved", &with(usdc(1), "/params/to_address", DENIED)).await;
    kit.refused(&caller, "budget_exceeded", &usdc(25_000_001)).await;
    kit.refused(&caller, "invalid_address", &with(usdc(1), "/params/to_address", USDC)).await;
    kit.refused(&caller, "insufficient_balance", &eth(WEI_AT_START)).await;
    caller.close().await;
    serving.stop().await.calm();

    assert_eq!(denied["details"]["rule"], "deny");
    assert_eq!(kit.asked(), [] as [&str; 0]);
}

async fn a_token_with_wrong_decimals_in_the_configuration_never_reaches_it(kit: Kit) {
    let Some(kit) = KitStage::set(kit).await else { return };
    let folder = &kit.stage.folder;
    let config = fs::read_to_string(folder.path().join("chimera.toml")).unwrap();
    // It would be told a million million times too little; the other way round it would pay as much too much.
    folder.write("chimera.toml", format!("{config}[[chains.8453.tokens]]\nsymbol = \"USDC\"\naddress = \"{USDC}\"\ndecimals = 18\n"));

    let refused = kit.stage.refused("rpc_error", &usdc(1_000_000)).await;

    assert_eq!(refused["details"]["state"], "wrong_decimals", "{refused}");
    assert_eq!(kit.asked(), [] as [&str; 0]);
}

async fn a_reverted_transfer_that_it_calls_transferred_is_reverted(kit: Kit) {
    let Some(kit) = KitStage::set(kit).await else { return };
    let stage = &kit.stage;
    let (serving, caller) = kit.serve().await;
    stage.anvil.rpc("evm_setAutomine", json!([false])).await;
    let input = usdc(1_000_000);

    let robbed = async {
        stage.anvil.pending().await;
        stage.anvil.give_usdc(ITS_ADDRESS, 0).await;
        stage.anvil.rpc("evm_mine", json!([])).await;
    };
    let (first, ()) = tokio::join!(caller.call(WALLET, &input), robbed);
    first.unwrap();
    let answer = kit.settled(&caller, &input).await;

    assert_eq!((&answer["error_code"], &answer["details"]["state"]), (&json!("rpc_error"), &json!("reverted")), "{answer}");
    let (transaction, receipt) = kit.transaction(&answer["details"]["tx_hash"]).await;
    assert_eq!((&transaction["from"], &receipt["status"]), (&json!(ITS_ADDRESS.to_lowercase()), &json!("0x0")));
    assert_eq!(kit.asked(), ["ERC20ActionProvider_transfer"]);
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 0);
    caller.close().await;
    serving.stop().await.calm();
}

async fn a_wallet_that_dies_between_paying_and_answering_is_not_asked_again(kit: Kit) {
    let Some(kit) = KitStage::set(kit).await else { return };
    let stage = &kit.stage;
    let (serving, caller) = kit.serve().await;
    stage.anvil.rpc("evm_setAutomine", json!([false])).await;
    let input = usdc(2_000_000);

    let killed = async {
        stage.anvil.pending().await;
        kit.kill_it();
        stage.anvil.rpc("evm_setAutomine", json!([true])).await;
        stage.anvil.rpc("evm_mine", json!([])).await;
    };
    let (first, ()) = tokio::join!(caller.call(WALLET, &input), killed);
    first.unwrap();
    // AgentKit's own users repeat a call that was lost, and pay twice.
    let answer = kit.settled(&caller, &input).await;
    let next = caller.call(WALLET, &usdc(3)).await.unwrap();

    assert_eq!(answer["success"], true, "{answer}");
    let (transaction, receipt) = kit.transaction(&answer["result"]["tx_hash"]).await;
    assert_eq!((&transaction["from"], &receipt["status"]), (&json!(ITS_ADDRESS.to_lowercase()), &json!("0x1")));
    assert_eq!(next["success"], true, "{next}");
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 2_000_003);
    assert_eq!(stage.anvil.transactions_of(ITS_ADDRESS).await, 2);
    assert_eq!(kit.asked().len(), 2);
    caller.close().await;
    serving.stop().await.calm();
}

/// Each of these is run with the stand-in and with the real one.
macro_rules! with_both {
    ($($sentence:ident)*) => {
        mod stand_in {
            $(#[tokio::test]
            async fn $sentence() {
                super::$sentence(super::Kit::StandIn).await;
            })*
        }
        mod real_agentkit {
            $(#[tokio::test]
            async fn $sentence() {
                super::$sentence(super::Kit::Real).await;
            })*
        }
    };
}

with_both! {
    the_doctor_sees_whether_it_is_the_agents_wallet
    transfers_are_paid_once
    what_our_policy_refuses_never_reaches_it
    a_token_with_wrong_decimals_in_the_configuration_never_reaches_it
    a_reverted_transfer_that_it_calls_transferred_is_reverted
    a_wallet_that_dies_between_paying_and_answering_is_not_asked_again
}
