//! The `Reviews` port: people's word on content.

use super::{
    OrStoreError, SqliteStore, campaigns,
    columns::{json, micros, parsed, rows, word},
    judgements, memories, outbox, task_rows,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        decision::{JudgeDecision, Verdict},
        memory_context::MemoryRole,
        review::{ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
    },
    domain::task::TaskState,
    ports::{
        StoreError,
        assets::AssetStatus,
        memories::MemoryRecord,
        swarm::{AnsweredReview, DecideError, PersonsWord, Post, ReviewCase, ReviewOutcome, Reviews},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row};

const CASE: &str = "SELECT task, tasks.status, worker_id, tasks.state_version, attempt, feedback, review, reviews.status, result \
     FROM reviews JOIN tasks USING (task_id) JOIN results ON task_number = tasks.number AND result_id = json_extract(review, '$.result_id') \
     WHERE review_id = ?1 AND NOT EXISTS (SELECT 1 FROM posts WHERE posts.review_id = ?1)";
/// Of a task that its Workers could make nothing for.
const STUCK: &str = "SELECT task, tasks.status, worker_id, tasks.state_version, attempt, feedback, review, reviews.status \
     FROM reviews JOIN tasks USING (task_id) WHERE review_id = ?1 AND json_extract(review, '$.result_id') IS NULL \
     AND json_extract(review, '$.artifact') IS NULL AND json_extract(review, '$.transaction') IS NULL";
/// Of content and stuck tasks: a transfer's review ends with its transfer, and one that asks about a post with a person's word.
pub(super) const OVERDUE: &str = "SELECT review, status FROM reviews WHERE status = 'pending' AND asked_at < ?1 \
     AND json_extract(review, '$.transaction') IS NULL AND NOT EXISTS (SELECT 1 FROM posts WHERE posts.review_id = reviews.review_id) \
     ORDER BY number";

/// Of content about which the Judge was not sure; whatever is sensitive goes to people however sure it is.
const ANSWERS: &str = "SELECT json_extract(review, '$.agent_id'), json_extract(review, '$.confidence_score'), json_extract(answer, '$.action') \
     FROM reviews JOIN tasks USING (task_id) JOIN decisions ON task_number = tasks.number AND result_id = json_extract(review, '$.result_id') \
     WHERE answer IS NOT NULL AND reviews.status <> 'expired' AND json_extract(decision, '$.hitl_reason') = 'low_confidence' \
     AND json_extract(review, '$.confidence_score') IS NOT NULL ORDER BY reviews.number";

#[async_trait]
impl Reviews for SqliteStore {
    async fn case(&self, review_id: UuidV4) -> Result<Option<ReviewCase>, StoreError> {
        self.read(move |db| case(db, review_id)).await
    }

    async fn answer(&self, answer: &ReviewAnswer, word: &PersonsWord) -> Result<ReviewOutcome, StoreError> {
        let (answer, word) = (answer.clone(), word.clone());
        self.write(move |db| decide(db, &answer, &word)).await
    }

    async fn expire(&self, asked_before: DateTime<Utc>, at: DateTime<Utc>) -> Result<Vec<ReviewItem>, StoreError> {
        self.write(move |db| {
            let overdue = rows(db, OVERDUE, [micros(asked_before)], judgements::review)?;
            for review in &overdue {
                judgements::close_review(db, review.review_id, ReviewStatus::Expired, None)?;
                let Some(case) = case(db, review.review_id)? else { continue };
                if task_rows::state_of(db, case.task.task_id)?.is_ended() {
                    continue;
                }
                let reason = format!("nobody decided review {} in time", review.review_id);
                task_rows::record_rejection(db, &case.task, &reason, at)?;
                task_rows::give_up(db, case.task.task_id, &reason, at)?;
            }
            Ok(overdue)
        })
        .await
    }

    async fn answers(&self) -> Result<Vec<AnsweredReview>, StoreError> {
        self.read(|db| {
            rows(db, ANSWERS, [], |row| Ok(AnsweredReview { agent: parsed(row, 0)?, confidence: row.get(1)?, action: word(row, 2)? }))
        })
        .await
    }

    async fn answered(&self, review_id: UuidV4) -> Result<Option<ReviewAnswer>, StoreError> {
        self.read(move |db| answered_by(db, review_id)).await
    }
}

fn case(db: &Connection, review_id: UuidV4) -> Result<Option<ReviewCase>, StoreError> {
    let read = |row: &Row<'_>, has_result: bool| {
        let mut review: ReviewItem = json(row, 6)?;
        review.status = word(row, 7)?;
        let result = if has_result { Some(json(row, 8)?) } else { None };
        Ok(ReviewCase { review, task: task_rows::task(row)?, result })
    };
    let made = db.query_row(CASE, [review_id.to_string()], |row| read(row, true)).optional().or_store_error()?;
    match made {
        Some(case) => Ok(Some(case)),
        None => db.query_row(STUCK, [review_id.to_string()], |row| read(row, false)).optional().or_store_error(),
    }
}

pub(super) fn answered_by(db: &Connection, review_id: UuidV4) -> Result<Option<ReviewAnswer>, StoreError> {
    let find = "SELECT answer FROM reviews WHERE review_id = ?1 AND answer IS NOT NULL";
    db.query_row(find, [review_id.to_string()], |row| json(row, 0)).optional().or_store_error()
}

fn decide(db: &Connection, answer: &ReviewAnswer, word: &PersonsWord) -> Result<ReviewOutcome, StoreError> {
    let Some(case) = case(db, answer.review_id)? else { return Ok(ReviewOutcome::NotFound) };
    if case.review.status != ReviewStatus::Pending {
        let first = answered_by(db, answer.review_id)?;
        let (by, at) = first.map(|first| (first.reviewer_id, first.reviewed_at)).unzip();
        return Ok(ReviewOutcome::AlreadyDecided { status: case.review.status, by, at });
    }
    // Given up meanwhile: what it built on was rejected.
    if task_rows::state_of(db, case.task.task_id)? != TaskState::AwaitingPerson {
        judgements::close_review(db, answer.review_id, ReviewStatus::Expired, None)?;
        return Ok(ReviewOutcome::AlreadyDecided { status: ReviewStatus::Expired, by: None, at: None });
    }
    let (task_id, at) = (case.task.task_id, answer.reviewed_at.0);
    let rejected = format!("rejected by {}", answer.reviewer_id);
    let status = match word {
        PersonsWord::Publish { post, lesson } => {
            let result_id = case.result.as_ref().map(|result| result.result_id);
            if let Err(reason) = let_out(db, task_id, result_id, post, lesson.as_ref())? {
                task_rows::send_back(db, task_id, &reason, None)?;
                judgements::close_review(db, answer.review_id, ReviewStatus::Expired, None)?;
                return Ok(ReviewOutcome::StateMoved { reason });
            }
            ReviewStatus::Approved
        }
        PersonsWord::TryAgain => {
            if let Some(reason) = campaigns::cannot_draw_again(db, task_rows::number_of(db, task_id)?)? {
                return Ok(ReviewOutcome::CannotTryAgain { reason });
            }
            let asked = format!("{} asked to try again", answer.reviewer_id);
            task_rows::send_back(db, task_id, &asked, Some(&asked))?;
            ReviewStatus::Approved
        }
        PersonsWord::Return { feedback, lesson } => {
            learn(db, lesson.as_ref())?;
            match campaigns::cannot_draw_again(db, task_rows::number_of(db, task_id)?)? {
                Some(gone) => task_rows::give_up(db, task_id, &format!("{rejected}; {gone}"), at)?,
                None => task_rows::send_back(db, task_id, &rejected, Some(feedback))?,
            }
            ReviewStatus::Rejected
        }
        PersonsWord::GiveUp { lesson } => {
            learn(db, lesson.as_ref())?;
            task_rows::give_up(db, task_id, &rejected, at)?;
            ReviewStatus::Rejected
        }
    };
    if status == ReviewStatus::Rejected {
        let artifact = case.review.artifact.as_ref();
        outbox::mark_asset(db, artifact.and_then(|artifact| artifact.payload_media_uri.as_deref()), AssetStatus::Rejected)?;
    }
    judgements::close_review(db, answer.review_id, status, Some(answer))?;
    task_rows::forget_failure(db, task_id)?;
    let verdict = if status == ReviewStatus::Rejected { Verdict::Reject } else { Verdict::Approve };
    judgements::record(db, &decision(answer, &case, verdict))?;
    Ok(ReviewOutcome::Done)
}

/// The post, as the agent will remember it. Why not, where the campaign is no longer what it was made for.
fn let_out(
    db: &Connection,
    task_id: UuidV4,
    result_id: Option<UuidV4>,
    post: &Post,
    lesson: Option<&MemoryRecord>,
) -> Result<Result<(), String>, StoreError> {
    let Some(result_id) = result_id else { return Err(StoreError::Corrupt(format!("nothing was made for task {task_id}"))) };
    let judged = judgements::judged(db, task_id, result_id)?;
    match judged.holds().and_then(|()| judgements::publish(db, &judged, post)) {
        Ok(()) => {
            learn(db, lesson)?;
            memories::say_anew(db, task_id, &post.agent, MemoryRole::Assistant, &post.text)?;
            Ok(Ok(()))
        }
        Err(DecideError::Store(error)) => Err(error),
        Err(moved) => Ok(Err(moved.to_string())),
    }
}

fn learn(db: &Connection, lesson: Option<&MemoryRecord>) -> Result<(), StoreError> {
    lesson.map_or(Ok(()), |lesson| memories::insert(db, lesson))
}

/// Beside the Judge's own decision, which has the result: this one is the person's, on the same task.
fn decision(answer: &ReviewAnswer, case: &ReviewCase, verdict: Verdict) -> JudgeDecision {
    let done = match answer.action {
        ReviewAction::Approve if case.result.is_none() => "tried again, as asked",
        ReviewAction::Approve => "approved",
        ReviewAction::Reject => "rejected",
        ReviewAction::Edit => "edited and approved",
    };
    let reason = match &answer.reason {
        Some(reason) => format!("{done} by {}: {reason}", answer.reviewer_id),
        None => format!("{done} by {}", answer.reviewer_id),
    };
    JudgeDecision {
        decision_id: UuidV4::named(&["answer", &answer.review_id.to_string()]),
        result_id: None,
        task_id: case.task.task_id,
        decision: verdict,
        state_version: case.task.state_version,
        created_at: UtcTime(answer.reviewed_at.0),
        reason,
        hitl_reason: None,
    }
}
