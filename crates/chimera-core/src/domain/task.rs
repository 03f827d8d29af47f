//! A task as the queue sees it: where it is in its life.

mod state;

pub use state::{OutOfTurn, TaskEvent, TaskState};
