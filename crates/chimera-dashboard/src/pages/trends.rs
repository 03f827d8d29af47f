//! `/trends`: what rises, how strong it is, and for whom it was found.

use super::{
    answers::failed,
    components::{Tone, chip, empty, more, outside_line, percent, text::linked, time},
    drawings::sparkline,
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
        trend_alert::TrendPhase,
        views::{Page, trends::TrendRow},
    },
    ports::queries::{Cursor, PageOf},
};
use chrono::{DateTime, TimeDelta, Utc};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

const TRENDS_SHOWN: usize = 50;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/trends", get(show))
}

#[derive(Deserialize, Default)]
pub(super) struct Asked {
    campaign: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn show(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(asked): Query<Asked>,
) -> Response {
    let cursor = asked.cursor.as_deref().and_then(|cursor| cursor.parse::<Cursor>().ok());
    let page = cursor.into_iter().fold(PageOf::first(TRENDS_SHOWN), PageOf::after);
    let trends = match dashboard.queries.trends(asked.campaign.as_deref(), &page).await {
        Ok(trends) => trends,
        Err(error) => return failed(&error),
    };
    let main = view(&trends, &address(asked.campaign.as_deref()), dashboard.clock.now());
    let content = Content { title: "Trends".to_owned(), section: Section::Trends, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

/// The page's own, with its filter.
fn address(campaign: Option<&str>) -> String {
    let Some(campaign) = campaign else { return "/trends".to_owned() };
    let query: String = url::form_urlencoded::Serializer::new(String::new()).append_pair("campaign", campaign).finish();
    format!("/trends?{query}")
}

fn view(page: &Page<TrendRow>, address: &str, now: DateTime<Utc>) -> Markup {
    html! {
        @if page.items.is_empty() {
            (nothing())
        } @else {
            ul #trends .trends data-list { @for trend in &page.items { (row(trend, Place::All, now)) } }
            (more(page, address))
        }
    }
}

fn nothing() -> Markup {
    empty(
        "No trend was found yet. A trend takes several items about one story, from more than one source, that matter to a campaign's goal.",
        &html! { a href="/campaigns" { "Open a campaign and look what it would do now" } ": it says what its strongest story lacks." },
    )
}

pub(super) fn of_campaign(trends: &[TrendRow], now: DateTime<Utc>) -> Markup {
    html! {
        @if trends.is_empty() {
            (empty("No trend was found for it yet.", &html! { "What it would do now says what the strongest story lacks." }))
        } @else {
            ul.rows { @for trend in trends { (row(trend, Place::OwnCampaign, now)) } }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    All,
    /// Where the way to the campaign leads nowhere.
    OwnCampaign,
}

fn row(row: &TrendRow, place: Place, now: DateTime<Utc>) -> Markup {
    let trend = &row.trend;
    let items: u64 = row.hourly.iter().fold(0, |sum, count| sum.saturating_add(*count));
    html! {
        li.trend id={ "trend-" (row.event_id) } data-row {
            header {
                h3 { (outside_line(&trend.topics.join(", "))) }
                @if let Some(phase) = trend.phase { (phase_chip(phase)) }
                @if trend.new == Some(true) { (chip(Tone::Accent, "new")) }
            }
            div.signal {
                (sparkline(&row.hourly, &told(&row.hourly, items)))
                p { strong { (percent(trend.signal_strength)) } " " span.muted { "signal" } " " (super::components::why::why(super::components::why::Why::Signal)) br; span.muted { (items) " items in " (row.hourly.len()) " h" } }
            }
            p.muted {
                "Found " (time(row.found_at, now)) " for " a href={ "/agents/" (row.agent_id) } { (outside_line(&row.agent_id)) }
                @if place == Place::All { " · " a href={ "/campaigns/" (row.campaign_id) "#posts" } { "What its campaign made of it" } }
            }
            details { summary { "Sources and items by the hour" } (sources(trend.sample_resource_uris.as_slice())) (hours(row)) }
        }
    }
}

fn told(hourly: &[u64], items: u64) -> String {
    let most = hourly.iter().copied().max().unwrap_or(0);
    format!("{items} items in {} hours, at most {most} in one", hourly.len())
}

fn phase_chip(phase: TrendPhase) -> Markup {
    match phase {
        TrendPhase::Rising => chip(Tone::Ok, "rising"),
        TrendPhase::Peak => chip(Tone::Warn, "at its peak"),
        TrendPhase::Fading => chip(Tone::Neutral, "fading"),
    }
}

fn sources(uris: &[String]) -> Markup {
    html! {
        @if uris.is_empty() { p.muted { "No sources were kept." } }
        @else { ul.plain.addresses { @for uri in uris { li { (linked(uri)) } } } }
    }
}

/// The numbers of the line.
fn hours(row: &TrendRow) -> Markup {
    let first = row.found_at.0 - TimeDelta::hours(i64::try_from(row.hourly.len()).unwrap_or(0));
    let hour_of = |index: usize| first + TimeDelta::hours(i64::try_from(index).unwrap_or(0));
    html! {
        table.counts {
            thead { tr { th scope="col" { "Hour from (UTC)" } th.number scope="col" { "Items" } } }
            tbody {
                @for (index, count) in row.hourly.iter().enumerate() {
                    tr { td { (hour_of(index).format("%Y-%m-%d %H:%M")) } td.number { (count) } }
                }
            }
        }
    }
}
