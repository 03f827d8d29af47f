//! Redis that syncs every write before it answers, and the queues of others on it.

use anyhow::{Context, Result, ensure};
use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

const START_MAX: Duration = Duration::from_secs(30);
const ROUND_MAX: Duration = Duration::from_secs(300);

pub(crate) struct Redis {
    folder: tempfile::TempDir,
    _process: Child,
}

impl Redis {
    pub(crate) async fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let process = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--unixsocket", "socket", "--dir"])
            .arg(folder.path())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("redis-server does not start; install Debian's package")?;
        let redis = Self { folder, _process: process };
        let up = async {
            while tokio::net::UnixStream::connect(redis.socket()).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(START_MAX, up).await.context("redis-server does not answer")?;
        Ok(redis)
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }
}

/// Makes as many tasks as a line of its input says, and answers with the seconds that they took. Stopped while others are measured: a queue
/// that waits for work is not idle.
pub(crate) struct Peer {
    process: Child,
    group: Pid,
    input: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    pub(crate) fn bullmq(redis: &Redis, at_once: usize) -> Result<Self> {
        Self::start(from_environment("NODE")?, "bullmq.mjs", redis, at_once)
    }

    pub(crate) fn celery(redis: &Redis, at_once: usize) -> Result<Self> {
        Self::start(from_environment("QUEUES_PYTHON")?, "celery_noop.py", redis, at_once)
    }

    fn start(program: String, script: &str, redis: &Redis, at_once: usize) -> Result<Self> {
        let mut process = Command::new(program)
            .arg(PathBuf::from(from_environment("QUEUES_PEERS")?).join(script))
            .arg(redis.socket())
            .arg(at_once.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{script} does not start"))?;
        let group = Pid::from_raw(i32::try_from(process.id().context("it has ended")?)?);
        let input = process.stdin.take().context("its input is piped")?;
        let answers = BufReader::new(process.stdout.take().context("its output is piped")?).lines();
        Ok(Self { process, group, input, answers })
    }

    pub(crate) async fn make(&mut self, tasks: usize) -> Result<f64> {
        killpg(self.group, Signal::SIGCONT)?;
        self.input.write_all(format!("{tasks}\n").as_bytes()).await?;
        let answer = timeout(ROUND_MAX, self.answers.next_line()).await.context("it takes too long")??.context("it ended")?;
        let seconds: f64 = answer.parse().with_context(|| format!("it answered {answer:?}"))?;
        ensure!(seconds > 0.0, "{tasks} tasks took no time");
        killpg(self.group, Signal::SIGSTOP)?;
        Ok(seconds)
    }

    /// With its input, so that it can stop what it has started itself.
    pub(crate) async fn end(mut self) -> Result<()> {
        killpg(self.group, Signal::SIGCONT)?;
        drop(self.input);
        timeout(START_MAX, self.process.wait()).await.context("it does not end with its input")??;
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "where the peers are is said by the environment, which bench/swarm sets")]
fn from_environment(name: &str) -> Result<String> {
    std::env::var(name).with_context(|| format!("{name} is not set; bench/swarm sets it"))
}
