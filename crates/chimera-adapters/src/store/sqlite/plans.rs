//! The `Plans` port. What a person made of a task is a row of its own, which the task's row follows as long as nobody works on it.

use super::{
    OrStoreError, SqliteStore,
    columns::{if_any, json, micros, parsed, rows, time_if_any, to_json},
    task_rows::{self, COLUMNS},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, task::AgentTask},
    domain::task::{TaskEvent, TaskState},
    ports::{
        StoreError,
        swarm::{PlannedTask, Plans, ShapeError, Shaping},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

const PLANNED: &str =
    "planned_tasks.task, brief, not_before, is_dropped, is_added, tasks.status FROM planned_tasks LEFT JOIN tasks USING (task_id)";
/// Posts and payments that are queued, not begun, and not seen in the plan.
const UNSEEN: &str = "SELECT task, NULL, run_at, 0, 0, status FROM tasks WHERE campaign_id = ?1 AND status IN ('pending', 'returned') \
     AND json_extract(task, '$.task_type') <> 'reply_comment' \
     AND task_id NOT IN (SELECT task_id FROM planned_tasks WHERE campaign_id = ?1) ORDER BY number";
/// What nobody shaped is as good as its last look.
const FORGET_SEEN: &str =
    "DELETE FROM planned_tasks WHERE campaign_id = ?1 AND is_added = 0 AND is_dropped = 0 AND brief IS NULL AND not_before IS NULL";
/// What a person who dropped a task is told of it.
const DROPPED: &str = "a person dropped it from the plan";

#[async_trait]
impl Plans for SqliteStore {
    async fn record(&self, campaign_id: &str, tasks: &[AgentTask]) -> Result<(), StoreError> {
        let (campaign_id, tasks) = (campaign_id.to_owned(), tasks.to_vec());
        self.write(move |db| {
            db.execute(FORGET_SEEN, [&campaign_id]).or_store_error()?;
            for task in &tasks {
                see(db, task)?;
            }
            revise(db, &campaign_id)
        })
        .await
    }

    async fn add(&self, task: &AgentTask, not_before: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        let task = task.clone();
        self.write(move |db| {
            see(db, &task)?;
            let own = "UPDATE planned_tasks SET is_added = 1, brief = ?2, not_before = ?3 WHERE task_id = ?1";
            db.execute(own, params![task.task_id.to_string(), task.context.brief, not_before.map(micros)]).or_store_error()?;
            revise(db, &task.context.campaign_id)?;
            look_soon(db, &task.context.campaign_id)
        })
        .await
    }

    async fn shape(&self, campaign_id: &str, task_id: UuidV4, shaping: &Shaping, at: DateTime<Utc>) -> Result<PlannedTask, ShapeError> {
        let (campaign_id, shaping) = (campaign_id.to_owned(), shaping.clone());
        self.write(move |db| shape(db, &campaign_id, task_id, &shaping, at)).await
    }

    async fn plan(&self, campaign_id: &str) -> Result<Vec<PlannedTask>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| {
            let seen = format!("SELECT {PLANNED} WHERE planned_tasks.campaign_id = ?1 ORDER BY planned_tasks.number");
            let mut plan = rows(db, &seen, [&campaign_id], planned)?;
            plan.extend(rows(db, UNSEEN, [&campaign_id], planned)?);
            Ok(plan)
        })
        .await
    }
}

fn planned(row: &Row<'_>) -> rusqlite::Result<PlannedTask> {
    let mut task: AgentTask = json(row, 0)?;
    if let Some(brief) = row.get(1)? {
        task.context.brief = Some(brief);
    }
    Ok(PlannedTask {
        task,
        not_before: time_if_any(row, 2)?,
        is_dropped: row.get(3)?,
        is_added: row.get(4)?,
        state: if_any(row, 5, task_rows::state)?,
    })
}

/// Seeing a task again keeps its place, and what a person made of it.
fn see(db: &Connection, task: &AgentTask) -> Result<(), StoreError> {
    let mut task = task.clone();
    let (task_id, campaign_id) = (task.task_id.to_string(), task.context.campaign_id.clone());
    task.context.brief = None;
    let see = "INSERT INTO planned_tasks (task_id, campaign_id, task) VALUES (?1, ?2, ?3) ON CONFLICT (task_id) DO UPDATE SET task = excluded.task";
    db.execute(see, params![task_id, campaign_id, to_json(&task)]).map(drop).or_store_error()
}

/// An event of the campaign.
pub(super) fn revise(db: &Connection, campaign_id: &str) -> Result<(), StoreError> {
    let revise = "UPDATE campaigns SET revision = revision + 1 WHERE campaign_id = ?1";
    db.execute(revise, [campaign_id]).map(drop).or_store_error()
}

/// What was added or put back is planned at the Planner's next pass.
fn look_soon(db: &Connection, campaign_id: &str) -> Result<(), StoreError> {
    db.execute("UPDATE campaigns SET looked_at = 0 WHERE campaign_id = ?1", [campaign_id]).map(drop).or_store_error()
}

fn shape(db: &Connection, campaign_id: &str, task_id: UuidV4, shaping: &Shaping, at: DateTime<Utc>) -> Result<PlannedTask, ShapeError> {
    let known = find(db, campaign_id, task_id)?;
    let found = match known {
        Some(found) => found,
        None => {
            let select = format!("SELECT {COLUMNS} FROM tasks WHERE task_id = ?1 AND campaign_id = ?2");
            let queued = db.query_row(&select, [&task_id.to_string(), campaign_id], task_rows::task).optional().or_store_error()?;
            see(db, &queued.ok_or(ShapeError::NoSuchTask(task_id))?)?;
            find(db, campaign_id, task_id)?.ok_or(ShapeError::NoSuchTask(task_id))?
        }
    };
    if !found.can_change() {
        let state = found.state.unwrap_or(TaskState::Pending);
        return Err(ShapeError::Begun { task_id, state });
    }
    match shaping {
        Shaping::Drop if found.is_dropped => return Err(ShapeError::Dropped(task_id)),
        Shaping::Drop => put_aside(db, &found, at)?,
        Shaping::PutBack if !found.is_dropped => return Err(ShapeError::NotDropped(task_id)),
        Shaping::PutBack => put_back(db, &found)?,
        Shaping::Instruct { .. } if found.is_dropped => return Err(ShapeError::Dropped(task_id)),
        Shaping::Instruct { brief: Some(_), .. } if found.task.acceptance_criteria.is_none() => return Err(ShapeError::NoText(task_id)),
        Shaping::Instruct { brief, not_before } => instruct(db, task_id, brief.as_deref(), *not_before)?,
    }
    revise(db, campaign_id)?;
    look_soon(db, campaign_id)?;
    find(db, campaign_id, task_id)?.ok_or(ShapeError::NoSuchTask(task_id))
}

fn find(db: &Connection, campaign_id: &str, task_id: UuidV4) -> Result<Option<PlannedTask>, StoreError> {
    let find = format!("SELECT {PLANNED} WHERE task_id = ?1 AND planned_tasks.campaign_id = ?2");
    db.query_row(&find, [&task_id.to_string(), campaign_id], planned).optional().or_store_error()
}

fn mark(db: &Connection, task_id: UuidV4, is_dropped: bool) -> Result<(), StoreError> {
    let mark = "UPDATE planned_tasks SET is_dropped = ?2 WHERE task_id = ?1";
    db.execute(mark, params![task_id.to_string(), is_dropped]).map(drop).or_store_error()
}

fn put_aside(db: &Connection, found: &PlannedTask, at: DateTime<Utc>) -> Result<(), StoreError> {
    let task_id = found.task.task_id;
    mark(db, task_id, true)?;
    if found.state.is_some() {
        task_rows::record_rejection(db, &found.task, DROPPED, at)?;
        task_rows::give_up(db, task_id, DROPPED, at)?;
    }
    Ok(())
}

/// With what was given up because of it, and of what was, and so on. What a person dropped by itself stays so.
fn put_back(db: &Connection, found: &PlannedTask) -> Result<(), StoreError> {
    mark(db, found.task.task_id, false)?;
    let mut back = if found.state.is_some() { vec![found.task.task_id] } else { Vec::new() };
    while let Some(task_id) = back.pop() {
        task_rows::advance(db, task_id, TaskEvent::PutBack, Some("a person put it back into the plan"))?;
        let dependents = "SELECT task_id FROM task_dependencies JOIN tasks USING (task_id) WHERE depends_on = ?1 AND status = 'given_up' AND reason = ?2";
        back.extend(rows(db, dependents, params![task_id.to_string(), task_rows::because_of(task_id)], |row| parsed::<UuidV4>(row, 0))?);
    }
    Ok(())
}

fn instruct(db: &Connection, task_id: UuidV4, brief: Option<&str>, not_before: Option<DateTime<Utc>>) -> Result<(), StoreError> {
    let (task_id, not_before) = (task_id.to_string(), not_before.map(micros));
    let plan = "UPDATE planned_tasks SET brief = ?2, not_before = ?3 WHERE task_id = ?1";
    db.execute(plan, params![task_id, brief, not_before]).or_store_error()?;
    let queued = "UPDATE tasks SET task = CASE WHEN ?2 IS NULL THEN json_remove(task, '$.context.brief') ELSE json_set(task, '$.context.brief', ?2) END, \
         run_at = ?3 WHERE task_id = ?1";
    db.execute(queued, params![task_id, brief, not_before]).map(drop).or_store_error()
}
