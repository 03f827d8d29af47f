//! What SQLite's failures mean to a caller.

use chimera_core::ports::StoreError;
use rusqlite::ErrorCode;
use std::{error::Error, sync::Arc};

/// `?` for SQLite's results inside the closures of `read` and `write`.
pub trait OrStoreError<T> {
    fn or_store_error(self) -> Result<T, StoreError>;
}

impl<T> OrStoreError<T> for rusqlite::Result<T> {
    fn or_store_error(self) -> Result<T, StoreError> {
        self.map_err(|error| store_error(&Arc::new(error)))
    }
}

/// Shared, because one failed commit is the answer to every write of its group.
pub(super) fn store_error(error: &Arc<rusqlite::Error>) -> StoreError {
    let source = || Box::new(Arc::clone(error)) as Box<dyn Error + Send + Sync>;
    match error.as_ref() {
        rusqlite::Error::SqliteFailure(failure, _) => match (not_writable_hint(failure.code), failure.code) {
            (Some(hint), _) => StoreError::NotWritable { hint, source: source() },
            (None, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Corrupt(format!("{error}; put the data folder's last good copy in its place"))
            }
            (None, _) => StoreError::Failed(source()),
        },
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..) => StoreError::Corrupt(error.to_string()),
        _ => StoreError::Failed(source()),
    }
}

fn not_writable_hint(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::DiskFull => Some("the disk is full; make room and try again"),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Some("the database is read-only; mend the permissions of the data folder"),
        ErrorCode::CannotOpen => Some("the database cannot be opened; see that the data folder exists and may be written"),
        ErrorCode::SystemIoFailure => Some("the disk failed to read or write; check it and the space that is left"),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            Some("another process held the database for too long; end it or try again")
        }
        _ => None,
    }
}
