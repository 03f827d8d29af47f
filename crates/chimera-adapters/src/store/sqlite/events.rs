//! The `Events` port. Nothing here writes: triggers do, in the transaction of each step.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, from_limit, if_any, parsed, rows, time, time_if_any},
};
use async_trait::async_trait;
use chimera_core::ports::{
    StoreError,
    events::{Event, EventKind, Events, Standing, Tally},
};
use rusqlite::{Connection, Row, params, types::Type};
use std::collections::BTreeMap;

const EVENTS: &str = "SELECT number, at, kind, state, subject, task_id, campaign_id, agent_id, attempt FROM events WHERE number > ?1 ORDER BY number LIMIT ?2";
/// By the task's number, oldest first.
pub(super) const OF_TASK: &str = "SELECT number, at, kind, state, subject, task_id, campaign_id, agent_id, attempt \
     FROM events INDEXED BY events_of_task WHERE task_number = ?1 ORDER BY number LIMIT ?2";
const TALLY: &str = "SELECT kind, state, count(*), max(number) FROM events WHERE number > ?1 GROUP BY kind, state";
/// Open tasks alone have an entry in this index.
pub(super) const OPEN_TASKS: &str =
    "SELECT status, count(*) FROM tasks INDEXED BY tasks_open WHERE status NOT IN ('complete', 'given_up') GROUP BY status";
const CAMPAIGNS: &str = "SELECT status, count(*) FROM campaigns GROUP BY status";
/// One of each urgency: the index has them in order of urgency first.
const OLDEST_READY: &str = "SELECT min(at) FROM (\
     SELECT (SELECT created_at FROM tasks WHERE status = 'pending' AND blocked_by = 0 AND run_at IS NULL AND held = 0 AND priority = urgency.column1 \
     ORDER BY created_at, number LIMIT 1) AS at FROM (VALUES (0), (1), (2)) AS urgency)";
const REVIEWS: &str = "SELECT count(*), min(asked_at) FROM reviews WHERE status = 'pending'";
const POSTS: &str = "SELECT count(*) FROM posts WHERE status IN ('approved', 'sending')";
const TOKENS: &str = "SELECT ifnull(sum(input_tokens), 0), ifnull(sum(output_tokens), 0) FROM model_calls";

#[async_trait]
impl Events for SqliteStore {
    async fn events(&self, after: u64, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.read(move |db| rows(db, EVENTS, params![from_count(after)?, from_limit(limit)], event)).await
    }

    async fn last(&self) -> Result<u64, StoreError> {
        self.read(|db| db.query_row("SELECT ifnull(max(number), 0) FROM events", [], |row| count(row, 0)).or_store_error()).await
    }

    async fn tally(&self, after: u64) -> Result<Tally, StoreError> {
        self.read(move |db| {
            let mut tally = Tally { last: after, ..Tally::default() };
            for (kind, state, number, last) in
                rows(db, TALLY, [from_count(after)?], |row| Ok((kind(row, 0)?, row.get(1)?, count(row, 2)?, count(row, 3)?)))?
            {
                tally.last = tally.last.max(last);
                tally.counts.insert((kind, state), number);
            }
            Ok(tally)
        })
        .await
    }

    async fn standing(&self) -> Result<Standing, StoreError> {
        self.read(standing).await
    }
}

fn standing(db: &Connection) -> Result<Standing, StoreError> {
    let by_word = |sql: &str| -> Result<BTreeMap<String, u64>, StoreError> {
        Ok(rows(db, sql, [], |row| Ok((row.get(0)?, count(row, 1)?)))?.into_iter().collect())
    };
    let (reviews, oldest_review_at) = db.query_row(REVIEWS, [], |row| Ok((count(row, 0)?, time_if_any(row, 1)?))).or_store_error()?;
    let (input_tokens, output_tokens) = db.query_row(TOKENS, [], |row| Ok((count(row, 0)?, count(row, 1)?))).or_store_error()?;
    Ok(Standing {
        agents: db.query_row("SELECT count(*) FROM agents", [], |row| count(row, 0)).or_store_error()?,
        campaigns: by_word(CAMPAIGNS)?,
        tasks: by_word(OPEN_TASKS)?,
        oldest_ready_at: db.query_row(OLDEST_READY, [], |row| time_if_any(row, 0)).or_store_error()?,
        reviews,
        oldest_review_at,
        posts: db.query_row(POSTS, [], |row| count(row, 0)).or_store_error()?,
        input_tokens,
        output_tokens,
    })
}

pub(super) fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        number: count(row, 0)?,
        at: time(row, 1)?,
        kind: kind(row, 2)?,
        state: row.get(3)?,
        subject: row.get(4)?,
        task_id: if_any(row, 5, parsed)?,
        campaign_id: row.get(6)?,
        agent_id: row.get(7)?,
        attempt: row.get(8)?,
    })
}

fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<EventKind> {
    let name: String = row.get(column)?;
    EventKind::of_name(&name).ok_or(rusqlite::Error::InvalidColumnType(column, name, Type::Text))
}
