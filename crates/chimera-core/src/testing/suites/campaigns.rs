//! What every `Campaigns` holds to.

use super::samples::{alert, goal};
use crate::{
    contracts::campaign::CampaignGoal,
    ports::swarm::{CampaignState, Campaigns},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Campaigns>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, campaigns) = fresh();
    a_campaign_is_found_as_it_was_created_at_its_first_state(&campaigns).await;
    let (_guard, campaigns) = fresh();
    a_campaign_created_twice_keeps_its_first_goal(&campaigns).await;
    let (_guard, campaigns) = fresh();
    alerts_come_newest_first_each_once(&campaigns).await;
}

async fn a_campaign_is_found_as_it_was_created_at_its_first_state(campaigns: &dyn Campaigns) {
    assert_eq!(campaigns.find("spring").await.unwrap(), None);
    campaigns.create(&goal("spring")).await.unwrap();
    campaigns.create(&goal("autumn")).await.unwrap();

    let (spring, autumn) = (first_state(goal("spring")), first_state(goal("autumn")));
    assert_eq!(campaigns.find("spring").await.unwrap().as_ref(), Some(&spring));
    assert_eq!(campaigns.list().await.unwrap(), [spring, autumn]);
}

async fn a_campaign_created_twice_keeps_its_first_goal(campaigns: &dyn Campaigns) {
    campaigns.create(&goal("spring")).await.unwrap();

    campaigns.create(&CampaignGoal { goal_description: "something else".to_owned(), ..goal("spring") }).await.unwrap();

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
    CampaignState { goal, state_version: 1 }
}
