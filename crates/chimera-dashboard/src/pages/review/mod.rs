//! The inbox: what waits for a person, one item whole, and the parts of both that the script reads anew. Decisions are made through
//! `/api`; a text that is being edited is only measured and compared here.

mod detail;
mod difference;
mod facts;
mod inbox;
mod payment;
mod preview;
mod unknown_post;

use super::{
    answers::{failed, fragment, missing},
    assets,
    shell::{self, Content, Section},
};
use crate::{Dashboard, access::Visitor};
use axum::{
    Extension, Json, Router,
    extract::{Path, Query, State},
    response::Response,
    routing::{get, post},
};
use chimera_core::{
    contracts::{
        UuidV4,
        views::{
            Page,
            people::Role,
            reviews::{ReviewDetail, ReviewKind, ReviewRow},
        },
    },
    domain::AgentId,
    ports::{
        StoreError,
        queries::{PageOf, ReviewFilter},
    },
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

/// A page of the inbox.
const ROWS: usize = 100;
/// Rows of one question of the script.
const IDS_MAX: usize = 100;
/// An edited text; none that can be published is longer.
const EDIT_CHARS_MAX: usize = 20_000;

pub(crate) fn routes() -> Router<Arc<Dashboard>> {
    Router::new()
        .route("/review", get(show_inbox))
        .route("/review/{review_id}", get(show_review))
        .route("/fragments/reviews", get(show_rows))
        .route("/fragments/review/{review_id}", get(show_detail))
        .route("/fragments/review/{review_id}/edited", post(show_edited))
}

/// What the address says of which reviews are meant. What cannot be read there counts as absent: an old bookmark still opens the inbox.
#[derive(Debug, Clone, Default, Deserialize)]
struct Wanted {
    status: Option<String>,
    kind: Option<String>,
    agent: Option<String>,
    cursor: Option<String>,
    ids: Option<String>,
}

impl Wanted {
    fn is_decided(&self) -> bool {
        self.status.as_deref() == Some("decided")
    }

    fn kind(&self) -> Option<ReviewKind> {
        ReviewKind::ALL.into_iter().find(|kind| Some(kind.name()) == self.kind.as_deref())
    }

    fn agent(&self) -> Option<AgentId> {
        self.agent.as_deref().and_then(|agent| agent.parse().ok())
    }

    fn filter(&self) -> ReviewFilter {
        ReviewFilter { is_decided: self.is_decided(), kind: self.kind(), agent: self.agent() }
    }

    fn page(&self) -> PageOf {
        PageOf { cursor: self.cursor.as_deref().and_then(|cursor| cursor.parse().ok()), ..PageOf::first(ROWS) }
    }

    /// The inbox with this tab and this kind, the agent as it is.
    fn address(&self, is_decided: bool, kind: Option<ReviewKind>) -> String {
        let status = is_decided.then(|| "status=decided".to_owned());
        let kind = kind.map(|kind| format!("kind={}", kind.name()));
        let agent = self.agent().map(|agent| format!("agent={agent}"));
        let query: Vec<String> = [status, kind, agent].into_iter().flatten().collect();
        if query.is_empty() { "/review".to_owned() } else { format!("/review?{}", query.join("&")) }
    }
}

/// Who looks, and when: what every part of the page asks.
#[derive(Clone, Copy)]
struct Reader<'a> {
    name: &'a str,
    role: Role,
    now: DateTime<Utc>,
}

impl<'a> Reader<'a> {
    fn of(visitor: &'a Visitor, dashboard: &Dashboard) -> Self {
        Self { name: visitor.name.as_str(), role: visitor.role, now: dashboard.clock.now() }
    }

    fn may_decide(&self, row: &ReviewRow) -> bool {
        self.role >= if row.moves_money { Role::Operator } else { Role::Reviewer }
    }
}

async fn show_inbox(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> Response {
    match inbox_with(&dashboard, &visitor, &wanted, None).await {
        Ok(content) => shell::page(&dashboard, &visitor, &content).await,
        Err(error) => failed(&error),
    }
}

async fn show_review(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(review_id): Path<String>,
    Query(mut wanted): Query<Wanted>,
) -> Response {
    let detail = match find(&dashboard, &review_id).await {
        Ok(Some(detail)) => detail,
        Ok(None) => return missing("review"),
        Err(error) => return failed(&error),
    };
    if wanted.status.is_none() && detail.answer.is_some() {
        wanted.status = Some("decided".to_owned());
    }
    match inbox_with(&dashboard, &visitor, &wanted, Some(detail)).await {
        Ok(content) => shell::page(&dashboard, &visitor, &content).await,
        Err(error) => failed(&error),
    }
}

async fn find(dashboard: &Dashboard, review_id: &str) -> Result<Option<ReviewDetail>, StoreError> {
    match review_id.parse::<UuidV4>() {
        Ok(review_id) => dashboard.review(review_id).await,
        Err(_) => Ok(None),
    }
}

/// As the store has it: no chain and no publishing tool is asked.
async fn find_written(dashboard: &Dashboard, review_id: &str) -> Result<Option<ReviewDetail>, StoreError> {
    match review_id.parse::<UuidV4>() {
        Ok(review_id) => dashboard.queries.review(review_id).await,
        Err(_) => Ok(None),
    }
}

/// The list with one review beside it: the one that was asked for, else the first.
async fn inbox_with(dashboard: &Dashboard, visitor: &Visitor, wanted: &Wanted, asked: Option<ReviewDetail>) -> Result<Content, StoreError> {
    let rows = dashboard.queries.reviews(&wanted.filter(), &wanted.page()).await?;
    let pending = dashboard.queries.pending_reviews().await?;
    let last_decided = if rows.items.is_empty() && !wanted.is_decided() { last_decision(dashboard).await? } else { None };
    let is_asked = asked.is_some();
    let shown = match (asked, rows.items.first()) {
        (None, Some(first)) => dashboard.review(first.review_id).await?,
        (asked, _) => asked,
    };
    let reader = Reader::of(visitor, dashboard);
    let here = shown.as_ref().map(|detail| detail.row.review_id);
    let main = html! {
        script type="module" src=(assets::address("review.js")) {}
        div #inbox .inbox data-explicit[is_asked] {
            section.list aria-label="Reviews" { (inbox::list(wanted, &rows, pending, last_decided.as_ref(), here, &reader)) }
            (shown.as_ref().map_or_else(nothing_chosen, |detail| detail::detail(detail, &reader)))
        }
    };
    Ok(Content { title: "Review".to_owned(), section: Section::Review, tools: html! {}, main, is_full: true })
}

fn nothing_chosen() -> Markup {
    html! { div #detail .detail.nothing {} }
}

async fn last_decision(dashboard: &Dashboard) -> Result<Option<ReviewDetail>, StoreError> {
    let decided = ReviewFilter { is_decided: true, ..ReviewFilter::default() };
    let Page { items, .. } = dashboard.queries.reviews(&decided, &PageOf::first(1)).await?;
    match items.first() {
        Some(row) => dashboard.review(row.review_id).await,
        None => Ok(None),
    }
}

async fn show_rows(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let reader = Reader::of(&visitor, &dashboard);
    let mut rows: Vec<ReviewRow> = Vec::new();
    for review_id in wanted.ids.as_deref().unwrap_or_default().split(',').take(IDS_MAX) {
        match find_written(&dashboard, review_id).await {
            Ok(found) => rows.extend(found.map(|detail| detail.row)),
            Err(error) => return failed(&error),
        }
    }
    fragment(html! { @for row in &rows { (inbox::row(row, false, &reader)) } })
}

async fn show_detail(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(review_id): Path<String>,
) -> Response {
    match find(&dashboard, &review_id).await {
        Ok(Some(detail)) => fragment(detail::detail(&detail, &Reader::of(&visitor, &dashboard))),
        Ok(None) => missing("review"),
        Err(error) => failed(&error),
    }
}

#[derive(Deserialize)]
struct Edited {
    text: String,
}

/// What the text under the reviewer's hands would be: its length there, and what differs from what the agent wrote. Keeps nothing.
async fn show_edited(State(dashboard): State<Arc<Dashboard>>, Path(review_id): Path<String>, Json(edited): Json<Edited>) -> Response {
    let detail = match find_written(&dashboard, &review_id).await {
        Ok(Some(detail)) => detail,
        Ok(None) => return missing("review"),
        Err(error) => return failed(&error),
    };
    let text: String = edited.text.chars().take(EDIT_CHARS_MAX).collect();
    fragment(detail::edited(&detail, &text))
}

#[cfg(test)]
mod tests;
