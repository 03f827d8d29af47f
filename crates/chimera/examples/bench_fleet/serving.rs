//! The program as it serves, and what it takes.

use super::fleet::{Fleet, program};
use anyhow::{Context, Result};
use std::{process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

const START_MAX: Duration = Duration::from_secs(60);
const STOP_MAX: Duration = Duration::from_secs(60);

pub(crate) struct Serving {
    process: Child,
    id: u32,
    log: std::path::PathBuf,
}

impl Serving {
    pub(crate) async fn start(fleet: &Fleet) -> Result<Self> {
        let log = fleet.project.join("serve.log");
        let mut process = Command::new(program()?)
            .args(["serve", "--listen", "127.0.0.1:0", "--json"])
            .current_dir(&fleet.project)
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&log)?)
            .kill_on_drop(true)
            .spawn()?;
        let id = process.id().context("it runs")?;
        let mut lines = BufReader::new(process.stdout.take().context("its output is piped")?).lines();
        timeout(START_MAX, lines.next_line()).await.context("it does not start")??.context("it says nothing")?;
        Ok(Self { process, id, log })
    }

    /// Of the process and those that it started.
    pub(crate) fn resident_mib(&self) -> Result<u64> {
        let mut kib = resident_kib(self.id)?;
        let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", self.id)).unwrap_or_default();
        for child in children.split_whitespace() {
            kib += resident_kib(child.parse()?).unwrap_or(0);
        }
        Ok(kib / 1024)
    }

    /// Asks it to stop, and waits until it has; what it complained of is told.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let asked = std::process::Command::new("kill").arg(self.id.to_string()).status()?;
        anyhow::ensure!(asked.success(), "it is gone already");
        timeout(STOP_MAX, self.process.wait()).await.context("it does not stop")??;
        let complaints = std::fs::read_to_string(&self.log)?;
        for line in complaints.lines().take(10) {
            use std::io::Write;
            writeln!(std::io::stderr(), "{line}")?;
        }
        Ok(())
    }
}

fn resident_kib(id: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("it has memory")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}
