//! The data key, sealed under the stretched passphrase.

use super::{
    files,
    sealed::{KEY_BYTES, SealError, Sealed},
};
use alloy_primitives::hex;
use chimera_core::ports::signer::SignerError;
use serde::{Deserialize, Serialize};
use std::path::Path;
use zeroize::Zeroizing;

/// scrypt n = 262144, as geth stretches its keys.
const LOG_N: u8 = 18;
const R: u32 = 8;
const P: u32 = 1;
/// More than this would only exhaust memory.
const LOG_N_MAX: u8 = 22;
const SALT_BYTES: usize = 32;
const VAULT_VERSION: u32 = 1;
const CONTEXT: &[u8] = b"chimera data key";

/// Seals every agent's key. Wiped when dropped.
pub struct DataKey(Zeroizing<[u8; KEY_BYTES]>);

impl DataKey {
    pub fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VaultFile {
    version: u32,
    scrypt_log_n: u8,
    scrypt_r: u32,
    scrypt_p: u32,
    salt: String,
    sealed_data_key: Sealed,
}

/// Reads the vault of `folder`, made now if there is none.
pub fn open_or_create(folder: &Path, passphrase: &str) -> Result<DataKey, SignerError> {
    let path = folder.join("vault.json");
    if files::read_if_there(&path).map_err(super::failed)?.is_none() {
        let text = serde_json::to_string_pretty(&new_vault(passphrase)?).map_err(super::failed)?;
        files::write_once(&path, &text).map_err(super::failed)?;
    }
    let text = files::read_if_there(&path).map_err(super::failed)?.ok_or_else(|| super::failed("the vault vanished while it was made"))?;
    let vault: VaultFile = serde_json::from_str(&text).map_err(super::failed)?;
    open(&vault, passphrase)
}

fn new_vault(passphrase: &str) -> Result<VaultFile, SignerError> {
    let mut salt = [0u8; SALT_BYTES];
    getrandom::fill(&mut salt).map_err(super::failed)?;
    let mut data_key = Zeroizing::new([0u8; KEY_BYTES]);
    getrandom::fill(data_key.as_mut_slice()).map_err(super::failed)?;
    let stretched = stretch(passphrase, &salt, LOG_N, R, P)?;
    let sealed_data_key = Sealed::seal(&stretched, data_key.as_slice(), CONTEXT).map_err(super::failed)?;
    Ok(VaultFile { version: VAULT_VERSION, scrypt_log_n: LOG_N, scrypt_r: R, scrypt_p: P, salt: hex::encode(salt), sealed_data_key })
}

fn open(vault: &VaultFile, passphrase: &str) -> Result<DataKey, SignerError> {
    if vault.version != VAULT_VERSION || vault.scrypt_log_n > LOG_N_MAX || vault.scrypt_r > R || vault.scrypt_p > P {
        return Err(super::failed("the vault is of a form that this program does not know"));
    }
    let salt = hex::decode(&vault.salt).map_err(super::failed)?;
    let stretched = stretch(passphrase, &salt, vault.scrypt_log_n, vault.scrypt_r, vault.scrypt_p)?;
    let bytes = vault.sealed_data_key.open(&stretched, CONTEXT).map_err(|error| match error {
        SealError::NotOpened => SignerError::WrongPassphrase,
        other => super::failed(other),
    })?;
    let mut data_key = Zeroizing::new([0u8; KEY_BYTES]);
    if bytes.len() != KEY_BYTES {
        return Err(super::failed("the vault's data key has the wrong length"));
    }
    data_key.copy_from_slice(&bytes);
    Ok(DataKey(data_key))
}

fn stretch(passphrase: &str, salt: &[u8], log_n: u8, r: u32, p: u32) -> Result<Zeroizing<[u8; KEY_BYTES]>, SignerError> {
    let params = scrypt::Params::new(log_n, r, p, KEY_BYTES).map_err(super::failed)?;
    let mut stretched = Zeroizing::new([0u8; KEY_BYTES]);
    scrypt::scrypt(passphrase.as_bytes(), salt, &params, stretched.as_mut_slice()).map_err(super::failed)?;
    Ok(stretched)
}
