//! Whatever the order of events: no work twice, no effect without a decision before it, nothing that stands still moves.

use super::fresh;
use crate::store::SqliteStore;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        campaign::CampaignGoal,
        content_generator::{Artifact, ContentType},
        decision::Verdict,
        result::WorkerResult,
        review::{ReviewAction, ReviewAnswer},
        task::{AgentTask, TaskStatus},
        trend_alert::{Trend, TrendAlert, TrendEventType},
    },
    domain::{
        campaign::{CampaignEvent, CampaignStatus},
        money::Address,
        soul::Soul,
    },
    ports::agents::{AgentRecord, Agents},
    ports::content_check::ContentSigns,
    ports::swarm::{
        Begun, Campaigns, ClaimLimits, EnqueueError, Judgements, LeasedTask, Left, Outbox, PublishLimits, Replanning, SendAttempt,
        TaskFailure, Tasks,
    },
    swarm::{
        judge::{Personas, Thresholds, judge_waiting},
        people::{self, Safeguards},
        planner::{self, Terms},
    },
    testing::fake_assets::FakeAssets,
};
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const CAMPAIGN: &str = "spring";
const AGENTS: [&str; 2] = ["a", "b"];
const THRESHOLDS: Thresholds = Thresholds { approve_above: 0.90, reject_below: 0.70, retries_max: 2, auto_approve_embedded: false };
const NO_LIMITS: ClaimLimits = ClaimLimits { per_agent_max: 9, overall_max: 9 };

#[derive(Debug, Clone)]
enum Event {
    /// The Planner sees a trend; a story keeps its number.
    Trend(u8),
    /// The Planner looks at what came back.
    Replan,
    Work,
    /// A Worker is lost: its lease runs out.
    Lose,
    Fail,
    /// The confidence that a result of a held lease is finished with.
    Finish(f64),
    Judge,
    Answer(ReviewAction),
    Publish,
    Pause,
    Resume,
    ChangeGoal,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => (0_u8..3).prop_map(Event::Trend),
        2 => Just(Event::Replan),
        4 => Just(Event::Work),
        1 => Just(Event::Lose),
        1 => Just(Event::Fail),
        4 => prop_oneof![Just(0.95), Just(0.80), Just(0.10)].prop_map(Event::Finish),
        4 => Just(Event::Judge),
        2 => prop_oneof![Just(ReviewAction::Approve), Just(ReviewAction::Reject)].prop_map(Event::Answer),
        3 => Just(Event::Publish),
        1 => Just(Event::Pause),
        1 => Just(Event::Resume),
        1 => Just(Event::ChangeGoal),
    ]
}

struct World {
    store: SqliteStore,
    now: DateTime<Utc>,
    souls: Vec<Soul>,
    held: Vec<LeasedTask>,
    /// What left, by idempotency key, with the text: the far end.
    far_end: BTreeMap<UuidV4, String>,
    goals: usize,
}

impl World {
    async fn new(store: SqliteStore) -> Self {
        let soul = |id: &str| {
            let source = format!(
                "---\nname: {id}\nid: {id}\nhandle: {id}\nvoice_traits: [calm]\ndirectives: [never promise returns]\ncore_beliefs: [people first]\nplatforms: [mastodon]\ndisclosure: AI\n---\nA persona.\n"
            );
            (Soul::parse(&source).unwrap(), source)
        };
        let goal = CampaignGoal {
            campaign_id: CAMPAIGN.to_owned(),
            goal_description: "goal 0".to_owned(),
            operator_id: "o".to_owned(),
            agent_ids: AGENTS.map(str::to_owned).to_vec(),
            budget_constraints: serde_json::Map::new(),
            created_at: UtcTime(DateTime::UNIX_EPOCH),
        };
        Campaigns::create(&store, &goal, &[]).await.unwrap();
        store.change(CAMPAIGN, &CampaignEvent::Start, DateTime::UNIX_EPOCH).await.unwrap();
        let mut souls = Vec::new();
        for (soul, soul_source) in AGENTS.map(soul) {
            let (id, soul_version) = (soul.id.clone(), soul.version().to_owned());
            let agent = AgentRecord { id, soul_source, soul_version, address: Address::ZERO, created_at: DateTime::UNIX_EPOCH };
            Agents::create(&store, &agent).await.unwrap();
            souls.push(soul);
        }
        Self { store, now: DateTime::UNIX_EPOCH, souls, held: Vec::new(), far_end: BTreeMap::new(), goals: 0 }
    }

    async fn happen(&mut self, event: &Event) {
        self.now += TimeDelta::seconds(1);
        match event {
            Event::Trend(story) => self.plan(*story).await,
            Event::Replan => {
                for returned in self.store.returned(100).await.unwrap() {
                    let word = planner::replan(&returned, None);
                    self.store.replan(returned.task.task_id, &word, self.now).await.unwrap();
                }
            }
            Event::Work => {
                let leased = self.store.claim("w", self.now, self.now + TimeDelta::hours(9), &NO_LIMITS).await.unwrap();
                assert!(leased.is_none() || self.is_running().await, "nothing is claimed while the campaign stands still");
                self.held.extend(leased);
            }
            Event::Lose => self.now += TimeDelta::hours(10),
            Event::Fail => {
                let Some(leased) = self.held.pop() else { return };
                let failure =
                    TaskFailure { reason: "no source".to_owned(), is_refused: false, attempts_max: 3, again_at: self.now, now: self.now };
                // Lost or not: the fence decides.
                let _ = self.store.fail(&leased.lease, &failure).await;
            }
            Event::Finish(confidence) => {
                let Some(leased) = self.held.pop() else { return };
                let _ = self.store.finish(&leased.lease, &result(&leased.task, *confidence, self.now)).await;
            }
            Event::Judge => {
                drop(
                    judge_waiting(&self.store, super::acting::checks(&self.store, &Personas::default()), &THRESHOLDS, self.now)
                        .await
                        .unwrap(),
                );
            }
            Event::Answer(action) => self.answer(*action).await,
            Event::Publish => self.publish().await,
            Event::Pause => drop(self.store.change(CAMPAIGN, &CampaignEvent::Pause { reason: "think".to_owned() }, self.now).await),
            Event::Resume => drop(self.store.change(CAMPAIGN, &CampaignEvent::Resume, self.now).await),
            Event::ChangeGoal => {
                self.goals += 1;
                let event = CampaignEvent::ChangeGoal { goal_description: format!("goal {}", self.goals) };
                self.store.change(CAMPAIGN, &event, self.now).await.unwrap();
            }
        }
    }

    async fn is_running(&self) -> bool {
        Campaigns::find(&self.store, CAMPAIGN).await.unwrap().unwrap().status == CampaignStatus::Running
    }

    async fn plan(&self, story: u8) {
        let campaign = Campaigns::find(&self.store, CAMPAIGN).await.unwrap().unwrap();
        let terms = Terms { may_pay: false };
        let tasks =
            planner::plan(&campaign, &self.souls, &planner::Story::of_trend(&alert(story, self.now).trend), &terms, self.now).unwrap();
        match self.store.enqueue(&tasks).await {
            Ok(_) | Err(EnqueueError::StateMoved { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }

    async fn answer(&self, action: ReviewAction) {
        let Some(review) = self.store.pending_reviews().await.unwrap().into_iter().next() else { return };
        let answer = ReviewAnswer {
            review_id: review.review_id,
            action,
            reason: None,
            edited_artifact: None,
            give_up: false,
            confirmed_address: None,
            found: None,
            reviewer_id: "hanna".to_owned(),
            reviewed_at: UtcTime(self.now),
        };
        let assets = FakeAssets::default();
        let safeguards = Safeguards { agents: &self.store, content: &|_: &str| ContentSigns::default(), assets: &assets };
        people::answer(&self.store, safeguards, &answer).await.unwrap();
    }

    async fn publish(&mut self) {
        for outgoing in self.store.waiting(self.now, 100).await.unwrap() {
            let post = &outgoing.post;
            assert!(self.is_running().await, "nothing leaves while the campaign stands still");
            let decisions = Judgements::of_campaign(&self.store, CAMPAIGN).await.unwrap().decisions;
            let approved = decisions.iter().any(|made| made.task_id == post.task_id && made.decision == Verdict::Approve);
            assert!(approved, "{post:?} leaves without an approval on record");
            let limits = PublishLimits::default();
            let (upstream, tool) = ("social".to_owned(), "publish".to_owned());
            let attempt = SendAttempt { at: self.now, until: self.now, upstream, tool, repeatable_until: None };
            if let Begun::Go { .. } = self.store.begin(&outgoing, &attempt, &limits).await.unwrap() {
                let before = self.far_end.insert(post.post_id, post.text.clone());
                assert_eq!(before, None, "{post:?} arrives twice");
                let left = Left::Published { remote_id: Some("1".to_owned()), url: None, remark: None };
                self.store.left(&outgoing, &left, self.now).await.unwrap();
            }
        }
    }

    async fn check(&self) {
        let tasks = Tasks::of_campaign(&self.store, CAMPAIGN).await.unwrap();
        let work: BTreeSet<(&str, &str)> =
            tasks.iter().map(|task| (task.context.goal_description.as_str(), task.context.agent_id.as_str())).collect();
        assert_eq!(work.len(), tasks.len(), "the same work is planned twice: {tasks:?}");
        let record = Judgements::of_campaign(&self.store, CAMPAIGN).await.unwrap();
        let published: BTreeSet<UuidV4> = record.posts.iter().map(|post| post.task_id).collect();
        assert_eq!(published.len(), record.posts.len(), "a task is published twice: {:?}", record.posts);
        for task in &tasks {
            assert!(task.attempt <= THRESHOLDS.retries_max + 2, "{task:?}");
            let made: Vec<_> = record.decisions.iter().filter(|made| made.task_id == task.task_id).collect();
            let approved = made.iter().any(|made| made.decision == Verdict::Approve);
            assert_eq!(approved, published.contains(&task.task_id), "{task:?} {made:?}");
            assert!(task.status != TaskStatus::Complete || !made.is_empty(), "{task:?} ended without a decision");
        }
    }
}

fn alert(story: u8, now: DateTime<Utc>) -> TrendAlert {
    TrendAlert {
        event_id: UuidV4::random(),
        event_type: TrendEventType::TrendAlert,
        source: "skill_trend_fetcher".to_owned(),
        created_at: UtcTime(now),
        agent_id: "a".to_owned(),
        campaign_id: CAMPAIGN.to_owned(),
        trend: Trend {
            topics: vec![format!("story {story}")],
            cluster_id: format!("cluster-{story}"),
            time_window_start: UtcTime(now),
            time_window_end: UtcTime(now),
            signal_strength: 0.5,
            sample_resource_uris: Vec::new(),
            new: None,
            phase: None,
        },
    }
}

fn in_letters(id: UuidV4) -> String {
    id.to_string().chars().map(|c| c.to_digit(10).map_or(c, |digit| char::from(b'g' + digit as u8))).collect()
}

fn result(task: &AgentTask, confidence_score: f64, now: DateTime<Utc>) -> WorkerResult {
    WorkerResult {
        result_id: UuidV4::random(),
        task_id: task.task_id,
        worker_id: "w".to_owned(),
        agent_id: task.context.agent_id.clone(),
        created_at: UtcTime(now),
        confidence_score,
        reasoning_trace: String::new(),
        written_by: None,
        doubted: Vec::new(),
        artifact: Some(Artifact {
            content_type: ContentType::Text,
            // Each says something else, and no number or name that nobody said.
            payload_text: Some(format!("A new battery lasts twice as long, says {}.\nAI", in_letters(task.task_id))),
            payload_media_uri: None,
            platform_target: Some("mastodon".to_owned()),
        }),
        transaction: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_order_of_events_no_work_is_done_twice_and_nothing_leaves_undecided(events in prop::collection::vec(event(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (_folder, store) = fresh();
            let mut world = World::new(store).await;
            for event in &events {
                world.happen(event).await;
            }
            world.check().await;
        });
    }
}
