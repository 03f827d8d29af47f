//! A data folder in one file, taken while others work on it, and put back. What was put back is held: its wallets may have paid since.

mod archive;
mod restoring;
mod staging;

pub use archive::{ArchiveError, Manifest};
pub use restoring::{RestoreError, restore};

use super::sqlite::{CopyError, SqliteStore};
use archive::{DATABASE, Source};
use chrono::{DateTime, SecondsFormat, Utc};
use staging::Staging;
use std::{
    fs, io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{} is there already, and a backup overwrites nothing; name another file", path.display())]
    Exists { path: PathBuf },
    #[error("the backup cannot be written to {}", path.display())]
    Target {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} cannot be read", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error("what was written does not read back")]
    NotReadBack(#[source] ArchiveError),
}

#[derive(Debug)]
pub struct BackedUp {
    pub manifest: Manifest,
    /// Assets on record whose bytes are not in the folder any more.
    pub missing_assets: Vec<String>,
}

/// The data folder `folder`, as it is at one moment of this call, in a new file. The database is copied first: keys and bytes are written
/// before the rows that need them, and a chain that is a little ahead of its book is what reconciling is for.
pub async fn back_up(store: &SqliteStore, folder: &Path, target: &Path, now: DateTime<Utc>) -> Result<BackedUp, BackupError> {
    let failed = |source| BackupError::Target { path: target.to_owned(), source };
    if target.symlink_metadata().is_ok() {
        return Err(BackupError::Exists { path: target.to_owned() });
    }
    let staging = Staging::beside(target).map_err(failed)?;
    let copied = store.copy_into(staging.path(), DATABASE).await?;
    let mut sources = Vec::new();
    for name in [DATABASE, "ledger.head", "node.key", "node.pub"] {
        sources.push(Source::new(name.to_owned(), staging.path().join(name)).map_err(failed)?);
    }
    for name in ["keystore/vault.json", "content-credentials.pem", "content-credentials-root.pem"] {
        sources.extend(source_if_there(folder, name)?);
    }
    for name in files_in(&folder.join("keystore/keys"))? {
        // What else is there are drafts of keys that are being written.
        if name.ends_with(".json") {
            sources.extend(source_if_there(folder, &format!("keystore/keys/{name}"))?);
        }
    }
    sources.extend(journal(folder, &staging)?);
    let mut missing_assets = Vec::new();
    for id in copied.assets {
        match source_if_there(folder, &format!("assets/{id}"))? {
            Some(source) => sources.push(source),
            None => missing_assets.push(id),
        }
    }
    let files = sources.iter().map(|source| source.listed.clone()).collect();
    let created_at = now.to_rfc3339_opts(SecondsFormat::Secs, true);
    let manifest = Manifest::new(created_at, copied.entries, copied.hash, files);
    let written = staging.path().join("backup.tar");
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&written).map_err(failed)?;
    archive::write(&file, &manifest, &sources).map_err(failed)?;
    drop(file);
    archive::read(&written, |_, _| Ok(())).map_err(BackupError::NotReadBack)?;
    put_in_place(&written, target)?;
    Ok(BackedUp { manifest, missing_assets })
}

/// Whoever was faster keeps the name.
fn put_in_place(written: &Path, target: &Path) -> Result<(), BackupError> {
    fs::hard_link(written, target).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => BackupError::Exists { path: target.to_owned() },
        _ => BackupError::Target { path: target.to_owned(), source },
    })?;
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(parent).and_then(|parent| parent.sync_all()).map_err(|source| BackupError::Target { path: target.to_owned(), source })
}

fn source_if_there(folder: &Path, name: &str) -> Result<Option<Source>, BackupError> {
    let path = folder.join(name);
    match Source::new(name.to_owned(), path.clone()) {
        Ok(source) => Ok(Some(source)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(BackupError::Unreadable { path, source }),
    }
}

/// In order, so that two backups of the same are alike.
fn files_in(folder: &Path) -> Result<Vec<String>, BackupError> {
    let unreadable = |source| BackupError::Unreadable { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(unreadable)?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// The embedded chain writes line by line, and may be in the middle of one.
fn journal(folder: &Path, staging: &Staging) -> Result<Option<Source>, BackupError> {
    const NAME: &str = "chain/devnet.journal";
    let path = folder.join(NAME);
    let unreadable = |source| BackupError::Unreadable { path: path.clone(), source };
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let copy = staging.write(NAME, &mut &text[..whole]).map_err(unreadable)?;
    Source::new(NAME.to_owned(), copy).map(Some).map_err(unreadable)
}
