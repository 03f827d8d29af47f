//! What waits for a person, what was decided, and everything that one of them is about.

use super::{
    super::{
        OrStoreError,
        columns::{count, from_count, if_any, json, rows, time, time_if_any, word},
        tasks::attempts,
        transfers::{ALIKE, look_alike_text},
    },
    above, fleet, money, one_more, paged,
};
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        content_generator::AttemptFeedback,
        result::WorkerResult,
        review::ReviewItem,
        task::{AgentTask, TaskType},
        views::{
            Money, Page,
            reviews::{AnsweredPost, HeldAnswer, PaymentQuestion, ReviewDetail, ReviewKind, ReviewRow},
        },
    },
    domain::{
        AgentId,
        money::parse_address,
        review::{confidence_parts, summary},
        task::what,
        transfer::LOOK_ALIKE,
    },
    ports::{
        StoreError,
        queries::{PageOf, ReviewFilter},
        swarm::Attempt,
    },
    swarm::{replying::answered_post, worker::feedback_on},
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

pub(super) const PENDING_COUNT: &str = "SELECT count(*) FROM reviews WHERE status = 'pending'";
/// The transfer of a payment, the task that nothing was made for, and the answer that is held.
const FROM: &str = "SELECT reviews.number, review, reviews.status, kind, amount_units, asset, decimals, chain_id, task, asked_at, \
     CASE json_extract(held_answers.answer, '$.found.is_there') WHEN 1 THEN 'published' WHEN 0 THEN 'resend' \
     ELSE json_extract(held_answers.answer, '$.action') END, by, effective_at FROM reviews \
     LEFT JOIN transfers ON kind = 'money' AND transfers.task_id = reviews.task_id AND transfers.state <> 'released' \
     LEFT JOIN tasks ON kind = 'stuck' AND tasks.task_id = reviews.task_id \
     LEFT JOIN held_answers ON held_answers.review_id = reviews.review_id AND held_answers.state IN ('held', 'due')";

pub(super) fn list(db: &Connection, filter: &ReviewFilter, page: &PageOf) -> Result<Page<ReviewRow>, StoreError> {
    let (agent, kind) = (filter.agent.as_ref().map(AgentId::as_str), filter.kind.map(ReviewKind::name));
    let (closed_at, number) = if filter.is_decided { closed_before(db, page)? } else { (0, above(page)?) };
    let params = params![closed_at, number, one_more(page), agent, kind];
    let found = rows(db, &sql(filter), params, |row| Ok((count(row, 0)?, review_row(row)?)))?;
    Ok(paged(found, page))
}

/// Where a list of decided ones goes on: what stopped waiting before this review did.
fn closed_before(db: &Connection, page: &PageOf) -> Result<(i64, i64), StoreError> {
    let Some(cursor) = page.cursor else { return Ok((i64::MAX, i64::MAX)) };
    let number = from_count(cursor.number)?;
    let find = "SELECT closed_at FROM reviews WHERE number = ?1";
    let closed_at: Option<Option<i64>> = db.query_row(find, [number], |row| row.get(0)).optional().or_store_error()?;
    // A cursor of some other list ends this one.
    Ok((closed_at.flatten().unwrap_or(i64::MIN), number))
}

/// Each has all parameters.
pub(in super::super) fn sql(filter: &ReviewFilter) -> String {
    let agent = if filter.agent.is_some() { "reviews.agent_id = ?4" } else { "?4 IS NULL" };
    let kind = if filter.kind.is_some() { "kind = ?5" } else { "?5 IS NULL" };
    if filter.is_decided {
        format!(
            "{FROM} WHERE closed_at IS NOT NULL AND {agent} AND {kind} AND closed_at <= ?1 AND (closed_at < ?1 OR reviews.number < ?2) \
             ORDER BY closed_at DESC, reviews.number DESC LIMIT ?3"
        )
    } else {
        format!(
            "{FROM} WHERE reviews.status = 'pending' AND ?1 IS NOT NULL AND {agent} AND {kind} AND reviews.number > ?2 \
             ORDER BY reviews.number LIMIT ?3"
        )
    }
}

fn review_row(row: &Row<'_>) -> rusqlite::Result<ReviewRow> {
    let review: ReviewItem = json(row, 1)?;
    let kind: String = row.get(3)?;
    let kind = ReviewKind::of_name(&kind).ok_or(rusqlite::Error::InvalidColumnType(3, kind, Type::Text))?;
    let money: Option<Money> = if_any(row, 4, money::amount)?;
    let task: Option<AgentTask> = if_any(row, 8, json)?;
    let wanted = task.as_ref().map(what);
    let on = |task: AgentTask| task.acceptance_criteria.map(|criteria| criteria.platform);
    let summary = summary(&review, kind, wanted.as_deref(), money.as_ref().map(|amount| amount.decimals));
    Ok(ReviewRow {
        review_id: review.review_id,
        task_id: review.task_id,
        agent_id: review.agent_id,
        kind,
        moves_money: kind == ReviewKind::Money || task.as_ref().is_some_and(|task| task.task_type == TaskType::ExecuteTransaction),
        status: word(row, 2)?,
        asked_at: UtcTime(time(row, 9)?),
        reason: review.escalation_reason,
        summary,
        platform: review.artifact.and_then(|artifact| artifact.platform_target).or_else(|| task.and_then(on)),
        confidence: review.confidence_score,
        money,
        held: if_any(row, 10, |row, column| {
            Ok(HeldAnswer { action: row.get(column)?, by: row.get(column + 1)?, effective_at: UtcTime(time(row, column + 2)?) })
        })?,
    })
}

/// What the task of a review has beside it.
#[derive(Default)]
struct About {
    campaign_id: Option<String>,
    goal: Option<String>,
    attempt: u32,
    in_reply_to: Option<AnsweredPost>,
    result: Option<WorkerResult>,
}

const ABOUT: &str = "SELECT tasks.campaign_id, json_extract(goal, '$.goal_description'), attempt, \
     (SELECT result FROM results WHERE task_number = tasks.number AND result_id = ?2), task FROM tasks JOIN campaigns USING (campaign_id) WHERE task_id = ?1";

pub(super) fn detail(db: &Connection, review_id: UuidV4) -> Result<Option<ReviewDetail>, StoreError> {
    let find = format!("{FROM} WHERE reviews.review_id = ?1");
    let read = |row: &Row<'_>| Ok((review_row(row)?, json::<ReviewItem>(row, 1)?));
    let found = db.query_row(&find, [review_id.to_string()], read).optional().or_store_error()?;
    let Some((row, review)) = found else { return Ok(None) };
    let about = about(db, &review)?;
    let made = about.result.as_ref();
    let trace = review.reasoning_trace.as_deref().or(made.map(|result| result.reasoning_trace.as_str())).unwrap_or_default();
    let answer = "SELECT answer FROM reviews WHERE review_id = ?1 AND answer IS NOT NULL";
    let failed = "SELECT failure FROM held_answers WHERE review_id = ?1 AND state = 'failed'";
    Ok(Some(ReviewDetail {
        payment: if row.kind == ReviewKind::Money { payment(db, review.task_id)? } else { None },
        feedback: if row.kind == ReviewKind::Money { Vec::new() } else { turned_down(attempts(db, review.task_id)?, &review) },
        answer: db.query_row(answer, [review_id.to_string()], |row| json(row, 0)).optional().or_store_error()?,
        held_failure: db.query_row(failed, [review_id.to_string()], |row| row.get(0)).optional().or_store_error()?.flatten(),
        campaign_id: about.campaign_id,
        goal: about.goal,
        publish: None,
        in_reply_to: about.in_reply_to,
        trace: trace.lines().map(str::to_owned).collect(),
        confidence_parts: confidence_parts(trace),
        written_by: made.and_then(|result| result.written_by.clone()),
        attempt: about.attempt.max(1),
        artifact: review.artifact,
        row,
    }))
}

fn about(db: &Connection, review: &ReviewItem) -> Result<About, StoreError> {
    let read = |row: &Row<'_>| {
        let about =
            About { campaign_id: row.get(0)?, goal: row.get(1)?, attempt: row.get(2)?, in_reply_to: None, result: if_any(row, 3, json)? };
        Ok((about, json::<AgentTask>(row, 4)?))
    };
    let result_id = review.result_id.map(|id| id.to_string());
    let found = db.query_row(ABOUT, params![review.task_id.to_string(), result_id], read).optional().or_store_error()?;
    let Some((about, task)) = found else { return Ok(About::default()) };
    Ok(About { in_reply_to: answered(db, &task)?, ..about })
}

/// By the mention as it was taken; where that is not on record, by its name alone.
fn answered(db: &Connection, task: &AgentTask) -> Result<Option<AnsweredPost>, StoreError> {
    let Some((post_id, criteria)) = answered_post(task).zip(task.acceptance_criteria.as_ref()) else { return Ok(None) };
    let find = "SELECT nullif(author, ''), text FROM mentions WHERE platform = ?1 AND post_id = ?2";
    let heard =
        db.query_row(find, params![criteria.platform, post_id], |row| Ok((row.get(0)?, row.get(1)?))).optional().or_store_error()?;
    let (author, text) = heard.unwrap_or_default();
    Ok(Some(AnsweredPost { platform: criteria.platform.clone(), post_id, author, text }))
}

/// What was made for the task before, as the next attempt is told of it.
fn turned_down(attempts: Vec<Attempt>, review: &ReviewItem) -> Vec<AttemptFeedback> {
    let is_before =
        |attempt: &Attempt| Some(attempt.result.result_id) != review.result_id && attempt.result.created_at <= review.created_at;
    attempts.into_iter().filter(is_before).filter_map(feedback_on).collect()
}

const PAYMENT: &str = "SELECT amount_units, transfers.asset, transfers.decimals, transfers.chain_id, transfers.recipient, coalesce(rule, ''), transfers.agent_id, wallet, \
     reserved_at, coalesce(payments, 0), state, iif(state = 'granted', grant_until, NULL), \
     iif(state = 'declined' AND grant_until IS NOT NULL, reason, NULL) FROM transfers \
     LEFT JOIN payees ON payees.agent_id = transfers.agent_id AND payees.chain_id = transfers.chain_id AND payees.recipient = transfers.recipient \
     WHERE transfers.task_id = ?1 AND state <> 'released'";
const BUDGET: &str = "SELECT chain_id, asset, decimals, spent_units, reserved_units FROM budget_days \
     WHERE kind = 'own' AND name = ?1 AND chain_id = ?2 AND asset = ?3 AND day = ?4";

struct Asked {
    question: PaymentQuestion,
    agent: String,
    wallet: String,
    at: DateTime<Utc>,
}

fn payment(db: &Connection, task_id: UuidV4) -> Result<Option<PaymentQuestion>, StoreError> {
    let read = |row: &Row<'_>| {
        let question = PaymentQuestion {
            amount: money::amount(row, 0)?,
            to_address: row.get(4)?,
            rule: row.get(5)?,
            budget: None,
            balance: None,
            paid_before: count(row, 9)?,
            looks_like: None,
            state: row.get(10)?,
            approved_until: time_if_any(row, 11)?.map(UtcTime),
            revoked: row.get(12)?,
        };
        Ok(Asked { question, agent: row.get(6)?, wallet: row.get(7)?, at: time(row, 8)? })
    };
    let found = db.query_row(PAYMENT, [task_id.to_string()], read).optional().or_store_error()?;
    let Some(Asked { mut question, agent, wallet, at }) = found else { return Ok(None) };
    let day = params![wallet, question.amount.chain_id, question.amount.asset, at.date_naive().to_string()];
    question.budget = db.query_row(BUDGET, day, |row| fleet::budget_day(row, 0)).optional().or_store_error()?;
    if question.rule == LOOK_ALIKE {
        question.looks_like = looks_like(db, &agent, &question.to_address)?;
    }
    Ok(Some(question))
}

fn looks_like(db: &Connection, agent: &str, recipient: &str) -> Result<Option<String>, StoreError> {
    let Ok(address) = parse_address(recipient) else { return Ok(None) };
    let alike = params![agent, look_alike_text(address), recipient];
    db.query_row(ALIKE, alike, |row| row.get(0)).optional().or_store_error()
}
