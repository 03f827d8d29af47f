//! A publish that ends at every point where a program can be killed, over the real store: what arrives, what is on the ledger, and who is asked.

use super::{
    super::{OrStoreError, outbox},
    acting::{finish_all, start_spring, task},
    fresh,
};
use crate::store::SqliteStore;
use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, review::ReviewItem},
    domain::AgentId,
    ports::{
        StoreError,
        ledger::Ledger,
        swarm::{Asked, Begun, Judgements, Left, Outbox, Outgoing, Post, PostStatus, PublishLimits, SendAttempt, Tasks},
        tools::{NotListed, PublishTools, ToolAnswer, ToolError, Tools},
    },
    swarm::publisher::{Channel, Channels, Publisher},
    testing::{fake_assets::FakeAssets, fake_clock::ManualClock},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;

const START: &str = "2026-11-15T12:00:00Z";

/// Where the program is killed. At each, the rest never happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kill {
    BeforeTheSendIsWritten,
    AfterTheSendIsWritten,
    AfterItArrived,
    BeforeTheAnswerIsWritten,
    AfterTheAnswerIsWritten,
    Never,
}

const KILLS: [Kill; 5] = [
    Kill::BeforeTheSendIsWritten,
    Kill::AfterTheSendIsWritten,
    Kill::AfterItArrived,
    Kill::BeforeTheAnswerIsWritten,
    Kill::AfterTheAnswerIsWritten,
];

/// The store, and the platform behind a tool, in a program that is killed once.
struct Mortal {
    store: SqliteStore,
    kill: Kill,
    schema: Value,
    arrived: Arc<AtomicUsize>,
    died: Notify,
}

impl Mortal {
    async fn dies_at(&self, point: Kill) {
        if self.kill == point {
            self.died.notify_one();
            pending::<()>().await;
        }
    }
}

#[async_trait]
impl Outbox for Mortal {
    async fn waiting(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Outgoing>, StoreError> {
        self.store.waiting(now, limit).await
    }
    async fn begin(&self, post: &Outgoing, attempt: &SendAttempt, limits: &PublishLimits) -> Result<Begun, StoreError> {
        self.dies_at(Kill::BeforeTheSendIsWritten).await;
        let begun = self.store.begin(post, attempt, limits).await;
        self.dies_at(Kill::AfterTheSendIsWritten).await;
        begun
    }
    async fn left(&self, post: &Outgoing, left: &Left, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.dies_at(Kill::BeforeTheAnswerIsWritten).await;
        let done = self.store.left(post, left, at).await;
        self.dies_at(Kill::AfterTheAnswerIsWritten).await;
        done
    }
    async fn said(&self, agent: &AgentId, platform: &str, except: UuidV4, limit: usize) -> Result<Vec<String>, StoreError> {
        self.store.said(agent, platform, except, limit).await
    }
    async fn reasons(&self, campaign_id: &str) -> Result<BTreeMap<UuidV4, String>, StoreError> {
        self.store.reasons(campaign_id).await
    }
    async fn delay(&self, post: &Outgoing, reason: &str, not_before: DateTime<Utc>, asked: Asked) -> Result<(), StoreError> {
        self.store.delay(post, reason, not_before, asked).await
    }
}

#[async_trait]
impl Tools for Mortal {
    async fn call(&self, _: &str, _: &str, _: Map<String, Value>, _: Duration) -> Result<ToolAnswer, ToolError> {
        let on_ledger = Ledger::list(&self.store, None, 1).await.unwrap();
        assert_eq!(on_ledger[0].entry.facts["status"], "sending", "on the ledger before it leaves");
        self.arrived.fetch_add(1, Ordering::SeqCst);
        self.dies_at(Kill::AfterItArrived).await;
        Ok(ToolAnswer::new(json!("Your post is live!")))
    }
}

#[async_trait]
impl PublishTools for Mortal {
    async fn input_schema(&self, _: &str, _: &str, _: Duration) -> Result<Map<String, Value>, NotListed> {
        Ok(self.schema.as_object().unwrap().clone())
    }
}

/// One life of the program, up to the point where it can do nothing more.
async fn life(program: &Mortal, clock: &ManualClock) {
    let channel = Channel {
        upstream: "theirs".to_owned(),
        spare_upstream: None,
        tool: "create_post".to_owned(),
        dry_run: false,
        limits: PublishLimits::default(),
        quiet_hours: None,
    };
    let channels = Channels::from([("mastodon".to_owned(), channel)]);
    let assets = FakeAssets::default();
    let publisher =
        Publisher { outbox: program, tools: program, assets: &assets, clock, channels: &channels, retry_after: TimeDelta::seconds(15) };
    tokio::select! {
        done = publisher.publish_waiting() => drop(done.unwrap()),
        () = program.died.notified() => {}
    }
}

/// An approved post for Mastodon.
async fn post_waits(store: &SqliteStore) {
    start_spring(store).await;
    let planned = task(false);
    store.enqueue(std::slice::from_ref(&planned)).await.unwrap();
    finish_all(store, "It tastes of bergamot.").await;
    let (found, made) = store.undecided(1).await.unwrap().remove(0);
    let post = Post {
        post_id: UuidV4::random(),
        task_id: found.task_id,
        result_id: made.result_id,
        campaign_id: "spring".to_owned(),
        agent: "selam".parse().unwrap(),
        platform: "mastodon".to_owned(),
        text: "It tastes of bergamot.\nAI-generated by @selam".to_owned(),
        media_uri: None,
        reply_to: None,
        status: PostStatus::Approved,
        begun_at: None,
        url: None,
    };
    store.write(move |db| outbox::add(db, &mut *db.prepare_cached(outbox::ADD).or_store_error()?, 1, &post)).await.unwrap();
}

async fn all_lives(kill: Kill, schema: Value) -> (usize, PostStatus, Vec<ReviewItem>, SqliteStore, tempfile::TempDir) {
    let (folder, store) = fresh();
    post_waits(&store).await;
    let (clock, arrived) = (ManualClock::at(START), Arc::new(AtomicUsize::new(0)));
    let program = |kill| Mortal { store: store.clone(), kill, schema: schema.clone(), arrived: arrived.clone(), died: Notify::new() };
    life(&program(kill), &clock).await;
    for _ in 0..3 {
        clock.advance(TimeDelta::minutes(2));
        life(&program(Kill::Never), &clock).await;
    }
    let status =
        store.read(|db| db.query_row("SELECT status FROM posts", [], |row| row.get::<_, String>(0)).or_store_error()).await.unwrap();
    let reviews = store.pending_reviews().await.unwrap();
    (arrived.load(Ordering::SeqCst), PostStatus::of_name(&status).unwrap(), reviews, store, folder)
}

#[tokio::test]
async fn killed_at_every_point_a_tool_without_a_key_gets_the_post_at_most_once_and_a_person_is_asked_where_it_is_unknown() {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    for kill in KILLS {
        let (arrived, status, reviews, store, _folder) = all_lives(kill, schema.clone()).await;

        let (arrives, ends, asks) = match kill {
            Kill::BeforeTheSendIsWritten | Kill::AfterTheAnswerIsWritten | Kill::Never => (1, PostStatus::Published, 0),
            Kill::AfterTheSendIsWritten => (0, PostStatus::Unknown, 1),
            Kill::AfterItArrived | Kill::BeforeTheAnswerIsWritten => (1, PostStatus::Unknown, 1),
        };
        assert_eq!((arrived, status, reviews.len()), (arrives, ends, asks), "{kill:?}");
        assert!(store.verify().await.unwrap().is_sound(), "{kill:?}");
    }
}

#[tokio::test]
async fn killed_at_every_point_a_tool_with_a_key_gets_the_post_and_nobody_need_be_asked() {
    let schema = json!({ "type": "object", "properties": { "text": {}, "idempotency_key": {} } });
    for kill in KILLS {
        let (arrived, status, reviews, _store, _folder) = all_lives(kill, schema.clone()).await;

        let repeats = matches!(kill, Kill::AfterItArrived | Kill::BeforeTheAnswerIsWritten);
        assert_eq!((arrived, status, reviews.len()), (1 + usize::from(repeats), PostStatus::Published, 0), "{kill:?}");
    }
}
