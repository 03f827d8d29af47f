//! `/replay`: the fleet as it stood after any event, by a slider, by keys, or playing.

use super::{
    answers::{failed, fragment, missing},
    assets,
    components::{agent_state, empty, exact, outside_line, time},
    fleet::{counted, queue},
    keys,
    shell::{self, Content, Section},
};
use crate::{Dashboard, access::Visitor, hindsight::ReplayQuery};
use axum::{
    Extension, Router,
    extract::{Query, State},
    response::Response,
    routing::get,
};
use chimera_core::contracts::views::hindsight::{AgentThen, FleetThen, HeldThen, StopThen};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use std::{collections::HashMap, sync::Arc};

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/replay", get(show)).route("/fragments/replay", get(show_then))
}

pub(super) type Fields = Query<HashMap<String, String>>;

/// As a form sends it, whose time has no zone and means UTC.
fn asked(Query(fields): &Fields) -> ReplayQuery {
    let at = fields.get("at").filter(|at| !at.is_empty());
    let whole = |at: &String| match at.len() {
        16 => format!("{at}:00Z"),
        19 => format!("{at}Z"),
        _ => at.clone(),
    };
    ReplayQuery { event: fields.get("event").and_then(|text| text.parse().ok()), at: at.map(whole) }
}

pub(super) async fn show(State(dashboard): State<Arc<Dashboard>>, Extension(visitor): Extension<Visitor>, fields: Fields) -> Response {
    let Ok(moment) = asked(&fields).moment() else { return missing("time") };
    let then = match dashboard.fleet_then(moment).await {
        Ok(then) => then,
        Err(error) => return failed(&error),
    };
    let main = view(&then, dashboard.clock.now());
    let content = Content { title: "Replay".to_owned(), section: Section::Replay, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

async fn show_then(State(dashboard): State<Arc<Dashboard>>, fields: Fields) -> Response {
    let Ok(moment) = asked(&fields).moment() else { return missing("time") };
    match dashboard.fleet_then(moment).await {
        Ok(then) => fragment(told(&then, dashboard.clock.now())),
        Err(error) => failed(&error),
    }
}

fn view(then: &FleetThen, now: DateTime<Utc>) -> Markup {
    html! {
        script type="module" src=(assets::address("hindsight.js")) {}
        @if then.last == 0 {
            (empty("Nothing has happened yet.", &html! { "What agents do is written down as events, and each of them can be gone back to here." }))
        } @else {
            p.lead { "The fleet as the event log tells it. " strong { "Nothing is changed by looking back." } }
            (scrubber(then))
            (told(then, now))
        }
    }
}

fn scrubber(then: &FleetThen) -> Markup {
    let hint = |act: &str| html! { @if let Some(keys) = keys::of_act(act) { kbd.hint aria-hidden="true" { (keys) } } };
    let step = |act: &str, event: u64, label: &str| {
        html! {
            a.button href={ "/replay?event=" (event) } data-act=(act) data-replay-step { (label) " " (hint(act)) }
        }
    };
    html! {
        div #scrubber .panel.scrubber data-replay=(then.event) data-last=(then.last) {
            form method="get" action="/replay" {
                label for="event" { "Event" }
                input #event type="range" name="event" min="1" max=(then.last) step="1" value=(then.event);
                output for="event" { (then.event) " of " (then.last) }
                noscript { button.button type="submit" { "Show" } }
            }
            div.acts {
                (step("replay-previous", then.event.saturating_sub(1), "Back"))
                button.button type="button" data-act="replay-play" aria-pressed="false" { span { "Play" } " " (hint("replay-play")) }
                (step("replay-next", (then.event + 1).min(then.last), "On"))
                form.at method="get" action="/replay" {
                    label for="at" { "At (UTC)" }
                    input #at type="datetime-local" name="at" step="1" required;
                    button.button type="submit" { "Go" }
                }
            }
        }
    }
}

/// What the script puts in the place of what was there.
fn told(then: &FleetThen, now: DateTime<Utc>) -> Markup {
    html! {
        div #replay-then data-event=(then.event) data-last=(then.last) {
            (moment(then, now))
            (stops(&then.stops, now))
            (held(&then.held_answers, now))
            @if then.agents.is_empty() {
                p.empty { "No agent is known of that time." }
            } @else {
                ul.agents.then data-list { @for agent in &then.agents { (card(agent)) } }
            }
            details #unknown-then { summary { "What cannot be known of the past" } ul.plain { @for line in &then.unknown { li { (line) } } } }
        }
    }
}

fn moment(then: &FleetThen, now: DateTime<Utc>) -> Markup {
    html! {
        section.panel #moment aria-live="polite" {
            @match &then.happened {
                Some(event) => {
                    h2 { "After event " (event.number) ", " (exact(event.at)) }
                    p {
                        (outside_line(&event.kind)) ": " strong { (outside_line(&event.state.replace('_', " "))) }
                        @if let Some(agent) = &event.agent_id { ", of " a href={ "/agents/" (agent) } { (outside_line(agent)) } }
                        @if let Some(task) = &event.task_id { ". " a href={ "/stories/" (task) } { "Its story" } }
                        " " span.muted { (time(event.at, now)) }
                    }
                }
                None => { h2 { "Before the first event" } }
            }
            p.muted {
                (counted(then.running_campaigns, "campaign")) " running"
                @if let (Some(first), Some(last)) = (then.first_at, then.last_at) { ". The log goes from " (exact(first)) " to " (exact(last)) "." }
            }
        }
    }
}

fn stops(stops: &[StopThen], now: DateTime<Utc>) -> Markup {
    html! {
        @if !stops.is_empty() {
            section.panel #stops-then {
                h2 { "Stopped" }
                ul.plain { @for stop in stops {
                    li { strong { (stop.state) } ": " (stop.agent_id.as_deref().map_or_else(|| html! { "the whole fleet" }, outside_line))
                        ", since " a href={ "/replay?event=" (stop.event) } { "event " (stop.event) } ", " (time(stop.since, now)) }
                } }
            }
        }
    }
}

fn held(held: &[HeldThen], now: DateTime<Utc>) -> Markup {
    html! {
        @if !held.is_empty() {
            section.panel #held-then {
                h2 { "Answers that were held" }
                ul.plain { @for answer in held {
                    li { a href={ "/review/" (answer.review_id) } { "A review" }
                        @if let Some(agent) = &answer.agent_id { " of " (outside_line(agent)) } ", since " (time(answer.since, now)) }
                } }
            }
        }
    }
}

fn card(agent: &AgentThen) -> Markup {
    html! {
        li.agent data-row data-state=(agent.state.name()) {
            header { h2 { a href={ "/agents/" (agent.agent_id) } { (outside_line(&agent.agent_id)) } } (agent_state(agent.state)) }
            p.because dir="auto" { (outside_line(&agent.because)) }
            p.queue {
                (queue(&agent.queue))
                @if agent.reviews_pending > 0 { " · " (counted(agent.reviews_pending, "review")) " waiting" }
                @if agent.posts_waiting > 0 { " · " (counted(agent.posts_waiting, "post")) " to leave" }
                @if agent.payments_open > 0 { " · " (counted(agent.payments_open, "payment")) " open" }
            }
        }
    }
}

#[cfg(test)]
mod tests;
