//! `/calendar`: what is to be posted when. The agenda first, the month beside it. The server knows UTC alone; the script sorts both into the
//! reader's own days.

mod month;

use super::{
    answers::failed,
    assets,
    components::{Tone, chip, empty, more, outside, outside_line, platform_name},
    shell::{self, Content, Section},
};
use crate::{Dashboard, access::Visitor};
use axum::{
    Extension, Router,
    extract::{Query, State},
    response::Response,
    routing::get,
};
use chimera_core::{
    contracts::{
        UtcTime,
        views::{
            Page,
            campaigns::{CalendarRow, CampaignRow},
            people::Role,
        },
    },
    domain::Platform,
    ports::{
        StoreError,
        queries::{Cursor, PageOf},
    },
};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use maud::{Markup, html};
use month::Month;
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/calendar", get(show))
}

#[derive(Deserialize, Default)]
pub(super) struct Asked {
    /// `2026-11`
    month: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn show(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(asked): Query<Asked>,
) -> Response {
    let main = match read(&dashboard, &asked, visitor.role).await {
        Ok(main) => main,
        Err(error) => return failed(&error),
    };
    let content = Content { title: "Calendar".to_owned(), section: Section::Calendar, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

async fn read(dashboard: &Dashboard, asked: &Asked, role: Role) -> Result<Markup, StoreError> {
    let now = dashboard.clock.now();
    let month = asked.month.as_deref().and_then(Month::of_text).unwrap_or_else(|| Month::of(now.date_naive()));
    let cursor = asked.cursor.as_deref().and_then(|cursor| cursor.parse::<Cursor>().ok());
    let page = cursor.into_iter().fold(PageOf::first(PageOf::LIMIT_MAX), PageOf::after);
    let entries = dashboard.queries.calendar(None, month.begin(), &page).await?;
    let campaigns = dashboard.queries.campaigns(&PageOf::first(PageOf::LIMIT_MAX)).await?;
    Ok(view(&entries, &campaigns.items, month, role, now))
}

fn view(entries: &Page<CalendarRow>, campaigns: &[CampaignRow], month: Month, role: Role, now: DateTime<Utc>) -> Markup {
    let goals: BTreeMap<&str, &str> = campaigns.iter().map(|campaign| (campaign.campaign_id.as_str(), campaign.goal.as_str())).collect();
    html! {
        script type="module" src=(assets::address("calendar.js")) {}
        div.columns {
            section #agenda aria-label="Agenda" {
                @if entries.items.is_empty() { (nothing(month, campaigns, role)) }
                @else {
                    (agenda(&entries.items, &goals, role, now))
                    (more(entries, &format!("/calendar?month={}", month.text())))
                }
            }
            aside {
                (month::grid(month, &entries.items, now.date_naive()))
                @if role >= Role::Operator && !campaigns.is_empty() {
                    section.panel { h2 { "Add a date" } (entry_form(campaigns)) }
                }
            }
        }
    }
}

fn nothing(month: Month, campaigns: &[CampaignRow], role: Role) -> Markup {
    let why =
        format!("Nothing is on the calendar from {} on. Trends are told as they come; a date is for what you know before.", month.label());
    let next = html! {
        @if campaigns.is_empty() { a href="/campaigns/new" { "A date belongs to a campaign: begin one" } }
        @else if role >= Role::Operator { "Add the first date beside." }
        @else { "An operator can add a date." }
    };
    empty(&why, &next)
}

/// By the days of UTC; the script sorts them anew by the reader's.
fn agenda(entries: &[CalendarRow], goals: &BTreeMap<&str, &str>, role: Role, now: DateTime<Utc>) -> Markup {
    let mut days: BTreeMap<NaiveDate, Vec<&CalendarRow>> = BTreeMap::new();
    for entry in entries {
        days.entry(entry.at.0.date_naive()).or_default().push(entry);
    }
    for of_day in days.values_mut() {
        of_day.sort_by_key(|entry| entry.at);
    }
    html! {
        p.muted data-zone { "Days and times are in UTC." }
        @for (day, entries) in &days {
            section.day id={ "day-" (day) } data-day=(day) {
                h2 { time datetime=(day) { (day.format("%A, %-d %B %Y")) } }
                ul.rows {
                    @for entry in entries {
                        (row(entry, goals.get(entry.campaign_id.as_str()).copied(), role, now))
                    }
                }
            }
        }
    }
}

pub(super) fn row(entry: &CalendarRow, goal: Option<&str>, role: Role, now: DateTime<Utc>) -> Markup {
    html! {
        li.entry id={ "entry-" (entry.entry_id) } data-at=(exactly(entry.at)) {
            time.clock datetime=(exactly(entry.at)) data-clock { (entry.at.0.format("%H:%M")) }
            div {
                p {
                    @match &entry.about { Some(about) => (outside(about)), None => span.muted { "What the goal says, from the campaign's news" } }
                }
                p.muted.line {
                    (status(entry, now))
                    span { (kind(entry)) }
                    @if let Some(agent) = &entry.agent_id { a href={ "/agents/" (agent) } { (outside_line(agent)) } }
                    @if let Some(goal) = goal { a.clip href={ "/campaigns/" (entry.campaign_id) } { (outside_line(goal)) } }
                }
                @if let Some(reason) = &entry.reason { p.reason { (outside_line(reason)) } }
            }
            @if role >= Role::Operator && entry.status == "waiting" { (remove(entry)) }
        }
    }
}

fn remove(entry: &CalendarRow) -> Markup {
    html! {
        form.plain data-method="DELETE" data-action={ "/api/campaigns/" (entry.campaign_id) "/calendar/" (entry.entry_id) }
            data-confirm="Take this date off the calendar? It cannot be put back, only added anew." data-confirm-label="Take it off" data-then="reload" {
            button.button.small.quiet type="submit" data-changes { "Remove" }
            div.problem data-problem role="alert" hidden {}
        }
    }
}

/// A date that has passed and still waits says so: nobody should take it for one that is to come.
fn status(entry: &CalendarRow, now: DateTime<Utc>) -> Markup {
    match entry.status.as_str() {
        "waiting" if entry.at.0 < now => chip(Tone::Danger, "past its time"),
        "waiting" => chip(Tone::Accent, "waiting"),
        "planned" => chip(Tone::Ok, "planned"),
        "missed" => chip(Tone::Danger, "missed"),
        other => chip(Tone::Neutral, other),
    }
}

fn kind(entry: &CalendarRow) -> String {
    let kind = match entry.content_type.as_str() {
        "text" => "Text",
        "image" => "Picture",
        "video" => "Video",
        other => other,
    };
    entry.platform.as_deref().map_or_else(|| kind.to_owned(), |platform| format!("{kind} on {}", platform_name(platform)))
}

fn exactly(at: UtcTime) -> String {
    at.0.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The dates of one campaign, with a form for another one.
pub(super) fn of_campaign(entries: &[CalendarRow], campaign: &CampaignRow, role: Role, now: DateTime<Utc>) -> Markup {
    html! {
        script type="module" src=(assets::address("calendar.js")) {}
        @if entries.is_empty() { (empty("No date is set.", &html! { "Trends are told as they come; a date is for what you know before." })) }
        @else {
            ul.rows { @for entry in entries { li.dated { time.muted datetime=(exactly(entry.at)) data-local { (entry.at.0.format("%a %-d %b %Y, %H:%M UTC")) } ul { (row(entry, None, role, now)) } } } }
        }
        @if role >= Role::Operator { details.act { summary.button { "Add a date" } (entry_form(std::slice::from_ref(campaign))) } }
    }
}

/// Sends to the campaign that is chosen: the script writes its address.
fn entry_form(campaigns: &[CampaignRow]) -> Markup {
    let open: Vec<&CampaignRow> = campaigns.iter().filter(|campaign| campaign.status != "exhausted").collect();
    let first = open.first().map(|campaign| campaign.campaign_id.as_str()).unwrap_or_default();
    html! {
        form.stack.entry-form data-method="POST" data-action={ "/api/campaigns/" (first) "/calendar" } data-then="reload" {
            label hidden[open.len() < 2] { span { "For which campaign" }
                select data-campaign { @for campaign in &open {
                    option value=(campaign.campaign_id) data-agents=(campaign.agent_ids.join(",")) { (chimera_core::domain::hidden::visible_line(&campaign.goal)) }
                } }
            }
            label { span { "When, in your own time" } input.field type="datetime-local" name="at" required data-type="instant"; }
            label { span { "What it says" } textarea name="about" rows="2" maxlength="2000" dir="auto" placeholder="What the goal says, from the campaign's news" {} }
            div.pair {
                label { span { "Who" } select name="agent" data-agents-of { option value="" { "Its first agent there" } } }
                label { span { "Where" } select name="platform" {
                    option value="" { "The agent's first platform" }
                    @for platform in Platform::ALL { option value=(platform.name()) { (platform_name(platform.name())) } }
                } }
            }
            label { span { "As" } select name="content_type" { option value="text" { "Text" } option value="image" { "Picture" } option value="video" { "Video" } } }
            div.problem data-problem role="alert" hidden {}
            footer { button.button.primary type="submit" data-changes { "Add it" } }
        }
    }
}
