//! The swarm's own roles over the real store, with skills that cost nothing.

use super::{
    AT_ONCE,
    noop::{NoTools, NoopSkills},
};
use anyhow::Result;
use chimera_adapters::store::{AssetFolder, SqliteStore};
use chimera_core::{
    contracts::{
        UtcTime,
        campaign::CampaignGoal,
        content_generator::ContentType,
        task::{AgentTask, Priority, TaskAcceptance, TaskContext, TaskStatus, TaskType},
    },
    domain::{asset::AssetId, campaign::CampaignEvent, money::Address},
    perception::screening::InjectionScreen,
    ports::{
        StoreError,
        agents::{AgentRecord, Agents},
        clock::Clock,
        content_check::ContentSigns,
        swarm::{Campaigns, ClaimLimits, Tasks},
    },
    swarm::{
        acting::{ActingPorts, ActingSettings},
        judge::Thresholds,
        planner::{self, media::Costs},
        publisher::Channels,
        runtime::{Role, Swarm, SwarmPorts, SwarmSettings},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

pub(crate) const AGENTS: usize = 100;
/// How many tasks a plan has.
pub(crate) const BATCH: usize = 500;
const CAMPAIGN: &str = "bench";
const STUCK_AFTER: Duration = Duration::from_secs(600);

struct WallClock;

impl Clock for WallClock {
    #[expect(clippy::disallowed_methods, reason = "a benchmark runs in real time")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// With a campaign that runs.
pub(crate) async fn new_store(path: &Path) -> Result<SqliteStore> {
    let store = SqliteStore::open(path)?;
    let goal = CampaignGoal {
        campaign_id: CAMPAIGN.to_owned(),
        goal_description: "nothing".to_owned(),
        operator_id: "bench".to_owned(),
        agent_ids: vec!["agent-0".to_owned()],
        budget_constraints: serde_json::Map::new(),
        created_at: UtcTime(WallClock.now()),
    };
    for number in 0..AGENTS {
        Agents::create(&store, &agent(number)?).await?;
    }
    Campaigns::create(&store, &goal, &[]).await?;
    store.change(CAMPAIGN, &CampaignEvent::Start, WallClock.now()).await?;
    Ok(store)
}

fn agent(number: usize) -> Result<AgentRecord> {
    let id = format!("agent-{number}");
    let soul_source = format!(
        "---\nid: {id}\nname: Agent {number}\nhandle: {id}\nvoice_traits: [plain]\ncore_beliefs: [Nothing happens]\n\
         directives: [\"Never promise returns\"]\nplatforms: [mastodon]\ndisclosure: AI-generated\n---\nNobody.\n"
    );
    let version = AssetId::of(soul_source.as_bytes()).as_str().to_owned();
    let address = Address::left_padding_from(&number.to_be_bytes());
    Ok(AgentRecord { id: id.parse()?, soul_source, soul_version: version, address, created_at: WallClock.now() })
}

/// Seconds for `count` tasks, from the first enqueue to the last post on the ledger. `name` makes their ids.
pub(crate) async fn through(store: &SqliteStore, name: &str, count: usize) -> Result<f64> {
    let tasks: Vec<AgentTask> = (0..count).map(|number| task(name, number)).collect();
    let wanted = entries(store).await? + count as i64;
    let swarm = Arc::new(swarm(store));
    let stop = CancellationToken::new();
    let roles = [Role::Worker, Role::Judge, Role::Publisher];
    let begun = Instant::now();
    let running = Arc::clone(&swarm).run(&roles, &stop);
    let feeding = async {
        for batch in tasks.chunks(BATCH) {
            store.enqueue(batch).await?;
            swarm.bells.ring_all();
        }
        while entries(store).await? < wanted {
            anyhow::ensure!(begun.elapsed() < STUCK_AFTER, "tasks do not get through; look at the reviews of the store");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let took = begun.elapsed();
        stop.cancel();
        anyhow::Ok(took)
    };
    let ((), took) = tokio::join!(running, feeding);
    Ok(took?.as_secs_f64())
}

/// Every post that has left, here as a dry run, is an entry of the ledger.
async fn entries(store: &SqliteStore) -> Result<i64> {
    let last = "SELECT ifnull(max(number), 0) FROM ledger";
    Ok(store.read(move |db| db.query_row(last, [], |row| row.get(0)).map_err(|error| StoreError::Failed(Box::new(error)))).await?)
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
        calendar: store.clone(),
        plans: store.clone(),
        backlog: store.clone(),
        plan_model: None,
        // The swarm's own work is measured; how fast a text is read, elsewhere.
        content_check: Arc::new(|_: &str| ContentSigns::default()),
        perception: store.clone(),
        embedder: chimera::wiring::embedder(),
        second_opinion: None,
        acting: ActingPorts {
            resources: Arc::new(NoTools),
            screen: Arc::new(InjectionScreen),
            mentions: store.clone(),
            engagements: store.clone(),
            memories: store.clone(),
            assets: Arc::new(AssetFolder::new(store.as_ref().clone(), std::env::temp_dir())),
        },
        skills: Arc::new(NoopSkills),
        tools: Arc::new(NoTools),
        clock: Arc::new(WallClock),
    };
    let settings = SwarmSettings {
        thresholds: Thresholds { approve_above: 0.9, reject_below: 0.7, retries_max: 2, auto_approve_embedded: true },
        limits: ClaimLimits { per_agent_max: AT_ONCE, overall_max: AT_ONCE },
        lease: Duration::from_secs(60),
        backoff_first: TimeDelta::seconds(1),
        perceive_every: TimeDelta::hours(1),
        resource_uris: Vec::new(),
        review_expires_after: TimeDelta::hours(1),
        channels: Channels::new(),
        costs: Costs::default(),
        calendar_grace: TimeDelta::hours(1),
        publish_retry_after: TimeDelta::seconds(1),
        acting: ActingSettings {
            mention_uris: Vec::new(),
            mentions_every: Duration::from_secs(3600),
            engagement_after: [TimeDelta::hours(1), TimeDelta::days(1)],
        },
    };
    Swarm::new(ports, settings, "bench".to_owned())
}

fn task(name: &str, number: usize) -> AgentTask {
    // One post per agent on each story, as the Planner plans them.
    let (story, agent_id) = (format!("{name}-{}", number / AGENTS), format!("agent-{}", number % AGENTS));
    AgentTask {
        task_id: planner::task_id(CAMPAIGN, 1, &story, &agent_id, TaskType::GenerateContent),
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
            agent_id,
            telling: None,
            form: None,
            brief: None,
        },
        acceptance_criteria: Some(TaskAcceptance {
            min_confidence: 0.0,
            content_type: ContentType::Text,
            video_tier: None,
            platform: "mastodon".to_owned(),
        }),
        transaction: None,
        estimate: None,
    }
}
