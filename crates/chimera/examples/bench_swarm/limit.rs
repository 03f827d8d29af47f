//! What SQLite itself can do: the rows that a task writes on its way, with nothing decided in between.

use anyhow::Result;
use rusqlite::{Connection, params};
use std::{path::Path, time::Instant};

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE tasks (number INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, task TEXT NOT NULL, status TEXT NOT NULL, lease_until INTEGER) STRICT;
    CREATE INDEX tasks_ready ON tasks (number) WHERE status = 'pending';
    CREATE INDEX tasks_leased ON tasks (lease_until) WHERE status = 'in_progress';
    CREATE TABLE results (number INTEGER PRIMARY KEY, result_id TEXT NOT NULL UNIQUE, result TEXT NOT NULL, decision_id TEXT) STRICT;
    CREATE INDEX results_undecided ON results (number) WHERE decision_id IS NULL;
    CREATE TABLE decisions (number INTEGER PRIMARY KEY, decision_id TEXT NOT NULL UNIQUE, decision TEXT NOT NULL) STRICT;
    CREATE TABLE posts (number INTEGER PRIMARY KEY, post_id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, status TEXT NOT NULL) STRICT;
    CREATE INDEX posts_waiting ON posts (number) WHERE status = 'approved';
    CREATE TABLE ledger (number INTEGER PRIMARY KEY, facts TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
";
/// About as long as our messages.
const TASK_BYTES: usize = 600;
const MESSAGE_BYTES: usize = 350;

/// Each step of a group of tasks is a transaction: queued, leased, finished, decided, left.
pub fn measure(path: &Path, tasks: usize, group: usize) -> Result<f64> {
    let mut db = Connection::open(path)?;
    db.execute_batch(SCHEMA)?;
    let (task, message) = ("t".repeat(TASK_BYTES), "m".repeat(MESSAGE_BYTES));
    let begun = Instant::now();
    for first in (0..tasks).step_by(group) {
        let ids: Vec<String> = (first..(first + group).min(tasks)).map(|number| format!("{number:036}")).collect();
        let steps: [&[&str]; 5] = [
            &["INSERT INTO tasks (task_id, task, status) VALUES (?1, ?2, 'pending')"],
            &["UPDATE tasks SET status = 'in_progress', lease_until = length(?2) WHERE task_id = ?1"],
            &[
                "UPDATE tasks SET status = 'review', lease_until = NULL WHERE task_id = ?1 AND ?2 <> ''",
                "INSERT INTO results (result_id, result) VALUES (?1, ?2)",
            ],
            &[
                "INSERT INTO decisions (decision_id, decision) VALUES (?1, ?2)",
                "UPDATE results SET decision_id = ?1 WHERE result_id = ?1 AND ?2 <> ''",
                "UPDATE tasks SET status = 'complete' WHERE task_id = ?1 AND ?2 <> ''",
                "INSERT INTO posts (post_id, text, status) VALUES (?1, ?2, 'approved')",
            ],
            &["UPDATE posts SET status = 'dry_run' WHERE post_id = ?1 AND ?2 <> ''", "INSERT INTO ledger (facts, hash) VALUES (?2, ?1)"],
        ];
        for (number, statements) in steps.iter().enumerate() {
            let transaction = db.transaction()?;
            for statement in *statements {
                let mut statement = transaction.prepare_cached(statement)?;
                for id in &ids {
                    statement.execute(params![id, if number == 0 { &task } else { &message }])?;
                }
            }
            transaction.commit()?;
        }
    }
    Ok(tasks as f64 / begun.elapsed().as_secs_f64())
}
