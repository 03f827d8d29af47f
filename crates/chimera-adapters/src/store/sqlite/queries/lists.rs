//! Tasks, posts and the calendar, page by page.

use super::{
    super::{
        OrStoreError,
        columns::{count, micros, parsed, rows, time, time_if_any},
        task_rows,
    },
    below, one_more, paged,
};
use chimera_core::{
    contracts::{
        UtcTime,
        views::{
            Page,
            campaigns::{CalendarRow, PostRow, TaskRow},
        },
    },
    domain::{
        AgentId,
        task::{TaskState, what},
    },
    ports::{
        StoreError,
        queries::{PageOf, PostFilter},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// The task first, as `task_rows::task` reads it.
pub(in super::super) const TASKS: &str = "SELECT task, tasks.status, worker_id, tasks.state_version, attempt, feedback, number, run_at, reason \
     FROM tasks WHERE campaign_id = ?3 AND number < ?1 ORDER BY number DESC LIMIT ?2";

pub(super) fn tasks(db: &Connection, campaign_id: &str, page: &PageOf) -> Result<Page<TaskRow>, StoreError> {
    let found = rows(db, TASKS, params![below(page)?, one_more(page), campaign_id], |row| Ok((count(row, 6)?, task(row)?)))?;
    Ok(paged(found, page))
}

fn task(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    let (task, state) = (task_rows::task(row)?, task_rows::state(row, 1)?);
    let tried_again = || task.feedback.clone().filter(|_| task.attempt > 1 && !state.is_ended());
    Ok(TaskRow {
        task_id: task.task_id,
        state: state_word(state).to_owned(),
        what: what(&task),
        attempt: task.attempt,
        created_at: task.created_at,
        run_at: time_if_any(row, 7)?.map(UtcTime),
        reason: row.get::<_, Option<String>>(8)?.or_else(tried_again),
        campaign_id: task.context.campaign_id,
        agent_id: task.context.agent_id,
    })
}

/// A result in review and a person's review are two things, which one word would not tell apart.
fn state_word(state: TaskState) -> &'static str {
    match state {
        TaskState::InReview => "in_review",
        TaskState::Pending
        | TaskState::InProgress
        | TaskState::AwaitingPerson
        | TaskState::Returned
        | TaskState::Complete
        | TaskState::GivenUp => state.name(),
    }
}

pub(super) fn posts(db: &Connection, filter: &PostFilter, page: &PageOf) -> Result<Page<PostRow>, StoreError> {
    let (campaign, agent) = (filter.campaign_id.as_deref(), filter.agent.as_ref().map(AgentId::as_str));
    let params = params![below(page)?, one_more(page), campaign, agent];
    Ok(paged(rows(db, &posts_sql(filter), params, |row| Ok((count(row, 0)?, post(row, 1)?)))?, page))
}

pub(super) const POST: &str =
    "post_id, task_id, campaign_id, agent_id, platform, status, text, media_uri, coalesce(marked_at, begun_at), url, reason";

/// Each has all parameters.
pub(in super::super) fn posts_sql(filter: &PostFilter) -> String {
    let (of_campaign, of_agent) = (filter.campaign_id.is_some(), filter.agent.is_some());
    let campaign = if of_campaign { "campaign_id = ?3" } else { "?3 IS NULL" };
    let agent = if of_agent { "agent_id = ?4" } else { "?4 IS NULL" };
    format!("SELECT number, {POST} FROM posts WHERE {campaign} AND {agent} AND number < ?1 ORDER BY number DESC LIMIT ?2")
}

/// `POST`, from column `first` on.
pub(super) fn post(row: &Row<'_>, first: usize) -> rusqlite::Result<PostRow> {
    Ok(PostRow {
        post_id: parsed(row, first)?,
        task_id: parsed(row, first + 1)?,
        campaign_id: row.get(first + 2)?,
        agent_id: row.get(first + 3)?,
        platform: row.get(first + 4)?,
        status: row.get(first + 5)?,
        text: row.get(first + 6)?,
        media_uri: row.get(first + 7)?,
        at: time_if_any(row, first + 8)?.map(UtcTime),
        url: row.get(first + 9)?,
        reason: row.get(first + 10)?,
    })
}

pub(in super::super) const CALENDAR_OF_CAMPAIGN: &str = "SELECT number, entry_id, campaign_id, at, about, agent_id, platform, content_type, status, reason \
     FROM calendar WHERE campaign_id = ?4 AND at >= ?1 AND (at > ?1 OR number > ?2) ORDER BY at, number LIMIT ?3";
pub(in super::super) const CALENDAR: &str = "SELECT number, entry_id, campaign_id, at, about, agent_id, platform, content_type, status, reason \
     FROM calendar WHERE ?4 IS NULL AND at >= ?1 AND (at > ?1 OR number > ?2) ORDER BY at, number LIMIT ?3";

/// An entry's moment never changes, so its number tells where a page ended.
pub(super) fn calendar(
    db: &Connection,
    campaign_id: Option<&str>,
    from: DateTime<Utc>,
    page: &PageOf,
) -> Result<Page<CalendarRow>, StoreError> {
    let last = super::above(page)?;
    let ended_at = "SELECT at FROM calendar WHERE number = ?1";
    let ended_at: Option<i64> = db.query_row(ended_at, [last], |row| row.get(0)).optional().or_store_error()?;
    // Of those at the very moment, the ones with a higher number follow; before the first page that is all of them.
    let (at, number) = ended_at.filter(|at| *at >= micros(from)).map_or((micros(from), 0), |at| (at, last));
    let sql = if campaign_id.is_some() { CALENDAR_OF_CAMPAIGN } else { CALENDAR };
    let found = rows(db, sql, params![at, number, one_more(page), campaign_id], |row| Ok((count(row, 0)?, entry(row)?)))?;
    Ok(paged(found, page))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<CalendarRow> {
    Ok(CalendarRow {
        entry_id: parsed(row, 1)?,
        campaign_id: row.get(2)?,
        at: UtcTime(time(row, 3)?),
        about: row.get(4)?,
        agent_id: row.get(5)?,
        platform: row.get(6)?,
        content_type: row.get(7)?,
        status: row.get(8)?,
        reason: row.get(9)?,
    })
}
