//! Claims of tasks, in turns.

use super::{
    OrStoreError, SqliteStore, campaigns,
    columns::{count, from_count, micros, parsed},
    pauses,
    task_rows::{self, after},
    turns::Desk,
};
use chimera_core::{
    contracts::{UuidV4, task::AgentTask},
    domain::task::{TaskEvent, TaskState},
    ports::{
        StoreError,
        swarm::{ClaimLimits, Lease, LeasedTask},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Statement, params};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// What `Found` reads, in this order: where the row is, whose it is, and the task.
macro_rules! found_columns {
    () => {
        "number, agent_id, lease_no, state_version, attempt, feedback, task"
    };
}

pub(super) const NEXT_EXPIRED: &str = concat!(
    "SELECT ",
    found_columns!(),
    ", task_id, held FROM tasks WHERE status = 'in_progress' AND lease_until < ?1 ORDER BY lease_until LIMIT 1"
);
pub(super) const NEXT_READY: &str = concat!(
    "SELECT ",
    found_columns!(),
    " FROM tasks WHERE status = 'pending' AND blocked_by = 0 AND run_at IS NULL AND held = 0 ORDER BY priority, created_at, number"
);
/// Whose tasks are in progress: from the index alone, since every turn asks.
pub(super) const IN_PROGRESS: &str = "SELECT agent_id FROM tasks WHERE status = 'in_progress'";

pub(super) struct Claim {
    worker_id: String,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    limits: ClaimLimits,
}

pub(super) type ClaimDesk = Desk<Claim, Option<Leased>>;

/// A task's row, to be read apart from the writing thread.
pub(super) struct Leased {
    number: i64,
    task_json: String,
    lease_no: u64,
    worker_id: String,
    state_version: u64,
    attempt: u32,
    feedback: Option<String>,
}

pub(super) fn desk() -> Arc<ClaimDesk> {
    Desk::new(|db, claims| Ok(serve(db, claims)?.into_iter().map(Ok).collect()))
}

impl SqliteStore {
    pub(super) async fn claim_in_turn(
        &self,
        worker_id: String,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limits: ClaimLimits,
    ) -> Result<Option<LeasedTask>, StoreError> {
        let leased = self.claims.ask(&self.writer, Claim { worker_id, now, lease_until, limits }).await?;
        leased.map(Leased::read).transpose()
    }
}

impl Leased {
    fn read(self) -> Result<LeasedTask, StoreError> {
        let mut task: AgentTask =
            serde_json::from_str(&self.task_json).map_err(|error| StoreError::Corrupt(format!("a task that cannot be read: {error}")))?;
        task.status = TaskState::InProgress.status();
        task.assigned_worker_id = Some(self.worker_id);
        task.state_version = self.state_version;
        task.attempt = self.attempt;
        task.feedback = self.feedback;
        Ok(LeasedTask { lease: Lease { number: self.number, task_id: task.task_id, lease_no: self.lease_no }, task })
    }
}

/// As many answers as there are claims.
fn serve(db: &Connection, claims: &[Claim]) -> Result<Vec<Option<Leased>>, StoreError> {
    let mut leased = Vec::with_capacity(claims.len());
    let mut leasing = db.prepare_cached(LEASE).or_store_error()?;
    if !pauses::fleet_is_paused(db)? {
        while let Some(claim) = claims.get(leased.len())
            && let Some(expired) = next_expired(db, claim.now)?
        {
            leased.push(Some(lease(&mut leasing, expired, TaskState::InProgress, claim)?));
        }
        lease_ready(db, &mut leasing, &claims[leased.len()..], &mut leased)?;
    }
    leased.resize_with(claims.len(), || None);
    Ok(leased)
}

fn lease_ready(
    db: &Connection,
    leasing: &mut Statement<'_>,
    mut claims: &[Claim],
    leased: &mut Vec<Option<Leased>>,
) -> Result<(), StoreError> {
    let Some(newest) = claims.iter().map(|claim| claim.now).max() else { return Ok(()) };
    let wake = "UPDATE tasks SET run_at = NULL WHERE run_at <= ?1";
    db.prepare_cached(wake).and_then(|mut wake| wake.execute([micros(newest)])).or_store_error()?;
    let mut busy = Busy::count(db)?;
    // Claims of one process have the same limits; whoever has others is served after them.
    while let Some(first) = claims.first() {
        let alike = claims.iter().take_while(|claim| claim.limits == first.limits).count();
        let (now, later) = claims.split_at(alike);
        let mut ready = next_ready(db, &mut busy, &first.limits, alike)?.into_iter();
        for claim in now {
            leased.push(ready.next().map(|ready| lease(leasing, ready, TaskState::Pending, claim)).transpose()?);
        }
        claims = later;
    }
    Ok(())
}

/// A task that may be leased.
struct Found {
    number: i64,
    agent_id: String,
    lease_no: u64,
    state_version: u64,
    attempt: u32,
    feedback: Option<String>,
    task_json: String,
}

impl Found {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            agent_id: row.get(1)?,
            lease_no: count(row, 2)?,
            state_version: count(row, 3)?,
            attempt: row.get(4)?,
            feedback: row.get(5)?,
            task_json: row.get(6)?,
        })
    }
}

/// How many tasks are in progress.
struct Busy {
    all: usize,
    of_agent: BTreeMap<String, usize>,
}

impl Busy {
    fn count(db: &Connection) -> Result<Self, StoreError> {
        let mut busy = Self { all: 0, of_agent: BTreeMap::new() };
        let mut select = db.prepare_cached(IN_PROGRESS).or_store_error()?;
        let mut agents = select.query([]).or_store_error()?;
        while let Some(row) = agents.next().or_store_error()? {
            busy.add(row.get_ref(0).or_store_error()?.as_str().map_err(|error| StoreError::Corrupt(error.to_string()))?);
        }
        Ok(busy)
    }

    fn add(&mut self, agent_id: &str) {
        self.all += 1;
        match self.of_agent.get_mut(agent_id) {
            Some(tasks) => *tasks += 1,
            None => {
                self.of_agent.insert(agent_id.to_owned(), 1);
            }
        }
    }
}

/// A task whose Worker was lost, and that is still wanted. Those that are not are put where they belong on the way.
fn next_expired(db: &Connection, now: DateTime<Utc>) -> Result<Option<Found>, StoreError> {
    loop {
        let mut find = db.prepare_cached(NEXT_EXPIRED).or_store_error()?;
        let read = |row: &Row<'_>| Ok((Found::read(row)?, parsed(row, 7)?, row.get(8)?));
        let found: Option<(Found, UuidV4, bool)> = find.query_row([micros(now)], read).optional().or_store_error()?;
        let Some((expired, task_id, is_held)) = found else { return Ok(None) };
        if campaigns::has_moved(db, task_id)? {
            task_rows::send_back(db, task_id, "its Worker was lost, and the campaign has moved since", None)?;
        } else if is_held {
            // Of a paused agent: it waits with the others, and this was no attempt that came back.
            task_rows::put_back(db, task_id)?;
        } else {
            return Ok(Some(expired));
        }
    }
}

/// At most `wanted`, within the limits; they count as busy from now on.
fn next_ready(db: &Connection, busy: &mut Busy, limits: &ClaimLimits, wanted: usize) -> Result<Vec<Found>, StoreError> {
    let mut found = Vec::with_capacity(wanted);
    let mut find = db.prepare_cached(NEXT_READY).or_store_error()?;
    let mut ready = find.query([]).or_store_error()?;
    let mut passed_over = BTreeSet::new();
    while found.len() < wanted
        && busy.all < limits.overall_max
        && let Some(row) = ready.next().or_store_error()?
    {
        let agent_id = row.get_ref(1).or_store_error()?.as_str().map_err(|error| StoreError::Corrupt(error.to_string()))?;
        if passed_over.contains(agent_id) {
            continue;
        }
        if busy.of_agent.get(agent_id).copied().unwrap_or_default() >= limits.per_agent_max {
            passed_over.insert(agent_id.to_owned());
            continue;
        }
        let task = Found::read(row).or_store_error()?;
        busy.add(&task.agent_id);
        found.push(task);
    }
    Ok(found)
}

const LEASE: &str = "UPDATE OR FAIL tasks SET status = ?2, worker_id = ?3, lease_until = ?4, lease_no = ?5 WHERE number = ?1";

fn lease(leasing: &mut Statement<'_>, found: Found, state: TaskState, claim: &Claim) -> Result<Leased, StoreError> {
    let leased = after(state, TaskEvent::Lease)?;
    let lease_no = found.lease_no + 1;
    leasing
        .execute(params![found.number, leased.name(), claim.worker_id, micros(claim.lease_until), from_count(lease_no)?])
        .or_store_error()?;
    Ok(Leased {
        number: found.number,
        task_json: found.task_json,
        lease_no,
        worker_id: claim.worker_id.clone(),
        state_version: found.state_version,
        attempt: found.attempt,
        feedback: found.feedback,
    })
}
