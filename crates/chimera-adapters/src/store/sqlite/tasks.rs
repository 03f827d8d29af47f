//! The `Tasks` port: a fenced lease queue.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, json, micros, parsed, rows, to_json, word},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        decision::{JudgeDecision, Verdict},
        result::WorkerResult,
        task::AgentTask,
    },
    ports::{
        StoreError,
        swarm::{Lease, LeaseError, LeasedTask, Tasks},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) const NEXT_EXPIRED: &str =
    "SELECT task_id FROM tasks WHERE status = 'in_progress' AND lease_until < ?1 ORDER BY lease_until LIMIT 1";
pub(super) const NEXT_READY: &str =
    "SELECT task_id FROM tasks WHERE status = 'pending' AND blocked_by = 0 ORDER BY priority, created_at, number LIMIT 1";
const LEASE: &str = "UPDATE tasks SET status = 'in_progress', worker_id = ?2, lease_until = ?3, lease_no = lease_no + 1 WHERE task_id = ?1 \
     RETURNING task, status, worker_id, state_version, attempt, feedback, lease_no";

#[async_trait]
impl Tasks for SqliteStore {
    async fn enqueue(&self, tasks: &[AgentTask]) -> Result<(), StoreError> {
        let tasks = tasks.to_vec();
        self.write(move |db| enqueue(db, &tasks)).await
    }

    async fn claim(&self, worker_id: &str, now: DateTime<Utc>, lease_until: DateTime<Utc>) -> Result<Option<LeasedTask>, StoreError> {
        let worker_id = worker_id.to_owned();
        self.write(move |db| {
            let expired: Option<String> = db.query_row(NEXT_EXPIRED, [micros(now)], |row| row.get(0)).optional().or_store_error()?;
            let next = match expired {
                Some(task_id) => Some(task_id),
                None => db.query_row(NEXT_READY, [], |row| row.get(0)).optional().or_store_error()?,
            };
            let Some(task_id) = next else { return Ok(None) };
            db.query_row(LEASE, params![task_id, worker_id, micros(lease_until)], leased).map(Some).or_store_error()
        })
        .await
    }

    async fn finish(&self, lease: &Lease, result: &WorkerResult) -> Result<(), LeaseError> {
        let (lease, result) = (lease.clone(), result.clone());
        self.write(move |db| finish(db, &lease, &result)).await
    }

    async fn fail(&self, lease: &Lease, reason: &str, attempts_max: u32, now: DateTime<Utc>) -> Result<(), LeaseError> {
        let (lease, reason) = (lease.clone(), reason.to_owned());
        self.write(move |db| fail(db, &lease, &reason, attempts_max, now)).await
    }

    async fn of_campaign(&self, campaign_id: &str) -> Result<Vec<AgentTask>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        let select = "SELECT task, status, worker_id, state_version, attempt, feedback FROM tasks WHERE campaign_id = ?1 ORDER BY number";
        self.read(move |db| rows(db, select, [campaign_id], task)).await
    }
}

/// From the columns task, status, worker_id, state_version, attempt and feedback, which come first.
pub(super) fn task(row: &Row<'_>) -> rusqlite::Result<AgentTask> {
    let mut task: AgentTask = json(row, 0)?;
    task.status = word(row, 1)?;
    task.assigned_worker_id = row.get(2)?;
    task.state_version = count(row, 3)?;
    task.attempt = row.get(4)?;
    task.feedback = row.get(5)?;
    Ok(task)
}

/// What waited for the task may run, as far as it waits for nothing else.
pub(super) fn complete(db: &Connection, task_id: UuidV4) -> Result<(), StoreError> {
    let task_id = task_id.to_string();
    db.execute("UPDATE tasks SET status = 'complete', lease_until = NULL WHERE task_id = ?1", [&task_id]).or_store_error()?;
    let unblock =
        "UPDATE tasks SET blocked_by = blocked_by - 1 WHERE task_id IN (SELECT task_id FROM task_dependencies WHERE depends_on = ?1)";
    db.execute(unblock, [&task_id]).map(drop).or_store_error()
}

/// The task ends without its effect, and with it all that depends on it. The task's own rejection is on record already.
pub(super) fn abandon(db: &Connection, task_id: UuidV4, now: DateTime<Utc>) -> Result<(), StoreError> {
    mark_abandoned(db, task_id)?;
    let mut abandoned = vec![task_id];
    while let Some(failed) = abandoned.pop() {
        for dependent in unfinished_dependents(db, failed)? {
            mark_abandoned(db, dependent.task_id)?;
            record_rejection(db, &dependent, &format!("task {failed}, on which this one depends, was rejected"), now)?;
            abandoned.push(dependent.task_id);
        }
    }
    Ok(())
}

fn unfinished_dependents(db: &Connection, task_id: UuidV4) -> Result<Vec<AgentTask>, StoreError> {
    let select = "SELECT task, status, worker_id, state_version, attempt, feedback \
         FROM task_dependencies JOIN tasks USING (task_id) WHERE depends_on = ?1 AND status <> 'complete'";
    rows(db, select, [task_id.to_string()], task)
}

fn mark_abandoned(db: &Connection, task_id: UuidV4) -> Result<(), StoreError> {
    let mark = "UPDATE tasks SET status = 'complete', lease_until = NULL, abandoned = 1 WHERE task_id = ?1";
    db.execute(mark, [task_id.to_string()]).map(drop).or_store_error()
}

fn record_rejection(db: &Connection, task: &AgentTask, reason: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
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

fn enqueue(db: &Connection, tasks: &[AgentTask]) -> Result<(), StoreError> {
    let mut added = Vec::with_capacity(tasks.len());
    for task in tasks {
        let rows_added = db
            .execute(
                "INSERT INTO tasks (task_id, campaign_id, priority, created_at, task, status, worker_id, state_version, attempt, feedback) \
                 VALUES (?1, ?2, ?3, ?4, ?5, 'pending', NULL, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
                params![
                    task.task_id.to_string(),
                    task.context.campaign_id,
                    task.priority as i64,
                    micros(task.created_at.0),
                    to_json(task),
                    from_count(task.state_version)?,
                    task.attempt,
                    task.feedback
                ],
            )
            .or_store_error()?;
        if rows_added > 0 {
            added.push(task);
        }
    }
    // After all tasks, so that a plan may list them in any order.
    for task in &added {
        add_dependencies(db, task)?;
    }
    added.into_iter().try_for_each(|task| abandon_if_hopeless(db, task))
}

fn add_dependencies(db: &Connection, task: &AgentTask) -> Result<(), StoreError> {
    let task_id = task.task_id.to_string();
    for dependency in &task.depends_on {
        db.execute(
            "INSERT INTO task_dependencies (task_id, depends_on) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            [&task_id, &dependency.to_string()],
        )
        .or_store_error()?;
    }
    db.execute(
        "UPDATE tasks SET blocked_by = (SELECT count(*) FROM task_dependencies AS on_earlier JOIN tasks AS earlier ON earlier.task_id = depends_on \
         WHERE on_earlier.task_id = ?1 AND earlier.status <> 'complete') WHERE task_id = ?1",
        [&task_id],
    )
    .map(drop)
    .or_store_error()
}

/// A plan may come to build on a task that was given up before.
fn abandon_if_hopeless(db: &Connection, task: &AgentTask) -> Result<(), StoreError> {
    let find = "SELECT depends_on FROM task_dependencies AS on_earlier JOIN tasks AS earlier ON earlier.task_id = depends_on \
         WHERE on_earlier.task_id = ?1 AND earlier.abandoned LIMIT 1";
    let failed: Option<UuidV4> = db.query_row(find, [task.task_id.to_string()], |row| parsed(row, 0)).optional().or_store_error()?;
    let Some(failed) = failed else { return Ok(()) };
    record_rejection(db, task, &format!("task {failed}, on which this one depends, was rejected"), task.created_at.0)?;
    abandon(db, task.task_id, task.created_at.0)
}

fn leased(row: &Row<'_>) -> rusqlite::Result<LeasedTask> {
    let task = task(row)?;
    Ok(LeasedTask { lease: Lease { task_id: task.task_id, lease_no: count(row, 6)? }, task })
}

#[derive(Debug, thiserror::Error)]
#[error("the result is of task {of}, the lease of task {leased}")]
struct ResultOfAnotherTask {
    of: UuidV4,
    leased: UuidV4,
}

fn finish(db: &Connection, lease: &Lease, result: &WorkerResult) -> Result<(), LeaseError> {
    if result.task_id != lease.task_id {
        return Err(StoreError::Failed(Box::new(ResultOfAnotherTask { of: result.task_id, leased: lease.task_id })).into());
    }
    let (task_id, result_id, lease_no) = (lease.task_id.to_string(), result.result_id.to_string(), from_count(lease.lease_no)?);
    let moved = db
        .execute(
            "UPDATE tasks SET status = 'review', lease_until = NULL WHERE task_id = ?1 AND lease_no = ?2 AND status = 'in_progress'",
            params![task_id, lease_no],
        )
        .or_store_error()?;
    if moved == 0 {
        // A Worker that did not hear our answer says the same again.
        let known = "SELECT EXISTS (SELECT 1 FROM results WHERE result_id = ?1 AND task_id = ?2 AND lease_no = ?3)";
        let finished_before = db.query_row(known, params![result_id, task_id, lease_no], |row| row.get(0)).or_store_error()?;
        return if finished_before { Ok(()) } else { Err(LeaseError::LeaseLost) };
    }
    db.execute(
        "INSERT INTO results (result_id, task_id, lease_no, result) VALUES (?1, ?2, ?3, ?4)",
        params![result_id, task_id, lease_no, to_json(result)],
    )
    .or_store_error()?;
    Ok(())
}

fn fail(db: &Connection, lease: &Lease, reason: &str, attempts_max: u32, now: DateTime<Utc>) -> Result<(), LeaseError> {
    let find = "SELECT task, status, worker_id, state_version, attempt, feedback FROM tasks \
         WHERE task_id = ?1 AND lease_no = ?2 AND status = 'in_progress'";
    let (task_id, lease_no) = (lease.task_id.to_string(), from_count(lease.lease_no)?);
    let held = db.query_row(find, params![task_id, lease_no], task).optional().or_store_error()?;
    let task = held.ok_or(LeaseError::LeaseLost)?;
    if task.attempt >= attempts_max {
        record_rejection(db, &task, reason, now)?;
        abandon(db, task.task_id, now)?;
    } else {
        db.execute(
            "UPDATE tasks SET status = 'pending', worker_id = NULL, lease_until = NULL, attempt = attempt + 1, feedback = ?2 WHERE task_id = ?1",
            params![task_id, reason],
        )
        .or_store_error()?;
    }
    Ok(())
}
