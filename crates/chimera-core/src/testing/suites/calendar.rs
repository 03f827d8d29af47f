//! What every `Calendar` holds to.

use super::samples::{AGENT, CAMPAIGN, at, goal, paused, started, task};
use crate::{
    contracts::{UuidV4, content_generator::ContentType, task::AgentTask},
    domain::{Platform, campaign::CampaignEvent},
    ports::swarm::{Calendar, CalendarEntry, Campaigns, EntryStatus, Tasks},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Calendar + Campaigns + Tasks>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    entries_are_due_in_order_once_their_time_has_come_while_the_campaign_runs(&store).await;
    let (_guard, store) = fresh();
    an_entry_is_settled_once(&store).await;
    let (_guard, store) = fresh();
    an_entry_whose_task_is_queued_is_planned_whatever_is_said(&store).await;
}

fn entry(campaign_id: &str, seconds: i64) -> CalendarEntry {
    CalendarEntry {
        entry_id: UuidV4::random(),
        campaign_id: campaign_id.to_owned(),
        at: at(seconds),
        about: None,
        agent: None,
        platform: None,
        content_type: ContentType::Text,
        resource_uris: Vec::new(),
    }
}

async fn entries_are_due_in_order_once_their_time_has_come_while_the_campaign_runs(store: &(impl Calendar + Campaigns)) {
    started(store).await;
    store.create(&goal("autumn"), &[]).await.unwrap();
    let whole = CalendarEntry {
        about: Some("the open day".to_owned()),
        agent: Some(AGENT.parse().unwrap()),
        platform: Some(Platform::Mastodon),
        content_type: ContentType::Image,
        resource_uris: vec!["news://global/food/latest".to_owned()],
        ..entry(CAMPAIGN, 20)
    };
    let (early, draft) = (entry(CAMPAIGN, 10), entry("autumn", 15));
    for added in [&whole, &early, &draft, &early] {
        store.add(added).await.unwrap();
    }
    let due = async |now, missed_before, limit| store.due(at(now), at(missed_before), limit).await.unwrap();

    assert_eq!(due(9, 0, 9).await, []);
    assert_eq!(due(10, 0, 9).await, std::slice::from_ref(&early));
    assert_eq!(due(20, 0, 9).await, [early.clone(), whole.clone()], "a campaign that is no more than a draft does not plan");
    assert_eq!(due(20, 0, 1).await, std::slice::from_ref(&early));
    assert_eq!(due(20, 15, 9).await, [early.clone(), whole.clone()]);
    assert_eq!(due(20, 16, 9).await, [early.clone(), draft, whole.clone()], "what is past its grace is told, whoever it belongs to");
    store.change(CAMPAIGN, &paused(), at(1)).await.unwrap();
    assert_eq!(due(20, 0, 9).await, []);
    store.change(CAMPAIGN, &CampaignEvent::Resume, at(2)).await.unwrap();
    assert_eq!(due(20, 0, 9).await, [early.clone(), whole.clone()]);
    let of_campaign = Calendar::of_campaign(store, CAMPAIGN).await.unwrap();
    assert_eq!(of_campaign, [(early, EntryStatus::Waiting), (whole, EntryStatus::Waiting)]);
}

async fn an_entry_is_settled_once(store: &(impl Calendar + Campaigns)) {
    started(store).await;
    let missed = EntryStatus::Missed { reason: "the campaign was paused".to_owned() };
    let [first, second] = [entry(CAMPAIGN, 1), entry(CAMPAIGN, 2)];
    for added in [&first, &second] {
        store.add(added).await.unwrap();
    }

    assert_eq!(store.settle(&first, &missed).await.unwrap(), missed);
    assert_eq!(store.settle(&first, &EntryStatus::Planned).await.unwrap(), missed, "it stays as it is");
    assert_eq!(store.settle(&second, &EntryStatus::Removed).await.unwrap(), EntryStatus::Removed);
    store.add(&second).await.unwrap();
    assert_eq!(store.settle(&entry(CAMPAIGN, 3), &EntryStatus::Planned).await.unwrap(), EntryStatus::Removed, "it was never there");

    assert_eq!(store.due(at(9), at(9), 9).await.unwrap(), []);
    assert_eq!(Calendar::of_campaign(store, CAMPAIGN).await.unwrap(), [(first, missed), (second, EntryStatus::Removed)]);
}

async fn an_entry_whose_task_is_queued_is_planned_whatever_is_said(store: &(impl Calendar + Campaigns + Tasks)) {
    started(store).await;
    let entry = entry(CAMPAIGN, 1);
    store.add(&entry).await.unwrap();
    store.enqueue(&[AgentTask { task_id: entry.task_id(), ..task() }]).await.unwrap();

    let said = EntryStatus::Missed { reason: "nobody was there".to_owned() };
    assert_eq!(store.settle(&entry, &said).await.unwrap(), EntryStatus::Planned);
}
