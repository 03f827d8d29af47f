//! A real anvil, one for each contestant.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::{process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

const START_MAX: Duration = Duration::from_secs(30);
/// Base's, which AgentKit knows by name.
pub(crate) const CHAIN_ID: &str = "8453";
/// anvil's first account, which everybody knows.
pub(crate) const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
pub(crate) const RECIPIENT: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocks {
    Instant,
    EverySecond,
}

/// Stopped when dropped.
pub(crate) struct Anvil {
    pub(crate) url: String,
    blocks: Blocks,
    process: Child,
    /// Kept open: anvil ends when it cannot write.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Anvil {
    pub(crate) async fn start(blocks: Blocks) -> Result<Self> {
        let mut command = Command::new(from_environment("ANVIL")?);
        command.args(["--chain-id", CHAIN_ID, "--port", "0", "--accounts", "1", "--balance", "1000000"]);
        match blocks {
            Blocks::Instant => {}
            Blocks::EverySecond => drop(command.args(["--block-time", "1"])),
        }
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn().context("anvil does not start")?;
        let mut output = BufReader::new(process.stdout.take().context("anvil's output is piped")?).lines();
        let address = timeout(START_MAX, async {
            while let Some(line) = output.next_line().await? {
                if let Some(address) = line.strip_prefix("Listening on ") {
                    return Ok(address.trim().to_owned());
                }
            }
            anyhow::bail!("anvil ended at once")
        });
        let url = format!("http://{}", address.await.context("anvil did not start in time")??);
        let anvil = Self { url, blocks, process, _output: output };
        anvil.rpc("anvil_setLoggingEnabled", json!([false])).await?;
        Ok(anvil)
    }

    pub(crate) fn id(&self) -> Result<u32> {
        self.process.id().context("anvil is gone")
    }

    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Result<Value> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let client = chimera_adapters::http_client::builder().build()?;
        let answer: Value = client.post(&self.url).json(&body).send().await?.json().await?;
        anyhow::ensure!(answer.get("error").is_none(), "{method}: {answer}");
        Ok(answer["result"].clone())
    }

    /// Never ends well: with instant blocks anvil now and then leaves a transaction in its pool until the next one comes, which the last
    /// one of a round waits for in vain. A block a second helps whoever it happened to.
    pub(crate) async fn keep_mining(&self) -> Result<()> {
        let mut ticks = tokio::time::interval(Duration::from_secs(1));
        ticks.tick().await;
        loop {
            ticks.tick().await;
            if self.blocks == Blocks::Instant {
                self.rpc("evm_mine", json!([])).await?;
            }
        }
    }

    pub(crate) async fn wei_of(&self, address: &str) -> Result<u128> {
        let text = self.rpc("eth_getBalance", json!([address, "latest"])).await?;
        let digits = text.as_str().and_then(|text| text.strip_prefix("0x")).context("a balance is hexadecimal")?;
        Ok(u128::from_str_radix(digits, 16)?)
    }
}

#[expect(clippy::disallowed_methods, reason = "where the peers are is said by the environment, which bench/transfers sets")]
pub(crate) fn from_environment(name: &str) -> Result<String> {
    std::env::var(name).with_context(|| format!("{name} is not set; bench/transfers sets it"))
}
