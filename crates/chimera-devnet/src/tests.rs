//! The chain as a client sees it. Each file asks through JSON-RPC, as viem or alloy would.

mod http;
mod json_rpc;
mod mining;
mod persistence;
mod refusals;
mod usdc;

use alloy_consensus::{SignableTransaction, TxEip1559, TxEip2930, TxEnvelope, TxLegacy};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Address, Bytes, Signature, TxKind, U256, address, hex};
use k256::ecdsa::SigningKey;
use serde_json::{Value, json};

use crate::{Devnet, DevnetConfig};

const CHAIN_ID: u64 = 31337;
const ETHER: u128 = 1_000_000_000_000_000_000;
const GWEI: u128 = 1_000_000_000;
const SHOP: Address = address!("0x00000000000000000000000000000000000051a9");

/// A clock that stands still, so that every run makes the same blocks.
fn clock() -> u64 {
    1_700_000_000
}

fn config() -> DevnetConfig {
    DevnetConfig { clock, ..DevnetConfig::default() }
}

fn open() -> Devnet {
    Devnet::open(config()).unwrap()
}

/// Mines only when told to.
fn open_on_demand() -> Devnet {
    let block_time = Some(std::time::Duration::from_secs(3600));
    Devnet::open(DevnetConfig { block_time, ..config() }).unwrap()
}

fn ask(devnet: &Devnet, method: &str, params: Value) -> Value {
    devnet.rpc(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

fn result(devnet: &Devnet, method: &str, params: Value) -> Value {
    let answer = ask(devnet, method, params);
    answer.get("result").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
}

/// Code and message.
fn error(devnet: &Devnet, method: &str, params: Value) -> (i64, String) {
    let answer = ask(devnet, method, params);
    let error = answer.get("error").unwrap_or_else(|| panic!("{method}: {answer}"));
    (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
}

fn number(value: &Value) -> u128 {
    let text = value.as_str().unwrap_or_else(|| panic!("not a quantity: {value}"));
    u128::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}

fn block_number(devnet: &Devnet) -> u128 {
    number(&result(devnet, "eth_blockNumber", json!([])))
}

fn balance(devnet: &Devnet, address: Address) -> u128 {
    number(&result(devnet, "eth_getBalance", json!([address.to_string(), "latest"])))
}

fn nonce(devnet: &Devnet, address: Address, tag: &str) -> u128 {
    number(&result(devnet, "eth_getTransactionCount", json!([address.to_string(), tag])))
}

fn send(devnet: &Devnet, raw: &[u8]) -> String {
    let tx_hash = result(devnet, "eth_sendRawTransaction", json!([hex::encode_prefixed(raw)]));
    tx_hash.as_str().unwrap().to_owned()
}

fn refusal(devnet: &Devnet, raw: &[u8]) -> String {
    let (code, message) = error(devnet, "eth_sendRawTransaction", json!([hex::encode_prefixed(raw)]));
    assert_eq!(code, -32000, "{message}");
    message
}

fn receipt(devnet: &Devnet, tx_hash: &str) -> Value {
    result(devnet, "eth_getTransactionReceipt", json!([tx_hash]))
}

/// Someone with a key.
struct Signer {
    key: SigningKey,
}

impl Signer {
    fn new(seed: u8) -> Self {
        Self { key: SigningKey::from_slice(&[seed; 32]).unwrap() }
    }

    fn with_ether(seed: u8, devnet: &Devnet) -> Self {
        let signer = Self::new(seed);
        devnet.fund(signer.address(), U256::from(10 * ETHER)).unwrap();
        signer
    }

    fn address(&self) -> Address {
        Address::from_private_key(&self.key)
    }

    fn sign<T: SignableTransaction<Signature>>(&self, transaction: T) -> Vec<u8>
    where
        TxEnvelope: From<alloy_consensus::Signed<T>>,
    {
        let (signature, recovery) = self.key.sign_prehash_recoverable(transaction.signature_hash().as_slice()).unwrap();
        let signature = Signature::from((signature, recovery));
        TxEnvelope::from(transaction.into_signed(signature)).encoded_2718()
    }

    fn transfer(&self, nonce: u64, value_wei: u128) -> Vec<u8> {
        self.sign(TxEip1559 { value: U256::from(value_wei), ..dynamic(nonce) })
    }

    fn call(&self, nonce: u64, to: Address, data: Vec<u8>) -> Vec<u8> {
        let input = Bytes::from(data);
        self.sign(TxEip1559 { to: TxKind::Call(to), input, gas_limit: 100_000, ..dynamic(nonce) })
    }
}

/// A transfer of nothing to the shop, to be changed where a test cares.
fn dynamic(nonce: u64) -> TxEip1559 {
    TxEip1559 {
        chain_id: CHAIN_ID,
        nonce,
        gas_limit: 21_000,
        max_fee_per_gas: 2 * GWEI,
        max_priority_fee_per_gas: GWEI,
        to: TxKind::Call(SHOP),
        ..TxEip1559::default()
    }
}

fn legacy(nonce: u64) -> TxLegacy {
    TxLegacy { chain_id: Some(CHAIN_ID), nonce, gas_limit: 21_000, gas_price: 2 * GWEI, to: TxKind::Call(SHOP), ..TxLegacy::default() }
}

fn with_access_list(nonce: u64) -> TxEip2930 {
    TxEip2930 { chain_id: CHAIN_ID, nonce, gas_limit: 21_000, gas_price: 2 * GWEI, to: TxKind::Call(SHOP), ..TxEip2930::default() }
}

/// ABI: a function's selector and its arguments as words.
fn calldata(selector: [u8; 4], arguments: &[U256]) -> Vec<u8> {
    let words = arguments.iter().flat_map(|argument| argument.to_be_bytes::<32>());
    selector.into_iter().chain(words).collect()
}

fn word(address: Address) -> U256 {
    U256::from_be_slice(address.as_slice())
}
