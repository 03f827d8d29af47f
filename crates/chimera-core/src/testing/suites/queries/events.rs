//! Everything that people look at tells of itself in the event log.

use super::{Everything, agent, asked, entry};
use crate::{
    contracts::views::stories::EventRow,
    domain::{
        campaign::Pause,
        freeze::{Freeze, FreezeCause, FreezeScope},
        transfer::Reconciliation,
    },
    ports::{
        kill_switch::KillSwitch,
        queries::Queries,
        swarm::{Calendar, Campaigns, EntryStatus},
    },
    testing::suites::{
        samples::{AGENT, CAMPAIGN, alert, at, started},
        transfers::{new_transfer, sign},
    },
};

async fn since(store: &impl Everything, after: u64) -> Vec<EventRow> {
    Queries::events(store, after, 100).await.unwrap()
}

pub(super) async fn stops_agents_dates_and_trends_are_events(store: &impl Everything) {
    started(store).await;
    let before = store.last().await.unwrap();
    let own = agent(store, AGENT).await;
    let scope = FreezeScope::Agent(own.id.clone());
    let frozen = |scope: &FreezeScope| Freeze {
        scope: scope.clone(),
        reason: "the key may be known".to_owned(),
        by: "ops".to_owned(),
        at: at(1),
        cause: FreezeCause::KillSwitch,
    };
    store.freeze(&frozen(&scope)).await.unwrap();
    store.freeze(&frozen(&scope)).await.unwrap();
    store.freeze(&frozen(&FreezeScope::Fleet)).await.unwrap();
    store.unfreeze(&FreezeScope::Fleet, "ops", at(2)).await.unwrap();
    store.unfreeze(&FreezeScope::Fleet, "ops", at(3)).await.unwrap();
    store.pause(&Pause { scope: scope.clone(), reason: "too loud".to_owned(), by: "ops".to_owned(), at: at(4) }).await.unwrap();
    store.resume(&scope).await.unwrap();
    KillSwitch::hold(store, &own.id, "the book is old", at(5)).await.unwrap();
    let (found, next_nonces, by) = (Vec::new(), Vec::new(), "ops".to_owned());
    let whole = Reconciliation { agent: own.id.clone(), wallet: own.address, found, next_nonces, is_complete: true, by, at: at(6) };
    store.reconcile(&whole).await.unwrap();
    let dated = entry(CAMPAIGN, 60);
    store.add(&dated).await.unwrap();
    Calendar::settle(store, &dated, &EntryStatus::Removed).await.unwrap();
    let found = alert(CAMPAIGN, 70);
    Campaigns::record_alert(store, &found).await.unwrap();

    let told = since(store, before).await;
    let told: Vec<_> =
        told.iter().map(|event| (event.kind.as_str(), event.state.as_str(), event.subject.as_str(), event.agent_id.as_deref())).collect();
    let (entry_id, event_id) = (dated.entry_id.to_string(), found.event_id.to_string());
    let own = Some(AGENT);
    assert_eq!(
        told,
        [
            ("agent", "created", AGENT, own),
            ("stop", "frozen", AGENT, own),
            ("stop", "frozen", "*", None),
            ("stop", "unfrozen", "*", None),
            ("stop", "paused", AGENT, own),
            ("stop", "resumed", AGENT, own),
            ("stop", "held", AGENT, own),
            ("stop", "released", AGENT, own),
            ("calendar", "waiting", &entry_id, own),
            ("calendar", "removed", &entry_id, own),
            ("trend", "found", &event_id, own),
        ],
        "once each"
    );
    let in_campaign = since(store, before + 8).await;
    assert!(in_campaign.iter().all(|event| event.campaign_id.as_deref() == Some(CAMPAIGN)), "{in_campaign:?}");
}

pub(super) async fn reviews_and_decisions_say_whose_they_are(store: &impl Everything) {
    asked(store).await;
    let told = since(store, 0).await;
    for kind in ["decision", "review"] {
        let event = told.iter().find(|event| event.kind == kind).unwrap();
        assert_eq!((event.agent_id.as_deref(), event.campaign_id.as_deref()), (Some(AGENT), Some(CAMPAIGN)), "{kind}");
    }

    // The CFO's word on a payment of nobody's campaign.
    let before = store.last().await.unwrap();
    sign(store, &new_transfer(5)).await;
    let told = since(store, before).await;
    let cfo = told.iter().find(|event| event.kind == "decision").unwrap();
    assert_eq!((cfo.agent_id.as_deref(), cfo.campaign_id.as_deref()), (Some(AGENT), None));
}
