//! `/settings`: how this browser shows things, who is signed in, and, for owners, who else may.

use super::{
    answers::failed,
    assets,
    components::{Tone, banner, chip, definitions, time},
    shell::{self, Content, Section},
};
use crate::{Dashboard, access::Visitor};
use axum::{Extension, Router, extract::State, response::Response, routing::get};
use chimera_core::contracts::views::people::{PersonRow, Role};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/settings", get(show))
}

pub(super) async fn show(State(dashboard): State<Arc<Dashboard>>, Extension(visitor): Extension<Visitor>) -> Response {
    let now = dashboard.clock.now();
    let people = if visitor.role >= Role::Owner {
        match dashboard.access.people(now).await {
            Ok(people) => Some(people),
            Err(error) => return failed(&error),
        }
    } else {
        None
    };
    let main = view(&visitor, people.as_deref(), now);
    let content = Content { title: "Settings".to_owned(), section: Section::Settings, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

/// `everybody` is known to owners alone.
fn view(visitor: &Visitor, everybody: Option<&[PersonRow]>, now: DateTime<Utc>) -> Markup {
    html! {
        script type="module" src=(assets::address("settings.js")) {}
        div.settings.stack {
            (this_browser())
            (you(visitor))
            @if let Some(everybody) = everybody { (people(everybody, visitor, now)) }
        }
    }
}

fn this_browser() -> Markup {
    html! {
        section.panel {
            h2 { "This browser" }
            fieldset {
                legend { "Theme" }
                div.line {
                    @for (value, label) in [("auto", "As the system has it"), ("light", "Light"), ("dark", "Dark")] {
                        label.tick { input type="radio" name="theme" value=(value) data-setting="theme" checked[value == "auto"]; span { (label) } }
                    }
                }
            }
            fieldset {
                legend { "Keys" }
                label.tick { input type="checkbox" data-setting="keys" checked; span { "Single keys do things, such as " kbd { "a" } " for approve" } }
                p.muted { "Switch them off if you speak to your computer, or press keys by accident. " button.button.small type="button" data-act="keys" { "Show all keys" } }
            }
        }
    }
}

fn you(visitor: &Visitor) -> Markup {
    html! {
        section.panel {
            h2 { "You" }
            (definitions(&[
                ("Signed in as", html! { (visitor.name.as_str()) }),
                ("Role", html! { (chip(Tone::Accent, visitor.role.name())) " " span.muted { (may(visitor.role)) } }),
            ]))
            p.muted { "Your name stands on every decision you make." }
            form #sign-out .plain data-method="DELETE" data-action="/api/session" data-then="/login" {
                button.button type="submit" { "Sign out here" }
                div.problem data-problem role="alert" hidden {}
            }
        }
    }
}

fn may(role: Role) -> &'static str {
    match role {
        Role::Viewer => "You may read everything but keys.",
        Role::Reviewer => "You may decide on content, and stop agents.",
        Role::Operator => "You may decide on content and money, run campaigns, make agents, and let paused ones go on.",
        Role::Owner => "You may do everything, unfreeze and give out keys among it.",
    }
}

fn people(everybody: &[PersonRow], visitor: &Visitor, now: DateTime<Utc>) -> Markup {
    html! {
        section #people .panel {
            h2 { "People" }
            // The script writes a new key or link in it, once.
            div #secret .secret hidden aria-live="polite" {}
            @if everybody.iter().all(|person| person.name == visitor.name.as_str()) {
                (banner(Tone::Accent, &html! { "Nobody else can sign in. Add the people who review: each has a name of their own on the record." }))
            }
            ul.rows { @for person in everybody { (person_row(person, visitor, now)) } }
            h3 { "Add somebody" }
            form #add-person .line data-method="POST" data-action="/api/people" {
                label { span { "Name (one word: letters, digits, dots, dashes)" } input.field name="name" required maxlength="64" pattern="[\\p{L}\\p{N}._\\-]+" title="Letters, digits, dots, dashes and underscores" autocapitalize="none" autocomplete="off" spellcheck="false"; }
                label { span { "Role" } select name="role" { @for role in Role::ALL { option value=(role.name()) selected[role == Role::Reviewer] { (role.name()) } } } }
                button.button.primary type="submit" data-changes { "Add" }
                div.problem data-problem role="alert" hidden {}
            }
            details { summary { "What each role may do" } (definitions(&Role::ALL.map(|role| (role.name(), html! { (may(role)) })))) }
        }
    }
}

fn person_row(person: &PersonRow, visitor: &Visitor, now: DateTime<Utc>) -> Markup {
    let is_you = person.name == visitor.name.as_str();
    let devices = match person.devices {
        0 => "not signed in".to_owned(),
        1 => "signed in on 1 browser".to_owned(),
        many => format!("signed in on {many} browsers"),
    };
    html! {
        li.person-row {
            div {
                p.line { strong dir="auto" { (person.name) } (chip(Tone::Neutral, person.role.name())) @if is_you { span.muted { "you" } } }
                p.muted {
                    (devices)
                    @if let Some(seen) = person.last_seen_at { ", last seen " (time(seen, now)) }
                    " · added " (time(person.added_at, now))
                }
            }
            div.acts {
                form.plain data-link-for=(person.name) data-method="POST" data-action={ "/api/people/" (path_part(&person.name)) "/link" } {
                    button.button.small type="submit" data-changes { "Sign-in link" }
                    div.problem data-problem role="alert" hidden {}
                }
                @if !is_you {
                    form.plain data-method="DELETE" data-action={ "/api/people/" (path_part(&person.name)) } data-confirm={ "Remove " (person.name) "? Their key and every browser of theirs stop working at once. What they decided stays on the record." } data-confirm-label="Remove" data-then="reload" {
                        button.button.small.danger type="submit" data-changes { "Remove" }
                        div.problem data-problem role="alert" hidden {}
                    }
                }
            }
        }
    }
}

/// Names may have letters of any script.
fn path_part(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect()
}
