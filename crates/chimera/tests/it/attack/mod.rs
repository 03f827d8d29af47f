//! Money under attack: the real program on an anvil that mines only when it is told to, behind nodes that work against it.

mod invariants;
mod node;
mod raw;
mod run;
mod scenarios;
mod schedule;
mod stage;

use crate::properties::number;
use futures::FutureExt;
use run::attack;
use schedule::{AGENTS, LIMITS, NODES, Schedule};
use stage::{Lane, Prepared};
use std::{
    any::Any,
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::task::JoinSet;

const SCHEDULES_DEFAULT: u64 = 200;
const SEED_DEFAULT: u64 = 20_261_117;
/// Each waits far longer than it computes.
const LANES_PER_CORE: usize = 8;
/// So many broken schedules are enough to look at.
const BROKEN_MAX: usize = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_done_to_it_it_pays_within_its_limits_and_each_task_once() {
    let (schedules, seed) = (number("CHIMERA_TEST_ATTACKS", SCHEDULES_DEFAULT), number("CHIMERA_TEST_SEED", SEED_DEFAULT));
    let (next, broken, seen) = (Arc::new(AtomicU64::new(seed)), Arc::new(Mutex::default()), Arc::new(Mutex::default()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let lanes_wanted = (cores * LANES_PER_CORE).min(usize::try_from(schedules).unwrap());
    let prepared = Prepared::with(&AGENTS, LIMITS).await;
    let mut lanes = JoinSet::new();
    for _ in 0..lanes_wanted {
        let Some(lane) = Lane::open(NODES, &prepared).await else { return };
        lanes.spawn(drive(lane, next.clone(), seed + schedules, broken.clone(), seen.clone()));
    }
    while let Some(ended) = lanes.join_next().await {
        ended.unwrap();
    }

    report(schedules, seed, &seen.lock().unwrap());
    let broken = broken.lock().unwrap();
    assert!(broken.is_empty(), "{} schedules break something:\n{}", broken.len(), broken.join("\n"));
}

/// What happened how often.
type Seen = BTreeMap<String, usize>;

async fn drive(mut lane: Lane, next: Arc<AtomicU64>, end: u64, broken: Arc<Mutex<Vec<String>>>, seen: Arc<Mutex<Seen>>) {
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end || broken.lock().unwrap().len() >= BROKEN_MAX {
            return;
        }
        let schedule = Schedule::of(seed);
        let outcome = AssertUnwindSafe(attack(&mut lane, &schedule)).catch_unwind().await;
        let problems = outcome.unwrap_or_else(|panic| vec![text_of(panic.as_ref())]);
        let mut seen = seen.lock().unwrap();
        for step in &schedule.steps {
            let name = format!("{step:?}");
            *seen.entry(name.split(' ').next().unwrap_or_default().to_owned()).or_default() += 1;
        }
        drop(seen);
        if !problems.is_empty() {
            let again = format!("CHIMERA_TEST_SEED={seed} CHIMERA_TEST_ATTACKS=1 makes the same schedule");
            broken.lock().unwrap().push(format!("{again}:\n{}\n{schedule}", problems.join("\n")));
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    text.unwrap_or_else(|| "a panic without words".to_owned())
}

#[expect(clippy::print_stderr, reason = "the counts are a figure of the proof")]
fn report(schedules: u64, seed: u64, seen: &Seen) {
    eprintln!("{schedules} attacks from seed {seed} on: {seen:?}");
}
