//! `/stories/{task_id}`: one post or payment from its first cause to its end, where the time went, and every step in its own words. Made to
//! be printed too.

use super::{
    answers::{failed, missing},
    components::{empty, hash, outside, outside_line, text::linked, values::exact},
    shell::{self, Content, Section},
    waterfall::{Waterfall, bar, span},
};
use crate::{Dashboard, access::Visitor};
use axum::{
    Extension, Router,
    extract::{Path, State},
    response::Response,
    routing::get,
};
use chimera_core::contracts::views::stories::{StepKind, StoryStep, TaskStory};
use maud::{Markup, html};
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/stories/{task_id}", get(show)).route("/fragments/stories/{task_id}", get(show_fragment))
}

pub(super) async fn show(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    let story = match read(&dashboard, &id).await {
        Ok(story) => story,
        Err(refused) => return refused,
    };
    let content = Content { title: "Story".to_owned(), section: Section::Campaigns, tools: html! {}, main: view(&story), is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

async fn show_fragment(State(dashboard): State<Arc<Dashboard>>, Path(id): Path<String>) -> Response {
    match read(&dashboard, &id).await {
        Ok(story) => super::answers::fragment(view(&story)),
        Err(refused) => refused,
    }
}

async fn read(dashboard: &Dashboard, id: &str) -> Result<TaskStory, Response> {
    let Ok(task_id) = id.parse() else { return Err(missing("task")) };
    match dashboard.queries.story(task_id).await {
        Ok(Some(story)) => Ok(story),
        Ok(None) => Err(missing("task")),
        Err(error) => Err(failed(&error)),
    }
}

fn view(story: &TaskStory) -> Markup {
    let fall = Waterfall::of(&story.steps);
    html! {
        article #story .story data-live={ "/fragments/stories/" (story.task_id) } data-live-for=(story.task_id) {
            header.panel {
                h2 { (outside_line(&story.what)) }
                @if let Some(goal) = &story.goal { p { span.muted { "For the goal: " } @match &story.campaign_id { Some(id) => a href={ "/campaigns/" (id) } { (outside_line(goal)) }, None => (outside_line(goal)) } } }
                p.line {
                    @if let Some(agent) = &story.agent_id { span { span.muted { "By " } a href={ "/agents/" (agent) } { (outside_line(agent)) } } }
                    span { span.muted { "Task " } (hash(&story.task_id.to_string())) }
                    span { span.muted { "In all " } (span(fall.whole_ms)) }
                }
            }
            @if story.steps.is_empty() { (empty("Nothing has happened to it yet.", &html! { "Its first step is its planning; look again in a moment." })) }
            @else { (falls(story, &fall)) (steps(story)) }
        }
    }
}

fn falls(story: &TaskStory, fall: &Waterfall) -> Markup {
    html! {
        section.falls {
            h2 { "Where the time went" }
            p.muted.legend {
                span { svg.key width="20" height="10" aria-hidden="true" { rect.fall-work width="20" height="10" {} } " worked on" }
                span { svg.key width="20" height="10" aria-hidden="true" { rect.fall-queue width="20" height="10" fill="url(#hatch)" {} } " waited" }
                span { svg.key width="20" height="10" aria-hidden="true" { line.fall-cut x1="0" y1="5" x2="20" y2="5" {} } " waited long, cut out" }
            }
            ol.waterfall {
                @for row in &fall.rows {
                    @if let Some(step) = story.steps.get(row.step) {
                        li {
                            a.told href={ "#step-" (row.step) } { (outside_line(&step.told)) }
                            (bar(row))
                            span.lasts.muted { @if row.lasts_ms > 0 { (span(row.lasts_ms)) @if fall.slowest == Some(row.step) { " " strong { "longest work" } } } }
                        }
                    }
                }
            }
            @if fall.left_out > 0 { p.muted { (fall.left_out) " shorter steps are not drawn; they are all below." } }
        }
    }
}

fn steps(story: &TaskStory) -> Markup {
    html! {
        section {
            h2 { "Every step" }
            ol.steps { @for (index, one) in story.steps.iter().enumerate() { (step(index, one, story.steps.get(index.wrapping_sub(1)))) } }
        }
    }
}

fn step(index: usize, step: &StoryStep, before: Option<&StoryStep>) -> Markup {
    let later_ms = before.map(|before| (step.at.0 - before.at.0).num_milliseconds());
    html! {
        li id={ "step-" (index) } {
            p.when {
                time datetime=(step.at) { (exact(step.at)) }
                @if let Some(later_ms) = later_ms { span.muted { "+" (span(later_ms)) } }
            }
            div {
                p { span class={ "kind " (kind(step.kind)) } { (kind(step.kind)) } " " strong { (outside_line(&step.told)) } }
                @for detail in &step.details { p.detail { (detail_text(detail)) } }
                @if let Some(event) = step.event { p.muted.small { "event " (event) ", " (step.state.replace('_', " ")) } }
            }
        }
    }
}

/// An address alone is a link, a long run of hex is whole and copyable, anything else is text.
fn detail_text(detail: &str) -> Markup {
    let is_hash = detail.len() >= 40 && detail.strip_prefix("0x").unwrap_or(detail).bytes().all(|byte| byte.is_ascii_hexdigit());
    match detail {
        detail if is_hash => hash(detail),
        detail if detail.starts_with("http") && !detail.contains(char::is_whitespace) => linked(detail),
        detail => outside(detail),
    }
}

fn kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Trend => "trend",
        StepKind::Task => "task",
        StepKind::Result => "result",
        StepKind::Decision => "decision",
        StepKind::Review => "review",
        StepKind::Answer => "answer",
        StepKind::Post => "post",
        StepKind::Payment => "payment",
        StepKind::Ledger => "ledger",
    }
}
