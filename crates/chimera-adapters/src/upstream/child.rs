//! A child process with its whole family: its own process group, an empty environment, and an end that takes grandchildren along.

use super::config::UpstreamTransport;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

const STDERR_LINE_BYTES_MAX: usize = 500;
const STDERR_LINES_MAX: usize = 1_000;

pub(super) struct UpstreamChild {
    // Dropped first: the group must be told to end while its leader still holds the group's id.
    group: ProcessGroup,
    child: Child,
    _stderr_log: JoinSet<()>,
}

pub(super) struct ChildPipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

/// The group that the child leads. Whoever is left in it dies with this value.
struct ProcessGroup(Pid);

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // It fails only when nobody is left, which is what we want.
        let _ = killpg(self.0, Signal::SIGKILL);
    }
}

/// `search_path` is our own PATH: the child's environment need not have one for its program to be found.
pub(super) fn spawn(
    server: &str,
    transport: &UpstreamTransport,
    search_path: Option<&OsStr>,
) -> Result<(UpstreamChild, ChildPipes), String> {
    let UpstreamTransport::Command { program, args, env, cwd } = transport else {
        return Err("it has no command".to_owned());
    };
    let path = find_program(program, search_path).ok_or_else(|| format!("its program {:?} was not found", base_name(program)))?;
    let mut command = Command::new(path);
    command.args(args).env_clear().envs(env).process_group(0).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(cwd) = cwd {
        command.current_dir(cwd);
    }
    let mut child =
        command.spawn().map_err(|error| format!("its program {:?} could not be started: {}", base_name(program), error.kind()))?;
    let id = child.id().and_then(|id| i32::try_from(id).ok()).ok_or("its program ended at once")?;
    let group = ProcessGroup(Pid::from_raw(id));
    let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take()) else {
        return Err("its standard streams could not be opened".to_owned());
    };
    let mut stderr_log = JoinSet::new();
    stderr_log.spawn(log_stderr(server.to_owned(), stderr));
    Ok((UpstreamChild { group, child, _stderr_log: stderr_log }, ChildPipes { stdin, stdout }))
}

impl UpstreamChild {
    /// Pends until the child itself has ended; its family may live on until `end`.
    pub(super) async fn exited(&mut self) -> Option<ExitStatus> {
        self.child.wait().await.ok()
    }

    /// Its standard input is closed by now, which tells a well-behaved server to end; then the whole group is killed.
    pub(super) async fn end(mut self, grace: Duration) {
        let _ = tokio::time::timeout(grace, self.child.wait()).await;
        let Self { group, mut child, .. } = self;
        drop(group);
        let _ = child.wait().await;
    }
}

/// In words: "it exited with status 1".
pub(super) fn describe_exit(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(127), _) => "it exited with status 127: a program that it needs was not found; list PATH in its env".to_owned(),
        (Some(code), _) => format!("it exited with status {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended".to_owned(),
    }
}

/// Read even when nobody listens: a full pipe would stop the child.
async fn log_stderr(server: String, mut stderr: ChildStderr) {
    let mut buffer = [0_u8; 4096];
    let mut line = Vec::with_capacity(STDERR_LINE_BYTES_MAX);
    let mut lines_left = STDERR_LINES_MAX;
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        for &byte in &buffer[..read] {
            if byte != b'\n' {
                if line.len() < STDERR_LINE_BYTES_MAX {
                    line.push(byte);
                }
                continue;
            }
            if lines_left > 0 {
                lines_left -= 1;
                tracing::debug!(upstream = %server, "upstream {server}: {}", String::from_utf8_lossy(&line).escape_debug());
            }
            line.clear();
        }
    }
}

fn find_program(program: &str, search_path: Option<&OsStr>) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program));
    }
    let dirs = search_path?.as_bytes().split(|byte| *byte == b':').map(|dir| Path::new(OsStr::from_bytes(dir)));
    dirs.filter(|dir| dir.is_absolute()).map(|dir| dir.join(program)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
