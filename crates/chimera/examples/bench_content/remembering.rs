//! A search over all memories of one agent, and numpy's over as many vectors.

use anyhow::{Context, Result};
use chimera_adapters::store::SqliteStore;
use chimera_core::{
    contracts::{UuidV4, memory_context::MemoryRole},
    domain::AgentId,
    perception::vectors::normalise,
    ports::memories::{Memories, MemoryRecord, Recollection},
};
use chrono::{DateTime, TimeDelta};
use futures::future::try_join_all;
use std::{process::Command, time::Instant};

/// As many as the program's own embedder has.
pub const DIMENSIONS: usize = 640;
const NEAREST: usize = 10;
/// Odd, so that there is a median.
const SEARCHES: usize = 31;
/// Written together: one sync for all.
const WRITTEN_AT_ONCE: usize = 256;

/// The median, the store's reading of what is new and of the found memories included.
pub async fn ours_ms(size: usize) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(&folder.path().join("bench.db"))?;
    let agent: AgentId = "selam".parse()?;
    let mut numbers = Numbers(11);
    let ids: Vec<UuidV4> = (0..size).map(|_| UuidV4::random()).collect();
    for (group, ids) in ids.chunks(WRITTEN_AT_ONCE).enumerate() {
        let memories: Vec<MemoryRecord> =
            ids.iter().enumerate().map(|(place, id)| memory(&agent, *id, group * WRITTEN_AT_ONCE + place)).collect();
        try_join_all(memories.iter().map(|memory| store.remember(memory))).await?;
        let vectors: Vec<Vec<f32>> = ids.iter().map(|_| numbers.unit()).collect();
        try_join_all(ids.iter().zip(&vectors).map(|(id, vector)| store.place(&agent, *id, vector))).await?;
    }
    // The first search reads everything in.
    store.nearest(&agent, &numbers.unit(), NEAREST).await?;
    let mut times = Vec::with_capacity(SEARCHES);
    for _ in 0..SEARCHES {
        let asked = numbers.unit();
        let began = Instant::now();
        let found = store.nearest(&agent, &asked, NEAREST).await?;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
        assert_eq!(found.len(), NEAREST);
    }
    store.close().await;
    times.sort_by(f64::total_cmp);
    Ok(times[SEARCHES / 2])
}

pub fn numpy_ms(python: &str, script: &str, size: usize) -> Result<f64> {
    let arguments = [script, &size.to_string(), &DIMENSIONS.to_string(), &NEAREST.to_string(), &SEARCHES.to_string()];
    let done = Command::new(python).args(arguments).output()?;
    let told = String::from_utf8_lossy(&done.stdout);
    told.trim().parse().with_context(|| format!("it said {told:?} and {:?}", String::from_utf8_lossy(&done.stderr)))
}

fn memory(agent: &AgentId, id: UuidV4, number: usize) -> MemoryRecord {
    let at = DateTime::UNIX_EPOCH + TimeDelta::seconds(number as i64);
    MemoryRecord { id, agent: agent.clone(), at, role: MemoryRole::Assistant, content: format!("A post about town {number}.") }
}

/// A plain generator: the same vectors in every run.
struct Numbers(u64);

impl Numbers {
    fn unit(&mut self) -> Vec<f32> {
        let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| self.next() - 0.5).collect();
        normalise(&mut vector);
        vector
    }

    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }
}
