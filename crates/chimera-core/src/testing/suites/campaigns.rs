//! What every `Campaigns` holds to.

use super::samples::{alert, at, goal, paused};
use crate::{
    contracts::campaign::CampaignGoal,
    domain::campaign::{CampaignEvent, CampaignStatus},
    ports::swarm::{CampaignState, Campaigns, ChangeError},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Campaigns>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, campaigns) = fresh();
    a_campaign_is_found_as_it_was_created_at_its_first_state(&campaigns).await;
    let (_guard, campaigns) = fresh();
    a_campaign_created_twice_keeps_its_first_goal(&campaigns).await;
    let (_guard, campaigns) = fresh();
    alerts_come_newest_first_each_once(&campaigns).await;
    let (_guard, campaigns) = fresh();
    a_campaign_changes_as_its_life_says_and_nothing_else_changes_it(&campaigns).await;
    let (_guard, campaigns) = fresh();
    a_running_campaign_is_due_once_and_again_when_its_time_has_come_or_it_changed(&campaigns).await;
}

async fn a_campaign_is_found_as_it_was_created_at_its_first_state(campaigns: &dyn Campaigns) {
    assert_eq!(campaigns.find("spring").await.unwrap(), None);
    campaigns.create(&goal("spring"), &watched()).await.unwrap();
    campaigns.create(&goal("autumn"), &watched()).await.unwrap();

    let (spring, autumn) = (first_state(goal("spring")), first_state(goal("autumn")));
    assert_eq!(campaigns.find("spring").await.unwrap().as_ref(), Some(&spring));
    assert_eq!(campaigns.list().await.unwrap(), [spring, autumn]);
}

async fn a_campaign_created_twice_keeps_its_first_goal(campaigns: &dyn Campaigns) {
    campaigns.create(&goal("spring"), &watched()).await.unwrap();

    campaigns.create(&CampaignGoal { goal_description: "something else".to_owned(), ..goal("spring") }, &[]).await.unwrap();

    assert_eq!(campaigns.list().await.unwrap(), [first_state(goal("spring"))]);
}

async fn alerts_come_newest_first_each_once(campaigns: &dyn Campaigns) {
    let (early, late, other) = (alert("spring", 10), alert("spring", 20), alert("autumn", 15));
    for recorded in [&late, &early, &other, &late] {
        campaigns.record_alert(recorded).await.unwrap();
    }

    assert_eq!(campaigns.alerts("spring", 10).await.unwrap(), [late.clone(), early]);
    assert_eq!(campaigns.alerts("spring", 1).await.unwrap(), [late]);
    assert_eq!(campaigns.alerts("winter", 10).await.unwrap(), []);
}

fn first_state(goal: CampaignGoal) -> CampaignState {
    let status = CampaignStatus::Draft;
    CampaignState { goal, state_version: 1, goal_version: 1, status, reason: None, resource_uris: watched() }
}

fn watched() -> Vec<String> {
    vec!["news://global/food/latest".to_owned()]
}

async fn a_campaign_changes_as_its_life_says_and_nothing_else_changes_it(campaigns: &dyn Campaigns) {
    campaigns.create(&goal("spring"), &watched()).await.unwrap();
    let change = async |event: CampaignEvent| campaigns.change("spring", &event, at(1)).await;

    assert!(matches!(change(paused()).await, Err(ChangeError::OutOfTurn(_))));
    assert_eq!(campaigns.find("spring").await.unwrap(), Some(first_state(goal("spring"))));
    change(CampaignEvent::Start).await.unwrap();
    let stopped = change(paused()).await.unwrap();
    let resumed = change(CampaignEvent::Resume).await.unwrap();
    let other = change(CampaignEvent::ChangeGoal { goal_description: "sell tea".to_owned() }).await.unwrap();
    let spent = change(CampaignEvent::Exhaust { reason: "3 of 3 posts".to_owned() }).await.unwrap();

    assert_eq!((stopped.status, stopped.state_version, stopped.reason.is_some()), (CampaignStatus::Paused, 2, true));
    assert_eq!((resumed.status, resumed.state_version, resumed.reason), (CampaignStatus::Running, 2, None));
    assert_eq!((other.state_version, other.goal_version, other.goal.goal_description.as_str()), (3, 2, "sell tea"));
    assert_eq!((spent.status, spent.state_version), (CampaignStatus::Exhausted, 4));
    assert_eq!(campaigns.find("spring").await.unwrap(), Some(spent));
    assert!(matches!(campaigns.change("winter", &paused(), at(1)).await, Err(ChangeError::NoSuchCampaign(_))));
}

async fn a_running_campaign_is_due_once_and_again_when_its_time_has_come_or_it_changed(campaigns: &dyn Campaigns) {
    for id in ["spring", "autumn"] {
        campaigns.create(&goal(id), &[]).await.unwrap();
    }
    let due = async |before, now| {
        let taken = campaigns.take_due(at(before), at(now), 10).await.unwrap();
        taken.into_iter().map(|campaign| campaign.goal.campaign_id).collect::<Vec<_>>()
    };

    assert_eq!(due(0, 10).await, [""; 0], "drafts are nobody's business");
    campaigns.change("spring", &CampaignEvent::Start, at(5)).await.unwrap();
    assert_eq!(due(0, 10).await, ["spring"]);
    assert_eq!(due(0, 11).await, [""; 0]);
    assert_eq!(due(11, 20).await, ["spring"]);
    campaigns.change("spring", &CampaignEvent::ChangeGoal { goal_description: "sell tea".to_owned() }, at(21)).await.unwrap();
    assert_eq!(due(0, 22).await, ["spring"]);
}
