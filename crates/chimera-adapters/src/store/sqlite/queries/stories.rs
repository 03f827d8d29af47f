//! Everything that is on record of one task.

use super::{
    super::{
        OrStoreError,
        campaigns::ALERTS_BEFORE,
        columns::{count, if_any, json, micros, rows},
        events, judgements,
        ledger::ENTRY_COLUMNS,
        task_rows,
    },
    lists, money,
};
use chimera_core::{
    contracts::{UuidV4, task::AgentTask, trend_alert::TrendAlert},
    domain::ledger::Sentences,
    ports::StoreError,
    swarm::{planner::is_of_story, task_story::TaskRecord},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Of each kind: a task that goes round and round is told from its beginning, as far as anybody reads.
const ROWS_MAX: i64 = 500;
const TITLES_MAX: i64 = 12;
const TASK: &str = "SELECT task, tasks.status, worker_id, tasks.state_version, attempt, feedback, tasks.number, tasks.reason, \
     json_extract(goal, '$.goal_description'), campaigns.goal_version FROM tasks JOIN campaigns USING (campaign_id) WHERE task_id = ?1";
pub(in super::super) const RESULTS: &str = "SELECT result FROM results WHERE task_number = ?1 ORDER BY lease_no LIMIT ?2";
pub(in super::super) const DECISIONS: &str =
    "SELECT decision FROM decisions INDEXED BY decisions_of_task WHERE task_number = ?1 ORDER BY number LIMIT ?2";
pub(in super::super) const OTHER_DECISIONS: &str = "SELECT decision FROM decisions INDEXED BY decisions_of_other_tasks WHERE task_number IS NULL AND task_id = ?1 ORDER BY number LIMIT ?2";
pub(in super::super) const REVIEWS: &str = "SELECT review, status, answer FROM reviews WHERE task_id = ?1 ORDER BY number LIMIT ?2";
/// The newest that were found before the task was planned: one of them is its cause, if any is.
const TRENDS_MAX: i64 = 200;
pub(in super::super) const TITLES: &str =
    "SELECT title FROM items INDEXED BY items_of_story WHERE cluster_id = ?1 AND at <= ?2 ORDER BY at DESC LIMIT ?3";

/// What belongs to our own task.
struct Own {
    task: AgentTask,
    number: i64,
    reason: Option<String>,
    goal: String,
    goal_version: u64,
}

pub(super) fn record(db: &Connection, task_id: UuidV4) -> Result<TaskRecord, StoreError> {
    let id = task_id.to_string();
    let own = db.query_row(TASK, [&id], own).optional().or_store_error()?;
    let mut record = TaskRecord {
        reviews: rows(db, REVIEWS, params![id, ROWS_MAX], |row| Ok((judgements::review(row)?, if_any(row, 2, json)?)))?,
        transfer: db.query_row(&transfer_sql(), [&id], |row| money::transfer(row, 0)).optional().or_store_error()?,
        ledger: {
            let sentences = Sentences::default();
            rows(db, &ledger_sql(), params![id, ROWS_MAX], |row| money::entry(row, &sentences))?
        },
        ..TaskRecord::default()
    };
    let Some(own) = own else {
        record.decisions = rows(db, OTHER_DECISIONS, params![id, ROWS_MAX], |row| json(row, 0))?;
        return Ok(record);
    };
    record.trend = cause(db, &own)?;
    record.events = rows(db, events::OF_TASK, params![own.number, ROWS_MAX], events::event)?;
    record.results = rows(db, RESULTS, params![own.number, ROWS_MAX], |row| json(row, 0))?;
    record.decisions = rows(db, DECISIONS, params![own.number, ROWS_MAX], |row| json(row, 0))?;
    record.post = db.query_row(&post_sql(), [own.number], |row| lists::post(row, 0)).optional().or_store_error()?;
    (record.task, record.goal, record.reason) = (Some(own.task), Some(own.goal), own.reason);
    Ok(record)
}

fn own(row: &Row<'_>) -> rusqlite::Result<Own> {
    Ok(Own { task: task_rows::task(row)?, number: row.get(6)?, reason: row.get(7)?, goal: row.get(8)?, goal_version: count(row, 9)? })
}

pub(in super::super) fn transfer_sql() -> String {
    format!("SELECT {} FROM transfers WHERE task_id = ?1 AND state <> 'released'", money::TRANSFER)
}

pub(in super::super) fn post_sql() -> String {
    format!("SELECT {} FROM posts WHERE task_number = ?1", lists::POST)
}

pub(in super::super) fn ledger_sql() -> String {
    format!("SELECT {ENTRY_COLUMNS} FROM ledger INDEXED BY ledger_of_task WHERE task_id = ?1 AND task_id <> '' ORDER BY number LIMIT ?2")
}

/// The oldest alert that the task's id follows from: later ones to the same story planned nothing new.
fn cause(db: &Connection, own: &Own) -> Result<Option<(TrendAlert, Vec<String>)>, StoreError> {
    let before = params![own.task.context.campaign_id, micros(own.task.created_at.0), TRENDS_MAX];
    let alerts: Vec<TrendAlert> = rows(db, ALERTS_BEFORE, before, |row| json(row, 0))?;
    let made_from = |alert: &TrendAlert| (1..=own.goal_version).any(|version| is_of_story(&own.task, version, &alert.trend.cluster_id));
    let Some(alert) = alerts.into_iter().rev().find(made_from) else { return Ok(None) };
    let of_story = params![alert.trend.cluster_id, micros(alert.created_at.0), TITLES_MAX];
    let titles = rows(db, TITLES, of_story, |row| row.get(0))?;
    Ok(Some((alert, titles)))
}
