//! Agents' keys on disk. One passphrase, stretched once, unseals a data key, and the data key seals every agent's key,
//! so that a thousand agents open in the time of one. Keys leave memory only sealed.

mod exchange;
mod files;
mod sealed;
mod secret;
mod strength;
mod vault;
mod web3;

pub use exchange::{ExchangeError, OpenedKey, Web3Error};

use crate::{locking::locked, transaction::eip1559};
use alloy_consensus::SignableTransaction;
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Address, B256, Signature};
use async_trait::async_trait;
use chimera_core::{
    domain::AgentId,
    ports::signer::{SignedTransaction, Signer, SignerError, UnsignedTransaction},
};
use k256::{
    NonZeroScalar, ProjectivePoint, PublicKey,
    ecdsa::{VerifyingKey, hazmat::SignPrimitive},
    elliptic_curve::ops::MulByGenerator,
    sha2::Sha256,
};
use secret::Secret;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tokio::sync::OnceCell;
use zeroize::Zeroizing;

/// The keystore of one data folder. Opening it costs nothing; the passphrase is stretched when the first key is needed.
pub struct Keystore {
    folder: PathBuf,
    /// Gone once the data key is open: nothing needs it any more.
    passphrase: Mutex<Option<Zeroizing<String>>>,
    /// Where no passphrase was given.
    ask: Option<Arc<Ask>>,
    data_key: OnceCell<Secret>,
    /// As the files hold them. An agent has its key for good, so what was checked once need not be read and checked at every signature.
    checked: Mutex<HashMap<AgentId, Arc<sealed::Sealed>>>,
}

/// Gets a passphrase from a person.
type Ask = dyn Fn(Wanted) -> Result<Zeroizing<String>, Box<dyn std::error::Error + Send + Sync>> + Send + Sync;

/// What a passphrase is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    ToOpen,
    /// There is no keystore yet, and this is to be its passphrase.
    ToSeal,
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
    /// The text of the file that holds `secret` for `agent` and no other.
    fn sealed(agent: &AgentId, secret: &Secret, data_key: &Secret) -> Result<String, SignerError> {
        let address = address_of(secret).ok_or_else(|| failed("a key is refused by the curve"))?;
        let file = Self {
            version: KEY_FILE_VERSION,
            agent_id: agent.to_string(),
            address: address.to_string(),
            sealed_key: sealed::Sealed::seal(data_key, secret, agent.as_str().as_bytes()).map_err(failed)?,
        };
        serde_json::to_string_pretty(&file).map_err(failed)
    }

    fn address(&self) -> Result<Address, SignerError> {
        Address::parse_checksummed(&self.address, None).map_err(failed)
    }
}

impl Keystore {
    /// Without a passphrase addresses can be read and nothing can be made or signed.
    pub fn new(folder: PathBuf, passphrase: Option<Zeroizing<String>>) -> Self {
        Self { folder, passphrase: Mutex::new(passphrase), ask: None, data_key: OnceCell::new(), checked: Mutex::default() }
    }

    /// Asks for the passphrase when it is needed and was not given.
    pub fn asking(
        self,
        ask: impl Fn(Wanted) -> Result<Zeroizing<String>, Box<dyn std::error::Error + Send + Sync>> + Send + Sync + 'static,
    ) -> Self {
        Self { ask: Some(Arc::new(ask)), ..self }
    }

    /// Whether a keystore was made in `folder`.
    pub fn is_in(folder: &Path) -> bool {
        vault::is_in(folder)
    }

    /// Whether it is open, or could be without asking anybody.
    pub fn has_passphrase(&self) -> bool {
        self.data_key.initialized() || locked(&self.passphrase).is_some()
    }

    /// Whether the passphrase opens the keystore; makes the keystore when there is none.
    pub async fn unlock(&self) -> Result<(), SignerError> {
        self.data_key().await.map(|_| ())
    }

    /// Seals every key under another passphrase, the data key staying as it is. Processes that opened the keystore before go on working;
    /// whoever opens it from now on needs the new one.
    pub async fn change_passphrase(&self, new: Zeroizing<String>) -> Result<(), SignerError> {
        let old = locked(&self.passphrase).clone().ok_or(SignerError::Locked)?;
        let folder = self.folder.clone();
        tokio::task::spawn_blocking(move || vault::change_passphrase(&folder, &old, &new)).await.map_err(failed)?
    }

    async fn data_key(&self) -> Result<&Secret, SignerError> {
        let opened = self
            .data_key
            .get_or_try_init(|| async {
                let (given, ask, folder) = (locked(&self.passphrase).clone(), self.ask.clone(), self.folder.clone());
                // Stretching takes about a second and 256 MiB, and a person takes longer: not on the threads that serve.
                let opening = tokio::task::spawn_blocking(move || {
                    let passphrase = match (given, ask) {
                        (Some(given), _) => given,
                        (None, Some(ask)) => ask(if vault::is_in(&folder) { Wanted::ToOpen } else { Wanted::ToSeal }).map_err(failed)?,
                        (None, None) => return Err(SignerError::Locked),
                    };
                    vault::open_or_create(&folder, &passphrase)
                });
                opening.await.map_err(failed)?
            })
            .await?;
        *locked(&self.passphrase) = None;
        Ok(opened)
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

    /// Stays on the heap until the moment of signing.
    async fn secret_of(&self, agent: &AgentId) -> Result<Secret, SignerError> {
        let data_key = self.data_key().await?;
        let open = |sealed: &sealed::Sealed| sealed.open(data_key, agent.as_str().as_bytes()).map_err(failed);
        let checked = locked(&self.checked).get(agent).cloned();
        if let Some(sealed) = checked {
            return open(&sealed);
        }
        let file = self.read_key_file(agent)?.ok_or_else(|| SignerError::NoKey(agent.clone()))?;
        let (secret, address) = (open(&file.sealed_key)?, file.address()?);
        if address_of(&secret) != Some(address) {
            return Err(failed(format!("the key file of {address} holds another key")));
        }
        locked(&self.checked).insert(agent.clone(), Arc::new(file.sealed_key));
        Ok(secret)
    }
}

#[async_trait]
impl Signer for Keystore {
    async fn create(&self, agent: &AgentId) -> Result<Address, SignerError> {
        if let Some(file) = self.read_key_file(agent)? {
            return file.address();
        }
        self.keep(agent, &new_key()?).await
    }

    async fn sign(&self, agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError> {
        let secret = self.secret_of(agent).await?;
        let unsigned = eip1559(transaction);
        let signature = signature(&secret, unsigned.signature_hash())?;
        let signed = unsigned.into_signed(signature);
        Ok(SignedTransaction { tx_hash: *signed.hash(), raw: signed.encoded_2718() })
    }
}

/// Signs as `SigningKey` does, which would also derive the public key, as dear as the signature, from a secret whose address is known.
fn signature(secret: &Secret, hash: B256) -> Result<Signature, SignerError> {
    let key = scalar(secret).ok_or_else(|| failed("a key is refused by the curve"))?;
    let (signature, recovery) = key.try_sign_prehashed_rfc6979::<Sha256>(&hash.0.into(), &[]).map_err(failed)?;
    let recovery = recovery.ok_or_else(|| failed("the curve gave no parity"))?;
    Ok(Signature::from_signature_and_parity(signature, recovery.is_y_odd()))
}

/// `None` when these bytes are no private key. Wiped when it is dropped.
fn scalar(secret: &Secret) -> Option<Zeroizing<NonZeroScalar>> {
    NonZeroScalar::try_from(secret.bytes().as_slice()).ok().map(Zeroizing::new)
}

/// `None` when these bytes are no private key.
fn address_of(secret: &Secret) -> Option<Address> {
    let point = ProjectivePoint::mul_by_generator(scalar(secret)?.as_ref()).to_affine();
    let public = PublicKey::from_affine(point).expect("a multiple of the generator by less than its order is not the identity");
    Some(Address::from_public_key(&VerifyingKey::from(public)))
}

fn new_key() -> Result<Secret, SignerError> {
    loop {
        let secret = Secret::random().map_err(failed)?;
        // All but one in 2^128 strings of 32 bytes are keys.
        if address_of(&secret).is_some() {
            return Ok(secret);
        }
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SignerError {
    SignerError::Failed(error.into())
}

#[cfg(test)]
mod tests;
