//! Keys that come from other programs' files, and go to them.

use super::{KeyFile, Keystore, address_of, failed, files, secret::Secret, strength, web3};
use alloy_primitives::Address;
use chimera_core::{domain::AgentId, ports::signer::SignerError};
use std::{
    fmt, io,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

pub use web3::Web3Error;

/// A key from another program's file, out of it and not yet an agent's.
pub struct OpenedKey {
    secret: Secret,
    address: Address,
}

impl OpenedKey {
    /// Opens a Web3 Secret Storage file.
    pub async fn read(path: PathBuf, passphrase: Zeroizing<String>) -> Result<Self, ExchangeError> {
        tokio::task::spawn_blocking(move || {
            let text = match files::read_if_there(&path) {
                Ok(Some(text)) => text,
                Ok(None) => return Err(ExchangeError::Io { path, source: io::ErrorKind::NotFound.into() }),
                Err(source) => return Err(ExchangeError::Io { path, source }),
            };
            let (secret, address) = web3::open(&text, &passphrase).map_err(|source| ExchangeError::File { path, source })?;
            Ok(Self { secret, address })
        })
        .await
        .map_err(failed)?
    }

    pub fn address(&self) -> Address {
        self.address
    }
}

impl fmt::Debug for OpenedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenedKey({}, masked)", self.address)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    #[error("{path}", path = .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} cannot be imported", path = .path.display())]
    File { path: PathBuf, source: Web3Error },
    #[error("{path} is there already, and is never overwritten; choose another name", path = .0.display())]
    Exists(PathBuf),
    #[error("agent {agent} has the wallet {kept}, for good; the file holds the key of {offered}")]
    HasAnother { agent: AgentId, kept: Address, offered: Address },
    #[error(transparent)]
    Signer(#[from] SignerError),
}

impl Keystore {
    /// Makes `key` the agent's, unless it has another one. Safe to repeat.
    pub async fn import(&self, agent: &AgentId, key: &OpenedKey) -> Result<Address, ExchangeError> {
        let kept = match self.read_key_file(agent)? {
            Some(file) => file.address()?,
            None => self.keep(agent, &key.secret).await?,
        };
        if kept != key.address {
            return Err(ExchangeError::HasAnother { agent: agent.clone(), kept, offered: key.address });
        }
        // A file that is there and cannot be opened must not pass for an imported key.
        self.secret_of(agent).await?;
        Ok(kept)
    }

    /// Writes the agent's key to a new Web3 Secret Storage file, mode 0600, under a passphrase of the file's own.
    pub async fn export(&self, agent: &AgentId, path: &Path, passphrase: Zeroizing<String>) -> Result<Address, ExchangeError> {
        if path.symlink_metadata().is_ok() {
            return Err(ExchangeError::Exists(path.to_owned()));
        }
        strength::check(&passphrase)?;
        let secret = self.secret_of(agent).await?;
        let address = address_of(&secret).ok_or_else(|| failed("the stored key is none"))?;
        let text = tokio::task::spawn_blocking(move || web3::seal(&secret, address, &passphrase)).await.map_err(failed)?.map_err(failed)?;
        match files::write_once(path, &text) {
            Ok(files::Written::New) => Ok(address),
            Ok(files::Written::Kept) => Err(ExchangeError::Exists(path.to_owned())),
            Err(source) => Err(ExchangeError::Io { path: path.to_owned(), source }),
        }
    }

    /// Seals `secret` as the agent's, unless another process is faster: the key that is on disk is the agent's.
    pub(super) async fn keep(&self, agent: &AgentId, secret: &Secret) -> Result<Address, SignerError> {
        let data_key = self.data_key().await?;
        let text = KeyFile::sealed(agent, secret, data_key)?;
        files::write_once(&self.key_path(agent), &text).map_err(failed)?;
        let kept = self.read_key_file(agent)?.ok_or_else(|| SignerError::NoKey(agent.clone()))?;
        kept.address()
    }
}
