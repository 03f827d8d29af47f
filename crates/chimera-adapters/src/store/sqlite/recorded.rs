//! The `RecordedDecisions` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{from_limit, json, rows},
    task_rows,
    transfers::recorded,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, decision::JudgeDecision, result::WorkerResult, task::AgentTask, views::hindsight::Said},
    ports::{
        StoreError,
        recorded::{RecordedDecisions, RecordedJudgement, RecordedPayments},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row};

/// Of so many times as many decisions as are wanted: people's and the CFO's stand between the Judge's.
pub(super) const LOOKED_AT: usize = 10;

/// With the attempt that was judged: that of the last step into judgement before the decision.
pub(super) const JUDGEMENTS: &str = "SELECT task, status, worker_id, tasks.state_version, attempt, feedback, result, decision, \
     (SELECT attempt FROM events INDEXED BY events_of_task WHERE task_number = judged.task_number AND kind = 'task' AND state = 'review' \
         AND number < (SELECT number FROM events AS made INDEXED BY events_of_task WHERE made.task_number = judged.task_number \
             AND made.kind = 'decision' AND made.subject = judged.result_id) ORDER BY number DESC LIMIT 1) \
     FROM (SELECT number, result_id, task_number, decision FROM \
         (SELECT number, result_id, task_number, decision FROM decisions ORDER BY number DESC LIMIT ?2) \
         WHERE result_id IS NOT NULL ORDER BY number DESC LIMIT ?1) AS judged \
     CROSS JOIN tasks ON tasks.number = judged.task_number \
     CROSS JOIN results ON results.task_number = tasks.number AND results.result_id = judged.result_id ORDER BY judged.number";
const SAID: &str = "SELECT status, json_extract(answer, '$.action') FROM reviews WHERE review_id = ?1";

#[async_trait]
impl RecordedDecisions for SqliteStore {
    async fn judgements(&self, since: DateTime<Utc>, limit: usize) -> Result<Vec<RecordedJudgement>, StoreError> {
        self.read(move |db| judgements(db, since, limit)).await
    }

    async fn payments(&self, since: DateTime<Utc>, limit: usize) -> Result<RecordedPayments, StoreError> {
        self.read(move |db| recorded::payments(db, since, limit)).await
    }
}

fn judgements(db: &Connection, since: DateTime<Utc>, limit: usize) -> Result<Vec<RecordedJudgement>, StoreError> {
    let read = |row: &Row<'_>| {
        let mut task: AgentTask = task_rows::task(row)?;
        let attempt: Option<u32> = row.get(8)?;
        task.attempt = attempt.unwrap_or(task.attempt);
        Ok((task, json::<WorkerResult>(row, 6)?, json::<JudgeDecision>(row, 7)?, attempt))
    };
    let found = rows(db, JUDGEMENTS, [from_limit(limit), from_limit(limit.saturating_mul(LOOKED_AT))], read)?;
    let mut find = db.prepare_cached(SAID).or_store_error()?;
    let mut judgements = Vec::with_capacity(found.len());
    for (task, result, decision, attempt) in found.into_iter().filter(|(_, _, decision, _)| decision.created_at.0 >= since) {
        // As the Judge names the review that it asks for.
        let review_id = UuidV4::named(&["review", &result.result_id.to_string()]);
        let said = find.query_row([review_id.to_string()], |row| Ok(said(row.get(0)?, row.get(1)?))).optional().or_store_error()?;
        judgements.push(RecordedJudgement { task, result, decision, attempt, said: said.unwrap_or(Said::Nothing) });
    }
    Ok(judgements)
}

/// A review's status, and what its answer did.
pub(super) fn said(status: Option<String>, action: Option<String>) -> Said {
    match (status.as_deref(), action.as_deref()) {
        (None, _) => Said::Nothing,
        (Some("pending"), _) => Said::Waiting,
        (Some("approved"), Some("edit")) => Said::Edited,
        (Some("approved"), _) => Said::Approved,
        (Some("rejected"), _) => Said::Rejected,
        (Some(_), _) => Said::Expired,
    }
}
