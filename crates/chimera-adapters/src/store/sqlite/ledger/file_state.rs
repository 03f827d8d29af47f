//! A file as it was at one moment. Whoever changes or replaces the file cannot but change this too.

use std::{
    ffi::OsString,
    fs,
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) inode: u64,
    changed_s: i64,
    changed_ns: i64,
    bytes: u64,
}

impl FileState {
    /// Never opens the file: to close it again would take away every lock that SQLite has on it.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self { inode: found.ino(), changed_s: found.ctime(), changed_ns: found.ctime_nsec(), bytes: found.len() })
    }

    pub(super) fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let mut words = text.split_ascii_whitespace();
        Some(Self {
            inode: words.next()?.parse().ok()?,
            changed_s: words.next()?.parse().ok()?,
            changed_ns: words.next()?.parse().ok()?,
            bytes: words.next()?.parse().ok()?,
        })
    }

    /// Without a sync: one that is lost costs a check, and no more.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let Self { inode, changed_s, changed_ns, bytes } = self;
        let draft = with_suffix(path, &format!(".{}", std::process::id()));
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all(format!("{inode} {changed_s} {changed_ns} {bytes}\n").as_bytes())?;
        fs::rename(&draft, path)
    }
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}
