//! Measures tasks per second through plan, work, judge and commit, every step durable, with a skill that does nothing; beside it the limit:
//! bare SQLite making the same row writes in transactions of as many tasks as the swarm has in progress.
//!
//!     bench_swarm [TASKS]         both, and the cost of a task as the store fills to TASKS; Markdown on standard output

mod limit;
mod noop;

use anyhow::{Context, Result};
use chimera_adapters::store::{AssetFolder, SqliteStore};
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        campaign::CampaignGoal,
        content_generator::ContentType,
        task::{AgentTask, Priority, TaskAcceptance, TaskContext, TaskStatus, TaskType},
    },
    domain::campaign::CampaignEvent,
    perception::screening::InjectionScreen,
    ports::{
        clock::Clock,
        content_check::ContentSigns,
        swarm::{Campaigns, ClaimLimits, Tasks},
    },
    swarm::{
        acting::{ActingPorts, ActingSettings},
        judge::Thresholds,
        publisher::Channels,
        runtime::{Role, Swarm, SwarmPorts, SwarmSettings},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use noop::{NoTools, NoopSkills};
use std::{
    io::Write,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

const TASKS_DEFAULT: usize = 10_000;
const IN_PROGRESS: usize = 64;
const AGENTS: usize = 100;
const BATCH: usize = 500;
const CAMPAIGN: &str = "bench";

struct WallClock;

impl Clock for WallClock {
    #[expect(clippy::disallowed_methods, reason = "a benchmark runs in real time")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let tasks = match std::env::args().nth(1) {
        Some(text) => text.parse().with_context(|| format!("{text:?} is not a number of tasks"))?,
        None => TASKS_DEFAULT,
    };
    let folder = std::env::temp_dir().join(format!("chimera-bench-swarm-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let measured = measure(&folder, tasks).await;
    std::fs::remove_dir_all(&folder)?;
    measured
}

async fn measure(folder: &Path, tasks: usize) -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "| what | tasks in the store | tasks/s |\n|---|---|---|")?;
    let store = SqliteStore::open(&folder.join("swarm.db"))?;
    let goal = CampaignGoal {
        campaign_id: CAMPAIGN.to_owned(),
        goal_description: "nothing".to_owned(),
        operator_id: "bench".to_owned(),
        agent_ids: vec!["agent-0".to_owned()],
        budget_constraints: serde_json::Map::new(),
        created_at: UtcTime(WallClock.now()),
    };
    Campaigns::create(&store, &goal, &[]).await?;
    store.change(CAMPAIGN, &CampaignEvent::Start, WallClock.now()).await?;
    // Three tenths of all at each end, and what is between only fills the store.
    let sample = (tasks / 10 * 3).max(1);
    let mut done = 0;
    while done < tasks {
        let next = sample.min(tasks - done);
        let rate = through(&store, done, next).await?;
        done += next;
        writeln!(out, "| swarm: plan, work, judge, commit, outbox | {done} | {rate:.0} |")?;
    }
    store.close().await;
    let rate = limit::measure(&folder.join("limit.db"), sample, IN_PROGRESS)?;
    writeln!(out, "| bare SQLite, the same rows, {IN_PROGRESS} tasks a transaction | {sample} | {rate:.0} |")?;
    Ok(())
}

/// Tasks per second of `count` further tasks, from the first enqueue to the last post on the ledger.
async fn through(store: &SqliteStore, from: usize, count: usize) -> Result<f64> {
    let swarm = Arc::new(swarm(store));
    let stop = CancellationToken::new();
    let roles = [Role::Worker, Role::Judge, Role::Publisher];
    let begun = Instant::now();
    let running = Arc::clone(&swarm).run(&roles, &stop);
    let feeding = async {
        for first in (from..from + count).step_by(BATCH) {
            let tasks: Vec<AgentTask> = (first..(first + BATCH).min(from + count)).map(task).collect();
            store.enqueue(&tasks).await?;
            swarm.bells.ring_all();
        }
        while noop::posts(store).await? < from + count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let took = begun.elapsed();
        stop.cancel();
        anyhow::Ok(took)
    };
    let ((), took) = tokio::join!(running, feeding);
    Ok(count as f64 / took?.as_secs_f64())
}

fn swarm(store: &SqliteStore) -> Swarm {
    let store = Arc::new(store.clone());
    let ports = SwarmPorts {
        agents: store.clone(),
        campaigns: store.clone(),
        tasks: store.clone(),
        replanning: store.clone(),
        judgements: store.clone(),
        reviews: store.clone(),
        outbox: store.clone(),
        backlog: store.clone(),
        skills: Arc::new(NoopSkills),
        tools: Arc::new(NoTools),
        // The swarm's own work is measured; how fast a text is read, elsewhere.
        content_check: Arc::new(|_: &str| ContentSigns::default()),
        clock: Arc::new(WallClock),
        acting: ActingPorts {
            resources: Arc::new(NoTools),
            screen: Arc::new(InjectionScreen::new()),
            mentions: store.clone(),
            engagements: store.clone(),
            memories: store.clone(),
            assets: Arc::new(AssetFolder::new(store.as_ref().clone(), std::env::temp_dir())),
        },
    };
    let settings = SwarmSettings {
        thresholds: Thresholds { approve_above: 0.9, reject_below: 0.7, retries_max: 2, auto_approve_embedded: true },
        limits: ClaimLimits { per_agent_max: IN_PROGRESS, overall_max: IN_PROGRESS },
        lease: Duration::from_secs(60),
        backoff_first: TimeDelta::seconds(1),
        perceive_every: TimeDelta::hours(1),
        resource_uris: Vec::new(),
        review_expires_after: TimeDelta::hours(1),
        channels: Channels::new(),
        publish_retry_after: TimeDelta::seconds(1),
        acting: ActingSettings { mention_uris: Vec::new(), engagement_after: [TimeDelta::hours(1), TimeDelta::days(1)] },
    };
    Swarm::new(ports, settings, "bench".to_owned())
}

fn task(number: usize) -> AgentTask {
    AgentTask {
        task_id: UuidV4::named(&["bench", &number.to_string()]),
        task_type: TaskType::GenerateContent,
        priority: Priority::Medium,
        status: TaskStatus::Pending,
        created_at: UtcTime(WallClock.now()),
        assigned_worker_id: None,
        state_version: 1,
        depends_on: Vec::new(),
        attempt: 1,
        feedback: None,
        context: TaskContext {
            goal_description: "nothing".to_owned(),
            persona_constraints: Vec::new(),
            required_resources: Vec::new(),
            campaign_id: CAMPAIGN.to_owned(),
            agent_id: format!("agent-{}", number % AGENTS),
        },
        acceptance_criteria: Some(TaskAcceptance { min_confidence: 0.0, content_type: ContentType::Text, platform: "mastodon".to_owned() }),
        transaction: None,
    }
}
