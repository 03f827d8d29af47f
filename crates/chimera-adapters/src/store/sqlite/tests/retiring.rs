//! What a retirement ends in the store, and what it leaves to be followed.

use super::{
    super::{OrStoreError, SqliteStore},
    acting::{checks, finish_all, start_spring, task},
    fresh,
};
use chimera_core::{
    contracts::{UuidV4, task::AgentTask, wallet_transaction::WalletOperation},
    domain::{
        AgentId,
        campaign::Pause,
        freeze::{FreezeCause, FreezeScope},
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{Attempt, FeeLimits, Gas, NewTransfer, SigningTerms, TransferRequest, TransferState, Verdict},
    },
    ports::{
        agent_lives::{AgentLives, Ended, Retirement},
        kill_switch::KillSwitch,
        ledger::{Ledger, LedgerKind},
        swarm::{Begun, ClaimLimits, Judgements, LeaseError, Left, Outbox, Pauses, PostStatus, PublishLimits, Reviews, SendAttempt, Tasks},
        transfers::{Judge, Recorded, Reservation, Transfers},
    },
    swarm::judge::{Personas, Thresholds, judge_waiting},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use std::sync::Arc;

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

fn payment() -> NewTransfer {
    NewTransfer {
        transaction_id: UuidV4::random(),
        task_id: UuidV4::random(),
        request: TransferRequest {
            agent: selam(),
            wallet: Address::repeat_byte(1),
            operation: WalletOperation::TokenTransfer,
            chain: ChainId(8453),
            asset: Asset::token("USDC", Address::repeat_byte(0xcc), 6),
            to: Address::repeat_byte(2),
            amount_units: U256::from(5),
        },
        requested_limit: None,
        reserved_at: now(),
        lease_until: now() + TimeDelta::minutes(1),
    }
}

async fn asked_about(store: &SqliteStore) -> (NewTransfer, UuidV4) {
    let payment = payment();
    let ask: Judge = Arc::new(|_| Verdict::Ask { rule: "ask_above".to_owned(), reason: "much".to_owned() });
    let Reservation::Asked { review_id, .. } = store.reserve(&payment, ask).await.unwrap() else { panic!("a person is asked") };
    (payment, review_id)
}

#[tokio::test]
async fn payments_that_were_not_signed_are_never_made_and_one_that_was_is_followed() {
    let (_folder, store) = fresh();
    start_spring(&store).await;
    let (waiting, _) = asked_about(&store).await;
    let (approved, review_id) = asked_about(&store).await;
    let answer = json!({ "review_id": review_id, "action": "approve", "reviewer_id": "lena", "reviewed_at": "2026-11-15T12:00:00.000Z" });
    store.answer_review(&serde_json::from_value(answer).unwrap(), now() + TimeDelta::hours(24)).await.unwrap();
    let signed = payment();
    store.reserve(&signed, Arc::new(|_| Verdict::Approve)).await.unwrap();
    let terms = SigningTerms {
        next_nonce: 0,
        fee_max_wei: U256::from(10),
        fee_limits: FeeLimits { per_transaction_max_wei: U256::from(10), per_day_max_wei: U256::from(1_000) },
        native_balance_wei: U256::from(1_000),
        asset_balance_units: U256::from(1_000),
    };
    store.assign(signed.transaction_id, &terms).await.unwrap();
    let gas = Gas { limit: 5, max_fee_per_gas_wei: 2, max_priority_fee_per_gas_wei: 1 };
    let bytes = Attempt { tx_hash: B256::repeat_byte(7), raw: vec![1], gas, signed_at: now(), cancelled_by: None };
    assert_eq!(store.record_signed(signed.transaction_id, &bytes).await.unwrap(), Recorded::Recorded);

    let retired = store.retire(&retirement()).await.unwrap();

    assert_eq!(retired.ended, Ended { payments: 1, approvals: 1, followed: 1, ..Ended::default() });
    for (payment, reason) in
        [(&waiting, "selam is retired: the season is over"), (&approved, "revoked by hanna: selam is retired: the season is over")]
    {
        let record = Transfers::find(&store, payment.task_id).await.unwrap().unwrap();
        assert_eq!(record.state, TransferState::Declined { reason: reason.to_owned() });
    }
    let open: Vec<UuidV4> = store.open().await.unwrap().iter().map(|record| record.transfer.task_id).collect();
    assert_eq!(open, [signed.task_id], "the chain is still asked about it");
}
