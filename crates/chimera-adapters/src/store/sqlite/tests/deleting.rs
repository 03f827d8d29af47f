//! A campaign is not deleted while something of it may still happen in the world.

use super::{OrStoreError, SqliteStore, fresh};
use chimera_core::{
    contracts::{UtcTime, UuidV4, campaign::CampaignGoal, task::AgentTask},
    domain::campaign::{Budget, CampaignEvent},
    ports::swarm::{Campaigns, ChangeError, ClaimLimits, Tasks},
};
use chrono::{DateTime, Utc};
use serde_json::json;

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

async fn with_payments(amounts: &[&str]) -> (tempfile::TempDir, SqliteStore, Vec<UuidV4>) {
    let (folder, store) = fresh();
    let goal = CampaignGoal {
        campaign_id: "spring".to_owned(),
        goal_description: "tea".to_owned(),
        operator_id: "ops".to_owned(),
        agent_ids: vec!["selam".to_owned()],
        budget_constraints: serde_json::Map::new(),
        created_at: UtcTime(NOW),
    };
    store.create(&goal, &[]).await.unwrap();
    store.change("spring", &CampaignEvent::Start, NOW).await.unwrap();
    let payment = |amount: &&str| -> AgentTask {
        let params = json!({ "asset": "USDC", "to_address": "0x00000000000000000000000000000000c0ffee01", "amount_wei_or_units": amount });
        serde_json::from_value(json!({
            "task_id": UuidV4::random(), "task_type": "execute_transaction", "priority": "medium", "status": "pending",
            "created_at": UtcTime(NOW), "state_version": 1, "attempt": 1,
            "context": { "goal_description": "tea", "campaign_id": "spring", "agent_id": "selam" },
            "transaction": { "operation": "token_transfer", "params": params },
        }))
        .unwrap()
    };
    let tasks: Vec<AgentTask> = amounts.iter().map(payment).collect();
    store.enqueue(&tasks).await.unwrap();
    let ids = tasks.iter().map(|task| task.task_id).collect();
    (folder, store, ids)
}

/// The wallet was asked for the task's payment, which is in this state.
async fn asked(store: &SqliteStore, task_id: UuidV4, state: &'static str) {
    let insert = "INSERT INTO transfers (transaction_id, task_id, agent_id, wallet, operation, chain_id, asset, decimals, recipient, \
         amount_units, reserved_at, lease_until, state) VALUES (?1, ?2, 'selam', '0x01', 'token_transfer', '1', 'USDC', 6, '0x02', '5', 0, 0, ?3)";
    let row = (UuidV4::random().to_string(), task_id.to_string(), state);
    store.write(move |db| db.execute(insert, row).map(drop).or_store_error()).await.unwrap();
}

async fn refused(store: &SqliteStore) -> String {
    match store.change("spring", &CampaignEvent::Delete, NOW).await {
        Err(ChangeError::InFlight(found)) => found.join("; "),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_payment_that_may_leave_or_waits_for_a_person_is_in_flight_and_one_that_has_ended_is_not() {
    let in_flight = [
        ("signed", "1 payment may have left: wait until the chain has settled it"),
        ("granted", "1 payment may have left"),
        ("handed_over", "1 payment may have left"),
        ("awaiting_review", "1 payment waits for a person's word"),
    ];
    for (state, part) in in_flight {
        let (_folder, store, ids) = with_payments(&["5"]).await;
        asked(&store, ids[0], state).await;
        let told = refused(&store).await;
        assert!(told.contains(part), "{state}: {told}");
        let open = Tasks::of_campaign(&store, "spring").await.unwrap();
        assert_eq!(open[0].status, chimera_core::contracts::task::TaskStatus::Pending, "{state}: nothing was ended");
    }
    for state in ["confirmed", "reverted", "released", "refused"] {
        let (_folder, store, ids) = with_payments(&["5"]).await;
        asked(&store, ids[0], state).await;
        assert_eq!(store.change("spring", &CampaignEvent::Delete, NOW).await.unwrap().status.name(), "deleted", "{state}");
    }
}

#[tokio::test]
async fn a_payment_that_a_worker_is_at_is_in_flight() {
    let (_folder, store, _) = with_payments(&["5"]).await;
    let limits = ClaimLimits { per_agent_max: 9, overall_max: 9 };
    store.claim("worker-1", NOW, NOW + chrono::TimeDelta::seconds(9), &limits).await.unwrap().unwrap();

    assert!(refused(&store).await.contains("1 payment is being made"), "{}", refused(&store).await);
}

#[tokio::test]
async fn a_budget_below_what_is_planned_gives_up_the_newest_payments_that_no_wallet_was_asked_for() {
    let (_folder, store, ids) = with_payments(&["5", "5", "5", "5"]).await;
    asked(&store, ids[3], "signed").await;
    let budget = Budget { spend_max_units: Some(chimera_core::domain::money::U256::from(10_u64)), ..Budget::default() };

    store.change("spring", &CampaignEvent::ChangeBudget { budget }, NOW).await.unwrap();

    let tasks = Tasks::of_campaign(&store, "spring").await.unwrap();
    let open: Vec<UuidV4> =
        tasks.iter().filter(|task| task.status != chimera_core::contracts::task::TaskStatus::Complete).map(|task| task.task_id).collect();
    assert_eq!(open, [ids[0], ids[3]], "the newest that was not begun went first");
}
