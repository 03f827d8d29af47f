//! One review whole: what is asked, what would happen, and the ways to answer.

use super::{
    Reader,
    difference::difference,
    facts, inbox, payment,
    preview::{self, Preview},
    unknown_post,
};
use crate::pages::components::{
    Look, Tone, act_button, banner, chip,
    icons::{Icon, icon},
    key_hint, outside, outside_line, platform_name, time,
};
use chimera_core::{
    contracts::{
        content_generator::FeedbackBy,
        review::{ReviewAction, ReviewAnswer, ReviewStatus},
        views::reviews::{ReviewDetail, ReviewKind},
    },
    domain::platform::{Limits, Platform},
};
use maud::{Markup, html};

const POST_REASONS: [&str; 9] = [
    "Not this story",
    "Not true, or not in the sources",
    "Not our tone",
    "Too long",
    "Says too little",
    "Already said",
    "Too sensitive",
    "Bad picture or video",
    "Wrong time",
];
const MONEY_REASONS: [&str; 5] = ["Not expected", "Wrong amount", "Wrong recipient", "Not now", "Looks like fraud"];
const STUCK_REASONS: [&str; 3] = ["Not worth another attempt", "Done by hand", "No longer wanted"];

pub(super) fn detail(detail: &ReviewDetail, reader: &Reader<'_>) -> Markup {
    let row = &detail.row;
    let id = row.review_id;
    html! {
        div #detail .detail data-review=(id) data-kind=(row.kind.name()) data-live={ "/fragments/review/" (id) } data-live-for=(id) data-live-kinds="review answer" {
            article.item aria-labelledby="item-title" {
                (head(detail, reader))
                (standing(detail, reader))
                (asked_about(detail, reader))
                (feedback(detail))
                (facts::trace(&detail.trace))
                @if is_open(detail) && reader.may_decide(row) { (ways(detail)) }
                @else if is_open(detail) && row.moves_money { p.muted.footnote { "Payments are decided by an operator or an owner." } }
                @else if is_open(detail) { p.muted.footnote { "A reviewer decides; you may look." } }
            }
            aside.facts aria-label="What it rests on" { (facts::facts(detail)) }
        }
    }
}

fn is_open(detail: &ReviewDetail) -> bool {
    detail.row.status == ReviewStatus::Pending && detail.row.held.is_none()
}

fn head(detail: &ReviewDetail, reader: &Reader<'_>) -> Markup {
    let row = &detail.row;
    html! {
        header.item-head {
            a.back href="/review" data-back aria-label="Back to the list" { (icon(Icon::Back)) }
            div {
                h2 #item-title {
                    a href={ "/agents/" (row.agent_id) } { (outside_line(&row.agent_id)) }
                    @match row.kind {
                        ReviewKind::Content => { " on " (platform_name(row.platform.as_deref().unwrap_or("no platform"))) },
                        ReviewKind::Money => " wants to pay",
                        ReviewKind::Stuck => " is stuck",
                        ReviewKind::UnknownPost => " may have posted",
                    }
                }
                p.muted {
                    "Asked "
                    (time(row.asked_at, reader.now))
                    @if detail.attempt > 1 { " · attempt " (detail.attempt) }
                    @if let (Some(campaign), Some(goal)) = (&detail.campaign_id, &detail.goal) { " · for " a href={ "/campaigns/" (campaign) } { (outside_line(goal)) } }
                }
            }
            a.button.quiet.to-story href={ "/stories/" (row.task_id) } data-go="story" { "Story" (key_hint("story")) }
        }
        div.why-asked #why { (banner(Tone::Warn, &html! { span { strong { "Asked because " } (outside_line(&row.reason)) } })) }
    }
}

/// Held, or decided, by whom and how.
fn standing(detail: &ReviewDetail, reader: &Reader<'_>) -> Markup {
    let row = &detail.row;
    html! {
        @if let (ReviewStatus::Pending, Some(held)) = (row.status, &row.held) {
            (banner(Tone::Accent, &html! {
                span { strong { (outside_line(&held.by)) } " " (inbox::held_word(&held.action)) " it; that takes effect " span data-until=(held.effective_at) { "soon" } "." }
                @if held.by == reader.name { (act_button(Look::Plain, "undo", None, "Undo")) }
            }))
        }
        @if let (None, None, Some(failure)) = (&detail.answer, &row.held, &detail.held_failure) {
            (banner(Tone::Danger, &html! { span { "The last answer could not be carried out: " (outside_line(failure)) } }))
        }
        @if let Some(answer) = &detail.answer { (decision(detail, answer, reader)) }
        @else if row.status != ReviewStatus::Pending { p { (inbox::standing(row)) } }
    }
}

fn decision(detail: &ReviewDetail, answer: &ReviewAnswer, reader: &Reader<'_>) -> Markup {
    let (tone, word) = match answer.action {
        ReviewAction::Approve if answer.found.as_ref().is_some_and(|found| found.is_there) => (Tone::Ok, "found on the platform"),
        ReviewAction::Approve if answer.found.is_some() => (Tone::Warn, "not found, and sent again"),
        ReviewAction::Approve => (Tone::Ok, "approved"),
        ReviewAction::Edit => (Tone::Ok, "approved with an edit"),
        ReviewAction::Reject if answer.give_up => (Tone::Danger, "rejected for good"),
        ReviewAction::Reject => (Tone::Danger, "rejected"),
    };
    let edited = answer.edited_artifact.as_ref().and_then(|artifact| artifact.payload_text.as_deref());
    html! {
        (banner(tone, &html! {
            span {
                (chip(tone, word)) " by " strong { (outside_line(&answer.reviewer_id)) } " " (time(answer.reviewed_at, reader.now))
                @if let Some(reason) = &answer.reason { ": " (outside_line(reason)) }
            }
        }))
        @if let (Some(before), Some(after)) = (written(detail), edited) {
            section.edit-made { h3 { "What the edit changed" } (difference(before, after)) }
        }
    }
}

/// What is on the table: a post, a payment, or a failure.
fn asked_about(detail: &ReviewDetail, reader: &Reader<'_>) -> Markup {
    html! {
        @if let Some(question) = &detail.payment { (payment::question(detail, question, reader, is_open(detail) && reader.may_decide(&detail.row))) }
        @else if let Some(publish) = &detail.publish { (preview::preview(&Preview::of_call(&detail.row.agent_id, publish).answering(detail.in_reply_to.as_ref()))) }
        @else if let Some(text) = written(detail) {
            (preview::preview(&Preview::of_draft(&detail.row, text, detail.artifact.as_ref()).answering(detail.in_reply_to.as_ref())))
        } @else if detail.row.kind == ReviewKind::Stuck {
            p.nothing-made { "No attempt made anything that could be shown." }
        } @else { p { (outside(&detail.row.summary)) } }
    }
}

/// As the agent wrote it.
fn written(detail: &ReviewDetail) -> Option<&str> {
    detail.artifact.as_ref().and_then(|artifact| artifact.payload_text.as_deref())
}

fn feedback(detail: &ReviewDetail) -> Markup {
    html! {
        @if !detail.feedback.is_empty() {
            section.feedback {
                h3 { "Turned down before" }
                ol {
                    @for one in &detail.feedback {
                        li {
                            p { strong { @match one.by { FeedbackBy::Judge => "The Judge", FeedbackBy::Person => "A person" } } ": " (outside_line(&one.reason)) }
                            blockquote { (outside(&one.rejected_text)) }
                        }
                    }
                }
            }
        }
    }
}

fn ways(detail: &ReviewDetail) -> Markup {
    let kind = detail.row.kind;
    let can_edit = matches!(kind, ReviewKind::Content | ReviewKind::Stuck) && written(detail).is_some();
    let approve = match (kind, written(detail)) {
        (ReviewKind::Money, _) => "Pay…",
        (ReviewKind::Stuck, None) => "Try again",
        _ => "Approve",
    };
    html! {
        p #problem .problem role="alert" hidden {}
        @if can_edit { (editor(detail)) }
        (reasons(kind))
        @if kind == ReviewKind::UnknownPost { (unknown_post::forms(detail)) }
        @if kind == ReviewKind::Stuck && detail.row.moves_money { p.muted.footnote data-asks="This tries the payment again, within the agent's policy and budget." { "Trying again may pay." } }
        footer.acts {
            @if kind == ReviewKind::UnknownPost { (unknown_post::buttons()) }
            @else { (act_button(Look::Primary, "approve", Some(Icon::Check), approve)) }
            @if can_edit { (act_button(Look::Plain, "edit", Some(Icon::Pencil), "Edit")) }
            (act_button(Look::Danger, "reject", Some(Icon::Cross), if kind == ReviewKind::UnknownPost { "It is not there, leave it" } else { "Reject" }))
            span.gap {}
            (act_button(Look::Quiet, "skip", None, "Skip"))
        }
    }
}

fn editor(detail: &ReviewDetail) -> Markup {
    let text = written(detail).unwrap_or_default();
    html! {
        form #editor .editor hidden {
            label { span { "Text as it shall leave" } textarea #edit-text dir="auto" spellcheck="true" rows="10" { (text) } }
            p #draft-note .muted.small hidden { "Your draft of before, kept in this browser. " button.button.quiet type="button" data-act="discard-draft" { "Discard it" } }
            (edited(detail, text))
            label { span { "Why, so that the agent learns it (may stay empty)" } input.field #edit-reason maxlength="500" autocomplete="off"; }
            footer {
                button.button.primary type="submit" data-changes { "Approve as edited" (key_hint("save")) }
                button.button.quiet type="button" data-act="edit" { "Cancel" }
            }
        }
    }
}

/// What the text under the reviewer's hands comes to.
pub(super) fn edited(detail: &ReviewDetail, text: &str) -> Markup {
    let platform = detail.row.platform.as_deref().and_then(|platform| platform.parse::<Platform>().ok());
    let limits = Limits::of(platform);
    let length = limits.length(text);
    let is_over = !limits.allows(text);
    html! {
        div #edited .edited {
            p.length .over[is_over] {
                (length) " of " (limits.length_max) " " (preview::unit(platform))
                @if is_over { strong { " — it does not fit" } }
            }
            (difference(written(detail).unwrap_or_default(), text))
        }
    }
}

fn reasons(kind: ReviewKind) -> Markup {
    let stock: &[&str] = match kind {
        ReviewKind::Money => &MONEY_REASONS,
        ReviewKind::Stuck => &STUCK_REASONS,
        ReviewKind::Content | ReviewKind::UnknownPost => &POST_REASONS,
    };
    html! {
        form #reasons .reasons hidden {
            h3 { "Why not?" }
            @if kind != ReviewKind::UnknownPost {
                ol { @for (index, reason) in stock.iter().enumerate() { li { button.button type="button" data-reason=(reason) data-changes { kbd.hint { (index + 1) } (reason) } } } }
            }
            div.own {
                label for="own-reason" { "In your own words" (key_hint("own-reason")) }
                input.field #own-reason name="reason" maxlength="500" autocomplete="off";
                button.button.danger type="submit" data-changes { "Reject" }
            }
            @if kind == ReviewKind::Content { label.tick { input #give-up type="checkbox"; span { "No further attempt" } } }
        }
    }
}

/// For a dialog that has to be left by a button.
pub(super) fn cancel() -> Markup {
    html! { button.button type="button" data-act="close" autofocus { "Cancel" } }
}
