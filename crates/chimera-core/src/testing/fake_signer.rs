//! Signs without keys: the bytes are the transaction itself, written so that [`super::fake_chain::FakeChain`] can read them.

use crate::{
    domain::{
        AgentId,
        money::{Address, ChainId, U256},
    },
    ports::signer::{SignedTransaction, Signer, SignerError, UnsignedTransaction},
};
use alloy_primitives::{hex, keccak256};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Mutex;

#[derive(Default)]
pub struct FakeSigner {
    signed: Mutex<Vec<UnsignedTransaction>>,
    is_locked: bool,
}

impl FakeSigner {
    pub fn locked() -> Self {
        Self { is_locked: true, ..Self::default() }
    }

    /// The address that every agent of that name has.
    pub fn address_of(agent: &AgentId) -> Address {
        Address::from_word(keccak256(agent.as_str()))
    }

    pub fn signed(&self) -> Vec<UnsignedTransaction> {
        self.signed.lock().expect("no test panics while holding it").clone()
    }
}

#[async_trait]
impl Signer for FakeSigner {
    async fn create(&self, agent: &AgentId) -> Result<Address, SignerError> {
        Ok(Self::address_of(agent))
    }

    async fn sign(&self, agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError> {
        if self.is_locked {
            return Err(SignerError::Locked);
        }
        self.signed.lock().expect("no test panics while holding it").push(transaction.clone());
        Ok(signed(Self::address_of(agent), transaction))
    }
}

/// What [`FakeSigner`] makes of it.
pub fn signed(from: Address, transaction: &UnsignedTransaction) -> SignedTransaction {
    let raw = write(from, transaction);
    SignedTransaction { tx_hash: keccak256(&raw), raw }
}

fn write(from: Address, transaction: &UnsignedTransaction) -> Vec<u8> {
    let fields = json!({
        "from": from.to_string(),
        "chain": transaction.chain.0,
        "nonce": transaction.nonce,
        "to": transaction.to.to_string(),
        "value_wei": transaction.value_wei.to_string(),
        "data": hex::encode(&transaction.data),
        "gas_limit": transaction.gas_limit,
        "max_fee_per_gas_wei": transaction.max_fee_per_gas_wei as u64,
        "max_priority_fee_per_gas_wei": transaction.max_priority_fee_per_gas_wei as u64,
    });
    fields.to_string().into_bytes()
}

/// The sender and the transaction, from the bytes of [`FakeSigner`].
pub fn read(raw: &[u8]) -> Option<(Address, UnsignedTransaction)> {
    let fields: Value = serde_json::from_slice(raw).ok()?;
    let text = |name: &str| fields[name].as_str();
    let number = |name: &str| fields[name].as_u64();
    let transaction = UnsignedTransaction {
        chain: ChainId(number("chain")?),
        nonce: number("nonce")?,
        to: text("to")?.parse().ok()?,
        value_wei: U256::from_str_radix(text("value_wei")?, 10).ok()?,
        data: hex::decode(text("data")?).ok()?,
        gas_limit: number("gas_limit")?,
        max_fee_per_gas_wei: number("max_fee_per_gas_wei")?.into(),
        max_priority_fee_per_gas_wei: number("max_priority_fee_per_gas_wei")?.into(),
    };
    Some((text("from")?.parse().ok()?, transaction))
}
