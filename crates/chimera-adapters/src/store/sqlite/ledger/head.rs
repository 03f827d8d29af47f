//! The signed head: how far the ledger goes, in a file of its own, so that a cut tail shows. It is written after the commit, by a
//! thread of its own: it may lag behind the database after a crash, and never runs ahead of it.

use super::{
    super::open,
    file_state::FileState,
    seal::{Seal, last},
};
use crate::store::node_key::{NodeKey, write_whole};
use chimera_core::domain::ledger::{GENESIS_HASH, head_digest};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

const HEAD_FILE: &str = "ledger.head";
const LOCK_FILE: &str = "ledger.lock";
const HEAD_BYTES_MAX: u64 = 4 << 10;
/// How long the head waits for other processes that write it; it is tried again after the next commit.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// Between two writes of the head under load: its syncs hold up those of the store.
const PAUSE: Duration = Duration::from_millis(200);
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// The last entry that it vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) number: u64,
    pub(super) hash: String,
    /// Entries up to this one are from before there were signatures.
    pub(super) unsigned_to: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FoundHead {
    Missing,
    /// There is something, and this node has not signed it.
    Forged,
    Signed(Head),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadText {
    number: u64,
    hash: String,
    unsigned_to: u64,
    public_key: String,
    signature: String,
}

pub(super) struct HeadFile {
    path: PathBuf,
    lock: PathBuf,
}

impl HeadFile {
    pub(super) fn of(folder: &Path) -> Self {
        Self { path: folder.join(HEAD_FILE), lock: folder.join(LOCK_FILE) }
    }

    pub(super) fn read(&self, key: &NodeKey) -> io::Result<FoundHead> {
        let text = match fs::metadata(&self.path).map(|found| found.len()) {
            Ok(length) if length > HEAD_BYTES_MAX => return Ok(FoundHead::Forged),
            Ok(_) => fs::read(&self.path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FoundHead::Missing),
            Err(error) => return Err(error),
        };
        let Ok(HeadText { number, hash, unsigned_to, public_key, signature }) = serde_json::from_slice(&text) else {
            return Ok(FoundHead::Forged);
        };
        let is_ours = public_key == key.public() && key.has_signed(&head_digest(number, &hash, unsigned_to), signature.as_bytes());
        Ok(if is_ours { FoundHead::Signed(Head { number, hash, unsigned_to }) } else { FoundHead::Forged })
    }

    /// Whether something was signed since the head and its key were made, whoever has the key: without the key that is the end of it.
    pub(super) fn is_beyond_its_start(&self) -> io::Result<bool> {
        match fs::metadata(&self.path).map(|found| found.len()) {
            Ok(length) if length > HEAD_BYTES_MAX => return Ok(true),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        }
        // A crash may have left the first head without its key, and never half a head.
        let text: Option<HeadText> = serde_json::from_slice(&fs::read(&self.path)?).ok();
        Ok(text.is_none_or(|head| head.number > head.unsigned_to))
    }

    /// `None` when it is not there.
    pub(super) fn state(&self) -> Option<FileState> {
        FileState::of(&self.path)
    }

    /// Call it under the lock.
    pub(super) fn write(&self, key: &NodeKey, head: &Head) -> io::Result<()> {
        let Head { number, hash, unsigned_to } = head.clone();
        let signature = key.sign(&head_digest(number, &hash, unsigned_to));
        let text = HeadText { number, hash, unsigned_to, public_key: key.public(), signature };
        write_whole(&self.path, format!("{}\n", serde_json::to_string_pretty(&text)?).as_bytes(), 0o600)
    }

    /// One process at a time; the system lets go of it when the process ends, however it ends.
    pub(super) fn lock(&self, patience: Duration) -> io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&self.lock)?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if started.elapsed() < patience => thread::sleep(LOCK_PAUSE),
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::TimedOut.into()),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// Brings the head up to the last committed entry, whenever there are new ones. Many commits may share one write of the head.
pub(in super::super) struct HeadKeeper {
    seal: Arc<Seal>,
    /// `None` only while this is dropped.
    grown: Option<mpsc::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl HeadKeeper {
    pub(in super::super) fn start(database: &Path, busy_timeout: Duration, seal: Arc<Seal>) -> io::Result<Self> {
        // One word that waits is enough: whoever takes it sees every commit before it.
        let (grown, mut growth) = mpsc::channel(1);
        let (database, kept) = (database.to_owned(), Arc::clone(&seal));
        let thread = thread::Builder::new().name("chimera-ledger-head".to_owned()).spawn(move || {
            let mut advance = Advance { database, busy_timeout, seal: kept, connection: None, has_complained: false };
            // Ends once the writer is gone and what it told last is done.
            while growth.blocking_recv().is_some() {
                advance.run();
                thread::park_timeout(PAUSE);
            }
        })?;
        Ok(Self { seal, grown: Some(grown), thread: Some(thread) })
    }

    pub(in super::super) fn before_write(&self) {
        self.seal.guard.before_write();
    }

    /// Whether it was committed or not.
    pub(in super::super) fn after_write(&self) {
        self.seal.guard.after_write();
    }

    pub(in super::super) fn seal(&self) -> Arc<Seal> {
        Arc::clone(&self.seal)
    }

    /// Never waits.
    pub(in super::super) fn after_commit(&self) {
        if self.seal.take_signed()
            && let Some(grown) = &self.grown
        {
            let _ = grown.try_send(());
        }
    }
}

impl Drop for HeadKeeper {
    /// The head is up to date when this returns.
    fn drop(&mut self) {
        self.grown = None;
        if let Some(thread) = self.thread.take() {
            // Its pause ends here.
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

struct Advance {
    database: PathBuf,
    busy_timeout: Duration,
    seal: Arc<Seal>,
    connection: Option<Connection>,
    has_complained: bool,
}

#[derive(Debug, thiserror::Error)]
enum NotAdvanced {
    #[error("the database cannot be read")]
    Database(#[from] rusqlite::Error),
    #[error("the file cannot be written")]
    File(#[from] io::Error),
    /// What is there may prove that something was cut off; it is never overwritten.
    #[error("what is there does not fit the database; `chimera ledger verify` says more")]
    Contradicted,
}

impl Advance {
    fn run(&mut self) {
        match self.advance() {
            Ok(()) => self.has_complained = false,
            // Once, and not after every commit.
            Err(error) if !self.has_complained => {
                self.has_complained = true;
                tracing::error!(error = &error as &dyn std::error::Error, "the ledger's head stays where it is: {error}");
            }
            Err(_) => {}
        }
    }

    fn advance(&mut self) -> Result<(), NotAdvanced> {
        let db = match self.connection.take() {
            Some(connection) => connection,
            None => open::for_reading(&self.database, self.busy_timeout)?,
        };
        let last = last(&db)?;
        let Seal { key, head_file, .. } = self.seal.as_ref();
        let _lock = head_file.lock(LOCK_PATIENCE)?;
        let FoundHead::Signed(found) = head_file.read(key)? else { return Err(NotAdvanced::Contradicted) };
        if !holds(&db, found.number, &found.hash)? {
            return Err(NotAdvanced::Contradicted);
        }
        // Another process may have been faster.
        if found.number < last.number {
            head_file.write(key, &Head { number: last.number, hash: last.hash, unsigned_to: found.unsigned_to })?;
        }
        self.connection = Some(db);
        Ok(())
    }
}

/// Whether the entry that a head names is the one in the database.
pub(super) fn holds(db: &Connection, number: u64, hash: &str) -> rusqlite::Result<bool> {
    if number == 0 {
        return Ok(hash == GENESIS_HASH);
    }
    let Ok(number) = i64::try_from(number) else { return Ok(false) };
    let mut select = db.prepare_cached("SELECT hash = ?2 FROM ledger WHERE number = ?1")?;
    Ok(select.query_row(params![number, hash], |row| row.get(0)).optional()?.unwrap_or_default())
}
