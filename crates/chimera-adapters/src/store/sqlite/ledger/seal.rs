//! What makes the ledger of one database prove itself: the node's key, and the head that is kept apart from the rows.

use super::{
    super::{columns::count, open::OpenError},
    head::{Head, HeadFile},
};
use crate::store::node_key::{KEY_FILE, NodeKey};
use chimera_core::{domain::ledger::GENESIS_HASH, ports::StoreError};
use rusqlite::{Connection, OptionalExtension, functions::FunctionFlags};
use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

pub(in super::super) struct Seal {
    pub(super) key: NodeKey,
    pub(super) head_file: HeadFile,
    /// Whether something was signed since the head was last looked at.
    has_signed: AtomicBool,
}

/// The SQL function by which `append` signs. Only the writing connection has it, so nothing else can append.
const SIGN: &str = "ledger_signature";

impl Seal {
    /// Key and head are beside the database. They are made together, once, before anything is signed: whoever finds a key and
    /// no head knows that the head was taken away.
    pub(in super::super) fn open(db: &Connection, database: &Path, patience: Duration) -> Result<Arc<Self>, OpenError> {
        let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let head_file = HeadFile::of(folder);
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidData => OpenError::KeyUnreadable { path: folder.join(KEY_FILE), source: error },
            _ => OpenError::Store {
                path: folder.join(KEY_FILE),
                source: StoreError::NotWritable {
                    hint: "the node's key cannot be read or made; mend the permissions of the data folder",
                    source: Box::new(error),
                },
            },
        };
        if let Some(key) = NodeKey::read(folder).map_err(failed)? {
            return Ok(Self::new(key, head_file));
        }
        let _lock = head_file.lock(patience).map_err(failed)?;
        // Another process may have made it meanwhile.
        if let Some(key) = NodeKey::read(folder).map_err(failed)? {
            return Ok(Self::new(key, head_file));
        }
        let Last { number, hash, is_signed } = last(db).map_err(|error| OpenError::new(database, error))?;
        if is_signed {
            return Err(OpenError::KeyGone { path: folder.join(KEY_FILE) });
        }
        let key = NodeKey::generate().map_err(failed)?;
        head_file.write(&key, &Head { number, hash, unsigned_to: number }).map_err(failed)?;
        key.write(folder).map_err(failed)?;
        Ok(Self::new(key, head_file))
    }

    fn new(key: NodeKey, head_file: HeadFile) -> Arc<Self> {
        Arc::new(Self { key, head_file, has_signed: AtomicBool::new(false) })
    }

    /// From now on `append` works on this connection.
    pub(in super::super) fn attach(self: &Arc<Self>, db: &Connection) -> rusqlite::Result<()> {
        let seal = Arc::clone(self);
        // Direct only: no trigger or view that somebody put into the file can have things signed.
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
        db.create_scalar_function(SIGN, 1, flags, move |context| {
            let hash: String = context.get(0)?;
            let mut digest = [0; 32];
            alloy_primitives::hex::decode_to_slice(&hash, &mut digest)
                .map_err(|error| rusqlite::Error::UserFunctionError(Box::new(error)))?;
            Ok(seal.sign(&digest))
        })
    }

    /// For an entry that is about to be appended.
    pub(super) fn sign(&self, digest: &[u8; 32]) -> String {
        self.has_signed.store(true, Ordering::Release);
        self.key.sign(digest)
    }

    /// Whether the ledger may have grown since the last call.
    pub(super) fn take_signed(&self) -> bool {
        self.has_signed.swap(false, Ordering::AcqRel)
    }
}

/// The last entry; number 0 when there is none.
pub(super) struct Last {
    pub(super) number: u64,
    pub(super) hash: String,
    is_signed: bool,
}

pub(super) fn last(db: &Connection) -> rusqlite::Result<Last> {
    let select = "SELECT number, hash, signature IS NOT NULL FROM ledger ORDER BY number DESC LIMIT 1";
    let found =
        db.query_row(select, [], |row| Ok(Last { number: count(row, 0)?, hash: row.get(1)?, is_signed: row.get(2)? })).optional()?;
    Ok(found.unwrap_or_else(|| Last { number: 0, hash: GENESIS_HASH.to_owned(), is_signed: false }))
}
