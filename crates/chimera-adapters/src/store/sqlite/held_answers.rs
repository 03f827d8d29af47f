//! The `HeldAnswers` port. A held answer is a row beside its review, which knows nothing of it.

use super::{
    OrStoreError, SqliteStore,
    columns::{from_limit, json, micros, rows, time, time_if_any, to_json},
    judgements, reviews,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        review::{ReviewAnswer, ReviewStatus},
    },
    ports::{
        StoreError,
        held_answers::{HeldAnswers, Holding, TakenBack},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

const HELD: &str = "SELECT by, effective_at, state FROM held_answers WHERE review_id = ?1 AND state IN ('held', 'due')";
const HOLD: &str = "INSERT INTO held_answers (review_id, task_id, agent_id, by, answer, effective_at, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'held') \
     ON CONFLICT (review_id) DO UPDATE SET by = excluded.by, answer = excluded.answer, effective_at = excluded.effective_at, \
     state = excluded.state, failure = NULL";
const IS_ANY_DUE: &str = "SELECT EXISTS (SELECT 1 FROM held_answers WHERE state IN ('held', 'due') AND effective_at <= ?1)";
/// In a write of its own: whoever takes an answer back comes before it or after it, and never in between.
const FALL_DUE: &str = "UPDATE held_answers SET state = 'due' WHERE state IN ('held', 'due') AND state = 'held' AND effective_at <= ?1";
const DUE: &str = "SELECT answer FROM held_answers WHERE state IN ('held', 'due') AND state = 'due' ORDER BY effective_at, number LIMIT ?1";
const CARRIED_OUT: &str = "SELECT EXISTS (SELECT 1 FROM held_answers JOIN reviews USING (review_id) WHERE review_id = ?1 \
     AND json_extract(reviews.answer, '$.reviewer_id') = json_extract(held_answers.answer, '$.reviewer_id') \
     AND json_extract(reviews.answer, '$.reviewed_at') = json_extract(held_answers.answer, '$.reviewed_at'))";

#[async_trait]
impl HeldAnswers for SqliteStore {
    async fn hold(&self, answer: &ReviewAnswer, effective_at: DateTime<Utc>) -> Result<Holding, StoreError> {
        let answer = answer.clone();
        self.write(move |db| hold(db, &answer, effective_at)).await
    }

    async fn take_back(&self, review_id: UuidV4, by: &str, now: DateTime<Utc>) -> Result<TakenBack, StoreError> {
        let by = by.to_owned();
        self.write(move |db| match held(db, review_id)? {
            Some(Standing { is_due, effective_at, .. }) if is_due || effective_at <= now => Ok(TakenBack::TooLate),
            None => Ok(TakenBack::TooLate),
            Some(Standing { by: whose, .. }) if whose != by => Ok(TakenBack::NotYours { by: whose }),
            Some(_) => {
                let take_back = "UPDATE held_answers SET state = 'taken_back' WHERE review_id = ?1";
                db.execute(take_back, [review_id.to_string()]).or_store_error()?;
                Ok(TakenBack::Yes)
            }
        })
        .await
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<ReviewAnswer>, StoreError> {
        let is_any_due = self.read(move |db| db.query_row(IS_ANY_DUE, [micros(now)], |row| row.get::<_, bool>(0)).or_store_error()).await?;
        if !is_any_due {
            return Ok(Vec::new());
        }
        self.write(move |db| {
            db.execute(FALL_DUE, [micros(now)]).or_store_error()?;
            rows(db, DUE, [from_limit(limit)], |row| json(row, 0))
        })
        .await
    }

    async fn done(&self, review_id: UuidV4, failure: Option<&str>) -> Result<(), StoreError> {
        let (id, failure) = (review_id.to_string(), failure.map(str::to_owned));
        self.write(move |db| {
            let was_carried_out = db.query_row(CARRIED_OUT, [&id], |row| row.get::<_, bool>(0)).or_store_error()?;
            let failure = failure.filter(|_| !was_carried_out);
            let state = if failure.is_some() { "failed" } else { "done" };
            let end = "UPDATE held_answers SET state = ?2, failure = ?3 WHERE review_id = ?1 AND state IN ('held', 'due')";
            db.execute(end, params![id, state, failure]).map(drop).or_store_error()
        })
        .await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let next = "SELECT min(effective_at) FROM held_answers WHERE state IN ('held', 'due')";
        self.read(|db| db.query_row(next, [], |row| time_if_any(row, 0)).or_store_error()).await
    }

    async fn failure(&self, review_id: UuidV4) -> Result<Option<String>, StoreError> {
        let find = "SELECT failure FROM held_answers WHERE review_id = ?1 AND failure IS NOT NULL";
        self.read(move |db| db.query_row(find, [review_id.to_string()], |row| row.get(0)).optional().or_store_error()).await
    }
}

fn hold(db: &Connection, answer: &ReviewAnswer, effective_at: DateTime<Utc>) -> Result<Holding, StoreError> {
    let Some(review) = judgements::find_review(db, answer.review_id)? else { return Ok(Holding::NoSuchReview) };
    if review.status != ReviewStatus::Pending {
        return Ok(Holding::Decided { answer: reviews::answered_by(db, answer.review_id)?.map(Box::new) });
    }
    if let Some(Standing { by, effective_at, .. }) = held(db, answer.review_id)? {
        return Ok(Holding::HeldBy { by, effective_at });
    }
    let (id, task_id) = (answer.review_id.to_string(), review.task_id.to_string());
    let values = params![id, task_id, review.agent_id, answer.reviewer_id, to_json(answer), micros(effective_at)];
    db.execute(HOLD, values).or_store_error()?;
    Ok(Holding::Held)
}

struct Standing {
    by: String,
    effective_at: DateTime<Utc>,
    /// It is being carried out.
    is_due: bool,
}

fn held(db: &Connection, review_id: UuidV4) -> Result<Option<Standing>, StoreError> {
    let read = |row: &Row<'_>| Ok(Standing { by: row.get(0)?, effective_at: time(row, 1)?, is_due: row.get::<_, String>(2)? == "due" });
    db.query_row(HELD, [review_id.to_string()], read).optional().or_store_error()
}
