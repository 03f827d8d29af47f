use super::*;
use crate::{
    contracts::{
        campaign::CampaignGoal,
        trend_alert::{Trend, TrendAlert, TrendEventType},
    },
    domain::campaign::CampaignStatus,
};
use serde_json::json;

const TERMS: Terms = Terms { may_pay: true };

pub(super) fn soul(id: &str) -> Soul {
    let source = format!(
        "---\nname: {id}\nid: {id}\nhandle: {id}\nvoice_traits: [calm]\ndirectives: [never promise returns]\ncore_beliefs: [people first]\nplatforms: [bluesky, mastodon]\ndisclosure: AI\n---\nA persona.\n"
    );
    Soul::parse(&source).unwrap()
}

pub(super) fn campaign(payment: Option<serde_json::Value>) -> CampaignState {
    let budget_constraints = payment.map(|payment| (PAYMENT_KEY.to_owned(), payment)).into_iter().collect();
    let goal = CampaignGoal {
        campaign_id: "c1".to_owned(),
        goal_description: "follow storage".to_owned(),
        operator_id: "o".to_owned(),
        agent_ids: vec!["a".to_owned(), "b".to_owned()],
        budget_constraints,
        created_at: UtcTime(DateTime::UNIX_EPOCH),
    };
    CampaignState { goal, state_version: 7, goal_version: 2, status: CampaignStatus::Running, reason: None, resource_uris: Vec::new() }
}

pub(super) fn alert(cluster_id: &str) -> TrendAlert {
    TrendAlert {
        event_id: UuidV4::random(),
        event_type: TrendEventType::TrendAlert,
        source: "skill_trend_fetcher".to_owned(),
        created_at: UtcTime(DateTime::UNIX_EPOCH),
        agent_id: "a".to_owned(),
        campaign_id: "c1".to_owned(),
        trend: Trend {
            topics: vec!["Salt Battery".to_owned()],
            cluster_id: cluster_id.to_owned(),
            time_window_start: UtcTime(DateTime::UNIX_EPOCH),
            time_window_end: UtcTime(DateTime::UNIX_EPOCH),
            signal_strength: 0.5,
            sample_resource_uris: vec!["news://x/y/latest".to_owned()],
            new: Some(true),
            phase: None,
        },
    }
}

pub(super) fn payment() -> serde_json::Value {
    json!({ "operation": "token_transfer", "params": { "asset": "USDC", "to_address": "0x00000000000000000000000000000000c0ffee01", "amount_wei_or_units": "1" } })
}

pub(super) fn plan_of(campaign: &CampaignState, cluster_id: &str) -> Vec<AgentTask> {
    plan(campaign, &[soul("a"), soul("b")], &Story::of_trend(&alert(cluster_id).trend), &TERMS, DateTime::UNIX_EPOCH).unwrap()
}

#[test]
fn each_agent_gets_a_post_on_its_first_platform_and_the_payment_waits_for_the_first_post() {
    let tasks = plan_of(&campaign(Some(payment())), "k1");

    let [first, second, paying] = tasks.as_slice() else { panic!("{tasks:?}") };
    assert_eq!(first.acceptance_criteria.as_ref().unwrap().platform, "bluesky");
    assert_eq!((first.context.agent_id.as_str(), second.context.agent_id.as_str()), ("a", "b"));
    assert_eq!(first.context.required_resources, ["news://x/y/latest"]);
    assert_eq!(first.context.persona_constraints, ["never promise returns"]);
    assert_eq!(paying.depends_on, [first.task_id]);
    assert!(tasks.iter().all(|task| task.state_version == 7));
}

#[test]
fn planning_one_trend_twice_makes_the_same_tasks_and_another_trend_makes_others() {
    let ids = |cluster_id| plan_of(&campaign(Some(payment())), cluster_id).iter().map(|task| task.task_id).collect::<Vec<_>>();
    assert_eq!(ids("k1"), ids("k1"));
    assert!(ids("k1").iter().all(|id| !ids("k2").contains(id)));
    let beginning = |id: &UuidV4| id.to_string()[..8].to_owned();
    assert!(ids("k1").iter().all(|id| beginning(id) == beginning(&ids("k1")[0])), "those of one trend stand together");
    assert_ne!(beginning(&ids("k1")[0]), beginning(&ids("k2")[0]));
}

#[test]
fn a_payment_that_is_none_stops_the_plan_with_what_is_wrong() {
    let broken = campaign(Some(json!({ "operation": "give", "params": { "asset": "USDC" } })));
    let error = plan(&broken, &[soul("a")], &Story::of_trend(&alert("k").trend), &TERMS, DateTime::UNIX_EPOCH).unwrap_err();
    assert!(error.to_string().contains("/operation"), "{error}");
    assert_eq!(plan_of(&campaign(None), "k").len(), 2);
}

#[test]
fn another_goal_makes_other_tasks_of_the_same_trend() {
    let before = campaign(Some(payment()));
    let after = CampaignState { goal_version: 3, ..before.clone() };
    let planned = plan_of(&after, "k1");
    assert!(plan_of(&before, "k1").iter().all(|task| planned.iter().all(|other| other.task_id != task.task_id)));
}

#[test]
fn without_budget_or_balance_posts_are_planned_and_the_payment_is_not() {
    let broke = Terms { may_pay: false };
    let tasks = plan(&campaign(Some(payment())), &[soul("a")], &Story::of_trend(&alert("k1").trend), &broke, DateTime::UNIX_EPOCH).unwrap();
    assert_eq!(tasks.iter().map(|task| task.task_type).collect::<Vec<_>>(), [TaskType::GenerateContent]);
}

#[test]
fn what_comes_back_is_tried_again_unless_that_is_pointless() {
    let task = plan_of(&campaign(None), "k1").remove(0);
    let returned = |attempt, goal_changed| ReturnedTask {
        task: AgentTask { attempt, ..task.clone() },
        reason: "rejected by hanna".to_owned(),
        goal_changed,
    };
    assert_eq!(replan(&returned(1, false), None), Replan::Rearm);
    assert_eq!(replan(&returned(3, false), None), Replan::Rearm);
    assert_eq!(replan(&returned(9, false), None), Replan::Rearm, "a person asks for as many attempts as they like");
    assert!(matches!(replan(&returned(1, true), None), Replan::Prune { reason } if reason.contains("another goal")));
    assert!(matches!(replan(&returned(1, false), Some("3 of 3")), Replan::Prune { reason } if reason == "3 of 3"));
    let mut paying = returned(1, false);
    paying.task.acceptance_criteria = None;
    assert_eq!(replan(&paying, Some("3 of 3")), Replan::Rearm, "money has a budget of its own");
}
