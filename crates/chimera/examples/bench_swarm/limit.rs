//! What SQLite itself can do: the rows that the swarm wrote, step by step as it wrote them, with nothing decided in between.

use anyhow::{Result, ensure};
use rusqlite::{Connection, OpenFlags, Row, params, types::Value};
use std::{path::Path, time::Instant};

/// Queued, leased, finished, decided, left.
const STEPS: usize = 5;

/// The settings of the store's own writing connection: the limit is not to be had by another cache or a lazier log.
const AS_THE_STORE: &str = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; \
     PRAGMA wal_autocheckpoint = 16384; PRAGMA temp_store = MEMORY;";

/// A table as the swarm left it, in the order of the tasks that the rows belong to.
struct Copied {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

pub(crate) struct Rows {
    tasks: Copied,
    results: Copied,
    decisions: Copied,
    posts: Copied,
    ledger: Copied,
}

pub(crate) fn rows_of(path: &Path) -> Result<Rows> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let of = |table: &str| copied(&db, table);
    Ok(Rows { tasks: of("tasks")?, results: of("results")?, decisions: of("decisions")?, posts: of("posts")?, ledger: of("ledger")? })
}

fn copied(db: &Connection, table: &str) -> Result<Copied> {
    let order = match table {
        "tasks" => "number",
        "results" | "decisions" => "task_number",
        _ => "(SELECT number FROM tasks WHERE task_id = copied.task_id)",
    };
    let mut select = db.prepare(&format!("SELECT * FROM {table} AS copied ORDER BY {order}"))?;
    let columns: Vec<String> = select.column_names().map(str::to_owned).collect();
    let read = |row: &Row<'_>| (0..columns.len()).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>();
    let rows = select.query_map([], read)?.collect::<rusqlite::Result<_>>()?;
    Ok(Copied { columns, rows })
}

impl Copied {
    /// All columns, with other values where the row came to its present ones only later.
    fn insert(&self, table: &str, instead: &[(&str, &str)]) -> String {
        let kept: Vec<(usize, &str)> = self.columns.iter().map(String::as_str).enumerate().filter(|(_, name)| *name != "number").collect();
        let names: Vec<&str> = kept.iter().map(|(_, name)| *name).collect();
        let value = |(at, name): &(usize, &str)| {
            let other = instead.iter().find(|(column, _)| column == name);
            other.map_or_else(|| format!("?{}", at + 1), |(_, value)| (*value).to_owned())
        };
        let values: Vec<String> = kept.iter().map(value).collect();
        format!("INSERT OR FAIL INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "))
    }

    fn text(&self, row: usize, column: &str) -> &Value {
        let at = self.columns.iter().position(|name| name == column).expect("the column is in the schema");
        &self.rows[row][at]
    }
}

/// Seconds for all rows, in about so many transactions, each step of a group of tasks in one of its own.
pub(crate) fn measure(path: &Path, rows: &Rows, transactions: usize) -> Result<f64> {
    let tasks = rows.tasks.rows.len();
    ensure!(
        [&rows.results, &rows.decisions, &rows.posts, &rows.ledger].iter().all(|table| table.rows.len() == tasks),
        "a row for each task"
    );
    let group = (tasks * STEPS).div_ceil(transactions);
    let mut db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.execute_batch(AS_THE_STORE)?;
    db.set_prepared_statement_cache_capacity(64);
    let queued = [("status", "'pending'"), ("worker_id", "NULL"), ("lease_no", "0"), ("lease_until", "NULL")];
    let insert_task = rows.tasks.insert("tasks", &queued);
    let insert_result = rows.results.insert("results", &[("decision_id", "NULL")]);
    let insert_decision = rows.decisions.insert("decisions", &[]);
    let insert_post = rows.posts.insert("posts", &[("status", "'approved'"), ("marked_at", "NULL")]);
    let insert_entry = rows.ledger.insert("ledger", &[]);
    let begun = Instant::now();
    for first in (0..tasks).step_by(group) {
        let of_group = first..(first + group).min(tasks);
        for step in 0..STEPS {
            let transaction = db.transaction()?;
            for row in of_group.clone() {
                let task_id = rows.tasks.text(row, "task_id");
                match step {
                    0 => insert(&transaction, &insert_task, &rows.tasks.rows[row])?,
                    1 => {
                        let lease = "UPDATE OR FAIL tasks SET status = 'in_progress', worker_id = ?2, lease_until = 1, lease_no = 1 WHERE task_id = ?1";
                        transaction.prepare_cached(lease)?.execute(params![task_id, rows.tasks.text(row, "worker_id")])?;
                    }
                    2 => {
                        let finish = "UPDATE OR FAIL tasks SET status = 'review', lease_until = NULL WHERE task_id = ?1";
                        transaction.prepare_cached(finish)?.execute([task_id])?;
                        insert(&transaction, &insert_result, &rows.results.rows[row])?;
                    }
                    3 => {
                        insert(&transaction, &insert_decision, &rows.decisions.rows[row])?;
                        let mark = "UPDATE OR FAIL results SET decision_id = ?2 WHERE number = ?1";
                        // In an empty table, rows get their numbers as they come.
                        transaction
                            .prepare_cached(mark)?
                            .execute(params![i64::try_from(row)? + 1, rows.results.text(row, "decision_id")])?;
                        transaction
                            .prepare_cached("UPDATE OR FAIL tasks SET status = 'complete' WHERE task_id = ?1")?
                            .execute([task_id])?;
                        insert(&transaction, &insert_post, &rows.posts.rows[row])?;
                    }
                    _ => {
                        let left = "UPDATE OR FAIL posts SET status = 'dry_run', marked_at = ?2 WHERE number = ?1";
                        transaction.prepare_cached(left)?.execute(params![i64::try_from(row)? + 1, rows.posts.text(row, "marked_at")])?;
                        insert(&transaction, &insert_entry, &rows.ledger.rows[row])?;
                    }
                }
            }
            transaction.commit()?;
        }
    }
    Ok(begun.elapsed().as_secs_f64())
}

fn insert(db: &Connection, sql: &str, row: &[Value]) -> Result<()> {
    let mut statement = db.prepare_cached(sql)?;
    // Values that the statement replaces are not bound.
    for at in 1..=statement.parameter_count() {
        statement.raw_bind_parameter(at, &row[at - 1])?;
    }
    statement.raw_execute()?;
    Ok(())
}
