//! All agents at a glance. Open work is counted from the indexes of what is open, so history costs nothing.

use super::{
    super::{
        OrStoreError,
        columns::{count, rows, time, time_if_any, units},
        ledger,
    },
    Names,
};
use chimera_core::{
    contracts::{
        UtcTime,
        views::{
            Money,
            agents::{AgentCard, BudgetDay, Fleet, LastPost, Stop, StopKind},
        },
    },
    domain::agent_state::{Failure, Situation},
    ports::StoreError,
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, types::Type};
use std::collections::HashMap;

/// `?1` is one agent's id, or NULL for all.
pub(in super::super) const AGENTS: &str = "SELECT id, soul_version, address FROM agents INDEXED BY agents_at_a_glance WHERE id >= ifnull(?1, '') AND (?1 IS NULL OR id = ?1) ORDER BY id";
pub(in super::super) const OPEN: &str =
    "SELECT agent_id, count(*) FROM tasks INDEXED BY tasks_open WHERE status NOT IN ('complete', 'given_up') GROUP BY agent_id";
pub(in super::super) const IN_PROGRESS: &str =
    "SELECT agent_id, count(*) FROM tasks INDEXED BY tasks_leased WHERE status = 'in_progress' GROUP BY agent_id";
pub(in super::super) const IN_REVIEW: &str = "SELECT agent_id, count(*) FROM results INDEXED BY results_undecided \
     CROSS JOIN tasks ON tasks.number = task_number WHERE decision_id IS NULL AND tasks.status = 'review' GROUP BY agent_id";
/// Of campaigns that run, and of others.
pub(in super::super) const RETURNED: &str = "SELECT agent_id, campaigns.status <> 'running', count(*) FROM campaigns \
     CROSS JOIN tasks INDEXED BY tasks_returned ON tasks.campaign_id = campaigns.campaign_id WHERE tasks.status = 'returned' GROUP BY 1, 2";
pub(in super::super) const REVIEWS: &str = "SELECT reviews.agent_id, kind = 'money', count(*), min(asked_at), \
     count(CASE WHEN tasks.status = 'awaiting_person' THEN 1 END) \
     FROM reviews INDEXED BY reviews_pending LEFT JOIN tasks USING (task_id) WHERE reviews.status = 'pending' GROUP BY 1, 2";
pub(in super::super) const CAMPAIGNS: &str = "SELECT agent_id, count(*) FROM campaigns INDEXED BY campaigns_due \
     CROSS JOIN campaign_agents USING (campaign_id) WHERE campaigns.status = 'running' GROUP BY agent_id";
pub(in super::super) const BUDGETS: &str = "SELECT name, chain_id, asset, decimals, spent_units, reserved_units FROM budget_days INDEXED BY budget_days_of_day \
     WHERE day = ?1 AND kind = 'own' ORDER BY chain_id, asset";
pub(in super::super) const LAST_POSTS: &str = "SELECT agents.id, platform, status, coalesce(marked_at, begun_at) \
     FROM agents INDEXED BY agents_at_a_glance CROSS JOIN posts ON posts.number = (SELECT number FROM posts AS own INDEXED BY posts_of_agent \
     WHERE own.agent_id = agents.id AND coalesce(own.marked_at, own.begun_at) IS NOT NULL ORDER BY number DESC LIMIT 1)";
pub(in super::super) const FAILURES: &str = "SELECT failures.agent_id, at, failures.reason, is_final, tasks.status = 'complete' \
     OR EXISTS (SELECT 1 FROM posts WHERE posts.agent_id = failures.agent_id AND posts.number > last_post) \
     OR EXISTS (SELECT 1 FROM transfers INDEXED BY transfers_recent WHERE transfers.agent_id = failures.agent_id AND reserved_at > at \
         AND state <> 'released' AND state <> 'awaiting_review' AND state <> 'granted' AND state <> 'declined' AND state = 'confirmed') \
     FROM failures JOIN tasks ON tasks.number = task_number";
pub(in super::super) const NEXT_DATES: &str = "SELECT agent_id, min(at) FROM calendar INDEXED BY calendar_waiting \
     WHERE status = 'waiting' AND agent_id IS NOT NULL GROUP BY agent_id";
const STOPS: &str = "SELECT 'freeze', scope, reason, by, at FROM freezes UNION ALL SELECT 'hold', agent_id, reason, 'chimera', since FROM wallet_holds \
     UNION ALL SELECT 'pause', scope, reason, by, at FROM pauses UNION ALL SELECT 'retired', agent_id, reason, by, at FROM retirements";
/// No agent's id.
const FLEET: &str = "*";

pub(super) fn fleet(db: &Connection, names: &Names, now: DateTime<Utc>) -> Result<Fleet, StoreError> {
    // First of all: whether the store can be believed is asked of a reader that has read nothing.
    let stops = stops(db)?;
    let agents = cards(db, names, None, &stops, now)?;
    let last_event = db.query_row("SELECT ifnull(max(number), 0) FROM events", [], |row| count(row, 0)).or_store_error()?;
    Ok(Fleet { agents, stops: stops.into_iter().filter(|stop| stop.agent_id.is_none()).collect(), last_event })
}

/// Everything that stops an agent or the fleet. Asks first whether the store can be believed, so call it before anything else is read.
pub(super) fn stops(db: &Connection) -> Result<Vec<Stop>, StoreError> {
    let contradicted = ledger::contradicted(db)?.map(|freeze| Stop {
        kind: StopKind::Freeze,
        agent_id: None,
        reason: freeze.reason,
        by: freeze.by,
        since: UtcTime(freeze.at),
    });
    let mut stops: Vec<Stop> = contradicted.into_iter().collect();
    stops.extend(rows(db, STOPS, [], stop)?);
    Ok(stops)
}

fn stop(row: &Row<'_>) -> rusqlite::Result<Stop> {
    let (kind, scope): (String, String) = (row.get(0)?, row.get(1)?);
    let kind = match kind.as_str() {
        "freeze" => StopKind::Freeze,
        "hold" => StopKind::Hold,
        "pause" => StopKind::Pause,
        "retired" => StopKind::Retired,
        _ => return Err(rusqlite::Error::InvalidColumnType(0, kind, Type::Text)),
    };
    Ok(Stop { kind, agent_id: (scope != FLEET).then_some(scope), reason: row.get(2)?, by: row.get(3)?, since: UtcTime(time(row, 4)?) })
}

/// Of all agents, or of one. `stops` are those of everybody.
pub(super) fn cards(
    db: &Connection,
    names: &Names,
    only: Option<&str>,
    stops: &[Stop],
    now: DateTime<Utc>,
) -> Result<Vec<AgentCard>, StoreError> {
    let agents: Vec<(String, String, String)> = rows(db, AGENTS, [only], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let versions: Vec<(&str, &str)> = agents.iter().map(|(id, version, _)| (id.as_str(), version.as_str())).collect();
    let called = names.of(db, &versions)?;
    let mut situations = situations(db)?;
    let mut budgets = budgets(db, now)?;
    let campaigns: HashMap<String, u64> = counts(db, CAMPAIGNS)?;
    let mut posts = last_posts(db)?;
    let for_all: Vec<&Stop> = stops.iter().filter(|stop| stop.agent_id.is_none()).collect();
    let mut own_stops: HashMap<&str, Vec<&Stop>> = HashMap::new();
    for stop in stops {
        if let Some(agent) = &stop.agent_id {
            own_stops.entry(agent).or_default().push(stop);
        }
    }
    Ok(agents
        .into_iter()
        .zip(called)
        .map(|((id, _, address), name)| {
            let mut situation = situations.remove(&id).unwrap_or_default();
            let own = own_stops.remove(id.as_str()).unwrap_or_default();
            situation.stops = for_all.iter().copied().chain(own).cloned().collect();
            let told = situation.state();
            AgentCard {
                name,
                state: told.state,
                because: told.because,
                since: told.since.map(UtcTime),
                queue: situation.queue,
                reviews_pending: situation.money_reviews + situation.other_reviews,
                campaigns: campaigns.get(&id).copied().unwrap_or_default(),
                budgets: budgets.remove(&address).unwrap_or_default(),
                last_post: posts.remove(&id),
                last_error: situation.last_error().map(|failure| failure.reason.clone()),
                agent_id: id,
            }
        })
        .collect())
}

/// Reviews of one agent that wait, of money or of everything else, and tasks that wait with them.
struct Waiting {
    agent: String,
    is_money: bool,
    reviews: u64,
    oldest_at: Option<DateTime<Utc>>,
    tasks: u64,
}

fn waiting(row: &Row<'_>) -> rusqlite::Result<Waiting> {
    Ok(Waiting {
        agent: row.get(0)?,
        is_money: row.get(1)?,
        reviews: count(row, 2)?,
        oldest_at: time_if_any(row, 3)?,
        tasks: count(row, 4)?,
    })
}

/// What every agent's state follows from, but for what stops it.
fn situations(db: &Connection) -> Result<HashMap<String, Situation>, StoreError> {
    let mut all: HashMap<String, Situation> = HashMap::new();
    for (agent, open) in counts(db, OPEN)? {
        all.entry(agent).or_default().queue.pending = open;
    }
    for (agent, leased) in counts(db, IN_PROGRESS)? {
        all.entry(agent).or_default().queue.in_progress = leased;
    }
    for (agent, judged) in counts(db, IN_REVIEW)? {
        all.entry(agent).or_default().queue.review = judged;
    }
    for (agent, is_idle, returned) in rows(db, RETURNED, [], |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?, count(row, 2)?)))?
    {
        let situation = all.entry(agent).or_default();
        situation.queue.returned += returned;
        situation.returned_idle += if is_idle { returned } else { 0 };
    }
    for waiting in rows(db, REVIEWS, [], waiting)? {
        let situation = all.entry(waiting.agent).or_default();
        *(if waiting.is_money { &mut situation.money_reviews } else { &mut situation.other_reviews }) += waiting.reviews;
        situation.oldest_review_at = [situation.oldest_review_at, waiting.oldest_at].into_iter().flatten().min();
        situation.queue.awaiting_person += waiting.tasks;
    }
    for situation in all.values_mut() {
        let queue = &mut situation.queue;
        let others = queue.in_progress + queue.review + queue.returned + queue.awaiting_person;
        queue.pending = queue.pending.saturating_sub(others);
    }
    let read = |row: &Row<'_>| {
        let failure = Failure { at: time(row, 1)?, reason: row.get(2)?, is_final: row.get(3)?, is_made_good: row.get(4)? };
        Ok((row.get(0)?, failure))
    };
    let failures: Vec<(String, Failure)> = rows(db, FAILURES, [], read)?;
    for (agent, failure) in failures {
        all.entry(agent).or_default().failure = Some(failure);
    }
    for (agent, at) in rows(db, NEXT_DATES, [], |row| Ok((row.get::<_, String>(0)?, time(row, 1)?)))? {
        all.entry(agent).or_default().next_date = Some(at);
    }
    Ok(all)
}

/// By agent.
fn counts(db: &Connection, sql: &str) -> Result<HashMap<String, u64>, StoreError> {
    Ok(rows(db, sql, [], |row| Ok((row.get(0)?, count(row, 1)?)))?.into_iter().collect())
}

/// By address, as the wallet's own counters are.
fn budgets(db: &Connection, now: DateTime<Utc>) -> Result<HashMap<String, Vec<BudgetDay>>, StoreError> {
    let mut budgets: HashMap<String, Vec<BudgetDay>> = HashMap::new();
    for (address, day) in rows(db, BUDGETS, [now.date_naive().to_string()], |row| Ok((row.get(0)?, budget_day(row, 1)?)))? {
        budgets.entry(address).or_default().push(day);
    }
    Ok(budgets)
}

/// Chain, asset, decimals, spent and reserved, from column `first` on.
pub(super) fn budget_day(row: &Row<'_>, first: usize) -> rusqlite::Result<BudgetDay> {
    let spent = Money {
        units: units(row, first + 3)?.to_string(),
        asset: row.get(first + 1)?,
        // Where nobody told, the smallest units are shown as they are.
        decimals: row.get::<_, Option<u8>>(first + 2)?.unwrap_or_default(),
        chain_id: row.get(first)?,
    };
    Ok(BudgetDay { spent, reserved_units: units(row, first + 4)?.to_string(), limit_units: None, ask_above_units: None })
}

fn last_posts(db: &Connection) -> Result<HashMap<String, LastPost>, StoreError> {
    let read = |row: &Row<'_>| Ok((row.get(0)?, LastPost { platform: row.get(1)?, status: row.get(2)?, at: UtcTime(time(row, 3)?) }));
    Ok(rows(db, LAST_POSTS, [], read)?.into_iter().collect())
}
