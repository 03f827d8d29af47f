//! `/agents/{agent_id}/soul`: an agent's SOUL, to be changed, and every one that it had.

mod changes;

use super::{
    answers::{failed, fragment, missing},
    assets,
    components::{empty, layout::more, outside_line, time},
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
    contracts::views::{
        Page,
        agents::{AgentCard, AgentDetail},
        people::Role,
        souls::SoulVersion,
    },
    domain::hidden::visible_line,
    ports::queries::PageOf,
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

/// Versions of one page.
const SHOWN: usize = 20;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/agents/{agent_id}/soul", get(show)).route("/fragments/agents/{agent_id}/soul", get(show_standing))
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Older {
    /// The `next` of the page before.
    cursor: Option<String>,
}

pub(super) async fn show(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Query(older): Query<Older>,
) -> Response {
    let read = match read(&dashboard, &id, &older).await {
        Ok(read) => read,
        Err(refused) => return refused,
    };
    let title = format!("SOUL of {}", visible_line(&read.agent.card.name));
    let main = view(&read, visitor.role, dashboard.clock.now());
    let content = Content { title, section: Section::Fleet, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

async fn show_standing(State(dashboard): State<Arc<Dashboard>>, Path(id): Path<String>) -> Response {
    match read(&dashboard, &id, &Older::default()).await {
        Ok(read) => fragment(standing(&read.agent.card, read.standing.as_ref(), dashboard.clock.now())),
        Err(refused) => refused,
    }
}

/// What the page is made of.
struct Souls {
    agent: AgentDetail,
    standing: Option<SoulVersion>,
    /// Each with the one before it, where there is one.
    versions: Vec<(SoulVersion, Option<SoulVersion>)>,
    next: Option<String>,
}

async fn read(dashboard: &Dashboard, id: &str, older: &Older) -> Result<Souls, Response> {
    let Ok(id) = id.parse() else { return Err(missing("agent")) };
    let agent = dashboard.agent(&id).await.map_err(|error| failed(&error))?.ok_or_else(|| missing("agent"))?;
    let cursor = older.cursor.as_deref().and_then(|cursor| cursor.parse().ok());
    // One more than is shown: the last one is told by what it changed, too.
    let page = PageOf { cursor, ..PageOf::first(SHOWN + 1) };
    let Page { items, next } = dashboard.lives.souls(&id, &page).await.map_err(|error| failed(&error))?;
    let standing = if cursor.is_none() {
        items.first().cloned()
    } else {
        let newest = dashboard.lives.souls(&id, &PageOf::first(1)).await.map_err(|error| failed(&error))?;
        newest.items.into_iter().next()
    };
    let has_next = next.is_some() || items.len() > SHOWN;
    let mut versions: Vec<(SoulVersion, Option<SoulVersion>)> =
        items.iter().enumerate().map(|(place, soul)| (soul.clone(), items.get(place + 1).cloned())).collect();
    versions.truncate(SHOWN);
    let next = versions.last().filter(|_| has_next).map(|(last, _)| last.number.to_string());
    Ok(Souls { agent, standing, versions, next })
}

fn view(souls: &Souls, role: Role, now: DateTime<Utc>) -> Markup {
    let card = &souls.agent.card;
    let address = format!("/agents/{}/soul", card.agent_id);
    html! {
        script type="module" src=(assets::address("agents.js")) {}
        script type="module" src=(assets::address("soul.js")) {}
        p.crumbs { a href="/fleet" { "Fleet" } " / " a href={ "/agents/" (card.agent_id) } { (outside_line(&card.name)) } " / " span.id { (card.agent_id) } }
        (standing(card, souls.standing.as_ref(), now))
        @if role >= Role::Operator {
            (editor(souls, &address))
        } @else {
            p.muted { "A SOUL is changed by operators." }
        }
        section #history {
            h2 { "History" }
            @if souls.versions.is_empty() {
                (empty("Nothing is known of its earlier SOULs.", &html! { "Each one that is saved from now on is listed here." }))
            }
            ol.souls reversed {
                @for (soul, before) in &souls.versions { (version(soul, before.as_ref(), role >= Role::Operator && souls.standing.as_ref() != Some(soul), now)) }
            }
            (more(&Page::<SoulVersion> { items: Vec::new(), next: souls.next.clone() }, &address))
        }
    }
}

/// Which SOUL it works by; replaced when another one is saved.
fn standing(card: &AgentCard, soul: Option<&SoulVersion>, now: DateTime<Utc>) -> Markup {
    html! {
        p #soul-standing .lead data-live={ "/fragments/agents/" (card.agent_id) "/soul" } data-live-for=(card.agent_id) data-live-kinds="agent"
            data-number=[soul.map(|soul| soul.number)] {
            @if let Some(soul) = soul { "It works by version " (soul.number) ", " (saved(soul, now)) ". " }
            "A new one counts from its next task on. Its id and its wallet stay as they are. What waits for a review keeps its words; an answer is checked by the SOUL that stands then."
        }
    }
}

fn saved(soul: &SoulVersion, now: DateTime<Utc>) -> Markup {
    html! {
        @match &soul.by {
            Some(by) => { "saved by " (outside_line(by)) ", " }
            None => { "as it was made, " }
        }
        (time(soul.at, now))
    }
}

fn editor(souls: &Souls, address: &str) -> Markup {
    let agent_id = &souls.agent.card.agent_id;
    let tag = souls.standing.as_ref().map(|soul| format!("\"{}\"", soul.number));
    html! {
        form #soul-form .form data-method="PUT" data-action={ "/api/agents/" (agent_id) "/soul" } data-if-match=[tag] data-then=(address) data-agent=(agent_id)
            data-number=[souls.standing.as_ref().map(|soul| soul.number)] {
            div.acts { label.button { "Choose a file" input #soul-file .visually-hidden type="file" accept=".md,.markdown,text/markdown,text/plain"; } }
            label {
                span { "SOUL.md" }
                textarea #soul .field.code name="soul" rows="20" required spellcheck="false" dir="auto" aria-describedby="soul-check" data-agent=(agent_id) { (souls.agent.soul_source) }
            }
            div #soul-check .check role="status" { p.muted { "It is checked while you write. Nothing is changed before you press the button." } }
            div #soul-moved role="status" {}
            section { h2 { "What changes" } div #soul-difference { p.muted { "Nothing yet." } } }
            div.problem data-problem role="alert" hidden {}
            footer { button #save-soul .button.primary type="submit" data-changes { "Save this SOUL" } }
        }
    }
}

fn version(soul: &SoulVersion, before: Option<&SoulVersion>, may_be_put_back: bool, now: DateTime<Utc>) -> Markup {
    html! {
        li value=(soul.number) {
            details id={ "soul-" (soul.number) } {
                summary { "Version " (soul.number) ", " (saved(soul, now)) }
                @match before {
                    Some(before) => (changes::lines(&before.soul_source, &soul.soul_source)),
                    None => (changes::whole(&soul.soul_source)),
                }
            }
            @if may_be_put_back {
                button.button.small type="button" data-put-back=(soul.number) { "Put version " (soul.number) " back into the editor" }
            }
        }
    }
}
