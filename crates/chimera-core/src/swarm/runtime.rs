//! The swarm at work: each role as a loop over the store, woken by the others, until it is asked to stop.
//!
//! Within a process a role rings the next one's bell. What other processes do is found by the lookout, which rings all bells twice a
//! second; whatever they ring for is in the store, so nothing depends on hearing one.

mod bells;
mod forms;
mod pacing;
mod planning;
mod shaping;

pub use bells::Bells;
pub use planning::{Draft, Paced, PlanError};

use super::{
    acting::{ActingPorts, ActingSettings},
    judge::{Checks, Docket, Personas, SecondOpinion, Thresholds},
    planner::{ModelPlanner, media::Costs},
    publisher::{Channels, Publisher},
    replying::MentionReads,
    worker::{Worked, Worker},
};
use crate::ports::{
    StoreError,
    agents::Agents,
    clock::Clock,
    content_check::ContentCheck,
    embedder::Embedder,
    perception::Perception,
    skill_caller::SkillCaller,
    swarm::{Backlog, Calendar, Campaigns, ClaimLimits, Judgements, LeaseError, Outbox, Plans, Replanning, Reviews, Tasks, role},
    tools::PublishTools,
};
use chrono::{DateTime, TimeDelta, Utc};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// How often a process looks for what others have done.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How often a role says that it is at work.
const BEAT_EVERY: TimeDelta = TimeDelta::seconds(5);
const EXPIRE_EVERY: TimeDelta = TimeDelta::seconds(30);
/// A role whose store fails pauses for this long.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Planner,
    Worker,
    Judge,
    Publisher,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Planner, Self::Worker, Self::Judge, Self::Publisher];

    pub fn name(self) -> &'static str {
        match self {
            Self::Planner => role::PLANNER,
            Self::Worker => role::WORKER,
            Self::Judge => role::JUDGE,
            Self::Publisher => role::PUBLISHER,
        }
    }
}

/// Everything the roles share. They reach the world through `skills` and `tools`, which are MCP.
pub struct SwarmPorts {
    pub agents: Arc<dyn Agents>,
    pub campaigns: Arc<dyn Campaigns>,
    pub tasks: Arc<dyn Tasks>,
    pub replanning: Arc<dyn Replanning>,
    pub judgements: Arc<dyn Judgements>,
    pub reviews: Arc<dyn Reviews>,
    pub outbox: Arc<dyn Outbox>,
    pub calendar: Arc<dyn Calendar>,
    pub plans: Arc<dyn Plans>,
    pub backlog: Arc<dyn Backlog>,
    /// Chooses among what the rules would plan; without it they plan alone.
    pub plan_model: Option<ModelPlanner>,
    pub skills: Arc<dyn SkillCaller>,
    pub tools: Arc<dyn PublishTools>,
    pub content_check: Arc<dyn ContentCheck>,
    /// What the Judge holds texts against.
    pub perception: Arc<dyn Perception>,
    pub embedder: Arc<dyn Embedder>,
    /// A model that the Judge asks what it thinks.
    pub second_opinion: Option<Arc<SecondOpinion>>,
    pub clock: Arc<dyn Clock>,
    pub acting: ActingPorts,
}

#[derive(Debug, Clone)]
pub struct SwarmSettings {
    pub thresholds: Thresholds,
    pub limits: ClaimLimits,
    pub lease: Duration,
    pub backoff_first: TimeDelta,
    /// How often a running campaign's resources are looked at.
    pub perceive_every: TimeDelta,
    /// What campaigns watch that name nothing themselves.
    pub resource_uris: Vec<String>,
    /// A content review that nobody decides ends after this.
    pub review_expires_after: TimeDelta,
    pub channels: Channels,
    /// What pictures, videos and texts cost.
    pub costs: Costs,
    /// A calendar entry that could not be planned for so long after its time is missed.
    pub calendar_grace: TimeDelta,
    pub publish_retry_after: TimeDelta,
    pub acting: ActingSettings,
}

pub struct Swarm {
    pub ports: SwarmPorts,
    pub settings: SwarmSettings,
    pub bells: Bells,
    /// Names this process among others.
    pub process_id: String,
    /// When each role last said that it is at work.
    beats: Mutex<BTreeMap<Role, DateTime<Utc>>>,
    pub(super) mention_reads: MentionReads,
    personas: Personas,
    /// Held while it is decided what is queued: two campaigns with one agent do not both tell one story.
    queueing: tokio::sync::Mutex<()>,
}

impl Swarm {
    pub fn new(ports: SwarmPorts, settings: SwarmSettings, process_id: String) -> Self {
        Self {
            ports,
            settings,
            bells: Bells::default(),
            process_id,
            beats: Mutex::default(),
            mention_reads: MentionReads::default(),
            personas: Personas::default(),
            queueing: tokio::sync::Mutex::default(),
        }
    }

    /// Runs these roles until `stop`; what they have in hand is finished or handed back before it returns.
    pub async fn run(self: Arc<Self>, roles: &[Role], stop: &CancellationToken) {
        let mut running = JoinSet::new();
        running.spawn(Arc::clone(&self).look_out(stop.clone()));
        for role in roles {
            let copies = if *role == Role::Worker { self.settings.limits.overall_max } else { 1 };
            for number in 1..=copies {
                running.spawn(Arc::clone(&self).keep_at(*role, number, stop.clone()));
            }
        }
        if roles.contains(&Role::Planner) {
            running.spawn(Arc::clone(&self).keep_listening(stop.clone()));
        }
        if roles.contains(&Role::Publisher) {
            running.spawn(Arc::clone(&self).keep_reading_engagement(stop.clone()));
        }
        while let Some(ended) = running.join_next().await {
            if let Err(panicked) = ended {
                tracing::error!("a role of the swarm ended by a panic: {panicked}");
            }
        }
    }

    async fn look_out(self: Arc<Self>, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
            self.bells.ring_all();
        }
    }

    async fn keep_at(self: Arc<Self>, role: Role, number: usize, stop: CancellationToken) {
        let worker_id = format!("{}-{number}", self.process_id);
        // What waits for a model when the program stops is judged when it runs again.
        let mut docket = Docket::new(self.ports.judgements.as_ref(), self.checks(), self.settings.thresholds);
        while !stop.is_cancelled() {
            let passed = match role {
                Role::Planner => self.plan_pass().await,
                Role::Worker => self.work_pass(&worker_id, &stop).await,
                Role::Judge => self.judge_pass(&mut docket).await,
                Role::Publisher => self.publish_pass().await,
            };
            let passed = match passed {
                Ok(did_something) => self.beat(role).await.map(|()| did_something),
                Err(error) => Err(error),
            };
            match passed {
                Ok(true) => {}
                Ok(false) => {
                    let _ = stop.run_until_cancelled(self.has_work(role, &mut docket)).await;
                }
                Err(error) => {
                    tracing::error!("the {} cannot work: {error}", role.name());
                    let _ = stop.run_until_cancelled(tokio::time::sleep(AFTER_FAILURE)).await;
                }
            }
        }
    }

    async fn has_work(&self, role: Role, docket: &mut Docket<'_>) {
        tokio::select! {
            () = self.bell(role).notified() => {}
            () = docket.decided_late() => {}
        }
    }

    fn bell(&self, role: Role) -> &Notify {
        match role {
            Role::Planner => &self.bells.planner,
            Role::Worker => &self.bells.workers,
            Role::Judge => &self.bells.judge,
            Role::Publisher => &self.bells.publisher,
        }
    }

    async fn beat(&self, role: Role) -> Result<(), StoreError> {
        let now = self.ports.clock.now();
        {
            let mut beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
            if beats.get(&role).is_some_and(|last| now - *last < BEAT_EVERY) {
                return Ok(());
            }
            beats.insert(role, now);
        }
        self.ports.backlog.beat(role.name(), &self.process_id, now).await
    }

    async fn work_pass(&self, worker_id: &str, stop: &CancellationToken) -> Result<bool, StoreError> {
        let worker = Worker {
            id: worker_id,
            tasks: self.ports.tasks.as_ref(),
            skills: self.ports.skills.as_ref(),
            clock: self.ports.clock.as_ref(),
            attempts_max: self.settings.thresholds.retries_max + 1,
            limits: self.settings.limits,
            lease: self.settings.lease,
            backoff_first: self.settings.backoff_first,
        };
        let Some(leased) = worker.claim().await? else { return Ok(false) };
        // There may be more where this came from.
        self.bells.workers.notify_one();
        match worker.work(leased, stop).await {
            Ok(Worked::Finished(_)) => self.bells.judge.notify_one(),
            Ok(Worked::Failed { .. }) => self.bells.planner.notify_one(),
            Ok(Worked::Dropped { .. }) | Err(LeaseError::LeaseLost) => {}
            Err(LeaseError::Store(error)) => return Err(error),
        }
        Ok(true)
    }

    fn checks(&self) -> Checks<'_> {
        let ports = &self.ports;
        Checks {
            agents: ports.agents.as_ref(),
            personas: &self.personas,
            content: ports.content_check.as_ref(),
            perception: ports.perception.as_ref(),
            embedder: ports.embedder.as_ref(),
            outbox: ports.outbox.as_ref(),
            second_opinion: ports.second_opinion.as_deref(),
        }
    }

    async fn judge_pass(&self, docket: &mut Docket<'_>) -> Result<bool, StoreError> {
        let ports = &self.ports;
        let now = ports.clock.now();
        if self.is_time_to_expire(now) {
            for review in ports.reviews.expire(now - self.settings.review_expires_after, now).await? {
                tracing::warn!("review {} expired: nobody decided it", review.review_id);
            }
        }
        docket.take(now).await?;
        let decided = docket.decide_ready().await;
        if decided.is_empty() {
            return Ok(false);
        }
        // An approval frees posts and dependents, a rejection goes to the Workers or the Planner.
        self.bells.ring_all();
        decided.into_iter().try_for_each(|decided| decided.map(drop))?;
        Ok(true)
    }

    /// Every half minute, by the Judge's own beats.
    fn is_time_to_expire(&self, now: DateTime<Utc>) -> bool {
        let beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
        beats
            .get(&Role::Judge)
            .is_none_or(|last| last.timestamp() / EXPIRE_EVERY.num_seconds() != now.timestamp() / EXPIRE_EVERY.num_seconds())
    }

    async fn publish_pass(&self) -> Result<bool, StoreError> {
        let publisher = Publisher {
            outbox: self.ports.outbox.as_ref(),
            tools: self.ports.tools.as_ref(),
            assets: self.ports.acting.assets.as_ref(),
            clock: self.ports.clock.as_ref(),
            channels: &self.settings.channels,
            retry_after: self.settings.publish_retry_after,
        };
        Ok(!publisher.publish_waiting().await?.is_empty())
    }
}
