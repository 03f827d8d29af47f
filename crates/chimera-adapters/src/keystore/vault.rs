//! The data key, sealed under the stretched passphrase.

use super::{
    failed, files,
    sealed::{SealError, Sealed},
    secret::{self, SCRYPT_STANDARD, ScryptCost, Secret},
    strength,
};
use alloy_primitives::hex;
use chimera_core::ports::signer::SignerError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// More than this would only exhaust memory.
const LOG_N_MAX: u8 = 22;
const SALT_BYTES: usize = 32;
const VAULT_VERSION: u32 = 1;
const CONTEXT: &[u8] = b"chimera data key";
const VAULT_FILE: &str = "vault.json";
const LOCK_FILE: &str = "vault.lock";

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

pub fn is_in(folder: &Path) -> bool {
    folder.join(VAULT_FILE).exists()
}

/// The data key of the vault in `folder`, made now if there is none. It seals every agent's key.
pub fn open_or_create(folder: &Path, passphrase: &str) -> Result<Secret, SignerError> {
    let path = folder.join(VAULT_FILE);
    if read(&path)?.is_none() {
        strength::check(passphrase)?;
        make(&path, passphrase)?;
    } else if let Err(weakness) = strength::check(passphrase) {
        // It was good enough when the keystore was made, and nobody may be locked out of their money.
        tracing::warn!("{weakness}; the keystore opens with it all the same, and `chimera wallet passphrase` changes it");
    }
    // Another process may have been first: the vault that is on disk counts.
    let vault = read(&path)?.ok_or_else(|| failed("the vault vanished while it was made"))?;
    open(&vault, passphrase)
}

/// Seals the same data key under another passphrase. A crash at any moment leaves a vault that the old one or the new one opens.
pub fn change_passphrase(folder: &Path, old: &str, new: &str) -> Result<(), SignerError> {
    let path = folder.join(VAULT_FILE);
    if read(&path)?.is_none() {
        return Err(failed("there is no keystore here yet, so there is no passphrase to change"));
    }
    strength::check(new)?;
    // Of two changes at once, each would report its own passphrase as the valid one.
    let Some(_lock) = files::lock(&folder.join(LOCK_FILE)).map_err(failed)? else {
        return Err(failed("another process is changing the passphrase right now; find out which one is valid then, and try again"));
    };
    let vault = read(&path)?.ok_or_else(|| failed("the vault vanished"))?;
    let data_key = open(&vault, old)?;
    let next = sealed_under(new, &data_key)?;
    // Proven before it takes the old one's place: a vault that nothing opens would lock every agent out.
    if open(&next, new)?.bytes() != data_key.bytes() {
        return Err(failed("the new vault does not hold the data key; nothing was changed"));
    }
    files::replace(&path, &next.text()?).map_err(failed)
}

/// Keeps a vault that is there.
pub(super) fn make(path: &Path, passphrase: &str) -> Result<(), SignerError> {
    let data_key = Secret::random().map_err(failed)?;
    files::write_once(path, &sealed_under(passphrase, &data_key)?.text()?).map_err(failed)?;
    Ok(())
}

fn read(path: &Path) -> Result<Option<VaultFile>, SignerError> {
    match files::read_if_there(path).map_err(failed)? {
        Some(text) => serde_json::from_str(&text).map(Some).map_err(failed),
        None => Ok(None),
    }
}

fn sealed_under(passphrase: &str, data_key: &Secret) -> Result<VaultFile, SignerError> {
    let mut salt = [0u8; SALT_BYTES];
    getrandom::fill(&mut salt).map_err(failed)?;
    let cost = SCRYPT_STANDARD;
    let stretched = secret::scrypt(passphrase, &salt, cost).map_err(failed)?;
    Ok(VaultFile {
        version: VAULT_VERSION,
        scrypt_log_n: cost.log_n,
        scrypt_r: cost.r,
        scrypt_p: cost.p,
        salt: hex::encode(salt),
        sealed_data_key: Sealed::seal(&stretched, data_key, CONTEXT).map_err(failed)?,
    })
}

fn open(vault: &VaultFile, passphrase: &str) -> Result<Secret, SignerError> {
    let cost = ScryptCost { log_n: vault.scrypt_log_n, r: vault.scrypt_r, p: vault.scrypt_p };
    if vault.version != VAULT_VERSION || cost.log_n > LOG_N_MAX || cost.r > SCRYPT_STANDARD.r || cost.p > SCRYPT_STANDARD.p {
        return Err(failed("the vault is of a form that this program does not know"));
    }
    let salt = hex::decode(&vault.salt).map_err(failed)?;
    let stretched = secret::scrypt(passphrase, &salt, cost).map_err(failed)?;
    vault.sealed_data_key.open(&stretched, CONTEXT).map_err(|error| match error {
        SealError::NotOpened => SignerError::WrongPassphrase,
        other => failed(other),
    })
}

impl VaultFile {
    fn text(&self) -> Result<String, SignerError> {
        serde_json::to_string_pretty(self).map_err(failed)
    }
}
