//! Posts as lists show them: of an agent, of a campaign.

use super::{
    answers::{failed, fragment},
    components::{Tone, WebLink, chip, outside, outside_line, platform_name, time},
    row_ids::RowIds,
};
use crate::Dashboard;
use axum::{
    Router,
    extract::{Query, State},
    response::Response,
    routing::get,
};
use chimera_core::{
    contracts::views::campaigns::PostRow,
    ports::queries::{PageOf, PostFilter},
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/fragments/posts", get(show_rows))
}

/// Of the newest: what is older moves no more.
async fn show_rows(State(dashboard): State<Arc<Dashboard>>, Query(asked): Query<RowIds>) -> Response {
    let ids = asked.all();
    match dashboard.queries.posts(&PostFilter::default(), &PageOf::first(PageOf::LIMIT_MAX)).await {
        Ok(page) => {
            let now = dashboard.clock.now();
            fragment(
                html! { @for row in page.items.iter().filter(|row| ids.contains(row.post_id.to_string().as_str())) { (post(row, now)) } },
            )
        }
        Err(error) => failed(&error),
    }
}

/// Of the agent or campaign with the id `of`.
pub(super) fn posts(of: &str, posts: &[PostRow], now: DateTime<Utc>) -> Markup {
    html! {
        ul #post-rows .rows.posts data-live="/fragments/posts" data-live-rows data-live-kinds="post" data-live-for=(of) data-live-new="approved" {
            @for row in posts { (post(row, now)) }
        }
    }
}

fn post(post: &PostRow, now: DateTime<Utc>) -> Markup {
    html! {
        li.post id={ "post-" (post.post_id) } data-live-id=(post.post_id) {
            header {
                (status(&post.status))
                span { (platform_name(&post.platform)) }
                a href={ "/agents/" (post.agent_id) } { (outside_line(&post.agent_id)) }
                @if let Some(at) = post.at { span.muted { (time(at, now)) } }
            }
            p.text { (outside(&post.text)) }
            @if let Some(media) = &post.media_uri { p.muted { "With " (media_link(media)) } }
            @if let Some(reason) = &post.reason { p.reason { (outside_line(reason)) } }
            p.links {
                @if let Some(link) = post.url.as_deref().and_then(WebLink::of) { (link.shown(Some("See it on the platform"))) " · " }
                a href={ "/stories/" (post.task_id) } { "Its story" }
            }
        }
    }
}

pub(super) fn status(status: &str) -> Markup {
    let tone = match status {
        "published" => Tone::Ok,
        "approved" | "sending" => Tone::Accent,
        "refused" => Tone::Danger,
        "unknown" => Tone::Warn,
        _ => Tone::Neutral,
    };
    chip(tone, &status.replace('_', " "))
}

/// Our own asset by its id; anything else is only named.
fn media_link(uri: &str) -> Markup {
    let asset =
        uri.strip_prefix("chimera://assets/").filter(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
    html! { @match asset { Some(id) => a href={ "/assets/" (id) } { "a picture or video" }, None => (outside_line(uri)) } }
}
