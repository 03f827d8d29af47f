//! The real AgentKit over MCP, one transfer after another: of those that are sent at once it loses nearly all.

use super::anvil::{Anvil, KEY, RECIPIENT, from_environment};
use anyhow::{Context, Result, ensure};
use rmcp::{
    RoleClient, ServiceExt,
    model::CallToolRequestParams,
    service::{Peer, RunningService},
};
use serde_json::{Value, json};
use std::{process::Stdio, time::Instant};
use tokio::process::{Child, Command};

pub(crate) struct AgentKit {
    process: Child,
    client: RunningService<RoleClient, ()>,
}

impl AgentKit {
    pub(crate) async fn start(anvil: &Anvil) -> Result<Self> {
        let mut process = Command::new(from_environment("NODE")?)
            .arg(from_environment("AGENTKIT_BRIDGE")?)
            .env("AGENTKIT_RPC_URL", &anvil.url)
            .env("AGENTKIT_KEY", KEY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("node does not start")?;
        let output = process.stdout.take().context("its output is piped")?;
        let input = process.stdin.take().context("its input is piped")?;
        let client = ().serve((output, input)).await?;
        // It loads for many seconds when it is first asked for something.
        client.peer().list_all_tools().await?;
        Ok(Self { process, client })
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.process.id()
    }

    pub(crate) async fn make(&mut self, transfers: usize) -> Result<f64> {
        let started = Instant::now();
        for _ in 0..transfers {
            transfer(self.client.peer()).await?;
        }
        Ok(started.elapsed().as_secs_f64())
    }
}

async fn transfer(peer: &Peer<RoleClient>) -> Result<()> {
    // It takes whole units: this is one wei.
    let arguments = json!({"to": RECIPIENT, "value": "0.000000000000000001"});
    let Value::Object(arguments) = arguments else { anyhow::bail!("arguments are an object") };
    let call = CallToolRequestParams::new("WalletActionProvider_native_transfer").with_arguments(arguments);
    let answer = serde_json::to_string(&peer.call_tool(call).await?)?;
    // Its errors are words too.
    ensure!(answer.contains("Transferred"), "{answer}");
    Ok(())
}
