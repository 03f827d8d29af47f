//! The real program, killed at every step and at any moment, with nodes that behave and nodes that do not: the chain says what was paid.

mod keys;
pub(crate) mod lane;
pub(crate) mod life;
pub(crate) mod plan;

use crate::{
    anvil::Anvil,
    books::{Books, End},
    fault_proxy::Fault,
    properties::number,
};
use futures::FutureExt;
use lane::Lane;
use life::{Answers, live_on, live_until};
use nix::sys::signal::Signal;
use plan::{Blocks, LifeEnd, POINTS, Plan, STEPS};
use std::{
    any::Any,
    collections::{BTreeMap, VecDeque},
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex},
};
use tokio::task::JoinSet;

const RUNS_DEFAULT: u64 = 20;
/// One run in so many is killed at random moments only; the others die at a step first, and half of them at a random moment next.
const MOMENTS_PART: u64 = 4;
const SEED_DEFAULT: u64 = 20_261_115;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_every_step_and_started_again_it_pays_each_task_once() {
    let (runs, seed) = (number("CHIMERA_TEST_KILLS", RUNS_DEFAULT), number("CHIMERA_TEST_SEED", SEED_DEFAULT));
    let runs = (runs - runs / MOMENTS_PART).max(runs.min(POINTS));
    let Some(seen) = run_all((seed..seed + runs).map(Plan::of_crash).collect()).await else { return };

    report(&format!("{runs} runs killed at named steps"), &seen);
    for step in STEPS.into_iter().filter(|_| runs >= POINTS) {
        for side in ["before", "after"] {
            assert!(seen.contains_key(&format!("died {side} {step}")), "no run died {side} {step}: {seen:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_and_started_again_it_pays_each_task_once() {
    let (runs, seed) = (number("CHIMERA_TEST_KILLS", RUNS_DEFAULT).div_ceil(MOMENTS_PART), number("CHIMERA_TEST_SEED", SEED_DEFAULT));
    let Some(seen) = run_all((seed..seed + runs).map(Plan::of_moment).collect()).await else { return };

    report(&format!("{runs} runs killed at random moments"), &seen);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_the_node_does_to_it_each_task_is_paid_once() {
    let seed = number("CHIMERA_TEST_SEED", SEED_DEFAULT);
    let plans = Fault::BAD
        .into_iter()
        .flat_map(|fault| [Blocks::Instant, Blocks::EverySecond].map(|blocks| Plan::of_fault(seed + fault as u64, fault, blocks)));
    let Some(seen) = run_all(plans.collect()).await else { return };

    report("every fault of a node", &seen);
}

/// What was seen how often.
type Seen = BTreeMap<String, usize>;

/// `None` when there is no anvil and that is allowed.
async fn run_all(plans: Vec<Plan>) -> Option<Seen> {
    let mut queues: BTreeMap<Blocks, VecDeque<Plan>> = BTreeMap::new();
    for plan in plans {
        queues.entry(plan.blocks).or_default().push_back(plan);
    }
    let seen = Arc::new(Mutex::new(Seen::new()));
    let lanes_each = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lanes = JoinSet::new();
    for (blocks, queue) in queues {
        let flags: &[&str] = match blocks {
            Blocks::Instant => &[],
            Blocks::EverySecond => &["--block-time", "1"],
        };
        let anvil = Arc::new(Anvil::start_with(flags).await?);
        let lanes_used = lanes_each.min(queue.len());
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..lanes_used {
            lanes.spawn(drive(anvil.clone(), queue.clone(), seen.clone()));
        }
    }
    while let Some(ended) = lanes.join_next().await {
        if let Err(told) = ended.unwrap() {
            panic!("{told}");
        }
    }
    let seen = seen.lock().unwrap().clone();
    Some(seen)
}

/// Runs one plan after another until there is none, or one fails.
async fn drive(anvil: Arc<Anvil>, queue: Arc<Mutex<VecDeque<Plan>>>, seen: Arc<Mutex<Seen>>) -> Result<(), String> {
    let lane = Lane::open(anvil).await;
    loop {
        let Some(plan) = queue.lock().unwrap().pop_front() else { return Ok(()) };
        let outcome = AssertUnwindSafe(run(&lane, &plan, &seen)).catch_unwind().await;
        let problems = outcome.unwrap_or_else(|panic| vec![text_of(panic.as_ref())]);
        if !problems.is_empty() {
            queue.lock().unwrap().clear();
            let again = format!("CHIMERA_TEST_SEED={} CHIMERA_TEST_KILLS=1 makes the same plan", plan.seed);
            return Err(format!("{again}:\n{}\nin {plan:#?}", problems.join("\n")));
        }
    }
}

/// Everything that is wrong when all is over.
async fn run(lane: &Lane, plan: &Plan, seen: &Mutex<Seen>) -> Vec<String> {
    let stage = lane.stage(plan).await;
    let answers = Answers::default();
    for end in &plan.ends {
        let ended_there = live_until(end, lane, &stage, plan, &answers).await;
        let what = match (end, ended_there) {
            (LifeEnd::At(point), true) => format!("died {} {}", point.side, point.step),
            (LifeEnd::At(_), false) => "died when all was done: the step was not reached".to_owned(),
            (LifeEnd::Moment { .. }, true) => "killed at a random moment".to_owned(),
            (LifeEnd::Moment { .. }, false) => "killed when all was done".to_owned(),
            (LifeEnd::Stop, _) => "stopped".to_owned(),
        };
        *seen.lock().unwrap().entry(what).or_default() += 1;
    }
    lane.proxy.set(Fault::None, 0);
    let mut running = live_on(&stage, plan, &answers).await;
    let books = Books::read(&stage.folder);
    running.signal(Signal::SIGKILL);
    running.exit().await;

    let mut problems = Vec::new();
    let after_the_kill = Books::read(&stage.folder);
    if books != after_the_kill {
        problems.push(format!("the store reads differently after an unclean end: {books:#?} and {after_the_kill:#?}"));
    }
    problems.extend(unkept_answers(plan, &answers, &books));
    problems.extend(lane.problems(&stage, plan, &books).await);
    let paid = plan.wanted.iter().filter(|wanted| wanted.end == End::Paid).count();
    *seen.lock().unwrap().entry("transfers paid once".to_owned()).or_default() += paid;
    if !problems.is_empty() {
        problems.push(format!("it said at last: {}", running.finish().await.stderr));
    }
    problems
}

/// What a caller was told once holds, whatever died since.
fn unkept_answers(plan: &Plan, answers: &Answers, books: &Books) -> Vec<String> {
    let answers = answers.lock().unwrap();
    let mut problems = Vec::new();
    for wanted in &plan.wanted {
        match answers.get(&wanted.task_id) {
            None => problems.push(format!("task {} never got its last word", wanted.task_id)),
            Some(answer) if wanted.end == End::Paid => {
                let (told, kept) = (answer["result"]["tx_hash"].as_str(), books.tx_hash_of(&wanted.task_id));
                if told != kept {
                    problems.push(format!("task {} was told {told:?}, and the store has {kept:?}", wanted.task_id));
                }
            }
            Some(_) => {}
        }
    }
    problems
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    text.unwrap_or_else(|| "a panic without words".to_owned())
}

#[expect(clippy::print_stderr, reason = "the counts are a figure of the proof")]
fn report(what: &str, seen: &Seen) {
    eprintln!("{what}: {seen:#?}");
}
