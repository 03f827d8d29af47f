//! What makes the ledger of one database prove itself: the node's key, and the head that is kept apart from the rows.

use super::{
    super::{columns::count, open::OpenError},
    guard::{Asked, Guard},
    head::{FoundHead, Head, HeadFile},
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
    pub(super) guard: Guard,
    /// Whether something was signed since the head was last looked at.
    has_signed: AtomicBool,
}

/// The SQL function by which `append` signs. Only the writing connection has it, so nothing else can append.
const SIGN: &str = "ledger_signature";
/// Those by which a connection asks whether it may spend, and says whether it holds what the head names.
const GUARD: &str = "ledger_guard";
const GUARD_ANSWER: &str = "ledger_guard_answer";
/// Direct only: no trigger or view that somebody put into the file can call them.
const FLAGS: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_DIRECTONLY);

impl Seal {
    /// Key and head are beside the database. They are made together, once, before anything is signed: whoever finds a key and
    /// no head knows that the head was taken away.
    pub(in super::super) fn open(db: &Connection, database: &Path, patience: Duration, guard: Guard) -> Result<Arc<Self>, OpenError> {
        let folder = folder_of(database);
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
            return Ok(Self::new(key, head_file, guard));
        }
        let _lock = head_file.lock(patience).map_err(failed)?;
        // Another process may have made it meanwhile.
        if let Some(key) = NodeKey::read(folder).map_err(failed)? {
            return Ok(Self::new(key, head_file, guard));
        }
        let Last { number, hash, is_signed } = last(db).map_err(|error| OpenError::new(database, error))?;
        if is_signed || head_file.is_beyond_its_start().map_err(failed)? {
            return Err(OpenError::KeyGone { path: folder.join(KEY_FILE) });
        }
        let key = NodeKey::generate().map_err(failed)?;
        head_file.write(&key, &Head { number, hash, unsigned_to: number }).map_err(failed)?;
        key.write(folder).map_err(failed)?;
        Ok(Self::new(key, head_file, guard))
    }

    fn new(key: NodeKey, head_file: HeadFile, guard: Guard) -> Arc<Self> {
        Arc::new(Self { key, head_file, guard, has_signed: AtomicBool::new(false) })
    }

    /// The file is closed and may have been written once more.
    pub(in super::super) fn after_close(&self) {
        self.guard.after_write();
    }

    pub(super) fn found_head(&self) -> io::Result<FoundHead> {
        self.head_file.read(&self.key)
    }

    /// From now on `append` and `contradiction` work on this connection, the writing one.
    pub(in super::super) fn attach(self: &Arc<Self>, db: &Connection) -> rusqlite::Result<()> {
        let seal = Arc::clone(self);
        db.create_scalar_function(GUARD, 0, FLAGS, move |_| told(seal.guard.ask_writer(&seal)))?;
        let seal = Arc::clone(self);
        db.create_scalar_function(GUARD_ANSWER, 2, FLAGS, move |context| {
            let number = u64::try_from(context.get::<i64>(0)?).unwrap_or_default();
            seal.guard.answer_writer(number, context.get(1)?);
            Ok(true)
        })?;
        let seal = Arc::clone(self);
        db.create_scalar_function(SIGN, 1, FLAGS, move |context| {
            let hash: String = context.get(0)?;
            let mut digest = [0; 32];
            alloy_primitives::hex::decode_to_slice(&hash, &mut digest)
                .map_err(|error| rusqlite::Error::UserFunctionError(Box::new(error)))?;
            Ok(seal.sign(&digest))
        })
    }

    /// From now on `contradiction` works on this connection, which only reads.
    pub(in super::super) fn attach_reader(self: &Arc<Self>, db: &Connection) -> rusqlite::Result<()> {
        let seal = Arc::clone(self);
        db.create_scalar_function(GUARD, 0, FLAGS, move |_| told(seal.guard.ask_reader(&seal)))?;
        db.create_scalar_function(GUARD_ANSWER, 2, FLAGS, |_| Ok(true))
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

pub(super) fn folder_of(database: &Path) -> &Path {
    database.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn told(asked: io::Result<Asked>) -> rusqlite::Result<String> {
    asked.map(|asked| asked.to_text()).map_err(|error| rusqlite::Error::UserFunctionError(Box::new(error)))
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
