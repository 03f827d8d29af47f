//! A search over all memories of one agent, and numpy's over as many vectors.

use anyhow::{Context, Result};
use chimera_adapters::{embedder::SentenceEmbedder, store::SqliteStore};
use chimera_core::{
    contracts::{UuidV4, memory_context::MemoryRole},
    domain::AgentId,
    perception::vectors::{dot, normalise},
    ports::{
        embedder::Embedder,
        memories::{Memories, MemoryRecord, Recollection},
    },
};
use chrono::{DateTime, TimeDelta};
use futures::future::try_join_all;
use std::{collections::HashSet, process::Command, time::Instant};
use tempfile::TempDir;

/// As many as the program's own embedder has.
pub const DIMENSIONS: usize = 640;
const NEAREST: usize = 10;
/// Odd, so that there is a median.
const ROUNDS: usize = 9;
/// In each round. Odd likewise.
const SEARCHES: usize = 101;
const SEARCHES_OF_TEXTS: usize = 31;
/// Texts that are embedded; more memories lie between them.
const EMBEDDED: usize = 1_500;
/// Written together: one sync for all.
const WRITTEN_AT_ONCE: usize = 256;

/// Medians of the rounds, where the ratio compares within one.
pub struct Beside {
    pub ours_ms: f64,
    pub numpy_ms: f64,
    /// Ours over numpy's.
    pub ratio: f64,
}

/// Of searches over so many memories.
pub struct Searched {
    /// The median, the store's reading of what is new and of the found memories included.
    pub ms: f64,
    /// The first one, which reads everything in.
    pub first_ms: f64,
    /// The share of the true nearest that was found.
    pub recall: f64,
}

/// Ours and numpy's over as many vectors without any order, each searched in turn so that noise of the machine hits both alike.
pub async fn beside_numpy(size: usize, numpy_ms: impl Fn(usize) -> Result<f64>) -> Result<Beside> {
    let mut numbers = Numbers(11);
    let vectors: Vec<Vec<f32>> = (0..size).map(|_| numbers.unit()).collect();
    let asked: Vec<Vec<f32>> = (0..SEARCHES).map(|_| numbers.unit()).collect();
    let store = Filled::with(&vectors).await?;
    store.first_ms(&asked[0]).await?;
    let (mut ours, mut numpy) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(median(store.search(&asked).await?.into_iter().map(|(ms, _)| ms).collect()));
        numpy.push(numpy_ms(size)?);
    }
    store.close().await;
    let ratio = median(ours.iter().zip(&numpy).map(|(ours, numpy)| ours / numpy).collect());
    Ok(Beside { ours_ms: median(ours), numpy_ms: median(numpy), ratio })
}

/// Vectors of texts, and between those of two texts: as memories lie around subjects. Texts that are not among them are asked for.
pub async fn texts(size: usize) -> Result<Searched> {
    let embedder = SentenceEmbedder::default();
    let sentences: Vec<String> = (0..EMBEDDED + SEARCHES_OF_TEXTS).map(sentence).collect();
    let of_texts = embedder.embed(&sentences.iter().map(String::as_str).collect::<Vec<_>>());
    let (known, asked) = of_texts.split_at(EMBEDDED);
    let mut numbers = Numbers(17);
    let between = |number: usize| {
        let (one, other) = (&known[number % EMBEDDED], &known[(number * 7_919 + number / EMBEDDED) % EMBEDDED]);
        let share = 0.5 * numbers.next();
        let mut vector: Vec<f32> = one.iter().zip(other).map(|(one, other)| one + share * (other - one)).collect();
        normalise(&mut vector);
        vector
    };
    search(&(0..size).map(between).collect::<Vec<_>>(), asked).await
}

async fn search(vectors: &[Vec<f32>], asked: &[Vec<f32>]) -> Result<Searched> {
    let store = Filled::with(vectors).await?;
    let first_ms = store.first_ms(&asked[0]).await?;
    let (times, answers): (Vec<f64>, Vec<HashSet<UuidV4>>) = store.search(asked).await?.into_iter().unzip();
    // Only now: looking at everyone would leave the next search a processor cache full of other things.
    let is_found = |(asked, found): (&Vec<f32>, &HashSet<UuidV4>)| {
        truly_nearest(vectors, asked).iter().filter(|place| found.contains(&store.ids[**place])).count()
    };
    let hits: usize = asked.iter().zip(&answers).map(is_found).sum();
    store.close().await;
    Ok(Searched { ms: median(times), first_ms, recall: hits as f64 / (asked.len() * NEAREST) as f64 })
}

/// A store with one agent's memories, in a folder that goes with it.
struct Filled {
    _folder: TempDir,
    store: SqliteStore,
    agent: AgentId,
    ids: Vec<UuidV4>,
}

impl Filled {
    async fn with(vectors: &[Vec<f32>]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let store = SqliteStore::open(&folder.path().join("bench.db"))?;
        let agent: AgentId = "selam".parse()?;
        let ids: Vec<UuidV4> = vectors.iter().map(|_| UuidV4::random()).collect();
        for (group, (ids, vectors)) in ids.chunks(WRITTEN_AT_ONCE).zip(vectors.chunks(WRITTEN_AT_ONCE)).enumerate() {
            let memories: Vec<MemoryRecord> =
                ids.iter().enumerate().map(|(place, id)| memory(&agent, *id, group * WRITTEN_AT_ONCE + place)).collect();
            try_join_all(memories.iter().map(|memory| store.remember(memory))).await?;
            try_join_all(ids.iter().zip(vectors).map(|(id, vector)| store.place(&agent, *id, vector))).await?;
        }
        Ok(Self { _folder: folder, store, agent, ids })
    }

    async fn first_ms(&self, asked: &[f32]) -> Result<f64> {
        let began = Instant::now();
        self.store.nearest(&self.agent, asked, NEAREST).await?;
        Ok(began.elapsed().as_secs_f64() * 1_000.0)
    }

    /// Of each search its milliseconds and what it found.
    async fn search(&self, asked: &[Vec<f32>]) -> Result<Vec<(f64, HashSet<UuidV4>)>> {
        let mut searched = Vec::with_capacity(asked.len());
        for asked in asked {
            let began = Instant::now();
            let found = self.store.nearest(&self.agent, asked, NEAREST).await?;
            let ms = began.elapsed().as_secs_f64() * 1_000.0;
            searched.push((ms, found.iter().map(|found| found.memory.id).collect()));
        }
        Ok(searched)
    }

    async fn close(self) {
        self.store.close().await;
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// By looking at everyone.
fn truly_nearest(vectors: &[Vec<f32>], asked: &[f32]) -> Vec<usize> {
    let mut likeness: Vec<(f32, usize)> = vectors.iter().enumerate().map(|(place, vector)| (dot(vector, asked), place)).collect();
    likeness.select_nth_unstable_by(NEAREST, |one, other| other.0.total_cmp(&one.0));
    likeness.truncate(NEAREST);
    likeness.into_iter().map(|(_, place)| place).collect()
}

/// Of one of some hundred subjects.
fn sentence(number: usize) -> String {
    const WHO: [&str; 13] = [
        "Volunteers",
        "The council",
        "Two engineers",
        "A school class",
        "Fishers",
        "The museum",
        "Nurses",
        "A start-up",
        "Farmers",
        "The orchestra",
        "Researchers",
        "Cyclists",
        "The bakery",
    ];
    const WHAT: [&str; 23] = [
        "repaired old radios",
        "opened bike lanes",
        "counted otters in the river",
        "put solar panels on roofs",
        "lent tools to neighbours",
        "translated a cookbook",
        "mapped the footpaths",
        "planted fruit trees",
        "measured the noise at night",
        "printed houses from clay",
        "trained guide dogs",
        "restored a steam engine",
        "taught chess in prisons",
        "filmed the northern lights",
        "sold bread by bicycle",
        "saved seeds of rare beans",
        "tested a vaccine for bees",
        "built a bridge of rope",
        "sang in the tunnel",
        "cleaned the harbour",
        "sorted coins with a robot",
        "found a comet",
        "drew the history of the town",
    ];
    const WHY: [&str; 17] = [
        "after the flood",
        "without any money",
        "because the mayor asked for it",
        "for the third time this year",
        "to everybody's surprise",
        "with help from abroad",
        "before winter came",
        "in a single night",
        "although it rained",
        "for a bet",
        "as a birthday present",
        "against all advice",
        "in memory of a teacher",
        "to win a prize",
        "while the power was out",
        "on a Sunday",
        "for science",
    ];
    format!("{} in town {} {} {}.", WHO[number % 13], number % 997, WHAT[(number / 13) % 23], WHY[(number / 7) % 17])
}

pub fn numpy_ms(python: &str, script: &str, size: usize) -> Result<f64> {
    let arguments = [script, &size.to_string(), &DIMENSIONS.to_string(), &NEAREST.to_string(), &SEARCHES.to_string()];
    let done = Command::new(python).args(arguments).output()?;
    let told = String::from_utf8_lossy(&done.stdout);
    told.trim().parse().with_context(|| format!("it said {told:?} and {:?}", String::from_utf8_lossy(&done.stderr)))
}

fn memory(agent: &AgentId, id: UuidV4, number: usize) -> MemoryRecord {
    let at = DateTime::UNIX_EPOCH + TimeDelta::seconds(number as i64);
    MemoryRecord {
        id,
        agent: agent.clone(),
        at,
        role: MemoryRole::Assistant,
        content: format!("A post about town {number}."),
        campaign: None,
        lesson: None,
    }
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
