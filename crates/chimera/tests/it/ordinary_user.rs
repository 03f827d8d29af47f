//! The program as an ordinary user runs it: root reads everything, so what is kept from others shows only without it.

use crate::program::Folder;
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};
use tokio::process::Command;

const NOBODY: u32 = 65_534;

/// A folder of that user's, with a copy of the program that it can reach.
pub(crate) struct OrdinaryUser {
    pub(crate) folder: Folder,
    program: PathBuf,
}

impl OrdinaryUser {
    pub(crate) fn with_config(config: &str) -> Self {
        let folder = Folder::with_config(config);
        let program = folder.path().join("chimera");
        fs::copy(env!("CARGO_BIN_EXE_chimera"), &program).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder, program }
    }

    /// Without a passphrase.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_of(&self.program, args)
    }

    /// Through a shell, with the program as `$0` and `args` behind it.
    pub(crate) fn shell(&self, script: &str, args: &[&str]) -> Command {
        self.command_of(Path::new("/bin/sh"), &[&["-c", script, self.program.to_str().unwrap()], args].concat())
    }

    fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.folder.path()).env_clear().env("PATH", "/usr/bin:/bin");
        if is_root() {
            give_away(self.folder.path());
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

fn give_away(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| give_away(&entry.unwrap().path()));
    }
}
