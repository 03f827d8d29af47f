//! Agents' keys on disk. One passphrase, stretched once, unseals a data key, and the data key seals every agent's key,
//! so that a thousand agents open in the time of one. Keys leave memory only sealed.

mod files;
mod sealed;
mod vault;

use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Address, Bytes, Signature, TxKind};
use async_trait::async_trait;
use chimera_core::{
    domain::AgentId,
    ports::signer::{SignedTransaction, Signer, SignerError, UnsignedTransaction},
};
use k256::ecdsa::SigningKey;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tokio::sync::OnceCell;
use vault::DataKey;
use zeroize::Zeroizing;

/// The keystore of one data folder. Opening it costs nothing; the passphrase is stretched when the first key is needed.
pub struct Keystore {
    folder: PathBuf,
    passphrase: Option<Zeroizing<String>>,
    data_key: OnceCell<DataKey>,
}

/// One agent's key, sealed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    version: u32,
    agent_id: String,
    /// With its checksum.
    address: String,
    sealed_key: sealed::Sealed,
}

const KEY_FILE_VERSION: u32 = 1;

impl KeyFile {
    fn address(&self) -> Result<Address, SignerError> {
        Address::parse_checksummed(&self.address, None).map_err(failed)
    }
}

impl Keystore {
    /// Without a passphrase addresses can be read and nothing can be made or signed.
    pub fn new(folder: PathBuf, passphrase: Option<Zeroizing<String>>) -> Self {
        Self { folder, passphrase, data_key: OnceCell::new() }
    }

    /// Whether the passphrase opens the keystore; makes the keystore when there is none.
    pub async fn unlock(&self) -> Result<(), SignerError> {
        self.data_key().await.map(|_| ())
    }

    async fn data_key(&self) -> Result<&DataKey, SignerError> {
        self.data_key
            .get_or_try_init(|| async {
                let passphrase = self.passphrase.clone().ok_or(SignerError::Locked)?;
                let folder = self.folder.clone();
                // Stretching takes about a second and 256 MiB: not on the threads that serve.
                tokio::task::spawn_blocking(move || vault::open_or_create(&folder, &passphrase)).await.map_err(failed)?
            })
            .await
    }

    fn key_path(&self, agent: &AgentId) -> PathBuf {
        self.folder.join("keys").join(format!("{agent}.json"))
    }

    fn read_key_file(&self, agent: &AgentId) -> Result<Option<KeyFile>, SignerError> {
        let Some(text) = files::read_if_there(&self.key_path(agent)).map_err(failed)? else { return Ok(None) };
        let file: KeyFile = serde_json::from_str(&text).map_err(failed)?;
        if file.agent_id != agent.as_str() || file.version != KEY_FILE_VERSION {
            return Err(failed(format!("the key file of {agent} belongs to {:?}, version {}", file.agent_id, file.version)));
        }
        Ok(Some(file))
    }

    async fn signing_key(&self, agent: &AgentId) -> Result<SigningKey, SignerError> {
        let file = self.read_key_file(agent)?.ok_or_else(|| SignerError::NoKey(agent.clone()))?;
        let data_key = self.data_key().await?;
        let secret = file.sealed_key.open(data_key.bytes(), agent.as_str().as_bytes()).map_err(failed)?;
        let key = SigningKey::from_slice(&secret).map_err(failed)?;
        if Address::from_public_key(key.verifying_key()) != file.address()? {
            return Err(failed(format!("the key file of {agent} does not hold the key of {}", file.address)));
        }
        Ok(key)
    }
}

#[async_trait]
impl Signer for Keystore {
    async fn create(&self, agent: &AgentId) -> Result<Address, SignerError> {
        if let Some(file) = self.read_key_file(agent)? {
            return file.address();
        }
        let data_key = self.data_key().await?;
        let key = new_key()?;
        let file = KeyFile {
            version: KEY_FILE_VERSION,
            agent_id: agent.to_string(),
            address: Address::from_public_key(key.verifying_key()).to_string(),
            sealed_key: sealed::Sealed::seal(data_key.bytes(), &Zeroizing::new(key.to_bytes().to_vec()), agent.as_str().as_bytes())
                .map_err(failed)?,
        };
        let text = serde_json::to_string_pretty(&file).map_err(failed)?;
        files::write_once(&self.key_path(agent), &text).map_err(failed)?;
        // Another process may have been first: the key that is on disk is the agent's.
        let kept = self.read_key_file(agent)?.ok_or_else(|| SignerError::NoKey(agent.clone()))?;
        kept.address()
    }

    async fn sign(&self, agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError> {
        let key = self.signing_key(agent).await?;
        let unsigned = TxEip1559 {
            chain_id: transaction.chain.0,
            nonce: transaction.nonce,
            gas_limit: transaction.gas_limit,
            max_fee_per_gas: transaction.max_fee_per_gas_wei,
            max_priority_fee_per_gas: transaction.max_priority_fee_per_gas_wei,
            to: TxKind::Call(transaction.to),
            value: transaction.value_wei,
            access_list: Default::default(),
            input: Bytes::copy_from_slice(&transaction.data),
        };
        let (signature, recovery) = key.sign_prehash_recoverable(unsigned.signature_hash().as_slice()).map_err(failed)?;
        let signed = unsigned.into_signed(Signature::from_signature_and_parity(signature, recovery.is_y_odd()));
        Ok(SignedTransaction { tx_hash: *signed.hash(), raw: signed.encoded_2718() })
    }
}

fn new_key() -> Result<SigningKey, SignerError> {
    loop {
        let mut secret = Zeroizing::new([0u8; 32]);
        getrandom::fill(secret.as_mut_slice()).map_err(failed)?;
        // All but one in 2^128 strings of 32 bytes are keys.
        if let Ok(key) = SigningKey::from_slice(secret.as_slice()) {
            return Ok(key);
        }
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SignerError {
    SignerError::Failed(error.into())
}

#[cfg(test)]
mod tests;
