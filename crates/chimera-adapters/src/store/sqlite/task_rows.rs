//! How a task's row changes: always by an event, as `TaskState::next` says.

use super::{
    OrStoreError,
    columns::{count, json, rows},
};
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        decision::{JudgeDecision, Verdict},
        task::AgentTask,
    },
    domain::task::{TaskEvent, TaskState},
    ports::StoreError,
};
use chrono::{DateTime, Utc};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params, types::Type};

/// What `task` reads, in this order and first.
pub(super) const COLUMNS: &str = "task, tasks.status, worker_id, tasks.state_version, attempt, feedback";

pub(super) fn task(row: &Row<'_>) -> rusqlite::Result<AgentTask> {
    let mut task: AgentTask = json(row, 0)?;
    task.status = state(row, 1)?.status();
    task.assigned_worker_id = row.get(2)?;
    task.state_version = count(row, 3)?;
    task.attempt = row.get(4)?;
    task.feedback = row.get(5)?;
    Ok(task)
}

pub(super) fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<TaskState> {
    let name: String = row.get(column)?;
    TaskState::of_name(&name).ok_or(rusqlite::Error::InvalidColumnType(column, name, Type::Text))
}

pub(super) fn after(state: TaskState, event: TaskEvent) -> Result<TaskState, StoreError> {
    state.next(event).map_err(|out_of_turn| StoreError::Failed(Box::new(out_of_turn)))
}

#[derive(Debug, thiserror::Error)]
#[error("there is no task {0}")]
struct NoSuchTask(UuidV4);

pub(super) fn state_of(db: &Connection, task_id: UuidV4) -> Result<TaskState, StoreError> {
    Ok(number_and_state(db, task_id)?.1)
}

pub(super) fn number_of(db: &Connection, task_id: UuidV4) -> Result<i64, StoreError> {
    Ok(number_and_state(db, task_id)?.0)
}

fn number_and_state(db: &Connection, task_id: UuidV4) -> Result<(i64, TaskState), StoreError> {
    let mut find = db.prepare_cached("SELECT number, status FROM tasks WHERE task_id = ?1").or_store_error()?;
    let found = find.query_row([task_id.to_string()], |row| Ok((row.get(0)?, state(row, 1)?))).optional().or_store_error()?;
    found.ok_or_else(|| StoreError::Failed(Box::new(NoSuchTask(task_id))))
}

/// Moves the task by an event that ends whatever lease it has.
pub(super) fn advance(db: &Connection, task_id: UuidV4, event: TaskEvent, reason: Option<&str>) -> Result<(), StoreError> {
    let (number, state) = number_and_state(db, task_id)?;
    set(db, number, after(state, event)?, reason)
}

const SET: &str = "UPDATE OR FAIL tasks SET status = ?2, lease_until = NULL, reason = ?3 WHERE number = ?1";

/// The state that an event led to from the one it is in, which the caller knows.
fn set(db: &Connection, number: i64, state: TaskState, reason: Option<&str>) -> Result<(), StoreError> {
    let mut set = db.prepare_cached(SET).or_store_error()?;
    set.execute(params![number, state.name(), reason]).map(drop).or_store_error()
}

/// Pending again, one attempt further, not before `run_at`.
pub(super) fn retry(db: &Connection, task_id: UuidV4, feedback: &str, run_at: Option<i64>) -> Result<(), StoreError> {
    advance(db, task_id, TaskEvent::Retry, None)?;
    let again = "UPDATE tasks SET worker_id = NULL, attempt = attempt + 1, feedback = ?2, run_at = ?3 WHERE task_id = ?1";
    let mut again = db.prepare_cached(again).or_store_error()?;
    again.execute(params![task_id.to_string(), feedback, run_at]).map(drop).or_store_error()
}

/// Pending again, as if it had never been leased.
pub(super) fn put_back(db: &Connection, task_id: UuidV4) -> Result<(), StoreError> {
    advance(db, task_id, TaskEvent::Retry, None)?;
    db.execute("UPDATE tasks SET worker_id = NULL WHERE task_id = ?1", [task_id.to_string()]).map(drop).or_store_error()
}

/// Back to the Planner; one attempt further where there is feedback on the one it made.
pub(super) fn send_back(db: &Connection, task_id: UuidV4, reason: &str, feedback: Option<&str>) -> Result<(), StoreError> {
    advance(db, task_id, TaskEvent::Return, Some(reason))?;
    let clear = "UPDATE tasks SET worker_id = NULL, run_at = NULL, attempt = attempt + (?2 IS NOT NULL), feedback = coalesce(?2, feedback) WHERE task_id = ?1";
    db.prepare_cached(clear).and_then(|mut clear| clear.execute(params![task_id.to_string(), feedback])).map(drop).or_store_error()
}

/// Completes tasks.
pub(super) struct Completing<'db> {
    db: &'db Connection,
    set: CachedStatement<'db>,
    waited_for: CachedStatement<'db>,
}

impl<'db> Completing<'db> {
    pub(super) fn new(db: &'db Connection) -> Result<Self, StoreError> {
        let waited_for = "SELECT 1 FROM task_dependencies WHERE depends_on = ?1";
        Ok(Self { db, set: db.prepare_cached(SET).or_store_error()?, waited_for: db.prepare_cached(waited_for).or_store_error()? })
    }

    /// What waited for the task may run, as far as it waits for nothing else. `state` is the one it is in.
    pub(super) fn complete(&mut self, task_id: &str, number: i64, state: TaskState) -> Result<(), StoreError> {
        let complete = after(state, TaskEvent::Approve)?;
        self.set.execute(params![number, complete.name(), None::<&str>]).or_store_error()?;
        // Most have no dependents, and the update is a search of its own even where it finds nothing.
        if !self.waited_for.exists([task_id]).or_store_error()? {
            return Ok(());
        }
        let unblock =
            "UPDATE tasks SET blocked_by = blocked_by - 1 WHERE task_id IN (SELECT task_id FROM task_dependencies WHERE depends_on = ?1)";
        self.db.prepare_cached(unblock).and_then(|mut unblock| unblock.execute([task_id])).map(drop).or_store_error()
    }
}

/// The task ends without its effect, and with it all that depends on it. The task's own rejection is on record already.
pub(super) fn give_up(db: &Connection, task_id: UuidV4, reason: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    advance(db, task_id, TaskEvent::GiveUp, Some(reason))?;
    let mut given_up = vec![task_id];
    while let Some(failed) = given_up.pop() {
        for dependent in unfinished_dependents(db, failed)? {
            let reason = because_of(failed);
            advance(db, dependent.task_id, TaskEvent::GiveUp, Some(&reason))?;
            record_rejection(db, &dependent, &reason, now)?;
            given_up.push(dependent.task_id);
        }
    }
    Ok(())
}

/// A person has dealt with it.
pub(super) fn forget_failure(db: &Connection, task_id: UuidV4) -> Result<(), StoreError> {
    let forget = "DELETE FROM failures WHERE task_number = (SELECT number FROM tasks WHERE task_id = ?1)";
    db.execute(forget, [task_id.to_string()]).map(drop).or_store_error()
}

pub(super) fn because_of(failed: UuidV4) -> String {
    format!("task {failed}, on which this one depends, was rejected")
}

fn unfinished_dependents(db: &Connection, task_id: UuidV4) -> Result<Vec<AgentTask>, StoreError> {
    let select = format!(
        "SELECT {COLUMNS} FROM task_dependencies JOIN tasks USING (task_id) \
         WHERE depends_on = ?1 AND status NOT IN ('complete', 'given_up')"
    );
    rows(db, &select, [task_id.to_string()], task)
}

pub(super) fn record_rejection(db: &Connection, task: &AgentTask, reason: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    let decision = JudgeDecision {
        decision_id: UuidV4::random(),
        result_id: None,
        task_id: task.task_id,
        decision: Verdict::Reject,
        state_version: task.state_version,
        created_at: UtcTime(now),
        reason: reason.to_owned(),
        hitl_reason: None,
    };
    super::judgements::record(db, &decision)
}
