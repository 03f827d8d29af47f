//! The list: one row a review, with what makes it urgent.

use super::{Reader, Wanted};
use crate::pages::components::{
    Tone, amount, chip,
    icons::{Icon, icon},
    layout::{Tab, empty, more, tabs},
    outside_line, percent, platform_name, time,
    values::exact,
};
use chimera_core::contracts::{
    UuidV4,
    review::ReviewStatus,
    views::{
        Page,
        reviews::{ReviewDetail, ReviewKind, ReviewRow},
    },
};
use maud::{Markup, html};

/// Below it a text is called unsure.
const SURE_ABOVE: f64 = 0.7;

pub(super) fn list(
    wanted: &Wanted,
    rows: &Page<ReviewRow>,
    pending: u64,
    last_decided: Option<&ReviewDetail>,
    here: Option<UuidV4>,
    reader: &Reader<'_>,
) -> Markup {
    html! {
        (tabs("Which reviews", &[
            Tab { href: wanted.address(false, wanted.kind()), label: "Waiting", count: Some(pending), is_here: !wanted.is_decided() },
            Tab { href: wanted.address(true, wanted.kind()), label: "Decided", count: None, is_here: wanted.is_decided() },
        ]))
        div.filters {
            input.field type="search" placeholder="Search" aria-label="Search in these reviews" data-search="#rows" autocomplete="off";
            nav aria-label="Kinds" {
                (kind_link(wanted, None, "All"))
                @for kind in ReviewKind::ALL { (kind_link(wanted, Some(kind), kind_label(kind))) }
            }
        }
        @if rows.items.is_empty() { (nothing(wanted, last_decided)) }
        ul #rows data-list data-live="/fragments/reviews" data-live-kinds="review answer" data-live-rows data-live-new=[(!wanted.is_decided()).then_some("pending")] {
            @for one in &rows.items { (row(one, here == Some(one.review_id), reader)) }
        }
        (more(rows, &wanted.address(wanted.is_decided(), wanted.kind())))
        div #batch .batch role="region" aria-label="Marked reviews" hidden {
            strong #batch-count {}
            button.button type="button" data-act="approve-marked" data-changes { (icon(Icon::Check)) "Approve" }
            button.button.danger type="button" data-act="reject-marked" data-changes { "Reject" }
            button.button.quiet type="button" data-act="unmark" { "Clear" }
        }
        p #pace .pace aria-live="off" {}
    }
}

fn kind_link(wanted: &Wanted, kind: Option<ReviewKind>, label: &str) -> Markup {
    html! { a href=(wanted.address(wanted.is_decided(), kind)) aria-current=[(wanted.kind() == kind).then_some("true")] { (label) } }
}

pub(super) fn kind_label(kind: ReviewKind) -> &'static str {
    match kind {
        ReviewKind::Content => "Posts",
        ReviewKind::Money => "Money",
        ReviewKind::Stuck => "Stuck",
        ReviewKind::UnknownPost => "Unknown",
    }
}

fn nothing(wanted: &Wanted, last_decided: Option<&ReviewDetail>) -> Markup {
    if wanted.is_decided() {
        return empty("Nothing has been decided yet", &html! { a href="/review" { "See what waits" } });
    }
    let last = last_decided.and_then(|detail| detail.answer.as_ref());
    let next = html! {
        @if let Some(answer) = last { "Last decision " (exact(answer.reviewed_at)) " by " (outside_line(&answer.reviewer_id)) }
        @else { "What the agents are unsure of comes here. " a href="/fleet" { "See what they do" } }
    };
    empty("Nothing waits", &next)
}

/// One line; the script puts a new one in its place by the id.
pub(super) fn row(row: &ReviewRow, is_here: bool, reader: &Reader<'_>) -> Markup {
    let is_pending = row.status == ReviewStatus::Pending;
    let can_mark = is_pending && row.held.is_none() && row.kind == ReviewKind::Content && reader.may_decide(row);
    html! {
        li #{ "row-" (row.review_id) } .row .done[!is_pending] .held[row.held.is_some()] data-row data-live-id=(row.review_id) data-kind=(row.kind.name()) data-current[is_here]
            data-held-by=[row.held.as_ref().map(|held| held.by.as_str())] data-held-action=[row.held.as_ref().map(|held| held.action.as_str())]
            data-held-until=[row.held.as_ref().map(|held| held.effective_at.to_string())] {
            @if can_mark { input type="checkbox" data-mark=(row.review_id) aria-label="Mark for a decision together"; }
            a href={ "/review/" (row.review_id) } data-open=(row.review_id) {
                span.head {
                    (icon(kind_icon(row.kind)))
                    strong { (outside_line(&row.agent_id)) }
                    @if let Some(platform) = &row.platform { span.muted { (platform_name(platform)) } }
                    (time(row.asked_at, reader.now))
                }
                span.summary { (outside_line(&row.summary)) }
                span.foot { (standing(row)) (risk(row)) span.reason { (outside_line(&row.reason)) } }
            }
        }
    }
}

fn kind_icon(kind: ReviewKind) -> Icon {
    match kind {
        ReviewKind::Content => Icon::Pencil,
        ReviewKind::Money => Icon::Money,
        ReviewKind::Stuck | ReviewKind::UnknownPost => Icon::Warning,
    }
}

/// What was said to it, where something was.
pub(super) fn standing(row: &ReviewRow) -> Markup {
    html! {
        @match (row.status, &row.held) {
            (ReviewStatus::Pending, Some(held)) => span.chip.tone-accent { (held_word(&held.action)) " by " (outside_line(&held.by)) " · " span data-until=(held.effective_at) { "soon" } },
            (ReviewStatus::Pending, None) => {},
            (ReviewStatus::Approved, _) => (chip(Tone::Ok, "approved")),
            (ReviewStatus::Rejected, _) => (chip(Tone::Danger, "rejected")),
            (ReviewStatus::Expired, _) => (chip(Tone::Neutral, "closed unanswered")),
        }
    }
}

pub(super) fn held_word(action: &str) -> &str {
    match action {
        "approve" => "approved",
        "reject" => "rejected",
        "edit" => "edited",
        "published" => "found",
        "resend" => "sent again",
        other => other,
    }
}

fn risk(row: &ReviewRow) -> Markup {
    html! {
        @if let Some(money) = &row.money { (chip(Tone::Warn, &amount(money))) }
        @match row.kind {
            ReviewKind::Stuck => (chip(Tone::Warn, "stuck")),
            ReviewKind::UnknownPost => (chip(Tone::Danger, "may have left")),
            ReviewKind::Content | ReviewKind::Money => {},
        }
        @if let Some(confidence) = row.confidence {
            span title="How sure the skill is of the text" { (chip(if confidence < SURE_ABOVE { Tone::Warn } else { Tone::Neutral }, &percent(confidence))) }
        }
    }
}
