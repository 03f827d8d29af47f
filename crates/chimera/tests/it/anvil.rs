//! A real anvil that says it is Base, with a USDC of our own at USDC's address there.

use crate::{
    peers::{self, Peer},
    program::{Finished, Group, PATIENCE, Running},
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{process::Command, task::JoinSet, time::timeout};

pub(crate) const USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const USDC_CODE: &str = include_str!("../../../../tests/peers/contracts/usdc.runtime.hex");

pub(crate) struct Anvil {
    pub(crate) url: String,
    http: reqwest::Client,
    _group: Group,
    _output: JoinSet<Finished>,
}

impl Anvil {
    /// `None` when there is no anvil and that is allowed.
    pub(crate) async fn start() -> Option<Self> {
        Self::start_with(&[]).await
    }

    pub(crate) async fn start_with(flags: &[&str]) -> Option<Self> {
        let mut command = Command::new(peers::program(Peer::Anvil)?);
        command.args(["--chain-id", "8453", "--port", "0"]).args(flags);
        let mut running = Running::start(command);
        let address = loop {
            let line = running.line().await.expect("anvil says where it listens");
            if let Some(address) = line.strip_prefix("Listening on ") {
                break address.trim().to_owned();
            }
        };
        let (group, output) = running.drained();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let anvil = Self { url: format!("http://{address}"), http: reqwest::Client::new(), _group: group, _output: output };
        anvil.rpc("anvil_setCode", json!([USDC, USDC_CODE.trim()])).await;
        Some(anvil)
    }

    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = self.http.post(&self.url).json(&body).send().await.unwrap().json::<Value>().await.unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub(crate) async fn give_wei(&self, to: &str, wei: u128) {
        self.rpc("anvil_setBalance", json!([to, format!("{wei:#x}")])).await;
    }

    pub(crate) async fn give_usdc(&self, to: &str, units: u128) {
        let slot = self.rpc("web3_sha3", json!([format!("0x{}{}", word(to), "0".repeat(64))])).await;
        self.rpc("anvil_setStorageAt", json!([USDC, slot, format!("{units:#066x}")])).await;
    }

    pub(crate) async fn wei_of(&self, address: &str) -> u128 {
        number(&self.rpc("eth_getBalance", json!([address, "latest"])).await)
    }

    pub(crate) async fn usdc_of(&self, address: &str) -> u128 {
        let call = json!({"to": USDC, "data": format!("0x70a08231{}", word(address))});
        number(&self.rpc("eth_call", json!([call, "latest"])).await)
    }

    pub(crate) async fn transactions_of(&self, address: &str) -> u128 {
        number(&self.rpc("eth_getTransactionCount", json!([address, "latest"])).await)
    }

    /// Until a transaction waits to be mined; only without automine.
    pub(crate) async fn pending(&self) {
        let waiting = async {
            while number(&self.rpc("txpool_status", json!([])).await["pending"]) == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, waiting).await.expect("a transaction arrives in time");
    }
}

/// A number as JSON-RPC writes it.
pub(crate) fn number(value: &Value) -> u128 {
    let digits = value.as_str().unwrap().strip_prefix("0x").unwrap();
    u128::from_str_radix(digits.trim_start_matches('0'), 16).unwrap_or_default()
}

/// An address as a 32-byte word of call data.
fn word(address: &str) -> String {
    format!("{:0>64}", address.strip_prefix("0x").unwrap().to_lowercase())
}
