//! What follows for a campaign's work when its budget, its agents or its goal change, and when it is deleted.

use super::{
    OrStoreError, calendar, campaigns,
    columns::{parsed, rows, units},
    judgements, plans,
    task_rows::{self, COLUMNS},
};
use chimera_core::{
    contracts::{UuidV4, campaign::CampaignGoal, review::ReviewStatus, task::AgentTask},
    domain::{
        campaign::{Budget, CampaignEvent},
        money::U256,
        task::TaskEvent,
    },
    ports::{
        StoreError,
        swarm::{CampaignState, ChangeError},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};

/// Nobody works on it, and no wallet has been asked for it. Newest first.
const UNBEGUN_PAYMENTS: &str = "SELECT task_id, json_extract(task, '$.transaction.params.amount_wei_or_units') FROM tasks \
     WHERE campaign_id = ?1 AND status IN ('pending', 'returned') AND json_extract(task, '$.transaction.params.amount_wei_or_units') IS NOT NULL \
     AND NOT EXISTS (SELECT 1 FROM transfers WHERE transfers.task_id = tasks.task_id) ORDER BY number DESC";
/// A payment of the campaign that is in one of these states, and what to do about it.
const PAYMENTS_IN_FLIGHT: [(&str, &str); 2] = [
    (
        "state IN ('granted', 'reserved', 'handed_over', 'signed', 'broadcast')",
        "may have left: wait until the chain has settled it (/money shows it)",
    ),
    ("state = 'awaiting_review'", "waits for a person's word: decide it first (/review)"),
];

/// After the campaign's row was written.
pub(super) fn follow(
    db: &Connection,
    campaign: &CampaignState,
    before: &CampaignGoal,
    event: &CampaignEvent,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let campaign_id = &campaign.goal.campaign_id;
    match event {
        CampaignEvent::ChangeGoal { .. } => {
            let forget = "DELETE FROM planned_tasks WHERE campaign_id = ?1 AND is_added = 0";
            db.execute(forget, [campaign_id]).map(drop).or_store_error()
        }
        CampaignEvent::ChangeBudget { budget } => {
            keep_within(db, campaign_id, budget, at)?;
            stop_where_gone(db, campaign_id, budget, before)?;
            plans::revise(db, campaign_id)
        }
        CampaignEvent::ChangeAgents { agent_ids } => {
            change_agents(db, campaign_id, agent_ids, at)?;
            plans::revise(db, campaign_id)
        }
        CampaignEvent::Start
        | CampaignEvent::Pause { .. }
        | CampaignEvent::Resume
        | CampaignEvent::Exhaust { .. }
        | CampaignEvent::Delete => Ok(()),
    }
}

/// Payments that are not begun go, the newest first, until those that are left fit in.
fn keep_within(db: &Connection, campaign_id: &str, budget: &Budget, at: DateTime<Utc>) -> Result<(), StoreError> {
    let Some(max) = budget.spend_max_units else { return Ok(()) };
    let mut planned = campaigns::used(db, campaign_id)?.spend_units;
    let unbegun: Vec<(UuidV4, U256)> = rows(db, UNBEGUN_PAYMENTS, [campaign_id], |row| Ok((parsed(row, 0)?, units(row, 1)?)))?;
    for (task_id, amount) in unbegun {
        if planned <= max {
            break;
        }
        give_up(db, task_id, &format!("the campaign's budget is {max} units of money now"), at)?;
        planned = planned.saturating_sub(amount);
    }
    Ok(())
}

/// What is not begun goes back to the Planner where the new budget has nothing left and the old one had.
fn stop_where_gone(db: &Connection, campaign_id: &str, budget: &Budget, before: &CampaignGoal) -> Result<(), StoreError> {
    let used = campaigns::used(db, campaign_id)?;
    // What is planned to be paid is within the budget by now, and may be paid.
    let gone = |budget: Budget| Budget { spend_max_units: None, ..budget }.gone(&used);
    let was_gone = gone(Budget::of(&before.budget_constraints).unwrap_or_default()).is_some();
    let Some(reason) = gone(*budget).filter(|_| !was_gone) else { return Ok(()) };
    let pending = "SELECT task_id FROM tasks WHERE campaign_id = ?1 AND status = 'pending' AND json_extract(task, '$.transaction') IS NULL";
    for task_id in rows(db, pending, [campaign_id], |row| parsed::<UuidV4>(row, 0))? {
        task_rows::advance(db, task_id, TaskEvent::Return, Some(&reason))?;
    }
    Ok(())
}

fn change_agents(db: &Connection, campaign_id: &str, agent_ids: &[String], at: DateTime<Utc>) -> Result<(), StoreError> {
    db.execute("DELETE FROM campaign_agents WHERE campaign_id = ?1", [campaign_id]).or_store_error()?;
    for agent_id in agent_ids {
        let add = "INSERT INTO campaign_agents (campaign_id, agent_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        db.execute(add, [campaign_id, agent_id]).or_store_error()?;
    }
    let gone = "agent_id NOT IN (SELECT agent_id FROM campaign_agents WHERE campaign_id = ?1)";
    let unbegun = format!("SELECT task_id, agent_id FROM tasks WHERE campaign_id = ?1 AND status IN ('pending', 'returned') AND {gone}");
    for (task_id, agent_id) in rows(db, &unbegun, [campaign_id], |row| Ok((parsed::<UuidV4>(row, 0)?, row.get::<_, String>(1)?)))? {
        // One that depended on another of these has gone with it.
        if !task_rows::state_of(db, task_id)?.is_ended() {
            give_up(db, task_id, &format!("{agent_id} works for the campaign no more"), at)?;
        }
    }
    let unwanted = "DELETE FROM planned_tasks WHERE campaign_id = ?1 AND json_extract(task, '$.context.agent_id') NOT IN \
         (SELECT agent_id FROM campaign_agents WHERE campaign_id = ?1)";
    db.execute(unwanted, [campaign_id]).map(drop).or_store_error()
}

/// Everything that waits ends; ledger, posts, decisions and events stay as they are.
pub(super) fn delete(db: &Connection, campaign_id: &str, at: DateTime<Utc>) -> Result<(), ChangeError> {
    let in_flight = in_flight(db, campaign_id)?;
    if !in_flight.is_empty() {
        return Err(ChangeError::InFlight(in_flight));
    }
    const REASON: &str = "the campaign was deleted";
    let open = "SELECT review_id FROM reviews JOIN tasks USING (task_id) WHERE campaign_id = ?1 AND reviews.status = 'pending'";
    for review_id in rows(db, open, [campaign_id], |row| parsed::<UuidV4>(row, 0))? {
        judgements::close_review(db, review_id, ReviewStatus::Expired, None)?;
    }
    let open = "SELECT task_id FROM tasks WHERE campaign_id = ?1 AND status NOT IN ('complete', 'given_up') ORDER BY number";
    for task_id in rows(db, open, [campaign_id], |row| parsed::<UuidV4>(row, 0))? {
        if !task_rows::state_of(db, task_id)?.is_ended() {
            give_up(db, task_id, REASON, at)?;
        }
    }
    // What was approved and has not begun to leave does not leave.
    let keep = "UPDATE posts SET status = 'refused', reason = ?2 WHERE campaign_id = ?1 AND status = 'approved'";
    db.execute(keep, params![campaign_id, REASON]).or_store_error()?;
    db.execute(calendar::REMOVE_WAITING, [campaign_id]).or_store_error()?;
    db.execute("DELETE FROM planned_tasks WHERE campaign_id = ?1", [campaign_id]).or_store_error()?;
    Ok(())
}

/// Each with what to do about it.
fn in_flight(db: &Connection, campaign_id: &str) -> Result<Vec<String>, StoreError> {
    let count = |what: &str| -> Result<u64, StoreError> {
        let count = format!("SELECT count(*) FROM {what}");
        db.query_row(&count, [campaign_id], |row| super::columns::count(row, 0)).or_store_error()
    };
    let counted = |number: u64, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let mut found = Vec::new();
    let mut tell = |number: u64, one: &str, what: &str| {
        if number > 0 {
            let what = if number == 1 { what.to_owned() } else { what.replacen("waits", "wait", 1).replacen("is ", "are ", 1) };
            found.push(format!("{} {what}", counted(number, one)));
        }
    };
    for (state, what) in PAYMENTS_IN_FLIGHT {
        tell(count(&format!("transfers JOIN tasks USING (task_id) WHERE campaign_id = ?1 AND {state}"))?, "payment", what);
    }
    let paying = "tasks WHERE campaign_id = ?1 AND status = 'in_progress' AND json_extract(task, '$.transaction') IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM transfers WHERE transfers.task_id = tasks.task_id)";
    tell(count(paying)?, "payment", "is being made: wait until it is settled");
    let leaving = "posts WHERE campaign_id = ?1 AND status = 'sending'";
    tell(count(leaving)?, "post", "is on its way: wait until its platform has answered");
    let unknown = "posts WHERE campaign_id = ?1 AND status = 'unknown'";
    tell(count(unknown)?, "post", "may have left and nobody knows: say what became of it (/review)");
    let held = "held_answers JOIN tasks USING (task_id) WHERE campaign_id = ?1 AND state IN ('held', 'due')";
    tell(count(held)?, "answer", "is held and takes effect in a moment: wait, or take it back (/review)");
    Ok(found)
}

fn give_up(db: &Connection, task_id: UuidV4, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
    let select = format!("SELECT {COLUMNS} FROM tasks WHERE task_id = ?1");
    let task: AgentTask = db.query_row(&select, [task_id.to_string()], task_rows::task).or_store_error()?;
    task_rows::record_rejection(db, &task, reason, at)?;
    task_rows::give_up(db, task_id, reason, at)
}
