//! Where an agent's key comes from.

use super::Records;
use crate::{
    config::{Passphrase, Settings},
    terminal,
};
use anyhow::{Result, bail};
use chimera_adapters::keystore::{Keystore, OpenedKey, Wanted};
use chimera_core::{
    domain::{AgentId, money::Address},
    ports::{
        agents::{AgentRecord, Agents},
        signer::Signer,
    },
};
use std::path::{Path, PathBuf};

/// The key that a new agent gets.
pub enum WalletKey<'a> {
    /// Made now, by whoever keeps the agent's wallet.
    MadeBy(&'a dyn Signer),
    /// Out of another program's file.
    Imported(OpenedKey),
}

/// The keystore of the data folder. From here on it alone has the passphrase, until it is open.
pub(super) fn keystore(settings: &Settings) -> Result<Keystore> {
    let folder = folder(settings);
    let passphrase = settings.take_passphrase()?.map(Passphrase::into_text);
    let keystore = Keystore::new(folder.clone(), passphrase);
    if !settings.asks_for_passphrases {
        return Ok(keystore);
    }
    let ask = move |wanted| match wanted {
        Wanted::ToOpen => terminal::ask_secret(&to_open(&folder)),
        Wanted::ToSeal => terminal::ask_new_secret(&format!("a new passphrase for the keystore that is made in {}", folder.display())),
    };
    Ok(keystore.asking(move |wanted| ask(wanted).map_err(Into::into)))
}

/// For what runs long: a person at a terminal is asked before the work begins, and not in the middle of it.
pub async fn ask_at_start(settings: &Settings) -> Result<()> {
    let folder = folder(settings);
    if !terminal::can_ask() || !Keystore::is_in(&folder) || settings.passphrase()?.is_some() {
        return Ok(());
    }
    let asked = terminal::ask_secret(&to_open(&folder))?;
    // A slip of the hand shows now, and not at the first payment.
    Keystore::new(folder, Some(asked.clone())).unlock().await?;
    settings.keep_passphrase(asked);
    Ok(())
}

fn folder(settings: &Settings) -> PathBuf {
    settings.data_dir.join("keystore")
}

fn to_open(folder: &Path) -> String {
    format!("the passphrase of the keystore in {}", folder.display())
}

/// Opens a Web3 Secret Storage file with the passphrase that the environment gives.
pub async fn open_key_file(settings: &Settings, file: PathBuf) -> Result<OpenedKey> {
    let passphrase = settings.import_passphrase()?.into_text();
    Ok(OpenedKey::read(file, passphrase).await?)
}

impl Records {
    /// The address of the key that `agent` has from now on.
    pub(super) async fn wallet_of(&self, agent: &AgentId, key: &WalletKey<'_>) -> Result<Address> {
        match key {
            WalletKey::MadeBy(signer) => {
                let address = signer.create(agent).await?;
                self.refuse_shared(agent, address).await?;
                Ok(address)
            }
            WalletKey::Imported(key) => {
                self.refuse_shared(agent, key.address()).await?;
                Ok(self.keystore.import(agent, key).await?)
            }
        }
    }

    /// Budgets and nonces belong to a wallet: two agents that share one would spend each other's.
    async fn refuse_shared(&self, agent: &AgentId, address: Address) -> Result<()> {
        let agents = Agents::list(&self.store).await?;
        if let Some(owner) = agents.iter().find(|other| other.id != *agent && other.address == address) {
            bail!("{address} is the wallet of agent {} already; an agent has a wallet of its own", owner.id);
        }
        Ok(())
    }

    /// Brings back the key of an agent on record. Any other key is refused.
    pub async fn restore_key(&self, agent: &AgentRecord, key: &OpenedKey) -> Result<()> {
        if key.address() != agent.address {
            bail!("agent {} has the wallet {}, for good; the file holds the key of {}", agent.id, agent.address, key.address());
        }
        self.keystore.import(&agent.id, key).await?;
        Ok(())
    }
}
