//! Whoever makes transfers, in a process of its own, and what a round of them took.

use super::{
    agentkit::AgentKit,
    anvil::{Anvil, KEY, RECIPIENT, from_environment},
    report::Row,
};
use anyhow::{Context, Result, ensure};
use std::{process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// What Linux counts CPU time in, on every architecture.
const TICK: Duration = Duration::from_millis(10);

pub(crate) struct Round {
    pub(crate) transfers_per_s: f64,
    pub(crate) transfers: usize,
    pub(crate) cpu: Duration,
    pub(crate) cpu_of_anvil: Duration,
}

pub(crate) enum Contestant {
    Lines(LineProcess),
    AgentKit(AgentKit),
}

impl Contestant {
    /// Ready to pay: keys open, money there.
    pub(crate) async fn start(row: Row, anvil: &Anvil) -> Result<Self> {
        Ok(match row {
            Row::Ours => {
                let mut command = Command::new(std::env::current_exe()?);
                command.args(["pay", &anvil.url, RECIPIENT]);
                // Its own environment would be its configuration.
                command.env_clear();
                Self::Lines(LineProcess::start(command)?)
            }
            Row::Alloy => {
                let mut command = Command::new(from_environment("ALLOY")?);
                command.args([&anvil.url, KEY, RECIPIENT]);
                Self::Lines(LineProcess::start(command)?)
            }
            Row::AgentKit => Self::AgentKit(AgentKit::start(anvil).await?),
        })
    }

    /// Every transfer is counted on the chain afterwards: one that did not arrive is no result.
    pub(crate) async fn round(&mut self, anvil: &Anvil, transfers: usize) -> Result<Round> {
        let id = match self {
            Self::Lines(process) => process.process.id(),
            Self::AgentKit(kit) => kit.id(),
        };
        let (id, anvil_id) = (id.context("the contestant is gone")?, anvil.id()?);
        let (cpu_before, anvil_before, paid_before) = (cpu(id)?, cpu(anvil_id)?, anvil.wei_of(RECIPIENT).await?);
        let making = async {
            match self {
                Self::Lines(process) => process.make(transfers).await,
                Self::AgentKit(kit) => kit.make(transfers).await,
            }
        };
        let seconds = tokio::select! {
            made = making => made?,
            Err(error) = anvil.keep_mining() => return Err(error),
        };
        let arrived = anvil.wei_of(RECIPIENT).await? - paid_before;
        ensure!(arrived == transfers as u128, "{arrived} of {transfers} transfers arrived");
        Ok(Round {
            transfers_per_s: transfers as f64 / seconds,
            transfers,
            cpu: cpu(id)? - cpu_before,
            cpu_of_anvil: cpu(anvil_id)? - anvil_before,
        })
    }
}

/// Told a number of transfers per line, it says the seconds they took.
pub(crate) struct LineProcess {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl LineProcess {
    fn start(mut command: Command) -> Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let input = process.stdin.take().context("its input is piped")?;
        let output = BufReader::new(process.stdout.take().context("its output is piped")?).lines();
        Ok(Self { process, input, output })
    }

    async fn make(&mut self, transfers: usize) -> Result<f64> {
        self.input.write_all(format!("{transfers}\n").as_bytes()).await?;
        let line = self.output.next_line().await?.context("it ended")?;
        line.parse().with_context(|| format!("it said {line:?} instead of seconds"))
    }
}

/// What the process has used since it started, in user and kernel mode.
fn cpu(id: u32) -> Result<Duration> {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The name, in parentheses, may hold spaces; user and system time are the 12th and 13th fields after it.
    let after_name = status.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<u32>).sum::<Result<u32, _>>()?;
    Ok(TICK * ticks)
}
