//! What every `Plans` holds to.

use super::samples::{AGENT, CAMPAIGN, NO_LIMITS, at, started, task, task_after};
use crate::{
    contracts::{UuidV4, task::AgentTask},
    domain::{
        campaign::{Budget, CampaignEvent},
        task::TaskState,
    },
    ports::{
        events::Events,
        swarm::{Campaigns, ChangeError, PlannedTask, Plans, Replan, Replanning, ShapeError, Shaping, Tasks},
    },
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Plans + Campaigns + Tasks + Replanning + Events>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    a_look_takes_the_place_of_the_one_before_and_leaves_what_a_person_shaped(&store).await;
    let (_guard, store) = fresh();
    a_dropped_task_is_given_up_with_its_dependents_and_comes_back_with_them(&store).await;
    let (_guard, store) = fresh();
    a_brief_and_a_time_go_with_the_task_into_the_queue_and_through_it(&store).await;
    let (_guard, store) = fresh();
    what_is_begun_keeps_what_it_was_begun_with(&store).await;
    let (_guard, store) = fresh();
    every_change_is_an_event_of_the_campaign(&store).await;
    let (_guard, store) = fresh();
    other_agents_and_a_smaller_budget_end_what_is_not_begun(&store).await;
}

fn briefed(brief: &str) -> Shaping {
    Shaping::Instruct { brief: Some(brief.to_owned()), not_before: None }
}

async fn shape(store: &impl Plans, task: &AgentTask, shaping: &Shaping) -> PlannedTask {
    store.shape(CAMPAIGN, task.task_id, shaping, at(5)).await.unwrap()
}

/// Where each of the plan's tasks stands.
async fn states(store: &impl Plans) -> Vec<(UuidV4, bool, Option<TaskState>)> {
    store.plan(CAMPAIGN).await.unwrap().into_iter().map(|planned| (planned.task.task_id, planned.is_dropped, planned.state)).collect()
}

async fn a_look_takes_the_place_of_the_one_before_and_leaves_what_a_person_shaped(store: &(impl Plans + Campaigns)) {
    started(store).await;
    let [kept, dropped, forgotten, new, own] = [task(), task(), task(), task(), task()];
    store.record(CAMPAIGN, &[kept.clone(), dropped.clone(), forgotten]).await.unwrap();
    shape(store, &kept, &briefed("Speak of tea")).await;
    shape(store, &dropped, &Shaping::Drop).await;
    store.add(&own, Some(at(99))).await.unwrap();

    store.record(CAMPAIGN, &[new.clone(), kept.clone()]).await.unwrap();

    let plan = store.plan(CAMPAIGN).await.unwrap();
    let told: Vec<_> =
        plan.iter().map(|planned| (planned.task.task_id, planned.is_dropped, planned.is_added, planned.not_before)).collect();
    let expected = [
        (kept.task_id, false, false, None),
        (dropped.task_id, true, false, None),
        (own.task_id, false, true, Some(at(99))),
        (new.task_id, false, false, None),
    ];
    assert_eq!(told, expected);
    assert_eq!(plan[0].task.context.brief.as_deref(), Some("Speak of tea"));
    assert_eq!(store.plan("autumn").await.unwrap(), []);
}

async fn a_dropped_task_is_given_up_with_its_dependents_and_comes_back_with_them(store: &(impl Plans + Campaigns + Tasks)) {
    started(store).await;
    let first = task();
    let second = task_after(&[&first]);
    store.enqueue(&[first.clone(), second.clone()]).await.unwrap();
    let given_up = Some(TaskState::GivenUp);

    shape(store, &first, &Shaping::Drop).await;
    assert_eq!(states(store).await, [(first.task_id, true, given_up)]);
    assert_eq!(store.claim("worker-1", at(10), at(20), &NO_LIMITS).await.unwrap(), None);
    assert!(matches!(store.shape(CAMPAIGN, first.task_id, &Shaping::Drop, at(6)).await, Err(ShapeError::Dropped(_))));
    assert!(matches!(store.shape(CAMPAIGN, first.task_id, &briefed("x"), at(6)).await, Err(ShapeError::Dropped(_))));

    shape(store, &first, &Shaping::PutBack).await;
    let returned = Some(TaskState::Returned);
    assert_eq!(states(store).await, [(first.task_id, false, returned), (second.task_id, false, returned)]);
    assert!(matches!(store.shape(CAMPAIGN, first.task_id, &Shaping::PutBack, at(6)).await, Err(ShapeError::NotDropped(_))));
    assert!(matches!(store.shape("autumn", first.task_id, &Shaping::Drop, at(6)).await, Err(ShapeError::NoSuchTask(_))));
}

async fn a_brief_and_a_time_go_with_the_task_into_the_queue_and_through_it(store: &(impl Plans + Campaigns + Tasks + Replanning)) {
    started(store).await;
    let planned = task();
    store.record(CAMPAIGN, std::slice::from_ref(&planned)).await.unwrap();
    shape(store, &planned, &Shaping::Instruct { brief: None, not_before: Some(at(50)) }).await;
    store.enqueue(std::slice::from_ref(&planned)).await.unwrap();
    let claim = async |seconds| store.claim("worker-1", at(seconds), at(seconds + 9), &NO_LIMITS).await.unwrap();

    assert_eq!(claim(49).await, None, "not before its time");
    shape(store, &planned, &Shaping::Instruct { brief: Some("Speak of tea".to_owned()), not_before: Some(at(60)) }).await;
    assert_eq!(claim(59).await, None, "nor before the new one");
    store.change(CAMPAIGN, &super::samples::paused(), at(59)).await.unwrap();
    store.change(CAMPAIGN, &CampaignEvent::Resume, at(59)).await.unwrap();
    store.replan(planned.task_id, &Replan::Rearm, at(59)).await.unwrap();
    assert_eq!(claim(59).await, None, "also when it came back in between");

    let claimed = claim(60).await.unwrap();
    assert_eq!(claimed.task.context.brief.as_deref(), Some("Speak of tea"));
}

async fn what_is_begun_keeps_what_it_was_begun_with(store: &(impl Plans + Campaigns + Tasks)) {
    started(store).await;
    let begun = task();
    store.enqueue(std::slice::from_ref(&begun)).await.unwrap();
    store.claim("worker-1", at(10), at(20), &NO_LIMITS).await.unwrap().unwrap();

    for shaping in [Shaping::Drop, briefed("Speak of tea")] {
        let refused = store.shape(CAMPAIGN, begun.task_id, &shaping, at(11)).await;
        assert!(matches!(refused, Err(ShapeError::Begun { state: TaskState::InProgress, .. })), "{refused:?}");
    }
    let of_campaign = store.of_campaign(CAMPAIGN).await.unwrap();
    assert_eq!(of_campaign[0].context.brief, None);
}

async fn every_change_is_an_event_of_the_campaign(store: &(impl Plans + Campaigns + Events)) {
    started(store).await;
    let (planned, own) = (task(), task());
    let mut last = store.last().await.unwrap();
    let mut is_told = async || {
        let events = store.events(last, 9).await.unwrap();
        last = store.last().await.unwrap();
        events.iter().filter(|event| event.kind.name() == "campaign" && event.subject == CAMPAIGN && event.state == "running").count() == 1
    };

    store.record(CAMPAIGN, std::slice::from_ref(&planned)).await.unwrap();
    assert!(is_told().await, "a look");
    store.add(&own, None).await.unwrap();
    assert!(is_told().await, "a task that is added");
    for shaping in [briefed("Speak of tea"), Shaping::Drop, Shaping::PutBack] {
        shape(store, &planned, &shaping).await;
        assert!(is_told().await, "{shaping:?}");
    }
    let changes = [
        CampaignEvent::ChangeBudget { budget: Budget { posts_max: Some(9), ..Budget::default() } },
        CampaignEvent::ChangeAgents { agent_ids: vec!["tariku".to_owned()] },
    ];
    for change in changes {
        store.change(CAMPAIGN, &change, at(9)).await.unwrap();
        assert!(is_told().await, "{change:?}");
    }
}

async fn other_agents_and_a_smaller_budget_end_what_is_not_begun(store: &(impl Plans + Campaigns + Tasks)) {
    started(store).await;
    let (begun, waiting) = (task(), task());
    store.enqueue(std::slice::from_ref(&begun)).await.unwrap();
    store.claim("worker-1", at(10), at(20), &NO_LIMITS).await.unwrap().unwrap();
    store.enqueue(std::slice::from_ref(&waiting)).await.unwrap();
    let change = async |event: CampaignEvent| store.change(CAMPAIGN, &event, at(11)).await.unwrap();

    let poor = change(CampaignEvent::ChangeBudget { budget: Budget { posts_max: Some(0), ..Budget::default() } }).await;
    assert_eq!((poor.state_version, poor.goal.budget_constraints.get("posts_max")), (1, Some(&0.into())));
    assert_eq!(poor.goal.budget_constraints.get("usdc_per_day"), Some(&"5000000".into()), "other keys stay");
    assert_eq!(states(store).await, [(waiting.task_id, false, Some(TaskState::Returned))]);
    let alone = change(CampaignEvent::ChangeAgents { agent_ids: vec!["tariku".to_owned()] }).await;

    assert_eq!(alone.goal.agent_ids, ["tariku"]);
    assert_eq!(states(store).await, [], "what {AGENT} had not begun is given up");
    let deleted = change(CampaignEvent::Delete).await;
    assert_eq!(deleted.status.name(), "deleted");
    assert_eq!(store.list().await.unwrap(), []);
    assert!(store.find(CAMPAIGN).await.unwrap().is_some(), "it stays on record");
    assert!(matches!(store.change(CAMPAIGN, &CampaignEvent::Resume, at(12)).await, Err(ChangeError::OutOfTurn(_))));
}
