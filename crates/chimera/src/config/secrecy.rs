//! Keeps what this process knows from every other process of the same user, the servers that it starts among them.
//!
//! Linux lets any process of a user read the memory and the environment of the others, unless they say no. So the program says no
//! (`PR_SET_DUMPABLE`), leaves no core, and gets its secrets out of the environment: safe Rust cannot take a variable out of the block that
//! the kernel handed over, so the program starts itself anew without them, and hands them over in memory that has no name.

use anyhow::{Context, Result};
use nix::{
    fcntl::{FcntlArg, FdFlag, fcntl},
    sys::{
        memfd::{MFdFlags, memfd_create},
        prctl,
        resource::{Resource, setrlimit},
    },
    unistd,
};
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::{
        fd::{AsRawFd, RawFd},
        unix::process::CommandExt,
    },
    path::PathBuf,
    process::Command,
};
use zeroize::Zeroizing;

/// Names the descriptor with the secrets, from one start of the program to the next. Nobody else sets it.
const HANDED_OVER: &str = "CHIMERA_SECRETS_DESCRIPTOR";
/// Many times what all secrets together may have.
const HANDED_OVER_BYTES_MAX: u64 = 1 << 20;
const STANDARD_STREAMS: [RawFd; 3] = [0, 1, 2];

/// Names and values.
pub type Variables = Vec<(String, Zeroizing<String>)>;

/// First of all, before there is another thread: no other process may read this one or attach to it, and it leaves no core.
pub fn shut_out_others() -> Result<()> {
    prctl::set_dumpable(false).context("the system does not let this process keep others out of its memory")?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0).context("the system does not let this process do without core dumps")
}

/// The process's variables without the secrets among them, and the secrets. When there are secrets in the environment, the program
/// starts anew without them, as the same process and with the same arguments.
pub fn take_environment(is_secret: impl Fn(&str) -> bool) -> Result<(Variables, Variables)> {
    let mut variables: Variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, Zeroizing::new(value.into_string().ok()?))))
        .collect();
    let handed = variables.iter().position(|(name, _)| name == HANDED_OVER).map(|at| variables.remove(at).1);
    if let Some(descriptor) = handed {
        let secrets = read_handed_over(&descriptor)
            .with_context(|| format!("{HANDED_OVER} is the program's own way to hand over secrets; take it out of the environment"))?;
        close_inherited();
        return Ok((variables, secrets));
    }
    let mut secrets = Variables::new();
    for (name, value) in std::mem::take(&mut variables) {
        match name.strip_suffix("_FILE").filter(|name| is_secret(name)) {
            // A descriptor that our parent opened, as `<(command)` of a shell: read now, because it is closed below.
            Some(secret) if is_descriptor(&value) => secrets.push((secret.to_owned(), read_descriptor(&name, &value)?)),
            _ if is_secret(&name) => secrets.push((name, value)),
            _ => variables.push((name, value)),
        }
    }
    close_inherited();
    secrets.retain(|(_, value)| !value.is_empty());
    if !secrets.is_empty() {
        let names: Vec<&str> = secrets.iter().map(|(name, _)| name.as_str()).collect();
        let way_out =
            format!("cannot get {0} out of the environment; put what {0} holds into files, and name each with …_FILE", names.join(" and "));
        return Err(start_anew(&secrets, &is_secret).context(way_out));
    }
    Ok((variables, secrets))
}

/// Returns only when it cannot be done.
fn start_anew(secrets: &Variables, is_secret: &impl Fn(&str) -> bool) -> anyhow::Error {
    let prepared = || -> Result<(File, PathBuf)> {
        let mut memory = File::from(memfd_create("chimera", MFdFlags::MFD_CLOEXEC)?);
        for (name, value) in secrets {
            memory.write_all(&Zeroizing::new([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat()))?;
        }
        // Found out now, and not when there is no way back.
        File::open(descriptor_path(memory.as_raw_fd()))?;
        fcntl(&memory, FcntlArg::F_SETFD(FdFlag::empty()))?;
        Ok((memory, std::env::current_exe()?))
    };
    let (memory, program) = match prepared() {
        Ok(prepared) => prepared,
        Err(error) => return error,
    };
    let mut args = std::env::args_os();
    let mut command = Command::new(program);
    if let Some(name) = args.next() {
        command.arg0(name);
    }
    command.args(args).env(HANDED_OVER, memory.as_raw_fd().to_string());
    for (name, _) in std::env::vars_os() {
        let Some(text) = name.to_str() else { continue };
        let is_read = text.strip_suffix("_FILE").is_some_and(|name| secrets.iter().any(|(secret, _)| secret == name));
        if is_secret(text) || is_read {
            command.env_remove(&name);
        }
    }
    command.exec().into()
}

fn read_handed_over(descriptor: &str) -> Result<Variables> {
    let descriptor: RawFd = descriptor.parse()?;
    let file = fs::OpenOptions::new().read(true).write(true).open(descriptor_path(descriptor))?;
    // Large enough at once: a buffer that grows leaves unwiped copies behind.
    let length = file.metadata()?.len().min(HANDED_OVER_BYTES_MAX);
    let mut bytes = Zeroizing::new(Vec::with_capacity(usize::try_from(length)? + 1));
    (&file).take(length).read_to_end(&mut bytes)?;
    file.set_len(0)?;
    let text = std::str::from_utf8(&bytes)?;
    let pair = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), Zeroizing::new(value.to_owned())));
    Ok(text.split_terminator('\0').filter_map(pair).collect())
}

fn is_descriptor(path: &str) -> bool {
    path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/")
}

fn read_descriptor(name: &str, path: &str) -> Result<Zeroizing<String>> {
    let read = super::secrets::read_secret_if_there(path.as_ref())?;
    read.with_context(|| format!("{name} names {path}, which does not exist"))
}

fn descriptor_path(descriptor: RawFd) -> String {
    format!("/proc/self/fd/{descriptor}")
}

/// What our parent left open would be open in every server that we start. Nothing of ours is open yet.
fn close_inherited() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<RawFd> = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| !STANDARD_STREAMS.contains(descriptor)) {
        // The one that the folder was read through is closed already.
        let _: Result<(), io::Error> = unistd::close(descriptor).map_err(io::Error::from);
    }
}
