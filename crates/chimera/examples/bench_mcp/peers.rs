//! The servers under measurement, each a process of its own.

use anyhow::{Context, Result, bail, ensure};
use std::{
    net::{Ipv4Addr, TcpListener},
    process::Stdio,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpStream,
    process::{Child, Command},
    time::{sleep, timeout},
};

const START_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Stopped when dropped.
pub(crate) struct Peer {
    pub(crate) port: u16,
    process: Child,
}

/// What Linux counts CPU time in, on every architecture.
const TICK: Duration = Duration::from_millis(10);

impl Peer {
    /// What the process has used since it started, in user and kernel mode.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let id = self.process.id().context("the server is gone")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The name, in parentheses, may hold spaces; user and system time are the 12th and 13th fields after it.
        let after_name = status.rsplit_once(')').map_or("", |(_, fields)| fields);
        let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<u32>).sum::<Result<u32, _>>()?;
        Ok(TICK * ticks)
    }
}

/// This program again, as the server that `mode` names.
pub(crate) async fn start_own(mode: &str) -> Result<Peer> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut process = command.arg(mode).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let output = process.stdout.take().context("the server's output is piped")?;
    let mut line = String::new();
    timeout(START_MAX, BufReader::new(output).read_line(&mut line)).await.context("the server did not start")??;
    let port = line.trim().parse().with_context(|| format!("{mode} said {line:?} instead of its port"))?;
    Ok(Peer { port, process })
}

pub(crate) async fn start_fastmcp(python: &str, script: &str) -> Result<Peer> {
    // It takes a port but does not choose one; nobody else asks for this one in the meantime.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let mut process = Command::new(python)
        .args([script, &port.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{python} does not start"))?;
    let listening = async {
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
            if let Some(status) = process.try_wait()? {
                bail!("{script} ended: {status}");
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(())
    };
    let started = timeout(START_MAX, listening).await;
    ensure!(started.is_ok(), "{script} did not listen on port {port} within {} s", START_MAX.as_secs());
    started??;
    Ok(Peer { port, process })
}
