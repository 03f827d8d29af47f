//! The transfers that this process is making: a second call for the same task waits for the first one's outcome.

use super::{Outcome, request::AskedTransfer};
use crate::{contracts::UuidV4, skills::Progress};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
};
use tokio::sync::watch;

#[derive(Default)]
pub(super) struct InFlight(Mutex<HashMap<UuidV4, Entry>>);

struct Entry {
    asked: AskedTransfer,
    steps: Weak<watch::Sender<Step>>,
}

/// How far a transfer has come, in the contract's order.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Judging,
    Reserved,
    Simulated,
    Signed,
    Broadcast,
    Done(Box<Outcome>),
}

pub(super) enum Entered {
    /// The caller makes the transfer.
    Lead(Lead),
    /// Another call is making it, for the same request or for another one.
    Follow { same_request: bool, steps: watch::Receiver<Step> },
}

/// Held by the task that makes the transfer; others may take over when it is dropped.
pub(super) struct Lead {
    task_id: UuidV4,
    steps: Arc<watch::Sender<Step>>,
    in_flight: Arc<InFlight>,
}

impl InFlight {
    pub(super) fn enter(self: &Arc<Self>, asked: &AskedTransfer) -> Entered {
        let mut entries = self.0.lock().expect("nothing panics while holding the map");
        if let Some((entry, steps)) = entries.get(&asked.task_id).and_then(|entry| Some((entry, entry.steps.upgrade()?))) {
            return Entered::Follow { same_request: entry.asked == *asked, steps: steps.subscribe() };
        }
        let steps = Arc::new(watch::Sender::new(Step::Judging));
        entries.insert(asked.task_id, Entry { asked: asked.clone(), steps: Arc::downgrade(&steps) });
        Entered::Lead(Lead { task_id: asked.task_id, steps, in_flight: Arc::clone(self) })
    }

    pub(super) fn has(&self, task_id: UuidV4) -> bool {
        self.0.lock().expect("nothing panics while holding the map").contains_key(&task_id)
    }
}

impl Lead {
    pub(super) fn subscribe(&self) -> watch::Receiver<Step> {
        self.steps.subscribe()
    }

    pub(super) fn reached(&self, step: Step) {
        self.steps.send_replace(step);
    }

    /// Those who wait hear the outcome. Whoever comes from now on is not one of them: a refusal binds nothing.
    pub(super) fn end(self, outcome: Outcome) {
        self.leave();
        self.reached(Step::Done(Box::new(outcome)));
    }

    /// Another call may lead the same task by now, and keeps its entry.
    fn leave(&self) {
        let mut entries = self.in_flight.0.lock().expect("nothing panics while holding the map");
        let is_own = |entry: &Entry| std::ptr::eq(entry.steps.as_ptr(), Arc::as_ptr(&self.steps));
        if entries.get(&self.task_id).is_some_and(is_own) {
            entries.remove(&self.task_id);
        }
    }

    pub(super) fn nobody_waits(&self) -> bool {
        self.steps.is_closed()
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The transfer's outcome; `None` when its task ended without one, which only a panic does.
pub(super) async fn outcome_of(mut steps: watch::Receiver<Step>, progress: &dyn Progress) -> Option<Outcome> {
    const STEPS: u64 = 5;
    loop {
        let step = steps.borrow_and_update().clone();
        match step {
            Step::Judging => progress.report(0, STEPS, "judging the transfer"),
            Step::Reserved => progress.report(1, STEPS, "budget reserved"),
            Step::Simulated => progress.report(2, STEPS, "simulated"),
            Step::Signed => progress.report(3, STEPS, "signed and written down"),
            Step::Broadcast => progress.report(4, STEPS, "broadcast, waiting for the receipt"),
            Step::Done(outcome) => return Some(*outcome),
        }
        if steps.changed().await.is_err() {
            return None;
        }
    }
}
