//! The `Judgements` port.

use super::{
    OrStoreError, SqliteStore, campaigns,
    columns::{count, from_limit, if_any, json, micros, parsed, rows, to_json, to_word, word},
    outbox,
    task_rows::{self, Completing},
    turns::{Answers, Desk, go_on},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        decision::{JudgeDecision, Verdict},
        result::WorkerResult,
        review::{ReviewAnswer, ReviewItem, ReviewStatus},
        task::AgentTask,
        views::reviews::ReviewKind,
    },
    domain::{
        AgentId,
        campaign::{Budget, CampaignStatus},
        task::{TaskEvent, TaskState},
    },
    ports::{
        StoreError,
        swarm::{CampaignRecord, Consequence, DecideError, Judgements, Post},
    },
};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};
use std::{collections::HashMap, sync::Arc};

pub(super) const UNDECIDED: &str = "SELECT task, status, worker_id, state_version, attempt, feedback, result \
     FROM results JOIN tasks ON tasks.number = task_number WHERE decision_id IS NULL AND status = 'review' ORDER BY results.number LIMIT ?1";
pub(super) const PENDING_REVIEWS: &str = "SELECT review, status FROM reviews WHERE status = 'pending' ORDER BY number";

#[async_trait]
impl Judgements for SqliteStore {
    async fn undecided(&self, limit: usize) -> Result<Vec<(AgentTask, WorkerResult)>, StoreError> {
        self.read(move |db| rows(db, UNDECIDED, [from_limit(limit)], |row| Ok((task_rows::task(row)?, json(row, 6)?)))).await
    }

    async fn decide(&self, decision: &JudgeDecision, consequence: &Consequence) -> Result<(), DecideError> {
        self.rulings.ask(&self.writer, Ruling::new(decision, consequence)).await?
    }

    async fn of_campaign(&self, campaign_id: &str) -> Result<CampaignRecord, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| {
            let of_tasks = |columns: &str, table: &str, is_of: &str| {
                format!("SELECT {columns} FROM {table} JOIN tasks ON {is_of} WHERE campaign_id = ?1 ORDER BY {table}.number")
            };
            let by_number = "tasks.number = task_number";
            Ok(CampaignRecord {
                results: rows(db, &of_tasks("result", "results", by_number), [&campaign_id], |row| json(row, 0))?,
                decisions: rows(db, &of_tasks("decision", "decisions", by_number), [&campaign_id], |row| json(row, 0))?,
                reviews: rows(
                    db,
                    &of_tasks("review, reviews.status", "reviews", "tasks.task_id = reviews.task_id"),
                    [&campaign_id],
                    review,
                )?,
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

/// One without a result. A decision that was made before is not made again.
pub(super) fn record(db: &Connection, decision: &JudgeDecision) -> Result<(), StoreError> {
    record_of(db, decision, None)
}

/// The same, of a task that need not be ours: then the agent is known to the caller alone.
pub(super) fn record_of(db: &Connection, decision: &JudgeDecision, agent: Option<&AgentId>) -> Result<(), StoreError> {
    let insert = "INSERT INTO decisions (decision_id, result_id, task_id, task_number, decision, verdict, agent_id) \
         VALUES (?1, NULL, ?2, (SELECT number FROM tasks WHERE task_id = ?2), ?3, ?4, ?5) ON CONFLICT DO NOTHING";
    let (decision_id, task_id) = (decision.decision_id.to_string(), decision.task_id.to_string());
    let row = params![decision_id, task_id, to_json(decision), to_word(&decision.decision), agent.map(AgentId::as_str)];
    db.prepare_cached(insert).and_then(|mut insert| insert.execute(row)).map(drop).or_store_error()
}

/// A decision, its JSON, which the writing thread need not make, and what follows from it.
pub(super) struct Ruling {
    decision: JudgeDecision,
    json: String,
    consequence: Consequence,
}

impl Ruling {
    pub(super) fn new(decision: &JudgeDecision, consequence: &Consequence) -> Self {
        Self { decision: decision.clone(), json: to_json(decision), consequence: consequence.clone() }
    }
}

pub(super) type RulingDesk = Desk<Ruling, Result<(), DecideError>>;

pub(super) fn desk() -> Arc<RulingDesk> {
    Desk::new(decide_all)
}

pub(super) fn decide_all(db: &Connection, rulings: &[Ruling]) -> Answers<Result<(), DecideError>> {
    let mut deciding = Deciding::new(db)?;
    deciding.read_ahead(rulings.len())?;
    let mut answers = Vec::with_capacity(rulings.len());
    for Ruling { decision, json, consequence } in rulings {
        let before = db.total_changes();
        let decided = match decision.result_id {
            Some(result_id) => deciding.decide(result_id, decision, json, consequence),
            None => decide_without_result(db, decision, consequence).map_err(DecideError::from),
        };
        // One that is refused has written nothing, and the others stand.
        if let Err(error) = &decided {
            go_on(db)?;
            if db.total_changes() != before {
                return Err(StoreError::Corrupt(format!("a decision failed half way: {error}")));
            }
        }
        answers.push(Ok(decided));
    }
    Ok(answers)
}

/// What is said for each of many results, ready to be said.
struct Deciding<'db> {
    db: &'db Connection,
    /// Of those that have waited longest, by result.
    ahead: HashMap<UuidV4, (UuidV4, Judged)>,
    find: CachedStatement<'db>,
    record: CachedStatement<'db>,
    mark: CachedStatement<'db>,
    add_post: CachedStatement<'db>,
    completing: Completing<'db>,
}

impl<'db> Deciding<'db> {
    fn new(db: &'db Connection) -> Result<Self, StoreError> {
        let prepared = |sql| db.prepare_cached(sql).or_store_error();
        Ok(Self {
            db,
            ahead: HashMap::new(),
            find: prepared(JUDGED)?,
            record: prepared(
                "INSERT OR FAIL INTO decisions (decision_id, result_id, task_id, task_number, decision, verdict) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?,
            mark: prepared("UPDATE results SET decision_id = ?2 WHERE number = ?1")?,
            add_post: prepared(outbox::ADD)?,
            completing: Completing::new(db)?,
        })
    }

    fn decide(&mut self, result_id: UuidV4, decision: &JudgeDecision, json: &str, consequence: &Consequence) -> Result<(), DecideError> {
        let (db, task_id) = (self.db, decision.task_id);
        let judged = self.judged(task_id, result_id)?;
        if judged.is_decided {
            return Ok(());
        }
        check(db, &judged, result_id, decision, consequence)?;
        self.record(&judged, result_id, decision, json)?;
        match consequence {
            Consequence::Complete if decision.decision == Verdict::Reject => {
                // Others end with it.
                self.ahead.clear();
                task_rows::give_up(db, task_id, &decision.reason, decision.created_at.0)?
            }
            Consequence::Complete => self.completing.complete(&task_id.to_string(), judged.task_number, judged.state)?,
            Consequence::Publish(post) => self.let_out(&judged, post)?,
            Consequence::Retry { feedback } => task_rows::retry(db, task_id, feedback, None)?,
            Consequence::Return { reason } => task_rows::send_back(db, task_id, reason, None)?,
            Consequence::AskPerson(review) => {
                task_rows::advance(db, task_id, TaskEvent::Ask, None)?;
                add_review(db, review)?
            }
        }
        Ok(())
    }

    /// Judges decide on the oldest results together: one search finds about all of them.
    fn read_ahead(&mut self, count: usize) -> Result<(), StoreError> {
        if count >= READ_AHEAD_MIN {
            let read = |row: &Row<'_>| Ok((parsed(row, 9)?, (parsed(row, 8)?, Judged::read(row)?)));
            self.ahead = rows(self.db, OLDEST, [from_limit(count)], read)?.into_iter().collect();
        }
        Ok(())
    }

    fn judged(&mut self, task_id: UuidV4, result_id: UuidV4) -> Result<Judged, StoreError> {
        // Taken out: whoever decides again reads what is there by then.
        if let Some((of, judged)) = self.ahead.remove(&result_id)
            && of == task_id
        {
            return Ok(judged);
        }
        let found = self.find.query_row([task_id.to_string(), result_id.to_string()], Judged::read).optional().or_store_error()?;
        Ok(found.ok_or(Senseless::NoSuchResult { task_id, result_id })?)
    }

    fn record(&mut self, judged: &Judged, result_id: UuidV4, decision: &JudgeDecision, json: &str) -> Result<(), StoreError> {
        let decision_id = decision.decision_id.to_string();
        let (result_id, task_id) = (result_id.to_string(), decision.task_id.to_string());
        let row = params![decision_id, result_id, task_id, judged.task_number, json, to_word(&decision.decision)];
        self.record.execute(row).or_store_error()?;
        self.mark.execute(params![judged.result_number, decision_id]).map(drop).or_store_error()
    }

    fn let_out(&mut self, judged: &Judged, post: &Post) -> Result<(), StoreError> {
        // The post first: whoever reads the events knows, when the task is complete, whether something is still to leave.
        outbox::add(self.db, &mut self.add_post, judged.task_number, post)?;
        self.completing.complete(&post.task_id.to_string(), judged.task_number, judged.state)
    }
}

pub(super) fn judged(db: &Connection, task_id: UuidV4, result_id: UuidV4) -> Result<Judged, StoreError> {
    Deciding::new(db)?.judged(task_id, result_id)
}

/// The task is complete and its post waits, within the campaign's budget. Nothing was written when it fails.
pub(super) fn publish(db: &Connection, judged: &Judged, post: &Post) -> Result<(), DecideError> {
    within_budget(db, judged, post)?;
    Ok(Deciding::new(db)?.let_out(judged, post)?)
}

/// For fewer, the search is not worth its while.
const READ_AHEAD_MIN: usize = 16;

pub(super) const OLDEST: &str = "SELECT results.number, tasks.number, tasks.state_version, campaigns.state_version, campaigns.status, \
     posts_max, tasks.status, FALSE, task_id, result_id FROM results CROSS JOIN tasks ON tasks.number = task_number JOIN campaigns USING (campaign_id) \
     WHERE decision_id IS NULL AND tasks.status = 'review' ORDER BY results.number LIMIT ?1";
const JUDGED: &str = "SELECT results.number, tasks.number, tasks.state_version, campaigns.state_version, campaigns.status, \
     posts_max, tasks.status, decision_id IS NOT NULL \
     FROM tasks JOIN results ON task_number = tasks.number JOIN campaigns USING (campaign_id) WHERE task_id = ?1 AND result_id = ?2";

/// A request that no honest Judge makes.
#[derive(Debug, thiserror::Error)]
enum Senseless {
    #[error("task {task_id} has no result {result_id}")]
    NoSuchResult { task_id: UuidV4, result_id: UuidV4 },
    #[error("result {result_id} is of another task than {task_id}")]
    OtherTask { result_id: UuidV4, task_id: UuidV4 },
    #[error("decision {0} is no approval, and nothing is published without one")]
    NotApproved(UuidV4),
    #[error("decision {0} is an approval, and what is approved is not thrown away")]
    Approved(UuidV4),
    #[error("decision {0} has no result to publish or to try again")]
    NoResult(UuidV4),
}

impl From<Senseless> for StoreError {
    fn from(senseless: Senseless) -> Self {
        Self::Failed(Box::new(senseless))
    }
}

/// Everything that may stand against the decision, before anything is written.
fn check(
    db: &Connection,
    judged: &Judged,
    result_id: UuidV4,
    decision: &JudgeDecision,
    consequence: &Consequence,
) -> Result<(), DecideError> {
    let (task_id, is_approval) = (decision.task_id, decision.decision == Verdict::Approve);
    match consequence {
        // What happened has happened, and what is worth nothing is worth nothing in every state.
        Consequence::Complete => {}
        Consequence::Return { .. } if is_approval => return Err(StoreError::from(Senseless::Approved(decision.decision_id)).into()),
        Consequence::Return { .. } => {}
        Consequence::Publish(_) | Consequence::Retry { .. } | Consequence::AskPerson(_) => judged.holds()?,
    }
    if let Consequence::Publish(post) = consequence {
        if !is_approval {
            return Err(StoreError::from(Senseless::NotApproved(decision.decision_id)).into());
        }
        if (post.task_id, post.result_id) != (task_id, result_id) {
            return Err(StoreError::from(Senseless::OtherTask { result_id: post.result_id, task_id }).into());
        }
        within_budget(db, judged, post)?;
    }
    if let Consequence::Retry { .. } = consequence
        && let Some(gone) = campaigns::cannot_draw_again(db, judged.task_number)?
    {
        return Err(DecideError::BudgetGone(gone));
    }
    let event = match consequence {
        Consequence::Complete if !is_approval => TaskEvent::GiveUp,
        Consequence::Complete | Consequence::Publish(_) => TaskEvent::Approve,
        Consequence::Retry { .. } => TaskEvent::Retry,
        Consequence::Return { .. } => TaskEvent::Return,
        Consequence::AskPerson(_) => TaskEvent::Ask,
    };
    task_rows::after(judged.state, event)?;
    Ok(())
}

fn within_budget(db: &Connection, judged: &Judged, post: &Post) -> Result<(), DecideError> {
    if judged.budget.posts_max.is_some()
        && let Some(gone) = judged.budget.posts_gone(outbox::count_of_campaign(db, &post.campaign_id)?)
    {
        return Err(DecideError::BudgetGone(gone));
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
        Consequence::Publish(_) | Consequence::Retry { .. } | Consequence::Return { .. } => {
            Err(Senseless::NoResult(decision.decision_id).into())
        }
    }
}

/// A result, and the campaign as it is now.
pub(super) struct Judged {
    result_number: i64,
    pub(super) task_number: i64,
    is_decided: bool,
    state: TaskState,
    planned_version: u64,
    campaign_version: u64,
    status: CampaignStatus,
    budget: Budget,
}

impl Judged {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            result_number: row.get(0)?,
            task_number: row.get(1)?,
            is_decided: row.get(7)?,
            state: task_rows::state(row, 6)?,
            planned_version: count(row, 2)?,
            campaign_version: count(row, 3)?,
            status: campaigns::status(row, 4)?,
            budget: Budget { posts_max: if_any(row, 5, count)?, ..Budget::default() },
        })
    }

    /// Whether the campaign is still what the task was planned for.
    pub(super) fn holds(&self) -> Result<(), DecideError> {
        if self.planned_version == self.campaign_version && self.status == CampaignStatus::Running {
            return Ok(());
        }
        Err(DecideError::StateMoved { planned: self.planned_version, now: self.campaign_version, status: self.status })
    }
}

pub(super) fn add_review(db: &Connection, review: &ReviewItem) -> Result<(), StoreError> {
    add_review_of(db, review, ReviewKind::of(review))
}

/// Whether a post left, which its review does not tell.
pub(super) fn add_review_of(db: &Connection, review: &ReviewItem, kind: ReviewKind) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO reviews (review_id, task_id, review, status, asked_at, agent_id, kind) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
         ON CONFLICT DO NOTHING",
        params![
            review.review_id.to_string(),
            review.task_id.to_string(),
            to_json(review),
            to_word(&review.status),
            micros(review.created_at.0),
            review.agent_id,
            kind.name()
        ],
    )
    .map(drop)
    .or_store_error()
}

pub(super) fn find_review(db: &Connection, review_id: UuidV4) -> Result<Option<ReviewItem>, StoreError> {
    Ok(rows(db, "SELECT review, status FROM reviews WHERE review_id = ?1", [review_id.to_string()], review)?.pop())
}

/// `answer` is the person's, where one decided.
pub(super) fn close_review(
    db: &Connection,
    review_id: UuidV4,
    status: ReviewStatus,
    answer: Option<&ReviewAnswer>,
) -> Result<(), StoreError> {
    let close = "UPDATE reviews SET status = ?2, answer = ?3, closed_at = (SELECT at FROM present) WHERE review_id = ?1";
    db.execute(close, params![review_id.to_string(), to_word(&status), answer.map(to_json)]).map(drop).or_store_error()
}

pub(super) fn review(row: &Row<'_>) -> rusqlite::Result<ReviewItem> {
    let mut review: ReviewItem = json(row, 0)?;
    review.status = word(row, 1)?;
    Ok(review)
}
