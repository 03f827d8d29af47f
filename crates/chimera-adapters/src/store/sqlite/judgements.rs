//! The `Judgements` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, from_limit, json, parsed, rows, to_json, to_word, word},
    outbox, tasks,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        decision::{JudgeDecision, Verdict},
        result::WorkerResult,
        review::{ReviewItem, ReviewStatus},
        task::AgentTask,
    },
    ports::{
        StoreError,
        swarm::{CampaignRecord, Consequence, DecideError, Judgements},
    },
};
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) const UNDECIDED: &str = "SELECT task, status, worker_id, state_version, attempt, feedback, result \
     FROM results JOIN tasks USING (task_id) WHERE decision_id IS NULL AND status = 'review' ORDER BY results.number LIMIT ?1";
pub(super) const PENDING_REVIEWS: &str = "SELECT review, status FROM reviews WHERE status = 'pending' ORDER BY number";

#[async_trait]
impl Judgements for SqliteStore {
    async fn undecided(&self, limit: usize) -> Result<Vec<(AgentTask, WorkerResult)>, StoreError> {
        self.read(move |db| rows(db, UNDECIDED, [from_limit(limit)], |row| Ok((tasks::task(row)?, json(row, 6)?)))).await
    }

    async fn decide(&self, decision: &JudgeDecision, consequence: &Consequence) -> Result<(), DecideError> {
        let (decision, consequence) = (decision.clone(), consequence.clone());
        self.write(move |db| match decision.result_id {
            Some(result_id) => decide(db, result_id, &decision, &consequence),
            None => Ok(decide_without_result(db, &decision, &consequence)?),
        })
        .await
    }

    async fn of_campaign(&self, campaign_id: &str) -> Result<CampaignRecord, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| {
            let of_tasks = |columns: &str, table: &str| {
                format!("SELECT {columns} FROM {table} JOIN tasks USING (task_id) WHERE campaign_id = ?1 ORDER BY {table}.number")
            };
            Ok(CampaignRecord {
                results: rows(db, &of_tasks("result", "results"), [&campaign_id], |row| json(row, 0))?,
                decisions: rows(db, &of_tasks("decision", "decisions"), [&campaign_id], |row| json(row, 0))?,
                reviews: rows(db, &of_tasks("review, reviews.status", "reviews"), [&campaign_id], review)?,
                posts: outbox::of_campaign(db, &campaign_id)?,
            })
        })
        .await
    }

    async fn pending_reviews(&self) -> Result<Vec<ReviewItem>, StoreError> {
        self.read(|db| rows(db, PENDING_REVIEWS, [], review)).await
    }

    async fn review(&self, review_id: UuidV4) -> Result<Option<ReviewItem>, StoreError> {
        self.read(move |db| find_review(db, review_id)).await
    }
}

/// A decision that was made before is not made again.
pub(super) fn record(db: &Connection, decision: &JudgeDecision) -> Result<(), StoreError> {
    let insert =
        "INSERT INTO decisions (decision_id, result_id, task_id, decision) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (decision_id) DO NOTHING";
    let row = params![
        decision.decision_id.to_string(),
        decision.result_id.map(|id| id.to_string()),
        decision.task_id.to_string(),
        to_json(decision)
    ];
    db.prepare_cached(insert).and_then(|mut insert| insert.execute(row)).map(drop).or_store_error()
}

/// A request that no honest Judge makes.
#[derive(Debug, thiserror::Error)]
enum Senseless {
    #[error("there is no result {0}")]
    NoSuchResult(UuidV4),
    #[error("result {result_id} is of another task than {task_id}")]
    OtherTask { result_id: UuidV4, task_id: UuidV4 },
    #[error("decision {0} is no approval, and nothing is published without one")]
    NotApproved(UuidV4),
    #[error("decision {0} has no result to publish or to try again")]
    NoResult(UuidV4),
}

impl From<Senseless> for StoreError {
    fn from(senseless: Senseless) -> Self {
        Self::Failed(Box::new(senseless))
    }
}

fn decide(db: &Connection, result_id: UuidV4, decision: &JudgeDecision, consequence: &Consequence) -> Result<(), DecideError> {
    let judged = judged(db, result_id)?;
    if judged.is_decided {
        return Ok(());
    }
    let task_id = decision.task_id;
    if judged.task_id != task_id {
        return Err(StoreError::from(Senseless::OtherTask { result_id, task_id }).into());
    }
    let is_retry = matches!(consequence, Consequence::Retry { .. });
    if !is_retry && judged.planned_version != judged.campaign_version {
        return Err(DecideError::StateMoved { planned: judged.planned_version, now: judged.campaign_version });
    }
    record(db, decision)?;
    let mark = "UPDATE results SET decision_id = ?2 WHERE result_id = ?1";
    db.execute(mark, [result_id.to_string(), decision.decision_id.to_string()]).or_store_error()?;
    match consequence {
        Consequence::Complete if decision.decision == Verdict::Reject => tasks::abandon(db, task_id, decision.created_at.0)?,
        Consequence::Complete => tasks::complete(db, task_id)?,
        Consequence::Publish(post) => {
            if decision.decision != Verdict::Approve {
                return Err(StoreError::from(Senseless::NotApproved(decision.decision_id)).into());
            }
            if (post.task_id, post.result_id) != (task_id, result_id) {
                return Err(StoreError::from(Senseless::OtherTask { result_id: post.result_id, task_id }).into());
            }
            tasks::complete(db, task_id)?;
            outbox::add(db, post)?;
        }
        Consequence::Retry { feedback } => {
            let again = "UPDATE tasks SET status = 'pending', worker_id = NULL, attempt = attempt + 1, feedback = ?2, state_version = ?3 WHERE task_id = ?1";
            db.execute(again, params![task_id.to_string(), feedback, from_count(judged.campaign_version)?]).or_store_error()?;
        }
        Consequence::AskPerson(review) => add_review(db, review)?,
    }
    Ok(())
}

fn decide_without_result(db: &Connection, decision: &JudgeDecision, consequence: &Consequence) -> Result<(), StoreError> {
    match consequence {
        Consequence::Complete => record(db, decision),
        Consequence::AskPerson(review) => {
            record(db, decision)?;
            add_review(db, review)
        }
        Consequence::Publish(_) | Consequence::Retry { .. } => Err(Senseless::NoResult(decision.decision_id).into()),
    }
}

struct Judged {
    is_decided: bool,
    task_id: UuidV4,
    planned_version: u64,
    campaign_version: u64,
}

fn judged(db: &Connection, result_id: UuidV4) -> Result<Judged, StoreError> {
    let find = "SELECT decision_id IS NOT NULL, tasks.task_id, tasks.state_version, campaigns.state_version \
         FROM results JOIN tasks USING (task_id) JOIN campaigns USING (campaign_id) WHERE result_id = ?1";
    let read = |row: &Row<'_>| {
        Ok(Judged { is_decided: row.get(0)?, task_id: parsed(row, 1)?, planned_version: count(row, 2)?, campaign_version: count(row, 3)? })
    };
    let found = db.query_row(find, [result_id.to_string()], read).optional().or_store_error()?;
    Ok(found.ok_or(Senseless::NoSuchResult(result_id))?)
}

pub(super) fn add_review(db: &Connection, review: &ReviewItem) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO reviews (review_id, task_id, review, status) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        params![review.review_id.to_string(), review.task_id.to_string(), to_json(review), to_word(&review.status)],
    )
    .map(drop)
    .or_store_error()
}

pub(super) fn find_review(db: &Connection, review_id: UuidV4) -> Result<Option<ReviewItem>, StoreError> {
    Ok(rows(db, "SELECT review, status FROM reviews WHERE review_id = ?1", [review_id.to_string()], review)?.pop())
}

pub(super) fn close_review(db: &Connection, review_id: UuidV4, status: ReviewStatus) -> Result<(), StoreError> {
    let close = "UPDATE reviews SET status = ?2 WHERE review_id = ?1";
    db.execute(close, [review_id.to_string(), to_word(&status)]).map(drop).or_store_error()
}

fn review(row: &Row<'_>) -> rusqlite::Result<ReviewItem> {
    let mut review: ReviewItem = json(row, 0)?;
    review.status = word(row, 1)?;
    Ok(review)
}
