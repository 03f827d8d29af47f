//! A store in which stories were planned before the ids of their tasks stood together.

use super::fresh;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        campaign::CampaignGoal,
        task::AgentTask,
        trend_alert::{Trend, TrendAlert, TrendEventType},
    },
    domain::{campaign::CampaignEvent, soul::Soul},
    ports::swarm::{CampaignState, Campaigns, Tasks},
    swarm::planner::{self, PAYMENT_KEY, Terms, former},
};
use chrono::DateTime;
use serde_json::json;
use std::collections::BTreeSet;

const AGENTS: [&str; 2] = ["a", "b"];
const NOW: UtcTime = UtcTime(DateTime::UNIX_EPOCH);

fn soul(id: &str) -> Soul {
    let front = format!("name: {id}\nid: {id}\nhandle: {id}\nvoice_traits: [calm]\ndirectives: [be brief]\ncore_beliefs: [people first]");
    Soul::parse(&format!("---\n{front}\nplatforms: [mastodon]\ndisclosure: AI\n---\nA persona.\n")).unwrap()
}

fn goal() -> CampaignGoal {
    let payment = json!({
        "operation": "token_transfer",
        "params": { "asset": "USDC", "to_address": "0x00000000000000000000000000000000c0ffee01", "amount_wei_or_units": "1" },
    });
    CampaignGoal {
        campaign_id: "spring".to_owned(),
        goal_description: "follow storage".to_owned(),
        operator_id: "o".to_owned(),
        agent_ids: AGENTS.map(str::to_owned).to_vec(),
        budget_constraints: serde_json::Map::from_iter([(PAYMENT_KEY.to_owned(), payment)]),
        created_at: NOW,
    }
}

fn alert(cluster_id: &str) -> TrendAlert {
    TrendAlert {
        event_id: UuidV4::random(),
        event_type: TrendEventType::TrendAlert,
        source: "skill_trend_fetcher".to_owned(),
        created_at: NOW,
        agent_id: "a".to_owned(),
        campaign_id: "spring".to_owned(),
        trend: Trend {
            topics: vec!["batteries".to_owned()],
            cluster_id: cluster_id.to_owned(),
            time_window_start: NOW,
            time_window_end: NOW,
            signal_strength: 0.5,
            sample_resource_uris: Vec::new(),
            new: Some(true),
            phase: None,
        },
    }
}

fn plan(campaign: &CampaignState, alert: &TrendAlert, may_pay: bool) -> Vec<AgentTask> {
    planner::plan(campaign, &AGENTS.map(soul), &planner::Story::of_trend(&alert.trend), &Terms { may_pay }, NOW.0).unwrap()
}

/// What the program planned then.
fn planned_then(campaign: &CampaignState, alert: &TrendAlert) -> Vec<AgentTask> {
    let with_former_id = |task: AgentTask| {
        let task_id = former::task_id("spring", campaign.goal_version, &alert.trend.cluster_id, &task.context.agent_id, task.task_type);
        AgentTask { task_id, ..task }
    };
    plan(campaign, alert, false).into_iter().map(with_former_id).collect()
}

#[tokio::test]
async fn a_story_that_was_planned_then_is_not_planned_again_and_may_still_be_paid_for() {
    let (_folder, store) = fresh();
    Campaigns::create(&store, &goal(), &[]).await.unwrap();
    store.change("spring", &CampaignEvent::Start, NOW.0).await.unwrap();
    let campaign = Campaigns::find(&store, "spring").await.unwrap().unwrap();
    let (old, new) = (alert("story-old"), alert("story-new"));
    let before = planned_then(&campaign, &old);
    assert_eq!(store.enqueue(&before).await.unwrap(), 2);

    let again = former::keep_ids(&store, &campaign, &planner::Story::of_trend(&old.trend), plan(&campaign, &old, true)).await.unwrap();
    let fresh = former::keep_ids(&store, &campaign, &planner::Story::of_trend(&new.trend), plan(&campaign, &new, true)).await.unwrap();

    assert_eq!(
        again.iter().map(|task| task.task_id).take(2).collect::<Vec<_>>(),
        before.iter().map(|task| task.task_id).collect::<Vec<_>>()
    );
    assert_eq!(store.enqueue(&again).await.unwrap(), 1, "the payment alone, which depends on the post of then");
    assert_eq!(store.enqueue(&again).await.unwrap(), 0);
    assert_eq!(fresh, plan(&campaign, &new, true));
    let beginnings: BTreeSet<String> = fresh.iter().map(|task| task.task_id.to_string()[..8].to_owned()).collect();
    assert_eq!(beginnings.len(), 1, "the ids of one story stand together: {fresh:?}");
}
