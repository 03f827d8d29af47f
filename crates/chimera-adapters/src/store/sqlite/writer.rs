//! The one thread that writes: it takes every write that waits, commits them together with one sync, and then answers them.

use super::{error::store_error, ledger::HeadKeeper};
use chimera_core::ports::StoreError;
use rusqlite::Connection;
use std::{
    any::Any,
    collections::VecDeque,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};
use tokio::sync::{mpsc, oneshot, watch};

/// Writes that may wait; further callers wait for room.
const QUEUE_MAX: usize = 1024;
/// Writes in one commit: bounds how long other processes wait for the file.
const GROUP_MAX: usize = 1024;

pub(super) struct Writer {
    /// `None` only while this is dropped.
    queue: Option<mpsc::Sender<Message>>,
    thread: Option<thread::JoinHandle<()>>,
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
    Close,
}

impl Writer {
    pub(super) fn start(connection: Connection, head: HeadKeeper) -> io::Result<Self> {
        let (queue, queued) = mpsc::channel(QUEUE_MAX);
        let (end_of_life, alive) = watch::channel(());
        let commits = Arc::<AtomicU64>::default();
        let counter = Arc::clone(&commits);
        let thread = thread::Builder::new().name("chimera-store".to_owned()).spawn(move || {
            write_until_closed(&connection, &head, &counter, queued);
            let seal = head.seal();
            head.before_write();
            // The writing connection last: it folds the log into the file when no other is open.
            drop(head);
            drop(connection);
            seal.after_close();
            drop(end_of_life);
        })?;
        Ok(Self { queue: Some(queue), thread: Some(thread), alive, commits })
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
        // A write may own the last handle; the thread must not wait for itself.
        if let Some(thread) = self.thread.take().filter(|handle| handle.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

fn write_until_closed(connection: &Connection, head: &HeadKeeper, commits: &AtomicU64, mut queued: mpsc::Receiver<Message>) {
    while let Some(first) = queued.blocking_recv() {
        let mut group = VecDeque::new();
        let mut next = Some(first);
        while let Some(message) = next {
            match message {
                Message::Write(write) => group.push_back(write),
                // Nothing new enters; what is in the queue still comes out.
                Message::Close => queued.close(),
            }
            next = if group.len() < GROUP_MAX { queued.try_recv().ok() } else { None };
        }
        write_group(connection, head, commits, group);
    }
}

fn write_group(connection: &Connection, head: &HeadKeeper, commits: &AtomicU64, mut waiting: VecDeque<Box<dyn QueuedWrite>>) {
    while !waiting.is_empty() {
        let mut done = Vec::with_capacity(waiting.len());
        head.before_write();
        let fate = match begin(connection) {
            Ok(()) => commit(connection, &mut waiting, &mut done),
            Err(error) => {
                done.extend(waiting.drain(..));
                Err(error.into())
            }
        };
        match &fate {
            Ok(()) => {
                commits.fetch_add(1, Ordering::Relaxed);
                head.after_commit();
            }
            Err(_) => leave_transaction(connection),
        }
        head.after_write();
        for write in done {
            write.answer(&fate);
        }
    }
}

/// Moves what it ran from `waiting` to `done`: all of it, unless the transaction was lost on the way.
fn commit(
    connection: &Connection,
    waiting: &mut VecDeque<Box<dyn QueuedWrite>>,
    done: &mut Vec<Box<dyn QueuedWrite>>,
) -> Result<(), Undone> {
    while let Some(mut write) = waiting.pop_front() {
        let applied = apply(connection, write.as_mut());
        done.push(write);
        applied?;
    }
    Ok(run_cached(connection, "COMMIT")?)
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

/// Why a whole group of writes was undone.
#[derive(Debug)]
pub(super) enum Undone {
    Sqlite(Arc<rusqlite::Error>),
    RolledBack,
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
