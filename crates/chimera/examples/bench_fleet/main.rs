//! A thousand agents, each with a running campaign, in one `chimera serve`: what it takes, and how soon a mention's reply is judged.
//! `bench/swarm` starts it; CHIMERA says where the program is.
//!
//!     bench_fleet [AGENTS]    as Markdown on standard output; fails when a limit is missed

mod fleet;
mod serving;
mod world;

use anyhow::{Context, Result};
use chimera_adapters::store::SqliteStore;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        task::{AgentTask, Priority, TaskType},
    },
    ports::{
        events::{Event, EventKind, Events},
        swarm::Tasks,
    },
};
use fleet::{Fleet, now};
use serving::Serving;
use std::{
    collections::BTreeMap,
    io::Write,
    process::ExitCode,
    time::{Duration, Instant},
};
use world::World;

const AGENTS_DEFAULT: usize = 1_000;
/// Mentions that are answered, and the pause between them.
const URGENT: usize = 300;
const URGENT_EVERY: Duration = Duration::from_millis(100);
const LOOK_EVERY: Duration = Duration::from_millis(200);
const FIRST_TASKS_MAX: Duration = Duration::from_secs(600);
const URGENT_MAX: Duration = Duration::from_secs(60);
const EVENTS_PER_LOOK: usize = 10_000;

const RESIDENT_MIB_MAX: u64 = 1024;
const P99_MS_MAX: u64 = 10_000;
const P99_MS_AIM: u64 = 1_000;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let agents = match std::env::args().nth(1) {
        Some(text) => text.parse().with_context(|| format!("{text:?} is not a number of agents"))?,
        None => AGENTS_DEFAULT,
    };
    let begun = Instant::now();
    let world = World::start().await?;
    let fleet = Fleet::make(agents, &world.url).await?;
    writeln!(std::io::stderr(), "{agents} agents made in {:.1} s", begun.elapsed().as_secs_f64())?;
    let store = SqliteStore::open(&fleet.database)?;
    let measured = measure(&fleet, &store).await;
    store.close().await;
    let measured = measured?;
    std::io::stdout().write_all(measured.markdown(agents).as_bytes())?;
    Ok(if measured.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Measured {
    first_tasks_s: f64,
    first_tasks: usize,
    resident_mib: u64,
    /// Sorted.
    urgent_ms: Vec<u64>,
}

async fn measure(fleet: &Fleet, store: &SqliteStore) -> Result<Measured> {
    let mut watch = Watch { store, read_to: store.last().await?, pending: BTreeMap::new(), judged: BTreeMap::new() };
    let serving = Serving::start(fleet).await?;
    let begun = Instant::now();
    let mut resident_mib = 0;
    while watch.judged.len() < fleet.campaigns.len() {
        anyhow::ensure!(begun.elapsed() < FIRST_TASKS_MAX, "{} of {} first tasks are judged", watch.judged.len(), fleet.campaigns.len());
        tokio::time::sleep(LOOK_EVERY).await;
        watch.look().await?;
        resident_mib = resident_mib.max(serving.resident_mib()?);
    }
    let first_tasks_s = begun.elapsed().as_secs_f64();
    writeln!(std::io::stderr(), "{} first tasks judged in {first_tasks_s:.1} s, {resident_mib} MiB", watch.judged.len())?;
    let first_tasks = watch.judged.len();

    let models = models(fleet, store).await?;
    let mut urgent = Vec::new();
    let mut due = tokio::time::interval(URGENT_EVERY);
    for number in 0..URGENT {
        due.tick().await;
        let task = reply_like(&models[number % models.len()], number);
        urgent.push(task.task_id);
        store.enqueue(&[task]).await?;
    }
    let deadline = Instant::now() + URGENT_MAX;
    while !urgent.iter().all(|id| watch.judged.contains_key(id)) {
        anyhow::ensure!(Instant::now() < deadline, "urgent tasks are not judged");
        watch.look().await?;
        resident_mib = resident_mib.max(serving.resident_mib()?);
        tokio::time::sleep(LOOK_EVERY).await;
    }
    serving.stop().await?;
    let mut urgent_ms: Vec<u64> = urgent.iter().map(|id| watch.judged[id]).collect();
    urgent_ms.sort_unstable();
    Ok(Measured { first_tasks_s, first_tasks, resident_mib, urgent_ms })
}

/// Follows the log of events: when each task was queued, and how long it took until it was first judged.
struct Watch<'a> {
    store: &'a SqliteStore,
    read_to: u64,
    pending: BTreeMap<UuidV4, chrono::DateTime<chrono::Utc>>,
    judged: BTreeMap<UuidV4, u64>,
}

impl Watch<'_> {
    async fn look(&mut self) -> Result<()> {
        loop {
            let events = self.store.events(self.read_to, EVENTS_PER_LOOK).await?;
            let Some(last) = events.last() else { return Ok(()) };
            self.read_to = last.number;
            events.iter().for_each(|event| self.take(event));
        }
    }

    fn take(&mut self, event: &Event) {
        let Some(task_id) = event.task_id else { return };
        match event.kind {
            EventKind::Task if event.state == "pending" => {
                self.pending.entry(task_id).or_insert(event.at);
            }
            EventKind::Decision => {
                if let Some(queued) = self.pending.get(&task_id) {
                    let took = u64::try_from((event.at - *queued).num_milliseconds()).unwrap_or(0);
                    self.judged.entry(task_id).or_insert(took);
                }
            }
            EventKind::Task
            | EventKind::Review
            | EventKind::Post
            | EventKind::Payment
            | EventKind::Campaign
            | EventKind::Stop
            | EventKind::Agent
            | EventKind::Calendar
            | EventKind::Trend
            | EventKind::Answer
            | EventKind::Person => {}
        }
    }
}

/// A task of each campaign, as the Planner made it.
async fn models(fleet: &Fleet, store: &SqliteStore) -> Result<Vec<AgentTask>> {
    let mut models = Vec::new();
    for campaign_id in fleet.campaigns.iter().take(URGENT) {
        models.extend(Tasks::of_campaign(store, campaign_id).await?.into_iter().next());
    }
    anyhow::ensure!(!models.is_empty(), "no campaign has planned a task");
    Ok(models)
}

/// As the Planner makes one of a mention: what is answered, then what may be answered with.
fn reply_like(model: &AgentTask, mention: usize) -> AgentTask {
    let mut task = model.clone();
    task.task_id = UuidV4::random();
    task.task_type = TaskType::ReplyComment;
    task.priority = Priority::High;
    task.attempt = 1;
    task.assigned_worker_id = None;
    task.feedback = None;
    task.created_at = UtcTime(now());
    task.context.required_resources.insert(0, format!("mastodon://posts/{mention}"));
    task
}

impl Measured {
    fn percentile(&self, percent: usize) -> u64 {
        self.urgent_ms[(self.urgent_ms.len() * percent / 100).min(self.urgent_ms.len() - 1)]
    }

    fn holds(&self) -> bool {
        self.resident_mib < RESIDENT_MIB_MAX && self.percentile(99) < P99_MS_MAX
    }

    fn markdown(&self, agents: usize) -> String {
        let verdict = |holds: bool| if holds { "PASS" } else { "FAIL" };
        let p99 = self.percentile(99);
        format!(
            "## {agents} agents, each with a running campaign, in one `chimera serve`\n\n\
             | what | figure | wanted | verdict |\n|---|--:|---|---|\n\
             | resident memory, with the processes of feeds and social | {} MiB | under {RESIDENT_MIB_MAX} MiB | {} |\n\
             | first tasks of all campaigns: perceived, planned, written, judged | {} in {:.1} s, {:.0} a second | | |\n\
             | a reply to a mention, from its queueing to its judgement, median | {} ms | | |\n\
             | the same, 99th percentile | {p99} ms | under {P99_MS_MAX} ms, aim {P99_MS_AIM} ms | {} |\n\n\
             Embedded provider, publishing as a dry run, campaigns look at their resources once a minute, each of them meanwhile too. \
             {} replies of high priority to posts on a Mastodon server are queued ten a second, by another process: the serving one \
             looks for such work twice a second. How soon a mention is noticed is up to `perceive_every_s`.\n",
            self.resident_mib,
            verdict(self.resident_mib < RESIDENT_MIB_MAX),
            self.first_tasks,
            self.first_tasks_s,
            self.first_tasks as f64 / self.first_tasks_s,
            self.percentile(50),
            verdict(p99 < P99_MS_MAX),
            self.urgent_ms.len(),
        )
    }
}
