//! The embedded chain of a data folder: one process runs it, the others on that folder reach it over loopback.

use crate::data_folder;
use anyhow::{Context, Result, bail};
use chimera_core::domain::money::{Address, U256};
use chimera_devnet::{Devnet, DevnetConfig, DevnetError};
use serde_json::{Value, json};
use std::{
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    time::Duration,
};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use url::Url;

/// Where the process that runs the chain says it answers.
const ADDRESS_FILE: &str = "rpc-url";
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

pub struct EmbeddedChain {
    pub url: Url,
    /// `None` when another process runs it.
    pub devnet: Option<Devnet>,
}

/// Starts the chain of `folder`, or finds the process that runs it already.
pub async fn start(folder: &Path, chain_id: u64, tasks: &TaskTracker, shutdown: CancellationToken) -> Result<EmbeddedChain> {
    data_folder::make(folder)?;
    let address_file = folder.join(ADDRESS_FILE);
    let config = DevnetConfig { chain_id, path: Some(folder.to_owned()), ..DevnetConfig::default() };
    let opened = tokio::task::spawn_blocking(move || Devnet::open(config)).await?;
    let devnet = match opened {
        Ok(devnet) => devnet,
        Err(DevnetError::JournalInUse { .. }) => {
            let text =
                fs::read_to_string(&address_file).context("another process runs the embedded chain and has not said where; try again")?;
            return Ok(EmbeddedChain { url: text.trim().parse().context("the embedded chain's address file is broken")?, devnet: None });
        }
        Err(error) => return Err(error.into()),
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("cannot listen on loopback for the embedded chain")?;
    let url: Url = format!("http://{}", listener.local_addr()?).parse()?;
    write_private(&address_file, url.as_str()).with_context(|| format!("cannot write {}", address_file.display()))?;
    let serving = devnet.clone();
    tasks.spawn(async move {
        if let Err(error) = chimera_devnet::serve(serving, listener, shutdown).await {
            tracing::error!("the embedded chain stopped: {error}");
        }
    });
    Ok(EmbeddedChain { url, devnet: Some(devnet) })
}

/// Play money, through the chain's own JSON-RPC: whichever process runs it.
pub async fn give(chain: &Url, address: Address, wei: U256, usdc_units: U256) -> Result<()> {
    let client = reqwest::Client::builder().timeout(ANSWER_WITHIN).build()?;
    for (method, amount) in [("devnet_fund", wei), ("devnet_mintUsdc", usdc_units)] {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": [address.to_string(), format!("{amount:#x}")] });
        let answer: Value = client.post(chain.clone()).json(&request).send().await?.error_for_status()?.json().await?;
        if let Some(error) = answer.get("error") {
            bail!("the embedded chain refused {method}: {}", error["message"].as_str().unwrap_or("without a reason"));
        }
    }
    Ok(())
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?.write_all(text.as_bytes())
}
