//! The one thread that writes: it takes every write that waits and commits them together. Another waits until they are on disk and answers
//! them. Meanwhile the first makes the writes that come, and commits them once the disk has time for them: so there is one commit for each
//! sync, and neither waits for the other.

use super::{error::store_error, ledger::HeadKeeper};
use chimera_core::ports::StoreError;
use rusqlite::Connection;
use std::{
    any::Any,
    io, iter,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc as blocking,
    },
    thread,
};
use tokio::sync::{mpsc, oneshot, watch};

/// Writes that may wait; further callers wait for room.
const QUEUE_MAX: usize = 1024;
/// Writes in one commit: bounds how long other processes wait for the file.
const GROUP_MAX: usize = 1024;
/// Groups that may be committed and not yet on disk.
const UNSYNCED_MAX: usize = 4;

pub(super) struct Writer {
    /// `None` only while this is dropped.
    queue: Option<mpsc::Sender<Message>>,
    thread: Option<thread::JoinHandle<()>>,
    syncing: thread::ThreadId,
    /// Ends with the thread, which never sends on it.
    alive: watch::Receiver<()>,
    commits: Arc<AtomicU64>,
}

/// What it takes to undo a change that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undoing {
    /// A savepoint of its own: it costs a copy of every page that the change touches.
    Alone,
    /// Nothing, since it fails before its first write, if at all. Should it ever fail later, all of its group is undone with it.
    NeverNeeded,
}

enum Message {
    Write(Box<dyn QueuedWrite>),
    /// The disk has time.
    Synced,
    Close,
}

/// A group of writes that is committed.
struct Committed {
    writes: Vec<Box<dyn QueuedWrite>>,
    has_ledger_grown: bool,
}

/// How the disk follows.
#[derive(Default)]
struct Disk {
    /// Groups that are committed and not yet on it.
    behind: AtomicUsize,
    /// That it did not keep what was written. What is in the file from then on, nobody knows.
    failure: OnceLock<Arc<io::Error>>,
}

impl Disk {
    fn fate(&self) -> Result<(), Undone> {
        self.failure.get().map_or(Ok(()), |error| Err(Undone::NotSynced(Arc::clone(error))))
    }
}

impl Writer {
    /// `sync` returns once everything that was committed before is on disk.
    pub(super) fn start(connection: Connection, head: HeadKeeper, sync: impl Fn() -> io::Result<()> + Send + 'static) -> io::Result<Self> {
        let (queue, queued) = mpsc::channel(QUEUE_MAX);
        let (unsynced, committed) = blocking::sync_channel(UNSYNCED_MAX);
        let (end_of_life, alive) = watch::channel(());
        let (head, disk) = (Arc::new(head), Arc::<Disk>::default());
        let syncing = Syncing { committed, head: Arc::clone(&head), disk: Arc::clone(&disk), writer: queue.downgrade() };
        let syncing = thread::Builder::new().name("chimera-sync".to_owned()).spawn(move || syncing.answer_once_synced(sync))?;
        let syncing_id = syncing.thread().id();
        let commits = Arc::<AtomicU64>::default();
        let counter = Arc::clone(&commits);
        let thread = thread::Builder::new().name("chimera-store".to_owned()).spawn(move || {
            Writing { connection: &connection, head: &head, commits: &counter, disk: &disk, queued, unsynced }.write_until_closed();
            let _ = syncing.join();
            let seal = head.seal();
            head.before_write();
            // The writing connection last: it folds the log into the file when no other is open.
            drop(head);
            drop(connection);
            seal.after_close();
            drop(end_of_life);
        })?;
        Ok(Self { queue: Some(queue), thread: Some(thread), syncing: syncing_id, alive, commits })
    }

    pub(super) async fn run<T, E>(
        &self,
        undoing: Undoing,
        change: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.queue(Box::new(Queued { undoing, change: Some(change), outcome: None, caller })).await?;
        answer.await.unwrap_or_else(|_thread_ended| Err(StoreError::Closed.into()))
    }

    /// It answers for itself.
    pub(super) async fn queue(&self, write: Box<dyn QueuedWrite>) -> Result<(), StoreError> {
        self.send(Message::Write(write)).await
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(super) async fn close(&self) {
        // It fails when another caller closes already; what matters is that the thread has ended on return.
        let _ = self.send(Message::Close).await;
        let _ = self.alive.clone().changed().await;
    }

    async fn send(&self, message: Message) -> Result<(), StoreError> {
        let queue = self.queue.as_ref().ok_or(StoreError::Closed)?;
        queue.send(message).await.map_err(|_closed| StoreError::Closed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        // A write may own the last handle; the threads must not wait for themselves.
        let current = thread::current().id();
        if let Some(thread) = self.thread.take().filter(|handle| current != handle.thread().id() && current != self.syncing) {
            let _ = thread.join();
        }
    }
}

struct Writing<'a> {
    connection: &'a Connection,
    head: &'a HeadKeeper,
    commits: &'a AtomicU64,
    disk: &'a Disk,
    queued: mpsc::Receiver<Message>,
    unsynced: blocking::SyncSender<Committed>,
}

impl Writing<'_> {
    fn write_until_closed(mut self) {
        while let Some(message) = self.queued.blocking_recv() {
            if let Some(first) = self.taken(message) {
                self.write_group(first);
            }
        }
    }

    fn taken(&mut self, message: Message) -> Option<Box<dyn QueuedWrite>> {
        match message {
            Message::Write(write) => return Some(write),
            Message::Synced => {}
            // Nothing new enters; what is in the queue still comes out.
            Message::Close => self.queued.close(),
        }
        None
    }

    /// One that waits.
    fn waiting(&mut self) -> Option<Box<dyn QueuedWrite>> {
        while let Ok(message) = self.queued.try_recv() {
            if let Some(write) = self.taken(message) {
                return Some(write);
            }
        }
        None
    }

    /// One that waits, or comes while the disk has no time for a commit.
    fn next(&mut self) -> Option<Box<dyn QueuedWrite>> {
        loop {
            if let Some(write) = self.waiting() {
                return Some(write);
            }
            if self.disk.behind.load(Ordering::Acquire) == 0 {
                return None;
            }
            let message = self.queued.blocking_recv()?;
            if let Some(write) = self.taken(message) {
                return Some(write);
            }
        }
    }

    /// In one transaction, with all that come in time.
    fn write_group(&mut self, first: Box<dyn QueuedWrite>) {
        let mut done = Vec::new();
        self.head.before_write();
        let fate = match self.disk.fate().and_then(|()| Ok(begin(self.connection)?)) {
            Ok(()) => self.commit(first, &mut done),
            Err(undone) => {
                done.push(first);
                // What keeps this one from the file keeps them from it as well.
                while done.len() < GROUP_MAX
                    && let Some(write) = self.waiting()
                {
                    done.push(write);
                }
                Err(undone)
            }
        };
        if fate.is_err() {
            leave_transaction(self.connection);
        }
        self.head.after_write();
        if fate.is_err() {
            return answer_all(done, &fate);
        }
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.disk.behind.fetch_add(1, Ordering::AcqRel);
        if self.unsynced.send(Committed { writes: done, has_ledger_grown: self.head.has_grown() }).is_err() {
            // Nobody is there to answer them any more; their callers hear that the store is closed.
            self.disk.behind.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// What it ran is in `done`, also when the transaction was lost on the way.
    fn commit(&mut self, first: Box<dyn QueuedWrite>, done: &mut Vec<Box<dyn QueuedWrite>>) -> Result<(), Undone> {
        let mut next = Some(first);
        while let Some(mut write) = next {
            let applied = apply(self.connection, write.as_mut());
            done.push(write);
            applied?;
            next = if done.len() < GROUP_MAX { self.next() } else { None };
        }
        Ok(run_cached(self.connection, "COMMIT")?)
    }
}

fn answer_all(writes: Vec<Box<dyn QueuedWrite>>, fate: &Result<(), Undone>) {
    for write in writes {
        write.answer(fate);
    }
}

struct Syncing {
    committed: blocking::Receiver<Committed>,
    head: Arc<HeadKeeper>,
    disk: Arc<Disk>,
    writer: mpsc::WeakSender<Message>,
}

impl Syncing {
    fn answer_once_synced(self, sync: impl Fn() -> io::Result<()>) {
        while let Ok(first) = self.committed.recv() {
            let groups: Vec<Committed> = iter::once(first).chain(self.committed.try_iter()).collect();
            if self.disk.fate().is_ok()
                && let Err(error) = sync()
            {
                tracing::error!(%error, "the disk did not keep what was written; nothing is written until chimera is started again");
                let _ = self.disk.failure.set(Arc::new(error));
            }
            self.disk.behind.fetch_sub(groups.len(), Ordering::AcqRel);
            // A writer that is not waiting for it sees it when it looks.
            if let Some(writer) = self.writer.upgrade() {
                let _ = writer.try_send(Message::Synced);
            }
            let fate = self.disk.fate();
            if fate.is_ok() && groups.iter().any(|group| group.has_ledger_grown) {
                self.head.follow();
            }
            for group in groups {
                answer_all(group.writes, &fate);
            }
        }
    }
}

/// Whatever is told of this transaction happens now.
fn begin(connection: &Connection) -> rusqlite::Result<()> {
    run_cached(connection, "BEGIN IMMEDIATE")?;
    run_cached(connection, "UPDATE present SET at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) WHERE rowid = 1")
}

fn run_cached(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

fn apply(connection: &Connection, write: &mut dyn QueuedWrite) -> Result<(), Undone> {
    match write.undoing() {
        Undoing::Alone => apply_with_savepoint(connection, write),
        Undoing::NeverNeeded => {
            let before = connection.total_changes();
            let keep = write.run(connection);
            if connection.is_autocommit() || (!keep && connection.total_changes() != before) {
                return Err(Undone::RolledBack);
            }
            Ok(())
        }
    }
}

fn apply_with_savepoint(connection: &Connection, write: &mut dyn QueuedWrite) -> Result<(), Undone> {
    run_cached(connection, "SAVEPOINT one_write")?;
    let keep = write.run(connection);
    // On a full or failing disk SQLite may undo the whole transaction, with the writes that came before this one.
    if connection.is_autocommit() {
        return Err(Undone::RolledBack);
    }
    if !keep {
        connection.execute_batch("ROLLBACK TO one_write")?;
    }
    Ok(run_cached(connection, "RELEASE one_write")?)
}

fn leave_transaction(connection: &Connection) {
    if connection.is_autocommit() {
        return;
    }
    if let Err(error) = connection.execute_batch("ROLLBACK") {
        tracing::error!(%error, "the store could not leave its transaction; every write fails until it can");
    }
}

/// Why a whole group of writes was undone, or may be by the next crash.
#[derive(Debug)]
pub(super) enum Undone {
    Sqlite(Arc<rusqlite::Error>),
    RolledBack,
    /// It is in the file, and perhaps not on disk.
    NotSynced(Arc<io::Error>),
}

impl From<rusqlite::Error> for Undone {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a write in the same transaction made sqlite undo all of it")]
struct UndoneByAnother;

#[derive(Debug, thiserror::Error)]
#[error("a write panicked: {0}")]
struct Panicked(String);

impl Undone {
    pub(super) fn store_error(&self) -> StoreError {
        match self {
            Self::Sqlite(error) => store_error(error),
            Self::RolledBack => StoreError::NotWritable {
                hint: "the disk is full or failing; make room, check it and try again",
                source: Box::new(UndoneByAnother),
            },
            Self::NotSynced(error) => StoreError::NotWritable {
                hint: "the disk did not keep what was written; check it, and start chimera again",
                source: Box::new(Arc::clone(error)),
            },
        }
    }
}

pub(super) trait QueuedWrite: Send {
    fn undoing(&self) -> Undoing;
    /// Whether what it changed is to be kept.
    fn run(&mut self, connection: &Connection) -> bool;
    fn answer(self: Box<Self>, fate: &Result<(), Undone>);
}

struct Queued<Change, T, E> {
    undoing: Undoing,
    change: Option<Change>,
    outcome: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<Change, T, E> QueuedWrite for Queued<Change, T, E>
where
    Change: FnOnce(&Connection) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn undoing(&self) -> Undoing {
        self.undoing
    }

    fn run(&mut self, connection: &Connection) -> bool {
        self.outcome = self.change.take().map(|change| caught(|| change(connection)));
        matches!(self.outcome, Some(Ok(_)))
    }

    fn answer(self: Box<Self>, fate: &Result<(), Undone>) {
        let answer = match (self.outcome, fate) {
            (Some(Ok(value)), Ok(())) => Ok(value),
            (Some(Err(error)), _) => Err(error),
            (_, Err(undone)) => Err(undone.store_error().into()),
            (None, Ok(())) => Err(StoreError::Closed.into()),
        };
        // The caller may have stopped waiting; the write holds all the same.
        let _ = self.caller.send(answer);
    }
}

/// A panic is the failure of this write alone.
pub(super) fn caught<T, E: From<StoreError>>(change: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(change)).unwrap_or_else(|payload| Err(StoreError::Failed(Box::new(panicked(payload))).into()))
}

fn panicked(payload: Box<dyn Any + Send>) -> Panicked {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned()).or_else(|| payload.downcast_ref::<String>().cloned());
    Panicked(text.unwrap_or_else(|| "with something other than text".to_owned()))
}
