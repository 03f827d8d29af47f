//! `/fleet`: every agent at a glance in one page, and what stops all of them.

use super::{
    answers::{failed, fragment},
    assets,
    components::why::{Why, why},
    components::{Look, agent_state, budget_bar, button_link, chips::platform_name, empty, outside_line, text::marked, time},
    row_ids::RowIds,
    shell::{self, Content, Section},
    stops::{Scope, dialog, stop_banner, stop_button},
};
use crate::{Dashboard, access::Visitor};
use axum::{
    Extension, Router,
    extract::{Query, State},
    response::Response,
    routing::get,
};
use chimera_core::{
    contracts::views::{
        agents::{AgentCard, AgentState, Fleet, LastPost, Queue, StopKind},
        people::Role,
    },
    domain::hidden::Lines,
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/fleet", get(show)).route("/fragments/agents", get(show_cards))
}

pub(super) async fn show(State(dashboard): State<Arc<Dashboard>>, Extension(visitor): Extension<Visitor>) -> Response {
    let fleet = match dashboard.fleet().await {
        Ok(fleet) => fleet,
        Err(error) => return failed(&error),
    };
    let main = view(&fleet, visitor.role, dashboard.clock.now());
    let content = Content { title: "Fleet".to_owned(), section: Section::Fleet, tools: tools(visitor.role), main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

async fn show_cards(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(asked): Query<RowIds>,
) -> Response {
    let ids = asked.all();
    match dashboard.fleet().await {
        Ok(fleet) => {
            let now = dashboard.clock.now();
            fragment(
                html! { @for agent in fleet.agents.iter().filter(|agent| ids.contains(agent.agent_id.as_str())) { (card(agent, visitor.role, now)) } },
            )
        }
        Err(error) => failed(&error),
    }
}

pub(super) fn view(fleet: &Fleet, role: Role, now: DateTime<Utc>) -> Markup {
    html! {
        (fleet_pauses(fleet, role, now))
        @if fleet.agents.is_empty() {
            (nobody(role))
        } @else {
            script type="module" src=(assets::address("fleet.js")) {}
            (filters(fleet, role))
            ul #agents .agents data-list data-live="/fragments/agents" data-live-rows data-live-kinds=(KINDS) {
                @for agent in in_service_first(&fleet.agents) { (card(agent, role, now)) }
            }
            p #none-match .empty hidden { "No agent matches. " button #show-all .button type="button" { "Show all" } }
        }
        (dialog(role))
    }
}

/// Who is retired comes last.
fn in_service_first(agents: &[AgentCard]) -> impl Iterator<Item = &AgentCard> {
    let (retired, at_work): (Vec<&AgentCard>, Vec<&AgentCard>) = agents.iter().partition(|agent| agent.state == AgentState::Retired);
    at_work.into_iter().chain(retired)
}

/// Hints that may change what a card says.
const KINDS: &str = "agent task review answer post payment stop";

/// Beside the page's title, where a phone has room for one.
fn tools(role: Role) -> Markup {
    html! { @if role >= Role::Operator { (button_link(Look::Primary, "/agents/new", "New agent")) } }
}

/// The shell tells of every stop; here are those that can be lifted here.
fn fleet_pauses(fleet: &Fleet, role: Role, now: DateTime<Utc>) -> Markup {
    html! { @for stop in fleet.stops.iter().filter(|stop| stop.kind == StopKind::Pause) { (stop_banner(stop, role, now)) } }
}

fn nobody(role: Role) -> Markup {
    let why = "There are no agents yet. An agent is a persona (SOUL.md) with a wallet of its own.";
    if role >= Role::Operator {
        empty(why, &button_link(Look::Primary, "/agents/new", "Make the first agent"))
    } else {
        empty(why, &html! { "An operator can make the first one." })
    }
}

/// Of use with script alone, which shows it.
fn filters(fleet: &Fleet, role: Role) -> Markup {
    let agents = &fleet.agents;
    let is_paused = fleet.stops.iter().any(|stop| stop.kind == StopKind::Pause);
    let count = |state: AgentState| agents.iter().filter(|agent| agent.state == state).count();
    html! {
        form #fleet-filter .filter role="search" hidden {
            label.field.search { span.visually-hidden { "Search by name, id or what it does" }
                input #fleet-search type="search" placeholder="Search" autocomplete="off" data-search=""; }
            fieldset.states {
                legend.visually-hidden { "States" }
                @for state in AgentState::ALL {
                    label.state-filter hidden[count(state) == 0] {
                        input type="checkbox" name="state" value=(state.name());
                        (agent_state(state)) span.count data-count=(state.name()) { (count(state)) }
                    }
                }
            }
            output #fleet-count { (agents.len()) " agents" }
            @if !is_paused { (stop_button(StopKind::Pause, Scope::Fleet, "Pause the fleet", role)) }
        }
    }
}

pub(super) fn card(agent: &AgentCard, role: Role, now: DateTime<Utc>) -> Markup {
    let scope = Scope::Agent { id: &agent.agent_id, name: &agent.name };
    html! {
        li.agent id={ "agent-" (agent.agent_id) } data-row data-live-id=(agent.agent_id) data-state=(agent.state.name()) {
            header {
                h2 dir="auto" { a href={ "/agents/" (agent.agent_id) } { (marked(&agent.name, Lines::One)) } }
                (agent_state(agent.state)) (why(Why::State))
            }
            p.id { (agent.agent_id) }
            p.because dir="auto" {
                (marked(&agent.because, Lines::One))
                @if let Some(since) = agent.since { " " span.muted { (time(since, now)) } }
            }
            p.queue {
                (queue(&agent.queue))
                @if agent.campaigns > 0 { " · " (counted(agent.campaigns, "campaign")) }
                @if agent.reviews_pending > 0 {
                    " · " a href={ "/review?agent=" (agent.agent_id) } { (counted(agent.reviews_pending, "review")) " waiting" }
                }
            }
            @for day in &agent.budgets { (budget_bar(day)) }
            @if let Some(post) = &agent.last_post { p.last-post.muted { (last_post(post, now)) } }
            @if let Some(error) = &agent.last_error { p.error { (outside_line(error)) } }
            @if role >= Role::Reviewer && agent.state != AgentState::Retired {
                footer.acts {
                    @if agent.state != AgentState::Paused { (stop_button(StopKind::Pause, scope, "Pause", role)) }
                    @if agent.state != AgentState::Frozen { (stop_button(StopKind::Freeze, scope, "Freeze", role)) }
                    @if matches!(agent.state, AgentState::Paused | AgentState::Frozen) {
                        a.button.small href={ "/agents/" (agent.agent_id) "#stops" } { "What stops it" }
                    }
                }
            }
        }
    }
}

/// What it has to do, without what it has none of.
pub(super) fn queue(queue: &Queue) -> String {
    let Queue { pending, in_progress, review, awaiting_person, returned } = *queue;
    let parts = [
        (in_progress, "in work"),
        (review, "before the judge"),
        (awaiting_person, "for a person"),
        (pending, "to begin"),
        (returned, "to plan again"),
    ];
    let told: Vec<String> = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if told.is_empty() { "Nothing queued".to_owned() } else { told.join(" · ") }
}

fn last_post(post: &LastPost, now: DateTime<Utc>) -> Markup {
    html! { "Last post: " (post.status.replace('_', " ")) " on " (platform_name(&post.platform)) ", " (time(post.at, now)) }
}

/// `1 campaign`, `2 campaigns`.
pub(super) fn counted(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}
