//! Measures tasks per second through plan, work, judge and commit, every step durable, with a skill that does nothing; `bench/swarm`
//! starts it.
//!
//!     bench_swarm fill FOLDER       stores of several sizes, to be measured; takes minutes
//!     bench_swarm measure FOLDER    beside BullMQ, Celery and bare SQLite, and what a task costs in each of those stores, as Markdown on
//!                                   standard output; fails when a limit is missed. NODE, QUEUES_HOME, QUEUES_PYTHON and QUEUES_PEERS say
//!                                   where the peers are
//!     bench_swarm growth FOLDER     only those stores
//!     bench_swarm ours [TASKS]      the swarm alone

mod growth;
mod limit;
mod noop;
mod ours;
mod peers;
mod report;

use anyhow::{Context, Result, bail};
use chimera as _; // for the program's allocator
use peers::{Peer, Redis};
use report::{Comparison, Round, Row, Table};
use std::{io::Write, path::Path, process::ExitCode};

/// Odd, so that there is a median. Everybody in every round, so that noise of the machine hits all alike.
const ROUNDS: usize = 21;
/// Of a round: so many that how it begins and ends hardly counts.
const TASKS: usize = 40_000;
const TASKS_BULLMQ: usize = 2_000;
const TASKS_CELERY: usize = 50;
/// Tasks in progress at one time.
const AT_ONCE: usize = 1024;
/// Jobs of each role at one time. With 256 BullMQ makes a tenth fewer tasks, with 1,024 a third fewer.
const AT_ONCE_PEERS: usize = 64;
/// Of the peers: before the first round.
const WARM_UP: usize = 50;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["fill", folder] => {
            growth::fill(Path::new(folder)).await?;
            Ok(ExitCode::SUCCESS)
        }
        ["measure", folder] => {
            let speed = verdict(&compare().await?)?;
            let growth = verdict(&growth::measure(Path::new(folder)).await?)?;
            Ok(if speed == ExitCode::SUCCESS { growth } else { speed })
        }
        ["growth", folder] => verdict(&growth::measure(Path::new(folder)).await?),
        ["ours"] => ours_alone(TASKS).await,
        ["ours", tasks] => ours_alone(tasks.parse().with_context(|| format!("{tasks:?} is not a number of tasks"))?).await,
        _ => bail!("usage: bench_swarm fill FOLDER | measure FOLDER | growth FOLDER | ours [TASKS]"),
    }
}

fn verdict(table: &impl Table) -> Result<ExitCode> {
    std::io::stdout().write_all(table.markdown().as_bytes())?;
    Ok(if table.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn ours_alone(tasks: usize) -> Result<ExitCode> {
    let (ours, limit) = ours_and_limit(tasks).await?;
    for (row, round) in [(Row::Ours, ours), (Row::Limit, limit)] {
        writeln!(std::io::stdout(), "{row:?}: {:.0} tasks/s, {:.3} commits a task", round.tasks_per_s, round.commits_per_task)?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn compare() -> Result<Comparison> {
    let redis = Redis::start().await?;
    let mut bullmq = Peer::bullmq(&redis, AT_ONCE_PEERS)?;
    let mut celery = Peer::celery(&redis, AT_ONCE_PEERS)?;
    bullmq.make(WARM_UP).await.context("warm-up of BullMQ")?;
    celery.make(WARM_UP / 10).await.context("warm-up of Celery")?;
    let mut rounds = Comparison::default();
    for _ in 0..ROUNDS {
        let (ours, limit) = ours_and_limit(TASKS).await?;
        rounds.add(Row::Ours, ours);
        rounds.add(Row::Limit, limit);
        rounds.add(Row::BullMq, Round::of(TASKS_BULLMQ, bullmq.make(TASKS_BULLMQ).await.context("BullMQ")?));
        rounds.add(Row::Celery, Round::of(TASKS_CELERY, celery.make(TASKS_CELERY).await.context("Celery")?));
        writeln!(std::io::stderr(), "{}", rounds.last())?;
    }
    bullmq.end().await.context("BullMQ")?;
    celery.end().await.context("Celery")?;
    Ok(rounds)
}

/// In empty stores: the limit writes the very rows that the swarm wrote, in as many transactions.
async fn ours_and_limit(tasks: usize) -> Result<(Round, Round)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("swarm.db");
    let store = ours::new_store(&path).await?;
    let before = store.commits();
    let seconds = ours::through(&store, "tasks", tasks).await?;
    let commits = (store.commits() - before) as usize;
    store.close().await;
    let rows = limit::rows_of(&path)?;
    let bare = folder.path().join("bare").join("limit.db");
    std::fs::create_dir(folder.path().join("bare"))?;
    ours::new_store(&bare).await?.close().await;
    let limit = limit::measure(&bare, &rows, commits)?;
    let round = |seconds: f64| Round { commits_per_task: commits as f64 / tasks as f64, ..Round::of(tasks, seconds) };
    Ok((round(seconds), round(limit)))
}
