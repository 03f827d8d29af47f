//! The `AgentLives` port. A retirement is one write: nothing of the agent goes on between its row and the end of what it began.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, micros, parsed, rows, time},
    judgements, ledger, outbox, pauses, queries, task_rows, transfers,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        review::{ReviewAction, ReviewAnswer, ReviewStatus},
        views::{Page, souls::SoulVersion},
    },
    domain::{
        AgentId,
        freeze::{Freeze, FreezeScope},
        ledger::{freeze_entry, unfreeze_entry},
    },
    ports::{
        StoreError,
        agent_lives::{AgentLives, ChangeSoulError, Ended, Retired, Retirement, SoulChange},
        grants::{Revocation, Revoked},
        queries::PageOf,
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

const NEWEST: &str = "SELECT number, soul_version FROM souls WHERE agent_id = ?1 ORDER BY number DESC LIMIT 1";
const SOULS: &str =
    "SELECT number, soul_version, soul_source, by, at FROM souls WHERE number < ?1 AND agent_id = ?3 ORDER BY number DESC LIMIT ?2";
const OPEN_TASKS: &str = "FROM tasks INDEXED BY tasks_open WHERE agent_id = ?1 AND status NOT IN ('complete', 'given_up') ORDER BY number";
const ASKED_OF_TASK: &str = "SELECT review_id FROM reviews WHERE task_id = ?1 AND status = 'pending' AND kind IN ('content', 'stuck')";
const ASKED_OF_PAYMENTS: &str =
    "SELECT review_id FROM transfers WHERE agent_id = ?1 AND state = 'awaiting_review' AND review_id IS NOT NULL";
const APPROVED: &str = "SELECT review_id FROM transfers WHERE agent_id = ?1 AND state = 'granted' AND review_id IS NOT NULL";
const FOLLOWED: &str = "SELECT count(*) FROM transfers WHERE agent_id = ?1 AND state IN ('handed_over', 'signed', 'broadcast')";

#[async_trait]
impl AgentLives for SqliteStore {
    async fn change_soul(&self, change: &SoulChange) -> Result<u64, ChangeSoulError> {
        let change = change.clone();
        self.write(move |db| change_soul(db, &change)).await
    }

    async fn souls(&self, agent: &AgentId, page: &PageOf) -> Result<Page<SoulVersion>, StoreError> {
        let (agent, page) = (agent.clone(), page.clone());
        self.read(move |db| {
            let range = params![queries::below(&page)?, queries::one_more(&page), agent.as_str()];
            let found = rows(db, SOULS, range, |row| Ok((count(row, 0)?, version(row)?)))?;
            Ok(queries::paged(found, &page))
        })
        .await
    }

    async fn retire(&self, retirement: &Retirement) -> Result<Retired, StoreError> {
        let retirement = retirement.clone();
        self.write(move |db| retire(db, &retirement)).await
    }

    async fn reinstate(&self, agent: &AgentId, by: &str, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let (agent, by) = (agent.clone(), by.to_owned());
        self.write(move |db| {
            let was_retired = db.execute("DELETE FROM retirements WHERE agent_id = ?1", [agent.as_str()]).or_store_error()? > 0;
            if was_retired {
                pauses::hold_tasks(db, Some(&agent))?;
                ledger::append(db, &unfreeze_entry(&FreezeScope::Agent(agent), &by, at))?;
            }
            Ok(was_retired)
        })
        .await
    }
}

pub(super) fn retirement(db: &Connection, agent: &AgentId) -> Result<Option<Retirement>, StoreError> {
    let mut find = db.prepare_cached("SELECT reason, by, at FROM retirements WHERE agent_id = ?1").or_store_error()?;
    let read = |row: &Row<'_>| Ok(Retirement { agent: agent.clone(), reason: row.get(0)?, by: row.get(1)?, at: time(row, 2)? });
    find.query_row([agent.as_str()], read).optional().or_store_error()
}

fn version(row: &Row<'_>) -> rusqlite::Result<SoulVersion> {
    Ok(SoulVersion {
        number: count(row, 0)?,
        soul_version: row.get(1)?,
        soul_source: row.get(2)?,
        by: row.get(3)?,
        at: UtcTime(time(row, 4)?),
    })
}

fn change_soul(db: &Connection, change: &SoulChange) -> Result<u64, ChangeSoulError> {
    let agent = change.agent();
    let newest = db.query_row(NEWEST, [agent.as_str()], |row| Ok((count(row, 0)?, row.get::<_, String>(1)?))).optional();
    let (present, version) = newest.or_store_error()?.ok_or_else(|| ChangeSoulError::NoSuchAgent(agent.clone()))?;
    if !change.may_follow(present) {
        return Err(ChangeSoulError::Moved { present });
    }
    if version == change.version() {
        return Ok(present);
    }
    let number = present + 1;
    let row = params![agent.as_str(), from_count(number)?, change.version(), change.source(), change.by(), micros(change.at())];
    db.execute("INSERT INTO souls (agent_id, number, soul_version, soul_source, by, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row)
        .or_store_error()?;
    let change_agent = "UPDATE agents SET soul_version = ?2, soul_source = ?3 WHERE id = ?1";
    db.execute(change_agent, params![agent.as_str(), change.version(), change.source()]).or_store_error()?;
    Ok(number)
}

fn retire(db: &Connection, retirement: &Retirement) -> Result<Retired, StoreError> {
    let Retirement { agent, reason, by, at } = retirement;
    let insert = "INSERT INTO retirements (agent_id, reason, by, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    if db.execute(insert, params![agent.as_str(), reason, by, micros(*at)]).or_store_error()? == 0 {
        let stands = self::retirement(db, agent)?.unwrap_or_else(|| retirement.clone());
        return Ok(Retired { retirement: stands, ended: Ended::default() });
    }
    let freeze = Freeze { reason: format!("retired: {reason}"), ..retirement.freeze() };
    ledger::append(db, &freeze_entry(&freeze))?;
    pauses::hold_tasks(db, Some(agent))?;
    let told = format!("{agent} is retired: {reason}");
    let payments = decline_payments(db, retirement, &told)?;
    let approvals = revoke_approvals(db, retirement, &told)?;
    let (tasks, reviews) = give_up_tasks(db, retirement, &told)?;
    let miss = "UPDATE calendar SET status = 'missed', reason = ?2 WHERE status = 'waiting' AND agent_id = ?1";
    let ended = Ended {
        tasks,
        reviews,
        payments,
        approvals,
        posts: outbox::withdraw(db, agent, &told, *at)?,
        dates: db.execute(miss, params![agent.as_str(), told]).or_store_error()?,
        followed: db.query_row(FOLLOWED, [agent.as_str()], |row| count(row, 0)).or_store_error()?,
    };
    Ok(Retired { retirement: retirement.clone(), ended })
}

/// Those that wait for a person, in the name of who retires the agent. One that another wallet may have made is left to the chain.
fn decline_payments(db: &Connection, retirement: &Retirement, reason: &str) -> Result<usize, StoreError> {
    let asked: Vec<UuidV4> = rows(db, ASKED_OF_PAYMENTS, [retirement.agent.as_str()], |row| parsed(row, 0))?;
    for review_id in &asked {
        transfers::answer_review(db, &refusal(retirement, *review_id, reason), retirement.at)?;
    }
    Ok(asked.len())
}

/// Those that a person approved and that are not made yet.
fn revoke_approvals(db: &Connection, retirement: &Retirement, reason: &str) -> Result<usize, StoreError> {
    let mut revoked = 0;
    for review_id in rows(db, APPROVED, [retirement.agent.as_str()], |row| parsed(row, 0))? {
        let revocation = Revocation { review_id, by: retirement.by.clone(), reason: Some(reason.to_owned()), at: retirement.at };
        match transfers::revoke(db, &revocation)? {
            Revoked::Done(_) => revoked += 1,
            Revoked::NotDone(_) => {}
        }
    }
    Ok(revoked)
}

/// How many tasks, and how many reviews of them.
fn give_up_tasks(db: &Connection, retirement: &Retirement, reason: &str) -> Result<(usize, usize), StoreError> {
    let at = retirement.at;
    let open = rows(db, &format!("SELECT {} {OPEN_TASKS}", task_rows::COLUMNS), [retirement.agent.as_str()], task_rows::task)?;
    let mut closed = 0;
    for task in &open {
        for review_id in rows(db, ASKED_OF_TASK, [task.task_id.to_string()], |row| parsed(row, 0))? {
            // Not rejected: nothing is learnt from it of what the reviewers want.
            judgements::close_review(db, review_id, ReviewStatus::Expired, Some(&refusal(retirement, review_id, reason)))?;
            closed += 1;
        }
        // With one that it depends on, a task is given up already.
        if !task_rows::state_of(db, task.task_id)?.is_ended() {
            task_rows::record_rejection(db, task, reason, at)?;
            task_rows::give_up(db, task.task_id, reason, at)?;
        }
    }
    Ok((open.len(), closed))
}

/// What is on record for whoever looks at the review later.
fn refusal(retirement: &Retirement, review_id: UuidV4, reason: &str) -> ReviewAnswer {
    ReviewAnswer {
        found: None,
        review_id,
        action: ReviewAction::Reject,
        reason: Some(reason.to_owned()),
        edited_artifact: None,
        give_up: true,
        confirmed_address: None,
        reviewer_id: retirement.by.clone(),
        reviewed_at: UtcTime(retirement.at),
    }
}
