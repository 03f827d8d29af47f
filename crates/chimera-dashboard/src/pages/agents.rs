//! `/agents/{agent_id}` and `/agents/new`: one agent whole, and how another one is made.

use super::{
    amounts,
    answers::{failed, fragment, missing},
    assets,
    components::{
        Look, Tone, address, agent_state, banner, budget_bar, button_link, chip, definitions, empty, hash, outside_line, text::marked, time,
    },
    fleet::{counted, queue},
    lives, posts,
    shell::{self, Content, Section},
    stops::{Scope, dialog, stop_banner, stop_button},
};
use crate::{Dashboard, access::Visitor};
use axum::{
    Extension, Router,
    extract::{Path, State},
    response::Response,
    routing::get,
};
use chimera_core::{
    contracts::views::{
        agents::{AgentCampaign, AgentCard, AgentDetail, AgentState, StopKind},
        people::Role,
    },
    domain::hidden::{Lines, visible_line},
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new()
        .route("/agents/new", get(show_new))
        .route("/agents/{agent_id}", get(show))
        .route("/fragments/agents/{agent_id}/standing", get(show_standing))
}

pub(super) async fn show(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    let agent = match read(&dashboard, &id).await {
        Ok(agent) => agent,
        Err(refused) => return refused,
    };
    let content = Content {
        title: visible_line(&agent.card.name).into_owned(),
        section: Section::Fleet,
        tools: html! {},
        main: view(&agent, visitor.role, dashboard.play_money.is_some(), dashboard.clock.now()),
        is_full: false,
    };
    shell::page(&dashboard, &visitor, &content).await
}

async fn show_standing(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    match read(&dashboard, &id).await {
        Ok(agent) => fragment(standing(&agent, visitor.role, dashboard.clock.now())),
        Err(refused) => refused,
    }
}

async fn read(dashboard: &Dashboard, id: &str) -> Result<AgentDetail, Response> {
    let Ok(id) = id.parse() else { return Err(missing("agent")) };
    match dashboard.agent(&id).await {
        Ok(Some(agent)) => Ok(agent),
        Ok(None) => Err(missing("agent")),
        Err(error) => Err(failed(&error)),
    }
}

pub(super) async fn show_new(State(dashboard): State<Arc<Dashboard>>, Extension(visitor): Extension<Visitor>) -> Response {
    let main = new_view(visitor.role);
    let content = Content { title: "New agent".to_owned(), section: Section::Fleet, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

pub(super) fn view(agent: &AgentDetail, role: Role, has_play_money: bool, now: DateTime<Utc>) -> Markup {
    html! {
        script type="module" src=(assets::address("agents.js")) {}
        p.crumbs { a href="/fleet" { "Fleet" } " / " span.id { (agent.card.agent_id) } }
        (standing(agent, role, now))
        div.columns {
            div {
                section {
                    h2 { "Posts" }
                    @if agent.posts.is_empty() {
                        (empty("It has not posted yet.", &html! { "A running campaign that it is in gives it something to post." }))
                    } @else { (posts::posts(&agent.card.agent_id, &agent.posts, now)) }
                }
                section {
                    h2 { "SOUL" }
                    p.muted {
                        "Who it is, as it was given. " a href={ "/agents/" (agent.card.agent_id) "/soul" } { @if role >= Role::Operator { "Change it, or look at its history" } @else { "Its history" } } "."
                    }
                    details open { summary { "SOUL.md" } pre.soul dir="auto" tabindex="0" { (marked(&agent.soul_source, Lines::Many)) } }
                }
            }
            aside {
                section { h2 { "Wallet" } (wallet(agent)) @if has_play_money && role >= Role::Operator { (lives::fund(&agent.card.agent_id)) } }
                section { h2 { "Campaigns" } (campaigns(&agent.campaigns, role)) }
                section {
                    h2 { "About" }
                    (definitions(&[
                        ("Made", time(agent.created_at, now)),
                        ("SOUL version", hash(&agent.soul_version)),
                    ]))
                    p.links { a href={ "/agents/" (agent.card.agent_id) "/memory" } { "What it remembers" } }
                }
            }
        }
        (dialog(role))
        (lives::retire_dialog(&agent.card, role))
    }
}

/// What it does now and what stops it; replaced when that changes.
pub(super) fn standing(agent: &AgentDetail, role: Role, now: DateTime<Utc>) -> Markup {
    let card = &agent.card;
    let scope = Scope::Agent { id: &card.agent_id, name: &card.name };
    html! {
        div #agent-standing .standing data-live={ "/fragments/agents/" (card.agent_id) "/standing" } data-live-for=(card.agent_id)
            data-live-kinds="agent task review answer payment stop" {
            p.because dir="auto" {
                (agent_state(card.state)) " " (super::components::why::why(super::components::why::Why::State)) " " (marked(&card.because, Lines::One))
                @if let Some(since) = card.since { " " span.muted { (time(since, now)) } }
            }
            p.queue { (queue(&card.queue)) (reviews(card)) }
            @if let Some(error) = &card.last_error { (banner(Tone::Danger, &html! { "Its last failure: " (outside_line(error)) })) }
            div.acts {
                @if card.state != AgentState::Retired {
                    (stop_button(StopKind::Pause, scope, "Pause agent", role))
                    (stop_button(StopKind::Freeze, scope, "Freeze agent", role))
                }
                (lives::retire_button(card, role))
            }
            div #stops { @for stop in &agent.stops { (stop_banner(stop, role, now)) } }
        }
    }
}

fn reviews(card: &AgentCard) -> Markup {
    html! {
        @if card.reviews_pending > 0 {
            " · " a href={ "/review?agent=" (card.agent_id) } { (counted(card.reviews_pending, "review")) " waiting" }
        }
    }
}

fn wallet(agent: &AgentDetail) -> Markup {
    html! {
        (address(&agent.address, None))
        h3 { "Balances" }
        // Chains are asked after the page is drawn: they may be slow, and the page is not.
        div #balances data-agent=(agent.card.agent_id) aria-live="polite" {
            p.muted { "Its chains are asked once the page is drawn; this needs scripts." }
        }
        h3 { "Today" }
        @if agent.card.budgets.is_empty() {
            p.muted { "Nothing spent, and no limit is known." }
        }
        @for day in &agent.card.budgets { (budget_bar(day)) }
        @if agent.card.budgets.iter().any(amounts::is_used) {
            p { a href={ "/money?agent=" (agent.card.agent_id) } { "Its transfers and ledger" } }
        }
    }
}

fn campaigns(campaigns: &[AgentCampaign], role: Role) -> Markup {
    html! {
        @if campaigns.is_empty() {
            @if role >= Role::Operator {
                (empty("It is in no campaign, so it has nothing to do.", &button_link(Look::Plain, "/campaigns/new", "New campaign")))
            } @else {
                (empty("It is in no campaign, so it has nothing to do.", &html! { "An operator can start one." }))
            }
        } @else {
            ul.rows {
                @for campaign in campaigns {
                    li { a href={ "/campaigns/" (campaign.campaign_id) } { (outside_line(&campaign.goal)) } " " (campaign_status(&campaign.status)) }
                }
            }
        }
    }
}

pub(super) fn campaign_status(status: &str) -> Markup {
    let tone = match status {
        "running" => Tone::Ok,
        "paused" => Tone::Warn,
        "exhausted" => Tone::Danger,
        _ => Tone::Neutral,
    };
    chip(tone, status)
}

/// Whole and valid: who begins with it has an agent after two changes.
const EXAMPLE: &str = include_str!("example_soul.md");

fn new_view(role: Role) -> Markup {
    if role < Role::Operator {
        return empty("Agents are made by operators.", &button_link(Look::Plain, "/fleet", "To the fleet"));
    }
    html! {
        script type="module" src=(assets::address("agents.js")) {}
        p.crumbs { a href="/fleet" { "Fleet" } }
        p.lead {
            "An agent is a persona, written down in one file: SOUL.md. It gets a wallet of its own. Its id and its wallet stay; "
            "the rest of the SOUL can be changed later."
        }
        form #new-agent .form data-method="POST" data-action="/api/agents" data-then="/agents/{agent_id}" {
            div.acts {
                label.button { "Choose a file" input #soul-file .visually-hidden type="file" accept=".md,.markdown,text/markdown,text/plain"; }
                button #soul-example .button type="button" { "Start from an example" }
            }
            label {
                span { "SOUL.md" }
                textarea #soul .field.code name="soul" rows="24" required spellcheck="false" dir="auto" aria-describedby="soul-check" {}
            }
            div #soul-check .check role="status" { p.muted { "It is checked while you write. Nothing is made before you press the button." } }
            div.problem data-problem role="alert" hidden {}
            footer { button #make-agent .button.primary type="submit" data-changes { "Make the agent" } }
        }
        details { summary { "Read the example" } pre #soul-example-text .soul { (EXAMPLE) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chimera_core::domain::Soul;

    #[test]
    fn the_example_is_a_soul() {
        assert_eq!(Soul::parse(EXAMPLE).map(|soul| soul.name).unwrap(), "Selam");
        assert!(new_view(Role::Operator).into_string().contains("name: Selam"));
        assert!(!new_view(Role::Reviewer).into_string().contains("/api/agents"));
    }
}
