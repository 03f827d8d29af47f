//! A copy of the database that nobody writes to, with the key and a head that fit it.

use super::{
    OpenError, OrStoreError, SqliteStore,
    columns::rows,
    error::store_error,
    ledger::{self, NotCopied},
    migrations, open,
};
use chimera_core::ports::{
    StoreError,
    ledger::{CONTRADICTED_WAY_ON, LedgerProblem},
};
use rusqlite::{Connection, backup::Backup};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{} cannot be read or written", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the database is damaged: {0}")]
    Damaged(String),
    #[error("the ledger is not as it was written: {0}; `chimera ledger verify` checks a data folder")]
    Ledger(LedgerProblem),
    #[error("{0}; a copy would hide that: {way_on}", way_on = CONTRADICTED_WAY_ON)]
    Contradicted(String),
}

/// What a copy holds.
#[derive(Debug)]
pub struct Copied {
    pub entries: u64,
    /// Of the last entry.
    pub hash: String,
    pub assets: Vec<String>,
}

impl SqliteStore {
    /// Copies the state of one moment into `folder`, as `name`, beside a head that names its last entry and the node's key. Others may
    /// write meanwhile. The copy is checked whole before this returns.
    pub async fn copy_into(&self, folder: &Path, name: &str) -> Result<Copied, CopyError> {
        let seal = self.seal.clone();
        let (folder, database) = (folder.to_owned(), folder.join(name));
        self.read(move |db| {
            if let Some(contradiction) = ledger::contradiction(db)? {
                return Err(CopyError::Contradicted(contradiction));
            }
            let mut copy = Connection::open(&database).or_store_error()?;
            copy_all(db, &mut copy).or_store_error()?;
            let (entries, hash) = ledger::seal_copy(&seal, &copy, &folder).map_err(|error| match error {
                NotCopied::Database(error) => CopyError::Store(store_error(&Arc::new(error))),
                NotCopied::File(source) => CopyError::File { path: folder.clone(), source },
            })?;
            let assets = rows(&copy, "SELECT id FROM assets ORDER BY id", [], |row| row.get(0))?;
            drop(copy);
            check_copy(&database)?;
            Ok(Copied { entries, hash, assets })
        })
        .await
    }
}

fn copy_all(db: &Connection, copy: &mut Connection) -> rusqlite::Result<()> {
    // In one step: under a load of writes it would begin anew again and again.
    Backup::new(db, copy)?.step(-1)?;
    // One file, with no log beside it.
    copy.pragma_update(None, "journal_mode", "DELETE")
}

/// A copy that has its head and its key beside it: is it whole, and as the node wrote it?
pub fn check_copy(database: &Path) -> Result<(), CopyError> {
    const BUSY_TIMEOUT: Duration = Duration::from_secs(1);
    let failed = |error| OpenError::new(database, error);
    let db = open::for_reading(database, BUSY_TIMEOUT).map_err(failed)?;
    migrations::refuse_foreign(&db, database)?;
    let found: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(failed)?;
    if found != "ok" {
        return Err(CopyError::Damaged(found));
    }
    let verdict = ledger::verify_copy(&db, database).map_err(|error| match error {
        NotCopied::Database(error) => CopyError::Open(failed(error)),
        NotCopied::File(source) => CopyError::File { path: database.to_owned(), source },
    })?;
    verdict.problem.map_or(Ok(()), |problem| Err(CopyError::Ledger(problem)))
}
