//! The `Outbox` port.

pub(super) mod limits;
mod unknown;

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_limit, micros, parsed, rows, time_if_any},
    judgements, ledger, transfers,
    turns::{Answers, Desk},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, views::reviews::ReviewKind},
    domain::{
        AgentId,
        freeze::Freeze,
        ledger::{EntryText, Postings},
    },
    ports::{
        StoreError,
        assets::AssetStatus,
        ledger::{LedgerKind, NewLedgerEntry},
        swarm::{Asked, Begun, LastSend, Left, Outbox, Outgoing, Post, PostStatus, PublishLimits, SendAttempt},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Statement, params, types::Type};
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc};

const COLUMNS: &str =
    "post_id, task_id, result_id, campaign_id, agent_id, platform, text, posts.status, media_uri, reply_to, url, begun_at";
pub(super) const WAITING: &str = "SELECT post_id, task_id, result_id, campaign_id, agent_id, platform, text, posts.status, media_uri, reply_to, url, begun_at, \
     posts.number, sent_through, repeatable_until FROM posts CROSS JOIN campaigns USING (campaign_id) WHERE posts.status IN ('approved', 'sending') AND not_before <= ?1 \
     AND campaigns.status <> 'paused' AND NOT EXISTS (SELECT 1 FROM pauses WHERE scope IN ('*', agent_id)) \
     AND NOT EXISTS (SELECT 1 FROM retirements WHERE retirements.agent_id = posts.agent_id) \
     ORDER BY not_before, posts.number LIMIT ?2";

#[async_trait]
impl Outbox for SqliteStore {
    async fn waiting(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Outgoing>, StoreError> {
        self.read(move |db| rows(db, WAITING, params![micros(now), from_limit(limit)], outgoing)).await
    }

    async fn begin(&self, post: &Outgoing, attempt: &SendAttempt, limits: &PublishLimits) -> Result<Begun, StoreError> {
        let (post, attempt, limits) = (post.clone(), attempt.clone(), *limits);
        self.write(move |db| begin(db, &post, &attempt, &limits)).await
    }

    async fn left(&self, post: &Outgoing, left: &Left, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.leaving.ask(&self.writer, Leaving::new(post, left, at)).await
    }

    async fn said(&self, agent: &AgentId, platform: &str, except: UuidV4, limit: usize) -> Result<Vec<String>, StoreError> {
        let (agent, platform, except) = (agent.to_string(), platform.to_owned(), except.to_string());
        self.read(move |db| {
            let of = params![agent, except, from_limit(limit), platform];
            let asked: Vec<Option<String>> = rows(db, ASKED_TEXTS, of, |row| row.get(0))?;
            let mut said: Vec<String> = asked.into_iter().flatten().collect();
            said.extend(rows(db, PUBLISHED_TEXTS, of, |row| row.get::<_, String>(0))?);
            said.truncate(limit);
            Ok(said)
        })
        .await
    }

    async fn reasons(&self, campaign_id: &str) -> Result<BTreeMap<UuidV4, String>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| {
            let find = "SELECT post_id, reason FROM posts WHERE campaign_id = ?1 AND reason IS NOT NULL AND status <> 'dry_run'";
            Ok(rows(db, find, [campaign_id], |row| Ok((parsed(row, 0)?, row.get(1)?)))?.into_iter().collect())
        })
        .await
    }

    async fn delay(&self, post: &Outgoing, reason: &str, not_before: DateTime<Utc>, asked: Asked) -> Result<(), StoreError> {
        let (number, post_id, reason) = (post.number, post.post.post_id.to_string(), reason.to_owned());
        self.write(move |db| {
            let delay = match asked {
                Asked::Perhaps => {
                    "UPDATE posts SET not_before = ?3, reason = ?4 WHERE number = ?1 AND post_id = ?2 AND status IN ('approved', 'sending')"
                }
                Asked::No => {
                    "UPDATE posts SET not_before = ?3, reason = ?4, status = 'approved', begun_at = NULL, \
                     sent_through = NULL, repeatable_until = NULL WHERE number = ?1 AND post_id = ?2 AND status IN ('approved', 'sending')"
                }
            };
            db.execute(delay, params![number, post_id, micros(not_before), reason]).map(drop).or_store_error()
        })
        .await
    }
}

pub(super) const PUBLISHED_TEXTS: &str = "SELECT text FROM posts \
     WHERE agent_id = ?1 AND task_id <> ?2 AND status <> 'refused' AND reply_to IS NULL AND platform = ?4 ORDER BY number DESC LIMIT ?3";
pub(super) const ASKED_TEXTS: &str = "SELECT json_extract(review, '$.artifact.payload_text') FROM reviews \
     WHERE status = 'pending' AND json_extract(review, '$.agent_id') = ?1 AND task_id <> ?2 \
     AND json_extract(review, '$.artifact.platform_target') = ?4 LIMIT ?3";

pub(super) const ADD: &str = "INSERT OR FAIL INTO posts \
     (task_number, post_id, task_id, result_id, campaign_id, agent_id, platform, text, status, media_uri, reply_to) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// By `ADD`. A post begins as approved. Of one task there is one.
pub(super) fn add(db: &Connection, adding: &mut Statement<'_>, task_number: i64, post: &Post) -> Result<(), StoreError> {
    let row = params![
        task_number,
        post.post_id.to_string(),
        post.task_id.to_string(),
        post.result_id.to_string(),
        post.campaign_id,
        post.agent.as_str(),
        post.platform,
        post.text,
        PostStatus::Approved.name(),
        post.media_uri,
        post.reply_to
    ];
    adding.execute(row).or_store_error()?;
    mark_asset(db, post.media_uri.as_deref(), AssetStatus::Approved)
}

/// A post's picture or film stands where its post does.
pub(super) fn mark_asset(db: &Connection, media_uri: Option<&str>, status: AssetStatus) -> Result<(), StoreError> {
    let Some(id) = media_uri.and_then(|uri| uri.strip_prefix("chimera://assets/")) else { return Ok(()) };
    db.execute("UPDATE assets SET status = ?2 WHERE id = ?1", [id, status.name()]).map(drop).or_store_error()
}

pub(super) fn of_campaign(db: &Connection, campaign_id: &str) -> Result<Vec<Post>, StoreError> {
    rows(db, &format!("SELECT {COLUMNS} FROM posts WHERE campaign_id = ?1 ORDER BY number"), [campaign_id], post)
}

/// Posts that use up the campaign's budget: all but those that the platform refused. One that was sent again counts again.
pub(super) fn count_of_campaign(db: &Connection, campaign_id: &str) -> Result<u64, StoreError> {
    let counted = "SELECT coalesce(sum(max(sends, 1)), 0) FROM posts WHERE campaign_id = ?1 AND status <> 'refused'";
    db.query_row(counted, [campaign_id], |row| count(row, 0)).or_store_error()
}

/// Why this store may be behind what was done: its head contradicts it, or it was restored or adopted and is not reconciled yet.
fn book_in_doubt(db: &Connection, agent: &AgentId) -> Result<Option<Freeze>, StoreError> {
    match ledger::contradicted(db)? {
        Some(contradicted) => Ok(Some(contradicted)),
        None => transfers::held(db, agent),
    }
}

/// The send, its place among those that limits count, and its entry on the ledger are one write: none is there without the others.
fn begin(db: &Connection, outgoing: &Outgoing, attempt: &SendAttempt, limits: &PublishLimits) -> Result<Begun, StoreError> {
    let (number, now) = (outgoing.number, attempt.at);
    let find =
        format!("SELECT {COLUMNS}, number, sent_through, repeatable_until, not_before > ?3 FROM posts WHERE number = ?1 AND post_id = ?2");
    let read = |row: &Row<'_>| Ok((self::outgoing(row)?, row.get::<_, bool>(15)?));
    let row = params![number, outgoing.post.post_id.to_string(), micros(now)];
    let found = db.query_row(&find, row, read).optional().or_store_error()?;
    let Some((Outgoing { post, last_send, .. }, is_leased)) = found.filter(|(found, _)| is_waiting(&found.post)) else {
        return Ok(Begun::Gone);
    };
    let is_unsafe = |last: &LastSend| last.upstream != attempt.upstream || last.repeatable_until.is_none_or(|until| until <= now);
    if is_leased || last_send.as_ref().is_some_and(is_unsafe) {
        return Ok(Begun::Taken);
    }
    let stopped = "SELECT CASE WHEN campaigns.status = 'paused' THEN 'the campaign is paused' \
         WHEN EXISTS (SELECT 1 FROM work_stops WHERE scope IN ('*', agent_id)) THEN 'the agent is retired, or it or the fleet is paused' END \
         FROM posts JOIN campaigns USING (campaign_id) WHERE posts.number = ?1";
    let stopped: Option<String> = db.query_row(stopped, [number], |row| row.get(0)).or_store_error()?;
    if let Some(reason) = stopped {
        return Ok(Begun::Held { reason });
    }
    if let Some(freeze) = book_in_doubt(db, &post.agent)? {
        let reason = format!("this folder may be an old copy, which may have sent it already: {}", freeze.reason);
        return Ok(Begun::Held { reason });
    }
    if let Some(reason) = limits::over(db, &post, now, limits)? {
        return Ok(Begun::Held { reason });
    }
    let begin = "UPDATE posts SET status = ?2, not_before = ?3, attempts = attempts + 1, sends = sends + 1, begun_at = coalesce(begun_at, ?4), \
         sent_through = ?5, repeatable_until = CASE WHEN status = 'sending' THEN repeatable_until ELSE ?6 END WHERE number = ?1 RETURNING attempts";
    let repeatable_until = attempt.repeatable_until.map(micros);
    let row = params![number, PostStatus::Sending.name(), micros(attempt.until), micros(now), attempt.upstream, repeatable_until];
    let attempts = db.query_row(begin, row, |row| row.get(0)).or_store_error()?;
    limits::count_send(db, number, &post, now)?;
    let mut entry = entry(&post, PostStatus::Sending, now);
    for (name, value) in [("attempt", json!(attempts)), ("upstream", json!(attempt.upstream)), ("tool", json!(attempt.tool))] {
        entry.facts[name] = value;
    }
    ledger::append(db, &entry)?;
    Ok(Begun::Go { attempt: attempts })
}

const NOT_BEGUN: &str = "SELECT post_id, task_id, result_id, campaign_id, agent_id, platform, text, posts.status, media_uri, reply_to, url, begun_at, \
     posts.number, sent_through, repeatable_until FROM posts WHERE status = 'approved' AND agent_id = ?1 ORDER BY number";

/// Posts of the agent that nobody has begun to send are not sent; how many.
pub(super) fn withdraw(db: &Connection, agent: &AgentId, reason: &str, at: DateTime<Utc>) -> Result<usize, StoreError> {
    let left = Left::Refused { reason: reason.to_owned() };
    let withdrawn = rows(db, NOT_BEGUN, [agent.as_str()], outgoing)?;
    let withdrawn: Vec<Leaving> = withdrawn.iter().map(|post| Leaving::new(post, &left, at)).collect();
    mark_all(db, &withdrawn)?;
    Ok(withdrawn.len())
}

#[derive(Debug, thiserror::Error)]
#[error("there is no post {0}")]
struct NoSuchPost(UuidV4);

/// A post that has left, and what is said of it, all made apart from the writing thread.
pub(super) struct Leaving {
    number: i64,
    post_id: UuidV4,
    media_uri: Option<String>,
    left: Left,
    at: DateTime<Utc>,
    entry: EntryText,
}

impl Leaving {
    fn new(outgoing: &Outgoing, left: &Left, at: DateTime<Utc>) -> Self {
        let post = &outgoing.post;
        Self {
            number: outgoing.number,
            post_id: post.post_id,
            media_uri: post.media_uri.clone(),
            left: left.clone(),
            at,
            entry: told(post, left, at).to_text(),
        }
    }
}

pub(super) type LeavingDesk = Desk<Leaving, ()>;

pub(super) fn desk() -> Arc<LeavingDesk> {
    Desk::new(mark_all)
}

fn mark_all(db: &Connection, leaving: &[Leaving]) -> Answers<()> {
    let (mut answers, mut entries) = (Vec::with_capacity(leaving.len()), Vec::with_capacity(leaving.len()));
    let mut marking = db.prepare_cached(MARK).or_store_error()?;
    for leaving in leaving {
        answers.push(if mark(db, &mut marking, leaving)? {
            entries.push(&leaving.entry);
            Ok(())
        } else {
            // Of one that is told twice, the first word counts.
            known(db, leaving)?
        });
    }
    ledger::append_all(db, &entries)?;
    Ok(answers)
}

fn known(db: &Connection, leaving: &Leaving) -> Result<Result<(), StoreError>, StoreError> {
    let find = "SELECT EXISTS (SELECT 1 FROM posts WHERE number = ?1 AND post_id = ?2)";
    let is_known = db.query_row(find, params![leaving.number, leaving.post_id.to_string()], |row| row.get(0)).or_store_error()?;
    Ok(if is_known { Ok(()) } else { Err(StoreError::Failed(Box::new(NoSuchPost(leaving.post_id)))) })
}

/// What is recorded of a post that left: its state, its name and address over there, and why it is not.
fn fate(left: &Left) -> (PostStatus, Option<&String>, Option<&String>, Option<&String>) {
    match left {
        Left::DryRun => (PostStatus::DryRun, None, None, None),
        Left::Published { remote_id, url, remark } => (PostStatus::Published, remote_id.as_ref(), url.as_ref(), remark.as_ref()),
        Left::Refused { reason } => (PostStatus::Refused, None, None, Some(reason)),
        Left::Unknown { reason, .. } => (PostStatus::Unknown, None, None, Some(reason)),
    }
}

const MARK: &str = "UPDATE OR FAIL posts SET status = ?3, marked_at = ?4, remote_id = ?5, url = ?6, reason = ?7 \
     WHERE number = ?1 AND post_id = ?2 AND (status IN ('approved', 'sending') OR (status = 'unknown' AND ?3 = 'published'))";

/// Whether this was not known until now.
fn mark(db: &Connection, marking: &mut Statement<'_>, leaving: &Leaving) -> Result<bool, StoreError> {
    let (status, remote_id, url, reason) = fate(&leaving.left);
    let row = params![leaving.number, leaving.post_id.to_string(), status.name(), micros(leaving.at), remote_id, url, reason];
    if marking.execute(row).or_store_error()? == 0 {
        return Ok(false);
    }
    match &leaving.left {
        Left::Published { .. } => {
            mark_asset(db, leaving.media_uri.as_deref(), AssetStatus::Published)?;
            unknown::take_back_question(db, leaving.number)?;
        }
        Left::Unknown { review, .. } => {
            judgements::add_review_of(db, review, ReviewKind::UnknownPost)?;
            unknown::ask_about(db, leaving.number, review.review_id)?;
        }
        Left::DryRun | Left::Refused { .. } => {}
    }
    Ok(true)
}

fn told(post: &Post, left: &Left, at: DateTime<Utc>) -> NewLedgerEntry {
    let (status, remote_id, url, reason) = fate(left);
    let mut entry = entry(post, status, at);
    for (name, value) in [("remote_id", remote_id), ("url", url), ("reason", reason)] {
        if let Some(value) = value {
            entry.facts[name] = json!(value);
        }
    }
    if let Left::Unknown { review, .. } = left {
        entry.facts["review_id"] = json!(review.review_id.to_string());
    }
    entry
}

fn entry(post: &Post, status: PostStatus, at: DateTime<Utc>) -> NewLedgerEntry {
    let facts = json!({
        "post_id": post.post_id.to_string(),
        "result_id": post.result_id.to_string(),
        "campaign_id": post.campaign_id,
        "platform": post.platform,
        "text": post.text,
        "status": status.name(),
    });
    NewLedgerEntry {
        at,
        kind: LedgerKind::Post,
        agent: Some(post.agent.clone()),
        task_id: Some(post.task_id),
        facts,
        postings: Postings::none(),
    }
}

fn is_waiting(post: &Post) -> bool {
    match post.status {
        PostStatus::Approved | PostStatus::Sending => true,
        PostStatus::DryRun | PostStatus::Published | PostStatus::Refused | PostStatus::Unknown => false,
    }
}

/// After the post's own columns.
fn outgoing(row: &Row<'_>) -> rusqlite::Result<Outgoing> {
    let post = post(row)?;
    // One from before there was this column was sent through something, and cannot be repeated.
    let last_send = || {
        Ok::<_, rusqlite::Error>(LastSend {
            upstream: row.get::<_, Option<String>>(13)?.unwrap_or_default(),
            repeatable_until: time_if_any(row, 14)?,
        })
    };
    let last_send = if post.status == PostStatus::Sending { Some(last_send()?) } else { None };
    Ok(Outgoing { number: row.get(12)?, post, last_send })
}

fn post(row: &Row<'_>) -> rusqlite::Result<Post> {
    let status: String = row.get(7)?;
    Ok(Post {
        post_id: parsed(row, 0)?,
        task_id: parsed(row, 1)?,
        result_id: parsed(row, 2)?,
        campaign_id: row.get(3)?,
        agent: parsed(row, 4)?,
        platform: row.get(5)?,
        text: row.get(6)?,
        status: PostStatus::of_name(&status).ok_or(rusqlite::Error::InvalidColumnType(7, status, Type::Text))?,
        media_uri: row.get(8)?,
        reply_to: row.get(9)?,
        url: row.get(10)?,
        begun_at: time_if_any(row, 11)?,
    })
}
