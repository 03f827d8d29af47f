//! The `Recollection` port: a search over an agent's vectors, exact up to a hundred thousand of them and over the nearest lists above.
//! `scan` finds who may be among the nearest, from a small copy in memory; the database's own vectors then say who is.

mod lists;
mod passing;
mod scan;

use super::{
    OrStoreError, SqliteStore,
    columns::{from_limit, rows},
    memories::memory,
};
use crate::locking::locked;
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    domain::AgentId,
    perception::vectors::dot,
    ports::{
        StoreError,
        memories::{MemoryRecord, Recollected, Recollection},
    },
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use scan::Rows;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The copies of the agents that were asked lately; shared by all handles on a store.
#[derive(Default)]
pub(super) struct Copies(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    copies: HashMap<AgentId, Arc<Kept>>,
    searches: usize,
}

#[derive(Default)]
struct Kept {
    copy: Mutex<Copy>,
    bytes: AtomicUsize,
    /// The number of the search that asked for it last.
    asked: AtomicUsize,
}

/// What copies may take in memory, the one that is searched aside: a hundred thousand memories take some sixty-five megabytes.
const BYTES_MAX: usize = 256 << 20;
/// A small copy counts as this much, so that there are not too many of them either.
const BYTES_MIN: usize = 64 << 10;

/// Up to so many memories everyone is looked at.
const EXACT_MAX: usize = 100_000;

/// One agent's vectors, as far as they were read.
#[derive(Default)]
struct Copy {
    rows: Rows,
    last_number: i64,
    changes: i64,
}

pub(super) const UNPLACED: &str = "SELECT m.id, m.agent_id, m.at, m.role, m.content, m.campaign_id, m.lesson FROM memories m \
     LEFT JOIN memory_vectors v ON v.memory_number = m.number \
     WHERE m.agent_id = ?1 AND (v.vector IS NULL OR length(v.vector) != ?2) ORDER BY m.number LIMIT ?3";
pub(super) const NEWER: &str =
    "SELECT memory_number, vector FROM memory_vectors WHERE agent_id = ?1 AND memory_number > ?2 ORDER BY memory_number";

#[async_trait]
impl Recollection for SqliteStore {
    async fn unplaced(&self, agent: &AgentId, dimensions: usize, limit: usize) -> Result<Vec<MemoryRecord>, StoreError> {
        let agent = agent.clone();
        self.read(move |db| rows(db, UNPLACED, params![agent.as_str(), from_limit(4 * dimensions), from_limit(limit)], memory)).await
    }

    async fn place(&self, agent: &AgentId, id: UuidV4, vector: &[f32]) -> Result<(), StoreError> {
        let agent = agent.clone();
        let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.write(move |db| {
            let find = "SELECT m.number, v.memory_number IS NOT NULL FROM memories m \
                 LEFT JOIN memory_vectors v ON v.memory_number = m.number WHERE m.id = ?1 AND m.agent_id = ?2";
            let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?));
            let mut find = db.prepare_cached(find).or_store_error()?;
            let Some((number, was_placed)) = find.query_row(params![id.to_string(), agent.as_str()], read).optional().or_store_error()?
            else {
                return Ok(());
            };
            // Copies read on from the last number they have: what comes in below it, they would never see.
            if was_placed || is_below_others(db, &agent, number)? {
                note_change(db, &agent)?;
            }
            let place = "INSERT OR REPLACE INTO memory_vectors (memory_number, agent_id, vector) VALUES (?1, ?2, ?3)";
            let mut place = db.prepare_cached(place).or_store_error()?;
            place.execute(params![number, agent.as_str(), bytes]).map(drop).or_store_error()
        })
        .await
    }

    async fn nearest(&self, agent: &AgentId, vector: &[f32], limit: usize) -> Result<Vec<Recollected>, StoreError> {
        let (agent, vector) = (agent.clone(), vector.to_vec());
        let kept = self.copies.of(&agent);
        self.read(move |db| {
            // Held while it is read and searched: it must not change in between, and one search has the machine anyway.
            let mut copy = locked(&kept.copy);
            copy.refresh(db, &agent, vector.len())?;
            kept.bytes.store(copy.rows.bytes(), Ordering::Relaxed);
            nearest_exactly(db, &copy.rows, &vector, limit)
        })
        .await
    }
}

impl Copies {
    /// The agent's, and whatever was not asked for in the longest time goes until the others are small enough.
    fn of(&self, agent: &AgentId) -> Arc<Kept> {
        let mut shelf = locked(&self.0);
        shelf.searches += 1;
        let own = Arc::clone(shelf.copies.entry(agent.clone()).or_default());
        own.asked.store(shelf.searches, Ordering::Relaxed);
        while let Some(oldest) = shelf.one_too_many(agent) {
            shelf.copies.remove(&oldest);
        }
        own
    }
}

impl Shelf {
    fn one_too_many(&self, but: &AgentId) -> Option<AgentId> {
        let others = || self.copies.iter().filter(|(agent, _)| *agent != but);
        let bytes: usize = others().map(|(_, kept)| kept.bytes.load(Ordering::Relaxed).max(BYTES_MIN)).sum();
        let oldest = others().min_by_key(|(_, kept)| kept.asked.load(Ordering::Relaxed)).filter(|_| bytes > BYTES_MAX);
        oldest.map(|(agent, _)| agent.clone())
    }
}

impl Copy {
    fn refresh(&mut self, db: &Connection, agent: &AgentId, dimensions: usize) -> Result<(), StoreError> {
        let changes = changes(db, agent)?;
        if changes != self.changes || self.rows.dimensions() != dimensions {
            *self = Self { rows: Rows::new(dimensions, EXACT_MAX), last_number: 0, changes };
        }
        let mut newer = db.prepare_cached(NEWER).or_store_error()?;
        let mut found = newer.query(params![agent.as_str(), self.last_number]).or_store_error()?;
        while let Some(row) = found.next().or_store_error()? {
            let number: i64 = row.get(0).or_store_error()?;
            let bytes = row.get_ref(1).or_store_error()?.as_blob().map_err(|error| StoreError::Corrupt(error.to_string()))?;
            self.last_number = number;
            if bytes.len() == 4 * dimensions {
                self.rows.push(number, &floats(bytes));
            }
        }
        self.rows.arrange();
        Ok(())
    }
}

fn nearest_exactly(db: &Connection, rows: &Rows, vector: &[f32], limit: usize) -> Result<Vec<Recollected>, StoreError> {
    let mut exact: Vec<(f32, i64)> = Vec::new();
    let mut read = db.prepare_cached("SELECT vector FROM memory_vectors WHERE memory_number = ?1").or_store_error()?;
    for number in rows.candidates(vector, limit) {
        let likeness = |row: &Row<'_>| Ok(dot(&floats(row.get_ref(0)?.as_blob()?), vector));
        exact.push((read.query_row(params![number], likeness).or_store_error()?, number));
    }
    exact.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    let mut find = db
        .prepare_cached("SELECT id, agent_id, at, role, content, campaign_id, lesson FROM memories WHERE number = ?1")
        .or_store_error()?;
    let nearest = exact.into_iter().take(limit);
    nearest
        .map(|(likeness, number)| Ok(Recollected { memory: find.query_row(params![number], memory).or_store_error()?, likeness }))
        .collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn changes(db: &Connection, agent: &AgentId) -> Result<i64, StoreError> {
    let mut find = db.prepare_cached("SELECT changes FROM memory_changes WHERE agent_id = ?1").or_store_error()?;
    Ok(find.query_row(params![agent.as_str()], |row| row.get(0)).optional().or_store_error()?.unwrap_or_default())
}

fn is_below_others(db: &Connection, agent: &AgentId, number: i64) -> Result<bool, StoreError> {
    let find = "SELECT EXISTS (SELECT 1 FROM memory_vectors WHERE agent_id = ?1 AND memory_number > ?2)";
    let mut find = db.prepare_cached(find).or_store_error()?;
    find.query_row(params![agent.as_str(), number], |row| row.get(0)).or_store_error()
}

/// Copies of the agent's vectors are no longer whole.
pub(super) fn note_change(db: &Connection, agent: &AgentId) -> Result<(), StoreError> {
    let note = "INSERT INTO memory_changes (agent_id, changes) VALUES (?1, 1) ON CONFLICT DO UPDATE SET changes = changes + 1";
    db.execute(note, params![agent.as_str()]).map(drop).or_store_error()
}
