//! Who keeps each agent's key: the data folder's keystore, CDP, or a wallet elsewhere that signs and sends by itself.

use super::{Records, WalletKey, keys::open_key_file};
use crate::config::{
    Settings,
    file::{WalletKind, WalletSection},
};
use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use chimera_adapters::wallet::{AgentKitWallet, CDP_URL, CdpCredentials, CdpSigner};
use chimera_core::{
    domain::{AgentId, money::Address, soul::Soul},
    ports::{
        agents::AgentRecord,
        sending_wallet::SendingWallet,
        signer::{SignedTransaction, Signer, SignerError, UnsignedTransaction},
        tools::Tools,
    },
};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use url::Url;

/// Every agent's wallet, behind the ports that the skill knows.
pub struct Wallets {
    pub signer: Arc<dyn Signer>,
    /// The agents that are not in here sign with `signer`.
    pub sending: BTreeMap<AgentId, Arc<dyn SendingWallet>>,
}

/// Reaches nobody yet.
pub fn open(settings: &Settings, records: &Records, tools: Arc<dyn Tools>) -> Result<Wallets> {
    let mut remote: BTreeMap<AgentId, Arc<dyn Signer>> = BTreeMap::new();
    let mut sending: BTreeMap<AgentId, Arc<dyn SendingWallet>> = BTreeMap::new();
    for (agent, section) in &settings.file.agents {
        let id: AgentId = agent.parse().with_context(|| format!("[agents.{agent}]"))?;
        let wallet = &section.wallet;
        match wallet.kind {
            WalletKind::Keystore => {}
            WalletKind::Cdp => {
                let signer = cdp(settings, records, wallet).with_context(|| format!("[agents.{agent}.wallet]"))?;
                remote.insert(id, Arc::new(signer));
            }
            WalletKind::Agentkit => {
                let upstream = wallet.upstream.clone().with_context(|| format!("[agents.{agent}.wallet] names no upstream"))?;
                sending.insert(id, Arc::new(AgentKitWallet::new(tools.clone(), upstream)));
            }
        }
    }
    let signer = SignerByAgent { keystore: records.keystore.clone(), remote, sending: sending.clone() };
    Ok(Wallets { signer: Arc::new(signer), sending })
}

impl Records {
    /// Creates an agent with a key out of another program's file. Only the keystore takes keys.
    pub async fn create_agent_importing(&self, settings: &Settings, soul: &Soul, source: String, file: PathBuf) -> Result<AgentRecord> {
        let kept_elsewhere = settings.file.agents.get(soul.id.as_str()).is_some_and(|agent| agent.wallet.kind != WalletKind::Keystore);
        if kept_elsewhere {
            bail!("[agents.{}.wallet] keeps the key elsewhere, so none can be imported for it", soul.id);
        }
        let key = WalletKey::Imported(open_key_file(settings, file).await?);
        self.create_agent(soul, source, key).await
    }
}

fn cdp(settings: &Settings, records: &Records, section: &WalletSection) -> Result<CdpSigner> {
    let secrets = settings.cdp_secrets()?;
    let credentials = CdpCredentials::parse(&secrets.api_key_id, &secrets.api_key_secret, &secrets.wallet_secret)?;
    let url = cdp_url(section.url.as_deref().unwrap_or(CDP_URL))?;
    Ok(CdpSigner::new(url, credentials, Arc::new(records.store.clone()), records.clock.clone())?)
}

/// Tokens go there, so only over TLS, or to this very machine.
fn cdp_url(text: &str) -> Result<Url> {
    let url = Url::parse(text).with_context(|| format!("url is {text:?}, which is not a URL"))?;
    let is_loopback = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    if !is_plain || !(url.scheme() == "https" || (url.scheme() == "http" && is_loopback)) {
        bail!("url must be https with a host and a path alone; plain http is only for this machine itself");
    }
    Ok(url)
}

/// The signer of whoever keeps the agent's key.
struct SignerByAgent {
    keystore: Arc<dyn Signer>,
    remote: BTreeMap<AgentId, Arc<dyn Signer>>,
    sending: BTreeMap<AgentId, Arc<dyn SendingWallet>>,
}

impl SignerByAgent {
    fn signer_of(&self, agent: &AgentId) -> &dyn Signer {
        self.remote.get(agent).unwrap_or(&self.keystore).as_ref()
    }
}

#[async_trait]
impl Signer for SignerByAgent {
    async fn create(&self, agent: &AgentId) -> Result<Address, SignerError> {
        match self.sending.get(agent) {
            Some(wallet) => {
                let details = wallet.details().await.map_err(|error| SignerError::Remote { reason: error.to_string() })?;
                Ok(details.address)
            }
            None => self.signer_of(agent).create(agent).await,
        }
    }

    async fn sign(&self, agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError> {
        if self.sending.contains_key(agent) {
            // Never the keystore: a key of the same agent there would be another wallet.
            let reason = format!("the wallet of {agent} signs and sends by itself, so nothing is signed here");
            return Err(SignerError::Remote { reason });
        }
        self.signer_of(agent).sign(agent, transaction).await
    }
}

#[cfg(test)]
mod tests;
