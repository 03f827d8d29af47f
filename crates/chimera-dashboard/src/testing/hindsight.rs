//! The sample's past: the events that its pages know, and no decisions.

use crate::Hindsight;
use chimera_core::{
    contracts::views::stories::EventRow,
    policy::spending::SpendingPolicies,
    ports::events::{Event, EventKind},
    swarm::{judge::Thresholds, what_if::Rules},
    testing::fake_recorded::FakeRecordedDecisions,
};
use std::sync::Arc;

pub(crate) fn empty() -> Hindsight {
    of(FakeRecordedDecisions::default())
}

pub(crate) fn of(records: FakeRecordedDecisions) -> Hindsight {
    let thresholds = Thresholds { approve_above: 0.9, reject_below: 0.7, retries_max: 2, auto_approve_embedded: false };
    let rules = Rules { thresholds, spending: SpendingPolicies::default() };
    Hindsight { records: Arc::new(records), rules, fleet: Default::default() }
}

pub(crate) fn event(row: &EventRow) -> Option<Event> {
    Some(Event {
        number: row.number,
        at: row.at.0,
        kind: EventKind::of_name(&row.kind)?,
        state: row.state.clone(),
        subject: row.subject.clone(),
        task_id: row.task_id,
        campaign_id: row.campaign_id.clone(),
        agent_id: row.agent_id.clone(),
        attempt: None,
    })
}
