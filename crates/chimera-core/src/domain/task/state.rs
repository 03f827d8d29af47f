//! The life of one task as a pure function: a state, an event, the state after it. Each event is one durable write.

use crate::contracts::task::TaskStatus;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskState {
    /// Waits for a Worker: for its dependencies, for its time, or for its turn.
    Pending,
    /// Leased by a Worker.
    InProgress,
    /// Its result waits for the Judge.
    InReview,
    /// The Judge escalated, or nobody could do it; a person decides.
    AwaitingPerson,
    /// Back with the Planner: what it was planned for has moved, or a person said no.
    Returned,
    /// Judged, and its effect is on its way.
    Complete,
    /// Ended without its effect, with a reason: the dead letter.
    GivenUp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskEvent {
    /// A Worker takes it, or takes it over from one whose lease ran out.
    Lease,
    /// The Worker has a result.
    Finish,
    /// Again, with what went wrong: the Worker failed or the Judge rejected, and attempts are left.
    Retry,
    /// The Judge or a person approved.
    Approve,
    /// The Judge asks a person, or no further attempt is left to its Workers.
    Ask,
    /// The campaign has moved, or a person wants another attempt: the Planner decides what becomes of it.
    Return,
    /// The Planner wants it still, against the campaign's present state.
    Rearm,
    /// Nobody wants it any more, or nothing can be done.
    GiveUp,
    /// A person dropped it from the plan, and wants it after all.
    PutBack,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a task that is {state} cannot {event}")]
pub struct OutOfTurn {
    state: &'static str,
    event: &'static str,
}

impl TaskState {
    pub const ALL: [Self; 7] =
        [Self::Pending, Self::InProgress, Self::InReview, Self::AwaitingPerson, Self::Returned, Self::Complete, Self::GivenUp];

    pub fn next(self, event: TaskEvent) -> Result<Self, OutOfTurn> {
        use TaskEvent as E;
        match (self, event) {
            (Self::Pending | Self::InProgress, E::Lease) => Ok(Self::InProgress),
            (Self::InProgress, E::Finish) => Ok(Self::InReview),
            (Self::InProgress | Self::InReview, E::Retry) => Ok(Self::Pending),
            (Self::InReview | Self::AwaitingPerson, E::Approve) => Ok(Self::Complete),
            (Self::InProgress | Self::InReview, E::Ask) => Ok(Self::AwaitingPerson),
            (Self::Pending | Self::InProgress | Self::InReview | Self::AwaitingPerson, E::Return) => Ok(Self::Returned),
            (Self::Returned, E::Rearm) => Ok(Self::Pending),
            (Self::GivenUp, E::PutBack) => Ok(Self::Returned),
            (Self::Pending | Self::InProgress | Self::InReview | Self::AwaitingPerson | Self::Returned, E::GiveUp) => Ok(Self::GivenUp),
            (
                Self::Pending | Self::InProgress | Self::InReview | Self::AwaitingPerson | Self::Returned | Self::Complete | Self::GivenUp,
                _,
            ) => Err(OutOfTurn { state: self.name(), event: event.name() }),
        }
    }

    /// Nothing happens to it any more by itself.
    pub fn is_ended(self) -> bool {
        match self {
            Self::Complete | Self::GivenUp => true,
            Self::Pending | Self::InProgress | Self::InReview | Self::AwaitingPerson | Self::Returned => false,
        }
    }

    /// As the contract tells it to the outside.
    pub fn status(self) -> TaskStatus {
        match self {
            Self::Pending | Self::Returned => TaskStatus::Pending,
            Self::InProgress => TaskStatus::InProgress,
            Self::InReview | Self::AwaitingPerson => TaskStatus::Review,
            Self::Complete | Self::GivenUp => TaskStatus::Complete,
        }
    }

    /// One word, the same in every store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::InReview => "review",
            Self::AwaitingPerson => "awaiting_person",
            Self::Returned => "returned",
            Self::Complete => "complete",
            Self::GivenUp => "given_up",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl TaskEvent {
    fn name(self) -> &'static str {
        match self {
            Self::Lease => "be leased",
            Self::Finish => "be finished",
            Self::Retry => "be tried again",
            Self::Approve => "be approved",
            Self::Ask => "be asked about",
            Self::Return => "go back to the Planner",
            Self::Rearm => "be armed again",
            Self::GiveUp => "be given up",
            Self::PutBack => "be put back",
        }
    }
}

#[cfg(test)]
mod tests;
