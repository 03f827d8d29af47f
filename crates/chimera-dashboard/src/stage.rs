//! A dashboard over stores in memory, for tests: what is changed is written down, in order.

use crate::{Dashboard, Explorers, Operations, Refusal, RefusalKind, Settings, WalletOperations};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        campaign::CampaignGoal,
        review::{ReviewAnswer, ReviewStatus},
        task::AgentTask,
        trend_alert::TrendAlert,
        views::{
            Money, Page,
            agents::{AgentDetail, BudgetDay, Fleet, Stop},
            campaigns::{CalendarRow, CampaignDetail, CampaignRow, PostRow, TaskCounts, TaskRow},
            memories::MemoryRow,
            money::{DayResult, LedgerRow, TransferRow},
            reviews::{PublishPreview, ReviewDetail, ReviewKind, ReviewRow},
            stories::{EventRow, TaskStory},
            trends::TrendRow,
            wallets::{CancelledTransfer, ReconciledWallet},
        },
    },
    domain::{
        AgentId,
        campaign::{CampaignEvent, CampaignStatus, Pause, Used},
        freeze::{Freeze, FreezeScope},
    },
    ports::{
        StoreError,
        books::Books,
        clock::Clock,
        events::{Event, Events, Standing, Tally},
        grants::{Grants, NotRevoked, Revocation, Revoked},
        kill_switch::KillSwitch,
        ledger::{Ledger, LedgerEntry, LedgerVerdict},
        queries::{PageOf, PostFilter, Queries, ReviewFilter},
        swarm::{
            Calendar, CalendarEntry, CampaignState, Campaigns, ChangeError, EntryStatus, Pauses, PlannedTask, Plans, ShapeError, Shaping,
        },
    },
    testing::{
        fake_access::FakeAccess,
        fake_agents::FakeAgents,
        fake_assets::FakeAssets,
        fake_clock::ManualClock,
        fake_held_answers::{FakeHeldAnswers, FakeIdempotencyKeys},
        fake_memories::FakeMemories,
    },
};
use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

pub(crate) const CAMPAIGN: &str = "spring";

/// One campaign, the reviews that it is told of, and the events that happen.
pub(crate) struct World {
    pub(crate) held: FakeHeldAnswers,
    clock: ManualClock,
    reviews: Mutex<Vec<ReviewDetail>>,
    events: Mutex<Vec<EventRow>>,
    changes: Mutex<Vec<String>>,
    /// Why answers would not be taken.
    refuses: Mutex<Option<Refusal>>,
}

pub(crate) fn stage() -> (Arc<World>, Arc<Dashboard>) {
    let world = Arc::new(World {
        held: FakeHeldAnswers::default(),
        clock: ManualClock::at("2026-11-19T12:00:00Z"),
        reviews: Mutex::default(),
        events: Mutex::default(),
        changes: Mutex::default(),
        refuses: Mutex::default(),
    });
    let agents = Arc::new(FakeAgents::default());
    let dashboard = Dashboard {
        queries: world.clone(),
        access: Arc::new(FakeAccess::default()),
        held: Arc::new(Held(world.clone())),
        idempotency: Arc::new(FakeIdempotencyKeys::default()),
        agents: agents.clone(),
        lives: agents,
        play_money: None,
        assets: Arc::new(FakeAssets::default()),
        campaigns: world.clone(),
        calendar: world.clone(),
        plans: world.clone(),
        events: world.clone(),
        pauses: world.clone(),
        books: world.clone(),
        explorers: Explorers::default(),
        grants: world.clone(),
        kill_switch: world.clone(),
        ledger: world.clone(),
        memories: Arc::new(FakeMemories::default()),
        operations: world.clone(),
        wallets: world.clone(),
        hindsight: crate::testing::hindsight::empty(),
        clock: Arc::new(Now(world.clone())),
        settings: Settings { owner_token: "owner's".to_owned(), public_url: None, port: 8420 },
        shutdown: CancellationToken::new(),
    };
    (world, Arc::new(dashboard))
}

impl World {
    pub(crate) fn changes(&self) -> Vec<String> {
        self.changes.lock().unwrap().clone()
    }

    fn note(&self, change: impl Into<String>) {
        self.changes.lock().unwrap().push(change.into());
    }

    pub(crate) fn refuse_answers(&self, problem: &str) {
        let refusal = Refusal { kind: RefusalKind::Invalid, problem: problem.to_owned(), next: "Shorten it.".to_owned() };
        *self.refuses.lock().unwrap() = Some(refusal);
    }

    /// A payment that could not be made, and would be tried again.
    pub(crate) fn ask_about_stuck_payment(&self) -> UuidV4 {
        let review_id = self.ask(ReviewKind::Stuck);
        let mut reviews = self.reviews.lock().unwrap();
        reviews.iter_mut().filter(|review| review.row.review_id == review_id).for_each(|review| review.row.moves_money = true);
        review_id
    }

    /// A review that waits.
    pub(crate) fn ask(&self, kind: ReviewKind) -> UuidV4 {
        let review_id = self.held.ask();
        let artifact = json!({ "content_type": "text", "payload_text": "It tastes of bergamot.", "platform_target": "bluesky" });
        let row = ReviewRow {
            review_id,
            task_id: UuidV4::named(&["task"]),
            agent_id: "selam".to_owned(),
            kind,
            moves_money: kind == ReviewKind::Money,
            status: ReviewStatus::Pending,
            asked_at: UtcTime(self.clock.now()),
            reason: "not sure".to_owned(),
            summary: "It tastes".to_owned(),
            platform: None,
            confidence: None,
            money: None,
            held: None,
        };
        let detail = ReviewDetail {
            held_failure: None,
            row,
            campaign_id: None,
            goal: None,
            artifact: (kind == ReviewKind::Content).then(|| serde_json::from_value(artifact).unwrap()),
            publish: None,
            in_reply_to: None,
            trace: Vec::new(),
            confidence_parts: Vec::new(),
            written_by: None,
            attempt: 1,
            feedback: Vec::new(),
            payment: None,
            answer: None,
        };
        self.reviews.lock().unwrap().push(detail);
        review_id
    }

    pub(crate) fn happen(&self, count: u64) {
        for _ in 0..count {
            self.enter("review", "pending", "subject", Some("selam"));
        }
    }

    pub(crate) fn remove_person(&self, name: &str) {
        self.enter("person", "removed", name, None);
    }

    fn enter(&self, kind: &str, state: &str, subject: &str, agent: Option<&str>) {
        let mut events = self.events.lock().unwrap();
        let number = events.len() as u64 + 1;
        events.push(EventRow {
            number,
            at: UtcTime(self.clock.now()),
            kind: kind.to_owned(),
            state: state.to_owned(),
            subject: subject.to_owned(),
            task_id: None,
            campaign_id: None,
            agent_id: agent.map(str::to_owned),
        });
    }
}

struct Now(Arc<World>);

impl Clock for Now {
    fn now(&self) -> DateTime<Utc> {
        self.0.clock.now()
    }
}

struct Held(Arc<World>);

#[async_trait]
impl chimera_core::ports::held_answers::HeldAnswers for Held {
    async fn hold(
        &self,
        answer: &ReviewAnswer,
        effective_at: DateTime<Utc>,
    ) -> Result<chimera_core::ports::held_answers::Holding, StoreError> {
        let text = answer.edited_artifact.as_ref().and_then(|artifact| artifact.payload_text.clone()).unwrap_or_default();
        let after = (effective_at - answer.reviewed_at.0).num_seconds();
        self.0.note(format!("{:?} by {} in {after} s {text}", answer.action, answer.reviewer_id));
        self.0.held.hold(answer, effective_at).await
    }
    async fn take_back(
        &self,
        review_id: UuidV4,
        by: &str,
        now: DateTime<Utc>,
    ) -> Result<chimera_core::ports::held_answers::TakenBack, StoreError> {
        self.0.held.take_back(review_id, by, now).await
    }
    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<ReviewAnswer>, StoreError> {
        self.0.held.due(now, limit).await
    }
    async fn done(&self, review_id: UuidV4, failure: Option<&str>) -> Result<(), StoreError> {
        self.0.held.done(review_id, failure).await
    }
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.0.held.next_due().await
    }
    async fn failure(&self, review_id: UuidV4) -> Result<Option<String>, StoreError> {
        self.0.held.failure(review_id).await
    }
}

fn nothing<T>() -> Result<Page<T>, StoreError> {
    Ok(Page { items: Vec::new(), next: None })
}

#[async_trait]
impl Queries for World {
    async fn fleet(&self, _: DateTime<Utc>) -> Result<Fleet, StoreError> {
        Ok(Fleet { agents: Vec::new(), stops: Vec::new(), last_event: 0 })
    }
    async fn stops(&self) -> Result<Vec<Stop>, StoreError> {
        Ok(Vec::new())
    }
    async fn agent(&self, _: &AgentId, _: DateTime<Utc>) -> Result<Option<AgentDetail>, StoreError> {
        Ok(None)
    }
    async fn reviews(&self, _: &ReviewFilter, page: &PageOf) -> Result<Page<ReviewRow>, StoreError> {
        let rows = self.reviews.lock().unwrap().iter().take(page.limit).map(|review| review.row.clone()).collect();
        Ok(Page { items: rows, next: None })
    }
    async fn review(&self, review_id: UuidV4) -> Result<Option<ReviewDetail>, StoreError> {
        Ok(self.reviews.lock().unwrap().iter().find(|review| review.row.review_id == review_id).cloned())
    }
    async fn pending_reviews(&self) -> Result<u64, StoreError> {
        Ok(0)
    }
    async fn campaigns(&self, _: &PageOf) -> Result<Page<CampaignRow>, StoreError> {
        nothing()
    }
    async fn campaign(&self, campaign_id: &str) -> Result<Option<CampaignDetail>, StoreError> {
        let row = CampaignRow {
            campaign_id: CAMPAIGN.to_owned(),
            goal: "tea".to_owned(),
            status: "running".to_owned(),
            reason: None,
            agent_ids: vec!["selam".to_owned()],
            created_at: UtcTime(self.clock.now()),
            tasks: TaskCounts::default(),
            posts_published: 0,
            reviews_pending: 0,
        };
        let detail = CampaignDetail {
            row,
            state_version: 1,
            operator_id: "lena".to_owned(),
            budget_constraints: Map::new(),
            resource_uris: Vec::new(),
            last_event: 7 + self.changes().len() as u64,
        };
        Ok(Some(detail).filter(|_| campaign_id == CAMPAIGN))
    }
    async fn tasks(&self, _: &str, _: &PageOf) -> Result<Page<TaskRow>, StoreError> {
        nothing()
    }
    async fn posts(&self, _: &PostFilter, _: &PageOf) -> Result<Page<PostRow>, StoreError> {
        nothing()
    }
    async fn calendar(&self, _: Option<&str>, _: DateTime<Utc>, _: &PageOf) -> Result<Page<CalendarRow>, StoreError> {
        nothing()
    }
    async fn trends(&self, _: Option<&str>, _: &PageOf) -> Result<Page<TrendRow>, StoreError> {
        nothing()
    }
    async fn memories(&self, _: &AgentId, _: &PageOf) -> Result<Page<MemoryRow>, StoreError> {
        nothing()
    }
    async fn ledger(&self, _: Option<&AgentId>, _: &PageOf) -> Result<Page<LedgerRow>, StoreError> {
        nothing()
    }
    async fn transfers(&self, _: Option<&AgentId>, _: &PageOf) -> Result<Page<TransferRow>, StoreError> {
        nothing()
    }
    async fn story(&self, _: UuidV4) -> Result<Option<TaskStory>, StoreError> {
        Ok(None)
    }
    async fn events(&self, after: u64, limit: usize) -> Result<Vec<EventRow>, StoreError> {
        let events = self.events.lock().unwrap();
        Ok(events.iter().filter(|event| event.number > after).take(limit).cloned().collect())
    }
}

#[async_trait]
impl Events for World {
    async fn events(&self, _: u64, _: usize) -> Result<Vec<Event>, StoreError> {
        Ok(Vec::new())
    }
    async fn last(&self) -> Result<u64, StoreError> {
        Ok(self.events.lock().unwrap().len() as u64)
    }
    async fn tally(&self, _: u64) -> Result<Tally, StoreError> {
        Ok(Tally::default())
    }
    async fn standing(&self) -> Result<Standing, StoreError> {
        Ok(Standing::default())
    }
}

#[async_trait]
impl KillSwitch for World {
    async fn freeze(&self, freeze: &Freeze) -> Result<(), StoreError> {
        self.note(format!("{} frozen by {}", freeze.scope, freeze.by));
        Ok(())
    }
    async fn unfreeze(&self, scope: &FreezeScope, by: &str, _: DateTime<Utc>) -> Result<bool, StoreError> {
        self.note(format!("{scope} unfrozen by {by}"));
        Ok(true)
    }
    async fn hold(&self, _: &AgentId, _: &str, _: DateTime<Utc>) -> Result<(), StoreError> {
        Ok(())
    }
    async fn frozen(&self, _: &AgentId) -> Result<Option<Freeze>, StoreError> {
        Ok(None)
    }
}

#[async_trait]
impl Pauses for World {
    async fn pause(&self, pause: &Pause) -> Result<(), StoreError> {
        self.note(format!("{} paused by {}", pause.scope, pause.by));
        Ok(())
    }
    async fn resume(&self, scope: &FreezeScope) -> Result<bool, StoreError> {
        self.note(format!("{scope} resumed"));
        Ok(true)
    }
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Campaigns for World {
    async fn create(&self, goal: &CampaignGoal, _: &[String]) -> Result<(), StoreError> {
        self.note(format!("campaign by {}", goal.operator_id));
        Ok(())
    }
    async fn find(&self, _: &str) -> Result<Option<CampaignState>, StoreError> {
        Ok(None)
    }
    async fn list(&self) -> Result<Vec<CampaignState>, StoreError> {
        Ok(Vec::new())
    }
    async fn change(&self, id: &str, event: &CampaignEvent, at: DateTime<Utc>) -> Result<CampaignState, ChangeError> {
        self.note(format!("{id} to {}", event.name()));
        let goal = CampaignGoal {
            campaign_id: id.to_owned(),
            goal_description: "tea".to_owned(),
            operator_id: "lena".to_owned(),
            agent_ids: Vec::new(),
            budget_constraints: Map::new(),
            created_at: UtcTime(at),
        };
        let status = CampaignStatus::Paused;
        Ok(CampaignState { goal, state_version: 2, goal_version: 1, status, reason: None, resource_uris: Vec::new() })
    }
    async fn take_due(&self, _: DateTime<Utc>, _: DateTime<Utc>, _: usize) -> Result<Vec<CampaignState>, StoreError> {
        Ok(Vec::new())
    }
    async fn used(&self, _: &str) -> Result<Used, StoreError> {
        Ok(Used::default())
    }
    async fn record_alert(&self, _: &TrendAlert) -> Result<(), StoreError> {
        Ok(())
    }
    async fn alerts(&self, _: &str, _: usize) -> Result<Vec<TrendAlert>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Calendar for World {
    async fn add(&self, _: &CalendarEntry) -> Result<(), StoreError> {
        self.note("entry");
        Ok(())
    }
    async fn due(&self, _: DateTime<Utc>, _: DateTime<Utc>, _: usize) -> Result<Vec<CalendarEntry>, StoreError> {
        Ok(Vec::new())
    }
    async fn settle(&self, _: &CalendarEntry, status: &EntryStatus) -> Result<EntryStatus, StoreError> {
        Ok(status.clone())
    }
    async fn of_campaign(&self, _: &str) -> Result<Vec<(CalendarEntry, EntryStatus)>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Plans for World {
    async fn record(&self, _: &str, _: &[AgentTask]) -> Result<(), StoreError> {
        Ok(())
    }
    async fn add(&self, _: &AgentTask, _: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        self.note("task");
        Ok(())
    }
    async fn shape(&self, _: &str, task_id: UuidV4, shaping: &Shaping, _: DateTime<Utc>) -> Result<PlannedTask, ShapeError> {
        self.note(format!("{shaping:?}"));
        Err(ShapeError::NoSuchTask(task_id))
    }
    async fn plan(&self, _: &str) -> Result<Vec<PlannedTask>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Books for World {
    async fn results(&self, _: Option<&AgentId>, _: NaiveDate) -> Result<Vec<DayResult>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Grants for World {
    async fn revoke(&self, revocation: &Revocation) -> Result<Revoked, StoreError> {
        self.note(revocation.told());
        Ok(Revoked::NotDone(NotRevoked::Used("signed")))
    }
}

#[async_trait]
impl Ledger for World {
    async fn list(&self, _: Option<&AgentId>, _: usize) -> Result<Vec<LedgerEntry>, StoreError> {
        Ok(Vec::new())
    }
    async fn page(&self, _: Option<&AgentId>, _: u64, _: usize) -> Result<Vec<LedgerEntry>, StoreError> {
        Ok(Vec::new())
    }
    async fn verify(&self) -> Result<LedgerVerdict, StoreError> {
        Ok(LedgerVerdict::sound(3))
    }
}

#[async_trait]
impl Operations for World {
    async fn check_answer(&self, _: &ReviewAnswer) -> Result<(), Refusal> {
        self.refuses.lock().unwrap().clone().map_or(Ok(()), Err)
    }
    async fn carry_out(&self, _: &ReviewAnswer) -> Result<String, Refusal> {
        Ok("done".to_owned())
    }
    async fn create_agent(&self, _: &str) -> Result<String, Refusal> {
        self.note("agent");
        Ok("selam".to_owned())
    }
    async fn plan(&self, _: &str) -> Result<Value, Refusal> {
        Ok(json!({}))
    }
    fn limits(&self, _: &AgentId) -> Vec<BudgetDay> {
        Vec::new()
    }
    async fn balances(&self, _: &AgentId) -> Vec<Money> {
        Vec::new()
    }
    async fn publish_preview(&self, _: &AgentId, _: &str, _: &str, _: Option<&str>, _: Option<&str>) -> Option<PublishPreview> {
        None
    }
}

#[async_trait]
impl WalletOperations for World {
    async fn reconcile(&self, agent: &AgentId, by: &str) -> Result<ReconciledWallet, Refusal> {
        self.note(format!("reconcile {agent} by {by}"));
        Ok(ReconciledWallet {
            agent_id: agent.to_string(),
            told: "it was not held".to_owned(),
            was_held: false,
            held: false,
            found: Vec::new(),
            settled: Vec::new(),
            chains: Vec::new(),
        })
    }
    async fn cancel(&self, task_id: UuidV4, by: &str) -> Result<CancelledTransfer, Refusal> {
        self.note(format!("cancel {task_id} by {by}"));
        Ok(CancelledTransfer { task_id, state: "broadcast".to_owned(), told: "it is watched".to_owned() })
    }
}
