//! What a retirement ends in the store, and what it leaves to be followed.

use super::{
    super::{OrStoreError, SqliteStore},
    acting::{checks, finish_all, start_spring, task},
    fresh,
};
use chimera_core::{
    contracts::{UuidV4, task::AgentTask},
    domain::{
        AgentId,
        campaign::Pause,
        freeze::{FreezeCause, FreezeScope},
    },
    ports::{
        agent_lives::{AgentLives, Ended, Retirement},
        kill_switch::KillSwitch,
        ledger::{Ledger, LedgerKind},
        swarm::{Begun, ClaimLimits, Judgements, LeaseError, Left, Outbox, Pauses, PostStatus, PublishLimits, Reviews, SendAttempt, Tasks},
    },
    swarm::judge::{Personas, Thresholds, judge_waiting},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

const LIMITS: ClaimLimits = ClaimLimits { per_agent_max: 9, overall_max: 9 };

fn now() -> DateTime<Utc> {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn selam() -> AgentId {
    "selam".parse().unwrap()
}

fn retirement() -> Retirement {
    Retirement { agent: selam(), reason: "the season is over".to_owned(), by: "hanna".to_owned(), at: now() }
}

/// A post of selam's; the Judge approves it where it is sure, and asks a person where not.
fn post(min_confidence: f64) -> AgentTask {
    let mut post = serde_json::to_value(task(false)).unwrap();
    post["acceptance_criteria"] = json!({ "min_confidence": min_confidence, "content_type": "text", "platform": "mastodon" });
    serde_json::from_value(post).unwrap()
}

async fn judge(store: &SqliteStore, approve_above: f64) {
    let thresholds = Thresholds { approve_above, reject_below: 0.1, retries_max: 2, auto_approve_embedded: true };
    judge_waiting(store, checks(store, &Personas::default()), &thresholds, now()).await.unwrap();
}

async fn states(store: &SqliteStore) -> Vec<(String, Option<String>)> {
    let find = "SELECT status, reason FROM tasks ORDER BY number";
    store.read(move |db| super::super::columns::rows(db, find, [], |row| Ok((row.get(0)?, row.get(1)?)))).await.unwrap()
}

#[tokio::test]
async fn what_the_agent_began_ends_with_the_reason_and_nothing_new_is_begun() {
    let (_folder, store) = fresh();
    start_spring(&store).await;
    store.enqueue(&[post(0.5)]).await.unwrap();
    finish_all(&store, "A battery from salt lasts ten years in the cold.").await;
    judge(&store, 0.99).await;
    let asked = store.pending_reviews().await.unwrap().remove(0).review_id;
    store.enqueue(&[post(0.5), post(0.5)]).await.unwrap();
    let leased = store.claim("w", now(), now() + TimeDelta::hours(1), &LIMITS).await.unwrap().unwrap();

    let retired = store.retire(&retirement()).await.unwrap();

    assert_eq!(retired.ended, Ended { tasks: 3, reviews: 1, ..Ended::default() });
    let gone = ("given_up".to_owned(), Some("selam is retired: the season is over".to_owned()));
    assert_eq!(states(&store).await, vec![gone; 3]);
    assert!(store.pending_reviews().await.unwrap().is_empty());
    let told = store.answered(asked).await.unwrap().unwrap();
    assert_eq!((told.reviewer_id.as_str(), told.reason.as_deref()), ("hanna", Some("selam is retired: the season is over")));
    assert!(store.answers().await.unwrap().is_empty(), "the thresholds learn nothing from it");
    assert!(matches!(store.renew(&leased.lease, now() + TimeDelta::hours(2)).await, Err(LeaseError::LeaseLost)), "its Worker is told");
    store.enqueue(&[post(0.5)]).await.unwrap();
    assert!(store.claim("w", now(), now() + TimeDelta::hours(1), &LIMITS).await.unwrap().is_none(), "what was planned in between waits");
    // A pause that is lifted does not bring a retired agent back.
    let scope = FreezeScope::Agent(selam());
    store.pause(&Pause { scope: scope.clone(), reason: "r".to_owned(), by: "b".to_owned(), at: now() }).await.unwrap();
    store.resume(&scope).await.unwrap();
    assert!(store.claim("w", now(), now() + TimeDelta::hours(1), &LIMITS).await.unwrap().is_none());

    assert!(store.reinstate(&selam(), "hanna", now()).await.unwrap());
    assert!(store.claim("w", now(), now() + TimeDelta::hours(1), &LIMITS).await.unwrap().is_some());
}

#[tokio::test]
async fn an_approved_post_is_not_sent_and_one_that_is_on_its_way_gets_its_answer() {
    let (_folder, store) = fresh();
    start_spring(&store).await;
    store.enqueue(&[post(0.5)]).await.unwrap();
    finish_all(&store, "A battery from salt lasts ten years in the cold.").await;
    judge(&store, 0.9).await;
    let on_its_way = store.waiting(now(), 9).await.unwrap().remove(0);
    let attempt = SendAttempt {
        upstream: "social".to_owned(),
        tool: "publish".to_owned(),
        at: now(),
        until: now() + TimeDelta::seconds(1),
        repeatable_until: Some(now() + TimeDelta::hours(1)),
    };
    assert!(matches!(store.begin(&on_its_way, &attempt, &PublishLimits::default()).await.unwrap(), Begun::Go { .. }));
    store.enqueue(&[post(0.5)]).await.unwrap();
    finish_all(&store, "A bicycle with a wooden frame rides softly over cobbles.").await;
    judge(&store, 0.9).await;

    let retired = store.retire(&retirement()).await.unwrap();

    assert_eq!(retired.ended, Ended { posts: 1, ..Ended::default() });
    let later = now() + TimeDelta::minutes(1);
    assert!(store.waiting(later, 9).await.unwrap().is_empty(), "nothing is sent, nor sent again");
    store.left(&on_its_way, &Left::Published { remote_id: None, url: None, remark: None }, later).await.unwrap();
    let mut posts: Vec<(PostStatus, UuidV4)> = <SqliteStore as Judgements>::of_campaign(&store, "spring")
        .await
        .unwrap()
        .posts
        .into_iter()
        .map(|post| (post.status, post.post_id))
        .collect();
    posts.sort_by_key(|(_, id)| *id != on_its_way.post.post_id);
    assert_eq!(posts.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [PostStatus::Published, PostStatus::Refused]);
    let reasons: Vec<String> = store.reasons("spring").await.unwrap().into_values().collect();
    assert_eq!(reasons, ["selam is retired: the season is over"]);
}

#[tokio::test]
async fn its_money_is_stopped_on_the_ledger_and_another_stop_stays() {
    let (_folder, store) = fresh();
    start_spring(&store).await;
    store.retire(&retirement()).await.unwrap();

    let stopped = store.frozen(&selam()).await.unwrap().unwrap();
    assert_eq!((stopped.cause, stopped.reason.as_str(), stopped.by.as_str()), (FreezeCause::Retired, "the season is over", "hanna"));
    KillSwitch::hold(&store, &selam(), "the book is old", now()).await.unwrap();
    assert_eq!(store.frozen(&selam()).await.unwrap().unwrap().cause, FreezeCause::Retired);
    store.reinstate(&selam(), "omar", now()).await.unwrap();
    assert_eq!(store.frozen(&selam()).await.unwrap().unwrap().cause, FreezeCause::Unreconciled);
    let kinds: Vec<LedgerKind> = Ledger::list(&store, None, 9).await.unwrap().into_iter().map(|entry| entry.entry.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == LedgerKind::Control).count(), 3, "retired, held, reinstated: {kinds:?}");
}

#[tokio::test]
async fn an_agent_from_before_there_was_a_history_has_the_soul_that_it_has_as_its_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.db");
    let store = SqliteStore::open(&path).unwrap();
    start_spring(&store).await;
    // As it was before there were souls, and all that came after them.
    store
        .write::<_, chimera_core::ports::StoreError>(|db| {
            let before = "DROP TABLE souls; DROP VIEW work_stops; DROP TABLE retirements; DROP TRIGGER events_of_souls; \
                 DROP TRIGGER first_souls; \
                 DROP TRIGGER events_of_revisions; ALTER TABLE campaigns DROP COLUMN revision; DROP TABLE planned_tasks; \
                 DROP TRIGGER totals_of_tasks_put_back; ALTER TABLE mentions DROP COLUMN text; PRAGMA user_version = 25";
            db.execute_batch(before).or_store_error()
        })
        .await
        .unwrap();
    store.close().await;

    let store = SqliteStore::open(&path).unwrap();

    let souls = store.souls(&selam(), &chimera_core::ports::queries::PageOf::first(9)).await.unwrap().items;
    assert_eq!(souls.len(), 1);
    assert!(souls[0].number == 1 && souls[0].by.is_none() && souls[0].soul_source.contains("name: Selam"), "{souls:?}");
}
