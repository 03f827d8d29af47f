//! Every way that a payment can go, up to a depth. The real skill, its state machine and the real store run against nodes and miners that
//! accept, lose answers, refuse, lie, reorder, replace, drop, mine and un-mine, with kills at every write and send, freezes between any two
//! nodes, a second task, midnight, a stranger with the key, and an old copy of the store put back.
//!
//! A depth is a number of moves, each with every choice that nodes, miners and kills have within it. States that were reached before are not
//! gone on from again. `CHIMERA_TEST_EXPLORATION_DEPTH` and `CHIMERA_TEST_EXPLORATION_SQLITE_DEPTH` say how deep.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod chain;
mod oracle;
mod program;
mod shelf;
mod world;

use oracle::Oracle;
use shelf::Kept;
use std::{collections::HashMap, sync::Arc};
use world::{MOVES, Move, State, World, address, first_state};

const DEPTH: usize = 3;
const SQLITE_DEPTH: usize = 2;

struct Exploration {
    first: State,
    /// How many moves were still to make when a state was gone on from.
    seen: HashMap<u64, usize>,
    transitions: usize,
}

impl Exploration {
    /// Makes every move from `state`, in every way, and goes on from each state that is new.
    fn explore<'a>(
        &'a mut self,
        state: &'a State,
        path: Vec<String>,
        moves_left: usize,
    ) -> std::pin::Pin<Box<dyn Future<Output = ()> + 'a>> {
        Box::pin(async move {
            for what in MOVES {
                if what == Move::PutBackOldStore {
                    if let Some(next) = state.put_back(&self.first) {
                        self.go_on(next, path.clone(), format!("{what:?}"), moves_left).await;
                    }
                    continue;
                }
                let mut choices = Vec::new();
                loop {
                    let oracle = Arc::new(Oracle::telling(choices));
                    let mut world = World::open(state, oracle.clone(), false).await;
                    let has_happened = with_path(&path, &format!("{what:?}"), world.make(what)).await;
                    let step = format!("{what:?} {:?}", oracle.made());
                    if has_happened {
                        with_path(&path, &step, world.check()).await;
                        let next = world.close().await;
                        self.go_on(next, path.clone(), step, moves_left).await;
                    }
                    match oracle.next() {
                        Some(next) => choices = next,
                        None => break,
                    }
                }
            }
        })
    }

    async fn go_on(&mut self, next: State, mut path: Vec<String>, step: String, moves_left: usize) {
        self.transitions += 1;
        let identity = next.identity();
        let known = self.seen.get(&identity).copied();
        if known.is_some_and(|left| left >= moves_left) {
            return;
        }
        self.seen.insert(identity, moves_left);
        path.push(step);
        if known.is_none() {
            let mut world = World::open(&next, Arc::default(), true).await;
            with_path(&path, "and then all goes well", world.check_the_end()).await;
        }
        if moves_left > 1 {
            self.explore(&next, path, moves_left - 1).await;
        }
    }
}

/// A failure says how the world came there.
async fn with_path<T>(path: &[String], step: &str, work: impl Future<Output = T>) -> T {
    struct Told<'a>(&'a [String], &'a str);
    impl Drop for Told<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                #[expect(clippy::print_stderr, reason = "a test says how it came to fail")]
                {
                    eprintln!("the way there: {} -> {}", self.0.join(" -> "), self.1);
                }
            }
        }
    }
    let _told = Told(path, step);
    work.await
}

async fn explore_from(kept: Kept, depth: usize) -> Exploration {
    let first = first_state(kept);
    let mut exploration = Exploration { first: first.clone(), seen: HashMap::new(), transitions: 0 };
    exploration.explore(&first, Vec::new(), depth).await;
    exploration
}

#[expect(clippy::disallowed_methods, reason = "how deep is said by whoever runs the tests")]
fn depth_of(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().unwrap())
}

#[expect(clippy::print_stdout, reason = "how much was tried is what these tests show")]
fn tell(store: &str, depth: usize, exploration: &Exploration) {
    println!("exploration on {store}, {depth} moves deep: {} states, {} transitions", exploration.seen.len(), exploration.transitions);
}

#[tokio::test]
async fn no_way_that_a_payment_can_go_pays_twice_passes_a_limit_or_frees_what_can_land() {
    let depth = depth_of("CHIMERA_TEST_EXPLORATION_DEPTH", DEPTH);

    let exploration = explore_from(Kept::first_in_memory(), depth).await;

    tell("the store in memory", depth, &exploration);
    assert!(exploration.seen.len() > 1_000, "{} states are not every way", exploration.seen.len());
}

#[tokio::test]
async fn nor_does_any_on_sqlite() {
    let depth = depth_of("CHIMERA_TEST_EXPLORATION_SQLITE_DEPTH", SQLITE_DEPTH);

    let exploration = explore_from(Kept::first_sqlite(address()).await, depth).await;

    tell("SQLite", depth, &exploration);
    assert!(exploration.seen.len() > 100, "{} states are not every way", exploration.seen.len());
}
