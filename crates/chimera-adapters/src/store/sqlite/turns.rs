//! Writes of one kind that wait at the same time are made in one turn: what all of them have to look at is looked at once.

use super::writer::{QueuedWrite, Undoing, Undone, Writer, caught};
use crate::locking::locked;
use chimera_core::ports::StoreError;
use rusqlite::Connection;
use std::{
    mem,
    sync::{Arc, Mutex},
};
use tokio::{sync::oneshot, task::JoinSet};

/// An answer to each who asked, in the same order. `Err` undoes the whole turn.
pub(super) type Answers<Answer> = Result<Vec<Result<Answer, StoreError>>, StoreError>;

#[derive(Debug, thiserror::Error)]
#[error("sqlite has undone the transaction")]
struct TransactionLost;

/// Ask after an answer that failed, before the next one is made: where the disk fails SQLite, it undoes the whole transaction, and what is
/// written after that would be kept without the rest of it.
pub(super) fn go_on(db: &Connection) -> Result<(), StoreError> {
    if db.is_autocommit() { Err(StoreError::Failed(Box::new(TransactionLost))) } else { Ok(()) }
}

/// What is asked for in one turn.
type Serve<Ask, Answer> = dyn Fn(&Connection, &[Ask]) -> Answers<Answer> + Send + Sync;

/// Where they wait for the next turn.
pub(super) struct Desk<Ask, Answer> {
    waiting: Mutex<Vec<Waiting<Ask, Answer>>>,
    /// Turns for which the writer has no room yet.
    queueing: Mutex<JoinSet<()>>,
    serve: Box<Serve<Ask, Answer>>,
}

struct Waiting<Ask, Answer> {
    ask: Ask,
    caller: oneshot::Sender<Result<Answer, StoreError>>,
}

impl<Ask: Send + 'static, Answer: Send + 'static> Desk<Ask, Answer> {
    /// `serve` keeps to what `write_after_checks` asks of a change.
    pub(super) fn new(serve: impl Fn(&Connection, &[Ask]) -> Answers<Answer> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { waiting: Mutex::default(), queueing: Mutex::default(), serve: Box::new(serve) })
    }

    /// Answered once it is on disk. Whoever stops waiting before the turn is passed over.
    pub(super) async fn ask(self: &Arc<Self>, writer: &Arc<Writer>, ask: Ask) -> Result<Answer, StoreError> {
        let (caller, answer) = oneshot::channel();
        let is_first = {
            let mut waiting = locked(&self.waiting);
            waiting.push(Waiting { ask, caller });
            waiting.len() == 1
        };
        if is_first {
            let turn = Box::new(Turn { desk: Arc::clone(self), has_run: false, callers: Vec::new(), outcome: Ok(Vec::new()) });
            let writer = Arc::clone(writer);
            // Apart from this caller, who may stop waiting: others wait for the turn too. A turn that is refused drops them.
            let mut queueing = locked(&self.queueing);
            while queueing.try_join_next().is_some() {}
            queueing.spawn(async move { writer.queue(turn).await.unwrap_or_default() });
        }
        answer.await.unwrap_or(Err(StoreError::Closed))
    }
}

impl<Ask, Answer> Desk<Ask, Answer> {
    /// Room for as many is left: the next turn is about as long.
    fn take(&self) -> Vec<Waiting<Ask, Answer>> {
        let mut waiting = locked(&self.waiting);
        let room = Vec::with_capacity(waiting.len());
        mem::replace(&mut waiting, room)
    }
}

/// Serves all who wait when it runs.
struct Turn<Ask, Answer> {
    desk: Arc<Desk<Ask, Answer>>,
    has_run: bool,
    callers: Vec<oneshot::Sender<Result<Answer, StoreError>>>,
    outcome: Answers<Answer>,
}

#[derive(Debug, thiserror::Error)]
#[error("a write of the same turn failed: {0}")]
struct FailedTogether(String);

impl<Ask, Answer> Turn<Ask, Answer> {
    fn call_up(&mut self) -> Vec<Ask> {
        self.has_run = true;
        let waiting = self.desk.take();
        let mut asks = Vec::with_capacity(waiting.len());
        self.callers.reserve_exact(waiting.len());
        for Waiting { ask, caller } in waiting.into_iter().filter(|waiting| !waiting.caller.is_closed()) {
            asks.push(ask);
            self.callers.push(caller);
        }
        asks
    }
}

impl<Ask: Send, Answer: Send> QueuedWrite for Turn<Ask, Answer> {
    fn undoing(&self) -> Undoing {
        Undoing::NeverNeeded
    }

    fn run(&mut self, db: &Connection) -> bool {
        let asks = self.call_up();
        let desk = Arc::clone(&self.desk);
        self.outcome = caught(|| (desk.serve)(db, &asks));
        self.outcome.is_ok()
    }

    fn answer(mut self: Box<Self>, fate: &Result<(), Undone>) {
        // Where there was no transaction to run it in.
        if !self.has_run {
            self.call_up();
        }
        let mut answers = mem::replace(&mut self.outcome, Ok(Vec::new())).map(Vec::into_iter);
        for caller in mem::take(&mut self.callers) {
            let answer = match (&mut answers, fate) {
                (Err(error), _) => Err(StoreError::Failed(Box::new(FailedTogether(error.to_string())))),
                (Ok(_), Err(undone)) => Err(undone.store_error()),
                (Ok(answers), Ok(())) => answers.next().unwrap_or(Err(StoreError::Closed)),
            };
            // The caller may have stopped waiting; what was written holds all the same.
            let _ = caller.send(answer);
        }
    }
}

impl<Ask, Answer> Drop for Turn<Ask, Answer> {
    /// The store is closed: whoever waits for this turn must hear it.
    fn drop(&mut self) {
        if !self.has_run {
            drop(self.desk.take());
        }
    }
}
