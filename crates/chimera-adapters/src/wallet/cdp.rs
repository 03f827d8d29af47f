//! CDP server wallets as a remote signer: the account of an agent lives at CDP, which signs what we ask for and sends nothing.
//! Signed bytes are believed only when they hold exactly the asked transaction under the signature of the agent's own address.

mod api;
mod credentials;
mod tokens;

pub use api::CDP_URL;
pub use credentials::{CdpCredentials, CdpCredentialsError};

use crate::transaction::eip1559;
use alloy_consensus::{SignableTransaction, TxEip1559, TxEnvelope, transaction::SignerRecoverable};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_primitives::{Address, hex};
use api::{Api, ApiError};
use async_trait::async_trait;
use chimera_core::{
    domain::{AgentId, money::parse_address},
    ports::{
        agents::Agents,
        clock::Clock,
        signer::{SignedTransaction, Signer, SignerError, UnsignedTransaction},
    },
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use url::Url;

/// The accounts of one CDP project, one for each agent.
pub struct CdpSigner {
    api: Api,
    agents: Arc<dyn Agents>,
}

impl CdpSigner {
    /// `url` is [`CDP_URL`], unless somebody stands between.
    pub fn new(url: Url, credentials: CdpCredentials, agents: Arc<dyn Agents>, clock: Arc<dyn Clock>) -> Result<Self, reqwest::Error> {
        Ok(Self { api: Api::new(url, credentials, clock)?, agents })
    }

    async fn account_named(&self, name: &str) -> Result<Option<Address>, ApiError> {
        match self.api.get(&format!("/v2/evm/accounts/by-name/{name}")).await {
            Ok(account) => address_of(&account, name).map(Some),
            Err(ApiError::NotFound) => Ok(None),
            Err(other) => Err(other),
        }
    }

    async fn find_or_create(&self, name: &str) -> Result<Address, ApiError> {
        if let Some(address) = self.account_named(name).await? {
            return Ok(address);
        }
        let key = idempotency_key(&["create", name]);
        match self.api.post("/v2/evm/accounts", &json!({ "name": name }), &key).await {
            Ok(account) => address_of(&account, name),
            // Another process was first: the account that is there is the agent's.
            Err(ApiError::Conflict { reason }) => self.account_named(name).await?.ok_or(ApiError::Conflict { reason }),
            Err(other) => Err(other),
        }
    }
}

#[async_trait]
impl Signer for CdpSigner {
    async fn create(&self, agent: &AgentId) -> Result<Address, SignerError> {
        self.find_or_create(&account_name(agent)).await.map_err(signer_error)
    }

    async fn sign(&self, agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError> {
        // The address on record, and not what CDP calls the agent's account today: budget and nonce belong to that one.
        let record = self.agents.find(agent).await.map_err(|error| SignerError::Failed(error.into()))?;
        let address = record.ok_or_else(|| SignerError::NoKey(agent.clone()))?.address;
        let unsigned = eip1559(transaction);
        let asked = hex::encode_prefixed(unsigned.encoded_for_signing());
        let key = idempotency_key(&["sign", &address.to_string(), &asked]);
        let path = format!("/v2/evm/accounts/{address}/sign/transaction");
        let answer = self.api.post(&path, &json!({ "transaction": asked }), &key).await.map_err(signer_error)?;
        signed_as_asked(&answer, unsigned, address).map_err(signer_error)
    }
}

/// The signed bytes, when they are what was asked for and nothing else.
fn signed_as_asked(answer: &Value, asked: TxEip1559, signer: Address) -> Result<SignedTransaction, ApiError> {
    let nonsense = |problem: &str| ApiError::Nonsense { problem: problem.to_owned() };
    let text = answer["signedTransaction"].as_str().ok_or_else(|| nonsense("it holds no signedTransaction"))?;
    let raw = hex::decode(text).map_err(|_| nonsense("its signedTransaction is not hex"))?;
    let mut rest = raw.as_slice();
    let envelope = TxEnvelope::decode_2718(&mut rest).map_err(|_| nonsense("its signedTransaction is not a transaction"))?;
    let TxEnvelope::Eip1559(signed) = &envelope else { return Err(nonsense("it signed a transaction of another kind")) };
    if let Some(field) = first_difference(signed.tx(), &asked) {
        return Err(nonsense(&format!("it signed another {field} than asked for")));
    }
    let recovered = envelope.recover_signer().map_err(|_| nonsense("its signature is none"))?;
    if recovered != signer {
        return Err(nonsense(&format!("it signed for {recovered}, and the agent's wallet is {signer}")));
    }
    // One transaction has one encoding; anything after it, or another spelling of it, would change the hash.
    if !rest.is_empty() || envelope.encoded_2718() != raw {
        return Err(nonsense("its signedTransaction holds more than the transaction"));
    }
    Ok(SignedTransaction { tx_hash: *signed.hash(), raw })
}

fn first_difference(got: &TxEip1559, asked: &TxEip1559) -> Option<&'static str> {
    // Without `..`: a field that is added must be compared too.
    let TxEip1559 { chain_id, nonce, gas_limit, max_fee_per_gas, max_priority_fee_per_gas, to, value, access_list, input } = got;
    let same = [
        ("chain", *chain_id == asked.chain_id),
        ("nonce", *nonce == asked.nonce),
        ("gas limit", *gas_limit == asked.gas_limit),
        ("maximum fee", *max_fee_per_gas == asked.max_fee_per_gas),
        ("priority fee", *max_priority_fee_per_gas == asked.max_priority_fee_per_gas),
        ("recipient", *to == asked.to),
        ("value", *value == asked.value),
        ("access list", *access_list == asked.access_list),
        ("data", *input == asked.input),
    ];
    same.iter().find(|(_, is_same)| !is_same).map(|(field, _)| *field)
}

fn address_of(account: &Value, name: &str) -> Result<Address, ApiError> {
    let nonsense = |problem: String| ApiError::Nonsense { problem };
    if account["name"].as_str() != Some(name) {
        return Err(nonsense(format!("it is not the account {name:?} that was asked for")));
    }
    let address = account["address"].as_str().and_then(|address| parse_address(address).ok());
    address.ok_or_else(|| nonsense("it names no address".to_owned()))
}

/// CDP's names have 2 to 36 letters, digits and hyphens; agents' ids may be longer, shorter and hold `_`.
/// An id that fits is its own name, any other one is named by its hash, and no two agents share a name.
fn account_name(agent: &AgentId) -> String {
    const HASHED: &str = "agent-";
    let id = agent.as_str();
    let fits = (2..=36).contains(&id.len()) && !id.contains('_') && !id.ends_with('-') && !id.starts_with(HASHED);
    if fits {
        return id.to_owned();
    }
    let digest = hex::encode(Sha256::digest(id.as_bytes()));
    format!("{HASHED}{}", &digest[..30])
}

/// The same request has the same key for ever, so that a repeated one gets the first one's answer.
fn idempotency_key(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\n").as_bytes());
    let mut bytes = [0u8; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

fn signer_error(error: ApiError) -> SignerError {
    let reason = error.to_string();
    match error {
        ApiError::RateLimited => SignerError::RateLimited { reason },
        ApiError::Unauthorized { .. }
        | ApiError::PaymentRequired { .. }
        | ApiError::NotFound
        | ApiError::Conflict { .. }
        | ApiError::Refused { .. }
        | ApiError::Unavailable { .. }
        | ApiError::Nonsense { .. } => SignerError::Remote { reason },
    }
}

#[cfg(test)]
mod tests;
