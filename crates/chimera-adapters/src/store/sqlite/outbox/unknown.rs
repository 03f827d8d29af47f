//! The `UnknownPosts` port: what may have left, and a person's word on it.

use super::{
    super::{OrStoreError, SqliteStore, columns::micros, judgements, ledger, reviews},
    COLUMNS, entry, mark_asset, post,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        review::{ReviewAnswer, ReviewStatus},
    },
    ports::{
        StoreError,
        assets::AssetStatus,
        swarm::{Post, PostStatus, PostWord, ReviewOutcome, UnknownPosts},
    },
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::json;

#[async_trait]
impl UnknownPosts for SqliteStore {
    async fn asked_about(&self, review_id: UuidV4) -> Result<Option<Post>, StoreError> {
        self.read(move |db| Ok(find(db, review_id)?.map(|(_, post)| post))).await
    }

    async fn settle(&self, answer: &ReviewAnswer, word: &PostWord) -> Result<ReviewOutcome, StoreError> {
        let (answer, word) = (answer.clone(), word.clone());
        self.write(move |db| settle(db, &answer, &word)).await
    }
}

pub(super) fn ask_about(db: &Connection, number: i64, review_id: UuidV4) -> Result<(), StoreError> {
    let ask = "UPDATE posts SET review_id = ?2 WHERE number = ?1";
    db.execute(ask, params![number, review_id.to_string()]).map(drop).or_store_error()
}

/// The answer came after all.
pub(super) fn take_back_question(db: &Connection, number: i64) -> Result<(), StoreError> {
    let close = "UPDATE reviews SET status = 'expired', closed_at = (SELECT at FROM present) \
         WHERE status = 'pending' AND review_id = (SELECT review_id FROM posts WHERE number = ?1)";
    db.prepare_cached(close).and_then(|mut close| close.execute([number])).map(drop).or_store_error()
}

fn find(db: &Connection, review_id: UuidV4) -> Result<Option<(i64, Post)>, StoreError> {
    let find = format!("SELECT {COLUMNS}, number FROM posts WHERE review_id = ?1");
    let read = |row: &Row<'_>| Ok((row.get(12)?, post(row)?));
    db.query_row(&find, [review_id.to_string()], read).optional().or_store_error()
}

fn settle(db: &Connection, answer: &ReviewAnswer, word: &PostWord) -> Result<ReviewOutcome, StoreError> {
    let Some((number, post)) = find(db, answer.review_id)? else { return Ok(ReviewOutcome::NotFound) };
    let Some(review) = judgements::find_review(db, answer.review_id)? else { return Ok(ReviewOutcome::NotFound) };
    if review.status != ReviewStatus::Pending || post.status != PostStatus::Unknown {
        let first = reviews::answered_by(db, answer.review_id)?;
        let (by, at) = first.map(|first| (first.reviewer_id, first.reviewed_at)).unzip();
        return Ok(ReviewOutcome::AlreadyDecided { status: review.status, by, at });
    }
    let at = answer.reviewed_at.0;
    let (status, closed, url, said) = match word {
        PostWord::IsThere { url } => (PostStatus::Published, ReviewStatus::Approved, url.as_deref(), "it is there"),
        PostWord::SendAgain => (PostStatus::Approved, ReviewStatus::Approved, None, "it is not there, and is sent again"),
        PostWord::LeaveIt => (PostStatus::Refused, ReviewStatus::Rejected, None, "it is not there, and is not sent again"),
    };
    let said = format!("{said}, by the word of {}", answer.reviewer_id);
    // What is sent again is as if it had never been sent, but for what it has used up of every limit.
    let change = "UPDATE posts SET status = ?2, reason = ?3, url = ?4, marked_at = iif(?2 = 'approved', NULL, ?5), begun_at = NULL, \
         attempts = 0, not_before = 0, sent_through = NULL, repeatable_until = NULL WHERE number = ?1";
    db.execute(change, params![number, status.name(), said, url, micros(at)]).or_store_error()?;
    if status == PostStatus::Published {
        mark_asset(db, post.media_uri.as_deref(), AssetStatus::Published)?;
    }
    judgements::close_review(db, answer.review_id, closed, Some(answer))?;
    let mut entry = entry(&post, status, at);
    entry.facts["by"] = json!(answer.reviewer_id);
    entry.facts["review_id"] = json!(answer.review_id.to_string());
    for (name, value) in [("url", url), ("reason", answer.reason.as_deref())] {
        if let Some(value) = value {
            entry.facts[name] = json!(value);
        }
    }
    ledger::append(db, &entry)?;
    Ok(ReviewOutcome::Done)
}
