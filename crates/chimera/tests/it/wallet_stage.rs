//! An agent with money on a real anvil, and the calls that the wallet tests make for it.

use crate::{anvil::Anvil, program::Folder};
use serde_json::{Value, json};

pub(crate) const WALLET: &str = "skill_wallet_transaction";
pub(crate) const DENIED: &str = "0x000000000000000000000000000000000000dEaD";
/// Somebody's address, in the checksummed form.
pub(crate) const RECIPIENT: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
pub(crate) const WEI_AT_START: u128 = 1_000_000_000_000_000_000;
pub(crate) const UNITS_AT_START: u128 = 1_000_000_000;

pub(crate) const POLICY: &str = r#"
[policy]
first_seen_recipient = "allow"
deny = ["0x000000000000000000000000000000000000dEaD"]
transfers_per_hour_max = 1000
[[policy.limits]]
chain = "8453"
asset = "USDC"
per_transaction = "25000000"
per_day = "100000000"
ask_above = "50000000"
[[policy.limits]]
chain = "8453"
asset = "ETH"
per_transaction = "2000000000000000000"
per_day = "2000000000000000000"
"#;

pub(crate) struct Stage {
    pub(crate) anvil: Anvil,
    pub(crate) folder: Folder,
    /// Of the agent.
    pub(crate) address: String,
}

impl Stage {
    /// `None` when there is no anvil and that is allowed.
    pub(crate) async fn set(policy: &str) -> Option<Self> {
        let anvil = Anvil::start().await?;
        let folder = Folder::with_config(&config(&anvil.url, policy));
        let address = folder.create_agent().await;
        anvil.give_wei(&address, WEI_AT_START).await;
        anvil.give_usdc(&address, UNITS_AT_START).await;
        Some(Self { anvil, folder, address })
    }

    pub(crate) async fn call(&self, input: &Value) -> Value {
        self.folder.call(WALLET, input).await
    }

    /// The call must fail with this code, and nothing may have left the wallet.
    pub(crate) async fn refused(&self, code: &str, input: &Value) -> Value {
        let sent_before = self.anvil.transactions_of(&self.address).await;
        let answer = self.call(input).await;
        assert_eq!((&answer["success"], answer["error_code"].as_str()), (&json!(false), Some(code)), "{input} got {answer}");
        assert!(answer["details"].is_object(), "{answer}");
        assert_eq!(answer["task_id"], input["task_id"]);
        assert_eq!(self.anvil.transactions_of(&self.address).await, sent_before);
        answer
    }
}

pub(crate) fn config(rpc: &str, policy: &str) -> String {
    format!("[chains.8453]\nname = \"base\"\nrpc = [\"{rpc}\"]\nnative = \"ETH\"\nfees_per_day_max_wei = \"500000000000000000\"\n{policy}")
}

pub(crate) fn new_task() -> String {
    uuid::Uuid::new_v4().to_string()
}

pub(crate) fn balance(asset: &str) -> Value {
    json!({"task_id": new_task(), "agent_id": "selam", "operation": "get_balance", "params": {"asset": asset}})
}

pub(crate) fn usdc(units: u128) -> Value {
    transfer("token_transfer", "USDC", units)
}

pub(crate) fn eth(wei: u128) -> Value {
    transfer("native_transfer", "ETH", wei)
}

fn transfer(operation: &str, asset: &str, amount: u128) -> Value {
    json!({
        "task_id": new_task(),
        "agent_id": "selam",
        "operation": operation,
        "params": {"asset": asset, "to_address": RECIPIENT, "amount_wei_or_units": amount.to_string()},
    })
}

/// `input` with the field at `pointer` changed.
pub(crate) fn with(mut input: Value, pointer: &str, value: impl Into<Value>) -> Value {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    input.pointer_mut(parent).unwrap()[field] = value.into();
    input
}
