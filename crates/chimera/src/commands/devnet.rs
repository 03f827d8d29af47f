//! `chimera devnet`: the embedded chain alone.

use super::Context;
use crate::{cli::DevnetFlags, data_folder, shutdown::Shutdown};
use anyhow::{Context as _, Result};
use chimera_devnet::{Devnet, DevnetConfig};
use serde_json::json;
use std::{process::ExitCode, time::Duration};
use tokio::net::TcpListener;

pub async fn run(context: Context, flags: DevnetFlags) -> Result<ExitCode> {
    let config = DevnetConfig {
        chain_id: flags.chain_id,
        block_time: flags.block_time.map(Duration::from_secs),
        path: Some(context.settings.chain_dir()),
        ..DevnetConfig::default()
    };
    // Before anybody is told that it runs: whoever reads that may stop it at once.
    let shutdown = Shutdown::on_signal()?;
    data_folder::prepare(&context.settings.data_dir)?;
    let devnet = Devnet::open(config)?;
    let listener = TcpListener::bind(flags.listen).await.with_context(|| format!("cannot listen on {}", flags.listen))?;
    let address = listener.local_addr()?;
    let shown = json!({ "rpc": format!("http://{address}"), "chain_id": devnet.chain_id(), "usdc": devnet.usdc().to_string() });
    context.output.show(&shown, |out| {
        format!(
            "{} chain {} at http://{address}\n  test USDC  {}\n  money      devnet_fund [address, wei], devnet_mintUsdc [address, units]\n  stop       Ctrl-C",
            out.bold("chimera-devnet"),
            devnet.chain_id(),
            devnet.usdc()
        )
    })?;
    chimera_devnet::serve(devnet, listener, shutdown.token.clone()).await?;
    Ok(ExitCode::SUCCESS)
}
