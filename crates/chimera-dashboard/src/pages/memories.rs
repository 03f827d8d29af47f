//! `/agents/{agent_id}/memory`: what an agent remembers and was taught, and how it is made to forget.

use super::{
    answers::{failed, missing},
    components::{Tone, chip, empty, outside, outside_line, time},
    shell::{self, Content, Section},
};
use crate::{Dashboard, access::Visitor};
use axum::{
    Extension, Router,
    extract::{Path, Query, State},
    response::Response,
    routing::get,
};
use chimera_core::{
    contracts::{
        memory_context::MemoryRole,
        views::{
            Page,
            memories::{MemoryRow, Taught},
            people::Role,
        },
    },
    domain::AgentId,
    ports::queries::{Cursor, PageOf},
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

const ROWS_SHOWN: usize = 50;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/agents/{agent_id}/memory", get(show))
}

#[derive(Deserialize, Default)]
pub(super) struct Asked {
    cursor: Option<String>,
}

pub(super) async fn show(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Response {
    let Ok(id) = id.parse::<AgentId>() else { return missing("agent") };
    let now = dashboard.clock.now();
    let agent = match dashboard.agent(&id).await {
        Ok(Some(agent)) => agent,
        Ok(None) => return missing("agent"),
        Err(error) => return failed(&error),
    };
    let cursor = asked.cursor.and_then(|cursor| cursor.parse::<Cursor>().ok());
    let page = cursor.into_iter().fold(PageOf::first(ROWS_SHOWN), PageOf::after);
    let memories = match dashboard.queries.memories(&id, &page).await {
        Ok(memories) => memories,
        Err(error) => return failed(&error),
    };
    let main = html! {
        p.crumbs { a href="/fleet" { "Fleet" } " / " a href={ "/agents/" (id) } { (outside_line(&agent.card.name)) } }
        (view(&id, &memories, visitor.role, now))
    };
    let content = Content { title: "Memory".to_owned(), section: Section::Fleet, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

fn view(agent: &AgentId, memories: &Page<MemoryRow>, role: Role, now: DateTime<Utc>) -> Markup {
    html! {
        p.lead { "What it said, what was said to it, and what your answers taught it. It writes with this in mind; what is forgotten is gone for good." }
        @if memories.items.is_empty() {
            (empty("It remembers nothing here.", &html! { "What it publishes, what people answer it and what reviewers teach it is kept as it happens." }))
        } @else {
            ul #memories .rows {
                @for row in &memories.items { (memory(agent, row, role, now)) }
            }
            @if let Some(next) = &memories.next {
                p.more { a.button href={ "/agents/" (agent) "/memory?cursor=" (next) } { "Older memories" } }
            }
            (forget_old(agent, role))
        }
    }
}

fn memory(agent: &AgentId, memory: &MemoryRow, role: Role, now: DateTime<Utc>) -> Markup {
    html! {
        li id={ "memory-" (memory.memory_id) } {
            header {
                (kind(memory))
                span.muted { (time(memory.at, now)) }
                @if let Some(campaign) = &memory.campaign_id { a href={ "/campaigns/" (campaign) } { "its campaign" } }
            }
            @match &memory.taught {
                Some(taught) => (lesson(taught)),
                None => p.text { (outside(&memory.content)) },
            }
            @if role >= Role::Operator {
                form.plain data-method="DELETE" data-action={ "/api/agents/" (agent) "/memories/" (memory.memory_id) } data-then="reload"
                    data-confirm="Forget this for good? It cannot be brought back." data-confirm-label="Forget" {
                    button.button.small type="submit" data-changes { "Forget" }
                    div.problem data-problem role="alert" hidden {}
                }
            }
        }
    }
}

fn kind(memory: &MemoryRow) -> Markup {
    match (&memory.taught, memory.role) {
        (Some(_), _) => chip(Tone::Accent, "taught"),
        (None, MemoryRole::Assistant) => chip(Tone::Neutral, "it said"),
        (None, MemoryRole::User) => chip(Tone::Neutral, "it heard"),
    }
}

fn lesson(taught: &Taught) -> Markup {
    html! {
        p { span.muted { "It wrote " } (outside(&taught.written)) }
        @match &taught.edited {
            Some(edited) => p { span.muted { "A person made of it " } (outside(edited)) },
            None => p.muted { "A person turned it down." },
        }
        @if let Some(reason) = &taught.reason { p { span.muted { "Because " } (outside_line(reason)) } }
    }
}

fn forget_old(agent: &AgentId, role: Role) -> Markup {
    html! {
        @if role >= Role::Operator {
            section.panel {
                h2 { "Forget what is old" }
                form .form data-method="POST" data-action={ "/api/agents/" (agent) "/forget" } data-then="reload"
                    data-confirm="Forget all of it for good? It cannot be brought back." data-confirm-label="Forget" {
                    label { span { "Everything from before" } input.field type="datetime-local" name="before" data-type="instant" required; }
                    div.problem data-problem role="alert" hidden {}
                    footer { button.button.danger type="submit" data-changes { "Forget" } }
                }
            }
        }
    }
}
