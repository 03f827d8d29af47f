//! The core's ports on one SQLite file. All writes of a process go through one thread that commits them in groups;
//! reads run beside it on connections of their own. One file per port.

mod access;
mod agent_lives;
mod agents;
mod assets;
mod backlog;
mod calendar;
mod campaign_changes;
mod campaigns;
mod claims;
mod columns;
mod copy;
mod engagement;
mod error;
mod events;
mod held_answers;
mod idempotency;
mod judgements;
pub mod ledger;
mod memories;
mod mentions;
mod migrations;
mod model_budget;
mod open;
mod outbox;
mod pauses;
mod perception;
mod plans;
mod queries;
mod readers;
mod readings;
mod recollection;
mod recorded;
mod reviews;
mod task_rows;
mod tasks;
mod transfers;
mod turns;
mod writer;

#[cfg(test)]
mod tests;

use chimera_core::ports::StoreError;
use claims::ClaimDesk;
use judgements::RulingDesk;
use ledger::{Guard, HeadKeeper, Seal};
use outbox::LeavingDesk;
use queries::Names;
use readers::Readers;
use recollection::Copies;
use rusqlite::Connection;
use std::{path::Path, sync::Arc, time::Duration};
use tasks::FinishDesk;
use transfers::AssignDesk;
use writer::{Undoing, Writer};

pub use assets::AssetFolder;
pub use copy::{Copied, CopyError, check_copy};
pub use error::OrStoreError;
pub use ledger::{AdoptError, Adopted};
pub use open::OpenError;

/// A handle on the open store; clones share it. When the last one is dropped, what is queued is written first.
#[derive(Clone)]
pub struct SqliteStore {
    writer: Arc<Writer>,
    readers: Arc<Readers>,
    seal: Arc<Seal>,
    copies: Arc<Copies>,
    names: Arc<Names>,
    claims: Arc<ClaimDesk>,
    assignments: Arc<AssignDesk>,
    leaving: Arc<LeavingDesk>,
    finished: Arc<FinishDesk>,
    rulings: Arc<RulingDesk>,
}

/// How long a write waits for other processes before it fails.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

impl SqliteStore {
    /// How many steps the schema of a file has that this version made or brought up to date.
    pub const SCHEMA_VERSION: usize = migrations::STEPS.len();

    /// Makes the file if there is none and brings an older one up to date, and so the node's key and the ledger's signed head
    /// beside it. Blocks: call it before the work starts. Any number of processes may have one file open.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_waiting(path, BUSY_TIMEOUT)
    }

    /// As `open`, with another patience for processes that hold the file.
    pub fn open_waiting(path: &Path, busy_timeout: Duration) -> Result<Self, OpenError> {
        let had_log = ledger::has_log(path);
        let connection = open::for_writing(path, busy_timeout)?;
        let seal = Seal::open(&connection, path, busy_timeout, Guard::new(path, busy_timeout, had_log))?;
        seal.attach(&connection).map_err(|error| OpenError::new(path, error))?;
        let head = HeadKeeper::start(path, busy_timeout, Arc::clone(&seal)).map_err(OpenError::NoThread)?;
        let writer = Writer::start(connection, head).map_err(OpenError::NoThread)?;
        let readers = Arc::new(Readers::new(path, busy_timeout, Arc::clone(&seal)));
        Ok(Self {
            writer: Arc::new(writer),
            readers,
            seal,
            copies: Arc::default(),
            names: Arc::default(),
            claims: claims::desk(),
            assignments: transfers::desk(),
            leaving: outbox::desk(),
            finished: tasks::desk(),
            rulings: judgements::desk(),
        })
    }

    /// Runs `change` in a transaction and answers once it is on disk. `Err` means that nothing of it was written.
    ///
    /// Writes run one after another, in the order of their calls, each seeing those before it. They share a transaction and
    /// thus a sync, each in a savepoint of its own: a failing change undoes itself alone. `change` must begin and end no
    /// transaction, must not block, and must not wait for another write. Dropping the future does not stop a queued write.
    pub async fn write<T, E>(&self, change: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.writer.run(Undoing::Alone, change).await
    }

    /// As `write`, and cheaper, for a change that checks first and writes afterwards: `Err` only before its first write. One that fails
    /// later all the same undoes the writes that share its transaction too, and their callers hear it.
    pub async fn write_after_checks<T, E>(&self, change: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.writer.run(Undoing::NeverNeeded, change).await
    }

    /// Runs `query` on one consistent state that holds at least every write answered before the call.
    pub async fn read<T, E>(&self, query: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        Arc::clone(&self.readers).run(query).await
    }

    /// How many transactions this handle has committed, each with one sync.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// Writes what is queued and closes the file; every later call of any clone is `StoreError::Closed`.
    pub async fn close(&self) {
        self.readers.close();
        self.writer.close().await;
    }
}
