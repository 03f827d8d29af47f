//! Putting a backup back: into a folder of its own, checked whole before it is there, and held.

use super::{
    super::sqlite::{CopyError, OpenError, SqliteStore},
    Manifest,
    archive::{self, ArchiveError, DATABASE},
    staging::Staging,
};
use chimera_core::ports::{StoreError, agents::Agents, kill_switch::KillSwitch};
use chrono::{DateTime, Utc};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("{} is not empty, and a restore changes nothing that is there; name a folder that does not exist yet with --data", folder.display())]
    NotEmpty { folder: PathBuf },
    #[error("{} cannot be made", folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("the backup lacks {0}, without which there is no data folder")]
    Incomplete(&'static str),
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error("the database of the backup cannot be opened")]
    Database(#[from] OpenError),
    #[error("the restored wallets cannot be held, so nothing was restored")]
    NotHeld(#[from] StoreError),
}

#[derive(Debug)]
pub struct Restored {
    pub manifest: Manifest,
    /// Those whose wallets are held.
    pub agents: Vec<String>,
}

/// Makes the data folder `folder`, with the database in it as `database`, from the backup `file`. All or nothing of it is there afterwards.
pub async fn restore(file: &Path, folder: &Path, database: &str, now: DateTime<Utc>) -> Result<Restored, RestoreError> {
    let failed = |source| RestoreError::Folder { folder: folder.to_owned(), source };
    refuse_occupied(folder)?;
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let staging = Staging::beside(folder).map_err(failed)?;
    let manifest = archive::read(file, |listed, content| {
        let name = if listed.path == DATABASE { database } else { &listed.path };
        staging.write(name, content).map(drop)
    })?;
    for needed in [DATABASE, "ledger.head", "node.key"] {
        if !manifest.files.iter().any(|listed| listed.path == needed) {
            return Err(RestoreError::Incomplete(needed));
        }
    }
    let path = staging.path().join(database);
    super::super::sqlite::check_copy(&path)?;
    let store = SqliteStore::open(&path)?;
    let held = hold_all(&store, &manifest, now).await;
    store.close().await;
    let agents = held?;
    staging.become_folder(folder).map_err(|source| match source.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => RestoreError::NotEmpty { folder: folder.to_owned() },
        _ => RestoreError::Folder { folder: folder.to_owned(), source },
    })?;
    Ok(Restored { manifest, agents })
}

fn refuse_occupied(folder: &Path) -> Result<(), RestoreError> {
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(RestoreError::NotEmpty { folder: folder.to_owned() }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(RestoreError::Folder { folder: folder.to_owned(), source }),
    }
}

async fn hold_all(store: &SqliteStore, manifest: &Manifest, now: DateTime<Utc>) -> Result<Vec<String>, StoreError> {
    let reason = format!("restored from the backup of {}: what the wallet sent since then is not in this book", manifest.created_at);
    let mut held = Vec::new();
    for agent in Agents::list(store).await? {
        store.hold(&agent.id, &reason, now).await?;
        held.push(agent.id.to_string());
    }
    Ok(held)
}
