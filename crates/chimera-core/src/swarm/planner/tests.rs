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
fn each_agent_gets_a_post_on_each_of_its_platforms_and_the_payment_waits_for_the_first_post() {
    let tasks = plan_of(&campaign(Some(payment())), "k1");

    let [first, _, _, _, paying] = tasks.as_slice() else { panic!("{tasks:?}") };
    let places = [("a", "bluesky", Some(1)), ("a", "mastodon", Some(2)), ("b", "bluesky", Some(1)), ("b", "mastodon", Some(2))];
    assert_eq!(places_of(&tasks), places);
    assert_eq!(first.context.required_resources, ["news://x/y/latest"]);
    assert_eq!(first.context.persona_constraints, ["never promise returns"]);
    assert_eq!(paying.depends_on, [first.task_id]);
    assert!(tasks.iter().all(|task| task.state_version == 7));
}

fn places_of(tasks: &[AgentTask]) -> Vec<(&str, &str, Option<u32>)> {
    let place = |task: &'_ AgentTask| task.acceptance_criteria.as_ref().map(|criteria| criteria.platform.clone());
    let known = |name: String| Platform::ALL.map(Platform::name).into_iter().find(|known| *known == name).unwrap();
    tasks.iter().filter_map(|task| Some((task.context.agent_id.as_str(), known(place(task)?), task.context.telling))).collect()
}

#[test]
fn on_its_first_platform_a_post_has_the_id_of_before_there_were_others_and_elsewhere_one_of_its_own() {
    let tasks = plan_of(&campaign(Some(payment())), "k1");

    // As they stand in stores of before: another id would be another post.
    let then = |agent: &str, kind: &str| UuidV4::named_in("k1", &["c1", "2", "k1", agent, kind]);
    assert_eq!((tasks[0].task_id, tasks[2].task_id), (then("a", "generate_content"), then("b", "generate_content")));
    assert_eq!(tasks[4].task_id, then("a", "execute_transaction"));
    let ids: std::collections::BTreeSet<UuidV4> = tasks.iter().map(|task| task.task_id).collect();
    assert_eq!(ids.len(), 5);
    assert!(tasks.iter().all(|task| is_of_story(task, 2, "k1") && !is_of_story(task, 1, "k1") && !is_of_story(task, 2, "k2")));
}

#[test]
fn a_campaign_that_names_platforms_posts_there_alone_under_the_same_ids() {
    let everywhere = plan_of(&campaign(None), "k1");
    let on = |platforms: serde_json::Value| {
        let mut narrowed = campaign(None);
        narrowed.goal.budget_constraints.insert("platforms".to_owned(), platforms);
        plan(&narrowed, &[soul("a"), soul("b")], &Story::of_trend(&alert("k1").trend), &TERMS, DateTime::UNIX_EPOCH)
    };

    let narrowed = on(json!(["mastodon", "twitter"])).unwrap();

    assert_eq!(places_of(&narrowed), [("a", "mastodon", None), ("b", "mastodon", None)]);
    assert_eq!((narrowed[0].task_id, narrowed[1].task_id), (everywhere[1].task_id, everywhere[3].task_id));
    assert_eq!(on(json!(["linkedin"])), Ok(Vec::new()));
    assert!(on(json!("everywhere")).unwrap_err().to_string().contains("budget_constraints.platforms"));
}

#[test]
fn what_waits_for_a_post_that_is_not_made_waits_for_another_of_its_agent_or_goes() {
    let planned = plan_of(&campaign(Some(payment())), "k1");
    let kept = |places: &[usize]| with_dependents(places.iter().map(|place| planned[*place].clone()).collect(), &planned);

    assert_eq!(kept(&[0, 1, 2, 3]), planned);
    assert_eq!(kept(&[1, 3]).last().unwrap().depends_on, [planned[1].task_id]);
    assert_eq!(kept(&[2, 3]), [planned[2].clone(), planned[3].clone()]);
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
    assert_eq!(plan_of(&campaign(None), "k").len(), 4);
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
    assert_eq!(tasks.iter().map(|task| task.task_type).collect::<Vec<_>>(), [TaskType::GenerateContent; 2]);
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
