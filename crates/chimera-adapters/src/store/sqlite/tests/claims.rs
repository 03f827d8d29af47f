//! Claims that wait at the same time: one turn, and for each of them what it would have got alone.

use super::fresh;
use crate::store::SqliteStore;
use chimera_core::{
    contracts::{UtcTime, UuidV4, campaign::CampaignGoal, task::AgentTask},
    domain::campaign::CampaignEvent,
    ports::{
        StoreError,
        swarm::{Campaigns, ClaimLimits, LeasedTask, Tasks},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::{future::join_all, poll};
use std::{collections::BTreeSet, pin::Pin, sync::mpsc};

const NO_LIMITS: ClaimLimits = ClaimLimits { per_agent_max: 99, overall_max: 99 };
const LEASE: TimeDelta = TimeDelta::seconds(10);

/// `tasks` of one agent, and one of another that is less urgent.
async fn stocked(tasks: usize) -> (tempfile::TempDir, SqliteStore) {
    let (folder, store) = fresh();
    let goal = CampaignGoal {
        campaign_id: "spring".to_owned(),
        goal_description: "be heard".to_owned(),
        operator_id: "o".to_owned(),
        agent_ids: vec!["a".to_owned(), "b".to_owned()],
        budget_constraints: serde_json::Map::new(),
        created_at: UtcTime(DateTime::UNIX_EPOCH),
    };
    Campaigns::create(&store, &goal, &[]).await.unwrap();
    store.change("spring", &CampaignEvent::Start, DateTime::UNIX_EPOCH).await.unwrap();
    let mut planned: Vec<AgentTask> = (0..tasks).map(|_| task("a", "high")).collect();
    planned.push(task("b", "low"));
    store.enqueue(&planned).await.unwrap();
    (folder, store)
}

fn task(agent_id: &str, priority: &str) -> AgentTask {
    serde_json::from_value(serde_json::json!({
        "task_id": UuidV4::random(), "task_type": "generate_content", "priority": priority, "status": "pending",
        "created_at": "2026-11-15T00:00:00Z", "state_version": 1, "attempt": 1,
        "context": { "goal_description": "be heard", "campaign_id": "spring", "agent_id": agent_id },
    }))
    .unwrap()
}

type Claiming = Pin<Box<dyn Future<Output = Result<Option<LeasedTask>, StoreError>>>>;

fn claiming(store: &SqliteStore, worker: usize, now: DateTime<Utc>, limits: ClaimLimits) -> Claiming {
    let store = store.clone();
    Box::pin(async move { store.claim(&format!("worker-{worker}"), now, now + LEASE, &limits).await })
}

/// While the writer is held, so that they wait together; those that are `dropped` stop waiting before it goes on.
async fn in_one_turn(store: &SqliteStore, mut claims: Vec<Claiming>, dropped: usize) -> Vec<Option<LeasedTask>> {
    let (release, released) = mpsc::channel::<()>();
    let mut held = Box::pin(store.write(move |_| {
        let _ = released.recv();
        Ok::<_, StoreError>(())
    }));
    assert!(poll!(held.as_mut()).is_pending());
    for claim in &mut claims {
        assert!(poll!(claim.as_mut()).is_pending());
    }
    drop(claims.drain(..dropped));
    drop(release);
    held.await.unwrap();
    join_all(claims).await.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn claims_of_one_turn_get_a_task_each_and_share_a_commit() {
    let (_folder, store) = stocked(10).await;
    let before = store.commits();

    let claims = (0..12).map(|worker| claiming(&store, worker, DateTime::UNIX_EPOCH, NO_LIMITS)).collect();
    let leased = in_one_turn(&store, claims, 0).await;

    let taken: BTreeSet<UuidV4> = leased.iter().flatten().map(|leased| leased.task.task_id).collect();
    assert_eq!((taken.len(), leased.iter().flatten().count()), (11, 11));
    assert!(
        leased[..11]
            .iter()
            .flatten()
            .enumerate()
            .all(|(worker, leased)| { leased.lease.lease_no == 1 && leased.task.assigned_worker_id == Some(format!("worker-{worker}")) })
    );
    assert_eq!(leased[10].as_ref().unwrap().task.context.agent_id, "b", "the least urgent last");
    // The held write and the turn.
    assert!(store.commits() - before <= 2);
}

#[tokio::test]
async fn limits_hold_within_a_turn_and_are_each_claims_own() {
    let (_folder, store) = stocked(10).await;
    let few = ClaimLimits { per_agent_max: 2, overall_max: 99 };
    let fewer = ClaimLimits { per_agent_max: 99, overall_max: 4 };

    let claims = [few, few, few, few, fewer, fewer, NO_LIMITS];
    let claims = claims.into_iter().enumerate().map(|(worker, limits)| claiming(&store, worker, DateTime::UNIX_EPOCH, limits)).collect();
    let leased = in_one_turn(&store, claims, 0).await;

    let agents: Vec<&str> =
        leased.iter().map(|leased| leased.as_ref().map_or("-", |leased| leased.task.context.agent_id.as_str())).collect();
    assert_eq!(agents, ["a", "a", "b", "-", "a", "-", "a"]);
}

#[tokio::test]
async fn a_turn_takes_what_lost_workers_left_first() {
    let (_folder, store) = stocked(3).await;
    let lost = store.claim("lost", DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH + LEASE, &NO_LIMITS).await.unwrap().unwrap();
    let later = DateTime::UNIX_EPOCH + LEASE * 2;

    let leased = in_one_turn(&store, (0..2).map(|worker| claiming(&store, worker, later, NO_LIMITS)).collect(), 0).await;

    let first = leased[0].as_ref().unwrap();
    assert_eq!((first.task.task_id, first.lease.lease_no), (lost.task.task_id, 2));
    assert_ne!(leased[1].as_ref().unwrap().task.task_id, lost.task.task_id);
}

#[tokio::test]
async fn whoever_stops_waiting_takes_nothing_and_keeps_nobody_else_from_it() {
    let (_folder, store) = stocked(1).await;

    let claims = (0..4).map(|worker| claiming(&store, worker, DateTime::UNIX_EPOCH, NO_LIMITS)).collect();
    let leased = in_one_turn(&store, claims, 2).await;

    assert_eq!(leased.iter().flatten().count(), 2);
}

#[tokio::test]
async fn a_claim_on_a_closed_store_is_refused() {
    let (_folder, store) = stocked(1).await;
    store.close().await;

    for worker in 0..2 {
        assert!(matches!(claiming(&store, worker, DateTime::UNIX_EPOCH, NO_LIMITS).await, Err(StoreError::Closed)));
    }
}
