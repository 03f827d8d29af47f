//! What a task costs as tasks that are done pile up in the store.

use super::{
    ours::{self, AGENTS},
    report::{Table, median},
};
use anyhow::{Context, Result};
use chimera_adapters::store::SqliteStore;
use rusqlite::Connection;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

const DONE_BEFORE: [usize; 3] = [1_000, 100_000, 1_000_000];
/// Each round on every store in turn, so that noise of the machine hits all alike. Odd, so that there is a median.
const ROUNDS: usize = 9;
const TASKS: usize = 2_000;
const RATIO_MAX: f64 = 1.25;

/// One task that went through the swarm, multiplied.
pub(crate) async fn fill(folder: &Path) -> Result<()> {
    for done in DONE_BEFORE {
        let path = database(folder, done);
        if path.exists() {
            continue;
        }
        std::fs::create_dir_all(path.parent().context("it is below the folder")?)?;
        let store = ours::new_store(&path).await?;
        ours::through(&store, "first", 1).await?;
        store.close().await;
        multiply(&path, done - 1)?;
    }
    Ok(())
}

fn database(folder: &Path, done: usize) -> PathBuf {
    folder.join(done.to_string()).join("swarm.db")
}

/// Copies of the one task with its result, decision, post and ledger entry, under ids of their own.
fn multiply(database: &Path, copies: usize) -> Result<()> {
    let db = Connection::open(database)?;
    db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000;")?;
    let uuid = "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' \
         || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))";
    let series = format!("WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < {copies}) ");
    let tasks = "campaign_id, priority, created_at, task, status, worker_id, state_version, attempt, feedback, lease_no, lease_until, \
         blocked_by, goal_version, run_at, held, reason";
    db.execute_batch(&format!(
        "BEGIN;
         INSERT INTO tasks (task_id, agent_id, {tasks})
             {series} SELECT {uuid}, 'agent-' || i % 100, {tasks} FROM series, (SELECT * FROM tasks WHERE number = 1);
         INSERT INTO results (result_id, task_number, lease_no, result, decision_id)
             SELECT {uuid}, tasks.number, 1, result, {uuid} FROM tasks, (SELECT result FROM results WHERE number = 1)
             WHERE tasks.number > 1 ORDER BY tasks.number;
         INSERT INTO decisions (decision_id, result_id, task_id, task_number, decision, verdict)
             SELECT results.decision_id, results.result_id, task_id, task_number, decision, verdict
             FROM results JOIN tasks ON tasks.number = task_number, (SELECT decision, verdict FROM decisions WHERE number = 1)
             WHERE results.number > 1 ORDER BY results.number;
         INSERT INTO posts (task_number, post_id, task_id, result_id, campaign_id, agent_id, platform, text, status, marked_at)
             SELECT tasks.number, {uuid}, tasks.task_id, results.result_id, tasks.campaign_id, tasks.agent_id, platform, text, posts.status, marked_at
             FROM results JOIN tasks ON tasks.number = results.task_number, (SELECT * FROM posts WHERE number = 1) AS posts
             WHERE results.number > 1 ORDER BY results.number;
         INSERT INTO ledger (at, kind, agent_id, task_id, facts, postings, signature, hash)
             SELECT at, kind, posts.agent_id, posts.task_id, facts, postings, signature, lower(hex(randomblob(32)))
             FROM posts, (SELECT * FROM ledger WHERE number = 1) WHERE posts.number > 1 ORDER BY posts.number;
         COMMIT;
         PRAGMA journal_mode = WAL;"
    ))?;
    Ok(())
}

pub(crate) struct Growth(Vec<Size>);

struct Size {
    done_before: usize,
    task_us: Vec<f64>,
}

pub(crate) async fn measure(folder: &Path) -> Result<Growth> {
    let mut stores = Vec::new();
    for done in DONE_BEFORE {
        stores.push(SqliteStore::open(&database(folder, done)).with_context(|| format!("the store of {done}; first: bench_swarm fill"))?);
    }
    let mut sizes = DONE_BEFORE.map(|done_before| Size { done_before, task_us: Vec::new() });
    // Ids that no earlier run has used.
    let run = uuid::Uuid::new_v4().to_string();
    for round in 0..=ROUNDS {
        for place in 0..stores.len() {
            let at = (round + place) % stores.len();
            let seconds = ours::through(&stores[at], &format!("{run}-{round}"), TASKS).await?;
            // The first round warms up.
            if round > 0 {
                sizes[at].task_us.push(seconds * 1e6 / TASKS as f64);
            }
        }
    }
    for store in stores {
        store.close().await;
    }
    Ok(Growth(sizes.into()))
}

impl Growth {
    fn ratio(&self, size: &Size) -> f64 {
        median(size.task_us.iter().zip(&self.0[0].task_us).map(|(filled, small)| filled / small).collect())
    }
}

impl Table for Growth {
    fn holds(&self) -> bool {
        self.0.iter().all(|size| self.ratio(size) <= RATIO_MAX)
    }

    fn markdown(&self) -> String {
        let mut text = String::from("\n| tasks in the store | cost of a task | 1,000 tasks = 1 | verdict |\n|--:|--:|--:|---|\n");
        for size in &self.0 {
            let (cost, ratio) = (median(size.task_us.clone()), self.ratio(size));
            let verdict = if ratio <= RATIO_MAX { "PASS" } else { "FAIL" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {} | {cost:.0} µs | {ratio:.2} | {verdict} |", size.done_before);
        }
        let _ = writeln!(
            text,
            "\nWanted: at most {RATIO_MAX} times what it costs with 1,000 tasks in the store. {TASKS} further tasks go through each of the \
             stores in turn, {ROUNDS} times: {AGENTS} agents post on each story, under the ids that the Planner gives; costs are medians, and ratios medians of the ratios of those made one after another."
        );
        text
    }
}
