//! Opening the file: settings every connection has, and refusal of files that are not ours to change.

use super::{error::store_error, migrations};
use chimera_core::ports::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};
use std::{
    fs,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} was written by a newer chimera (schema {found}, this one knows up to {known}); use that one", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{} is damaged or not a database of chimera; move it away, or put its last good copy in its place", path.display())]
    NotOurs {
        path: PathBuf,
        #[source]
        source: Option<rusqlite::Error>,
    },
    #[error("{} cannot be opened", path.display())]
    Store {
        path: PathBuf,
        #[source]
        source: StoreError,
    },
    #[error("{} is on a file system that cannot keep a write-ahead log; put the data folder on a local disk", path.display())]
    NoLog { path: PathBuf },
    #[error("{} is missing, although the ledger is signed with it; put it back from a copy of the data folder", path.display())]
    KeyGone { path: PathBuf },
    #[error("{} holds no key; put it back from a copy of the data folder", path.display())]
    KeyUnreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the store's thread cannot be started")]
    NoThread(#[source] std::io::Error),
}

impl OpenError {
    pub(super) fn new(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::NotOurs { path, source: Some(error) },
            _ => Self::Store { path, source: store_error(&Arc::new(error)) },
        }
    }
}

/// Marks the file as Chimera's ("chim").
pub(super) const APPLICATION_ID: i64 = 0x6368_696d;

/// Of one connection: more than there are, so that none is ever prepared twice.
const STATEMENTS_KEPT: usize = 128;

/// Ids are random, so their indexes are written all over: what does not fit is read again and again.
const WRITER_CACHE_KIB: i64 = 64 * 1024;
/// 64 MiB of log. A page that is written often meanwhile goes into the file once.
const CHECKPOINT_PAGES: i64 = 16384;

pub(super) fn for_writing(path: &Path, busy_timeout: Duration) -> Result<Connection, OpenError> {
    let failed = |error| OpenError::new(path, error);
    // Without NO_MUTEX SQLite would lock around every call, although no connection is ever shared.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    make_private(path);
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(busy_timeout).map_err(failed)?;
    migrations::refuse_foreign(&connection, path)?;
    if enter_wal(&connection, busy_timeout).map_err(failed)? != "wal" {
        return Err(OpenError::NoLog { path: path.to_owned() });
    }
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB).map_err(failed)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES).map_err(failed)?;
    // What a savepoint keeps to undo a change is no more than the change itself; a file for it would cost a system call for each page.
    connection.pragma_update(None, "temp_store", "MEMORY").map_err(failed)?;
    // A step may make a table anew that others refer to.
    connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
    migrations::apply(&mut connection, path)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    keep_statements(&connection).map_err(failed)?;
    Ok(connection)
}

pub(super) fn for_reading(path: &Path, busy_timeout: Duration) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(busy_timeout)?;
    keep_statements(&connection)?;
    Ok(connection)
}

/// SQLite would make the file for everybody to read; its log and its shared memory get the file's own mode. What cannot be made here,
/// SQLite cannot make either, and says why.
fn make_private(path: &Path) {
    let _ = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
}

fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // Or else SQLite prepares some of them anew for every value, in case another plan suits it better.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// The mode that it is in then. Two processes that enter WAL at once do not wait for each other: SQLite answers "busy" without asking the busy handler.
fn enter_wal(connection: &Connection, busy_timeout: Duration) -> rusqlite::Result<String> {
    const PAUSE: Duration = Duration::from_millis(5);
    let mut pauses_left = busy_timeout.as_millis() / PAUSE.as_millis();
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && pauses_left > 0 => {
                pauses_left -= 1;
                thread::sleep(PAUSE);
            }
            entered => return entered,
        }
    }
}
