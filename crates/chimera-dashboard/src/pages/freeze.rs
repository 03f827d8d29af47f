//! The stop of the whole fleet: the button on every page, its dialog, and what happened after the freeze, counted from the event log.

use super::{
    answers::{failed, fragment},
    components::{
        icons::{Icon, icon},
        values,
    },
    shell::{Around, notices},
};
use crate::{Dashboard, access::Visitor};
use axum::{Extension, Router, extract::State, response::Response, routing::get};
use chimera_core::{
    contracts::views::{agents::StopKind, people::Role, stories::EventRow},
    ports::StoreError,
};
use maud::{Markup, html};
use std::{collections::BTreeMap, sync::Arc};

/// How far back the freeze is looked for, and how much after it is counted.
const EVENTS_MAX: usize = 1_000;

pub(crate) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/fragments/notices", get(show_notices)).route("/fragments/freeze", get(show_proof))
}

pub(crate) fn button(role: Role) -> Markup {
    html! {
        @if role >= Role::Reviewer {
            button.button.freeze type="button" data-act="freeze" aria-haspopup="dialog" { (icon(Icon::Freeze)) span { "Freeze" } }
        }
    }
}

/// Its inside is read when it is opened.
pub(crate) fn dialog() -> Markup {
    html! {
        dialog #freeze .dialog aria-labelledby="freeze-title" {
            h2 #freeze-title { "Freeze the fleet" }
            div #freeze-proof {}
        }
    }
}

async fn show_notices(State(dashboard): State<Arc<Dashboard>>) -> Response {
    match Around::read(&dashboard).await {
        Ok(around) => fragment(notices(&around)),
        Err(error) => failed(&error),
    }
}

async fn show_proof(State(dashboard): State<Arc<Dashboard>>, Extension(visitor): Extension<Visitor>) -> Response {
    match proof(&dashboard, visitor.role).await {
        Ok(proof) => fragment(proof),
        Err(error) => failed(&error),
    }
}

async fn proof(dashboard: &Dashboard, role: Role) -> Result<Markup, StoreError> {
    let around = Around::read(dashboard).await?;
    let Some(freeze) = around.stops.iter().find(|stop| stop.kind == StopKind::Freeze && stop.agent_id.is_none()) else {
        return Ok(html! { div #freeze-proof data-live="/fragments/freeze" data-live-kinds="stop" { (question()) } });
    };
    let after = around.last_event.saturating_sub(EVENTS_MAX as u64);
    let events = dashboard.queries.events(after, EVENTS_MAX).await?;
    Ok(html! {
        div #freeze-proof data-live="/fragments/freeze" data-live-kinds="stop payment post" {
            p { strong { "The fleet is frozen" } " since " (values::time(freeze.since, around.now)) " by " (super::components::outside_line(&freeze.by)) "." }
            p { (super::components::outside(&freeze.reason)) }
            (since(&events))
            @if role >= Role::Owner {
                form data-method="DELETE" data-action="/api/freezes/fleet" data-then="reload" {
                    p.problem data-problem hidden {}
                    footer { button.button type="button" data-act="close" autofocus { "Keep it frozen" } button.button.danger type="submit" data-changes { "Lift the freeze" } }
                }
            } @else {
                footer { p.muted { "Only an owner lifts a freeze." } button.button type="button" data-act="close" autofocus { "Close" } }
            }
        }
    })
}

fn question() -> Markup {
    html! {
        p { "No money of any agent moves until an owner lifts it: nothing is signed or sent to a chain. What was signed before cannot be called back. Posts go on; pausing the fleet stops them." }
        form data-method="POST" data-action="/api/freezes" data-then="stay" {
            label { span { "Reason, for the ledger" } input.field name="reason" required maxlength="500" autocomplete="off" value="an emergency stop from mission control"; }
            p.problem data-problem hidden {}
            footer { button.button type="button" data-act="close" autofocus { "Cancel" } button.button.danger type="submit" data-changes { "Freeze the fleet" } }
        }
    }
}

/// The event of the freeze, and how often each thing happened after it.
fn since(events: &[EventRow]) -> Markup {
    // Freezing what is frozen writes nothing, so the newest of them is the one that holds.
    let is_freeze = |event: &&EventRow| event.kind == "stop" && event.state == "frozen" && event.agent_id.is_none();
    let Some(own) = events.iter().rev().find(is_freeze) else {
        return html! { p.muted { "Its event is further back than the last " (EVENTS_MAX) " events." } };
    };
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for event in events.iter().filter(|event| event.number > own.number) {
        *counts.entry((&event.kind, &event.state)).or_default() += 1;
    }
    let of_kind = |kind: &str| counts.iter().filter(|((of, _), _)| *of == kind).map(|(_, count)| count).sum::<u64>();
    let named = |kind: &str| {
        let states = counts.iter().filter(|((of, _), _)| *of == kind);
        states.map(|((_, state), count)| format!("{count} {state}")).collect::<Vec<_>>().join(", ")
    };
    html! {
        p { "It is event " strong { (own.number) } ". After it:" }
        table.counts {
            tbody {
                @for (kind, label) in [("payment", "Payments"), ("post", "Posts"), ("task", "Tasks"), ("review", "Reviews")] {
                    tr { th scope="row" { (label) } td.number { (of_kind(kind)) } td { (named(kind)) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: u64, kind: &str, state: &str) -> EventRow {
        EventRow {
            number,
            at: format!("2026-11-19T05:00:{number:02}Z").parse().unwrap(),
            kind: kind.to_owned(),
            state: state.to_owned(),
            subject: "fleet".to_owned(),
            task_id: None,
            campaign_id: None,
            agent_id: None,
        }
    }

    #[test]
    fn only_what_happened_after_the_freeze_is_counted() {
        let events = [
            event(1, "stop", "frozen"),
            event(2, "payment", "signed"),
            event(3, "stop", "frozen"),
            event(4, "payment", "<b>"),
            event(5, "payment", "held"),
        ];

        let shown = since(&events).into_string();

        assert!(shown.contains("<strong>3</strong>"), "{shown}");
        assert!(shown.contains("Payments</th><td class=\"number\">2</td><td>1 &lt;b&gt;, 1 held"), "{shown}");
        assert!(shown.contains("Posts</th><td class=\"number\">0</td>"), "{shown}");
    }
}
