//! The `Outbox` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{from_limit, micros, parsed, rows},
    ledger,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    domain::ledger::Postings,
    ports::{
        StoreError,
        ledger::{LedgerKind, NewLedgerEntry},
        swarm::{Outbox, Post, PostStatus},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};
use serde_json::json;

pub(super) const WAITING: &str = "SELECT post_id, task_id, result_id, campaign_id, agent_id, platform, text, status FROM posts \
     WHERE status = 'approved' ORDER BY number LIMIT ?1";

#[async_trait]
impl Outbox for SqliteStore {
    async fn waiting(&self, limit: usize) -> Result<Vec<Post>, StoreError> {
        self.read(move |db| rows(db, WAITING, [from_limit(limit)], post)).await
    }

    async fn mark(&self, post_id: UuidV4, status: PostStatus, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.write(move |db| mark(db, post_id, status, at)).await
    }
}

/// A post begins as approved.
pub(super) fn add(db: &Connection, post: &Post) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO posts (post_id, task_id, result_id, campaign_id, agent_id, platform, text, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            post.post_id.to_string(),
            post.task_id.to_string(),
            post.result_id.to_string(),
            post.campaign_id,
            post.agent.as_str(),
            post.platform,
            post.text,
            status_word(PostStatus::Approved)
        ],
    )
    .map(drop)
    .or_store_error()
}

pub(super) fn of_campaign(db: &Connection, campaign_id: &str) -> Result<Vec<Post>, StoreError> {
    let select = "SELECT post_id, task_id, result_id, campaign_id, agent_id, platform, text, status FROM posts \
         WHERE campaign_id = ?1 ORDER BY number";
    rows(db, select, [campaign_id], post)
}

#[derive(Debug, thiserror::Error)]
#[error("there is no post {0}")]
struct NoSuchPost(UuidV4);

fn mark(db: &Connection, post_id: UuidV4, status: PostStatus, at: DateTime<Utc>) -> Result<(), StoreError> {
    let find = "SELECT post_id, task_id, result_id, campaign_id, agent_id, platform, text, status FROM posts WHERE post_id = ?1";
    let found = db.query_row(find, [post_id.to_string()], post).optional().or_store_error()?;
    let post = found.ok_or_else(|| StoreError::Failed(Box::new(NoSuchPost(post_id))))?;
    if post.status != PostStatus::Approved || status == PostStatus::Approved {
        return Ok(());
    }
    let mark = "UPDATE posts SET status = ?2, marked_at = ?3 WHERE post_id = ?1";
    db.execute(mark, params![post_id.to_string(), status_word(status), micros(at)]).or_store_error()?;
    let facts = json!({
        "post_id": post_id.to_string(),
        "result_id": post.result_id.to_string(),
        "campaign_id": post.campaign_id,
        "platform": post.platform,
        "text": post.text,
        "status": status_word(status),
    });
    let entry = NewLedgerEntry {
        at,
        kind: LedgerKind::Post,
        agent: Some(post.agent),
        task_id: Some(post.task_id),
        facts,
        postings: Postings::none(),
    };
    ledger::append(db, &entry).map(drop)
}

const STATUSES: [PostStatus; 2] = [PostStatus::Approved, PostStatus::DryRun];

fn status_word(status: PostStatus) -> &'static str {
    match status {
        PostStatus::Approved => "approved",
        PostStatus::DryRun => "dry_run",
    }
}

fn post(row: &Row<'_>) -> rusqlite::Result<Post> {
    let status: String = row.get(7)?;
    let status = STATUSES.into_iter().find(|known| status_word(*known) == status).ok_or(rusqlite::Error::InvalidColumnType(
        7,
        status,
        Type::Text,
    ))?;
    Ok(Post {
        post_id: parsed(row, 0)?,
        task_id: parsed(row, 1)?,
        result_id: parsed(row, 2)?,
        campaign_id: row.get(3)?,
        agent: parsed(row, 4)?,
        platform: row.get(5)?,
        text: row.get(6)?,
        status,
    })
}
