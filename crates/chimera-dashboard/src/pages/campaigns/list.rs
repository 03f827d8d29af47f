//! `/campaigns`: what is wanted, newest first, and how far it came.

use super::status;
use crate::pages::{
    components::{Look, button_link, empty, more, outside_line, text::marked, time},
    fleet::counted,
};
use chimera_core::{
    contracts::views::{
        Page,
        campaigns::{CampaignRow, TaskCounts},
        people::Role,
    },
    domain::hidden::Lines,
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

pub(in crate::pages) fn view(page: &Page<CampaignRow>, role: Role, now: DateTime<Utc>) -> Markup {
    html! {
        @if page.items.is_empty() {
            @let why = "There are no campaigns yet. A campaign is a goal in plain words, and the agents that work for it.";
            @if role >= Role::Operator {
                (empty(why, &button_link(Look::Primary, "/campaigns/new", "Begin the first one")))
            } @else {
                (empty(why, &html! { "An operator can begin one." }))
            }
        } @else {
            ul #campaigns .rows.campaigns data-list data-live="/fragments/campaigns" data-live-rows data-live-kinds="campaign task review post" { @for campaign in &page.items { (row(campaign, now)) } }
            (more(page, "/campaigns"))
        }
    }
}

/// One line; replaced by its id when the campaign moves.
pub(in crate::pages) fn row(campaign: &CampaignRow, now: DateTime<Utc>) -> Markup {
    html! {
        li.campaign id={ "campaign-" (campaign.campaign_id) } data-row data-live-id=(campaign.campaign_id) {
            header {
                h2 dir="auto" { a href={ "/campaigns/" (campaign.campaign_id) } { (marked(&campaign.goal, Lines::One)) } }
                (status(&campaign.status))
            }
            @if let Some(reason) = &campaign.reason { p.reason { (outside_line(reason)) } }
            p.muted { (agents(&campaign.agent_ids)) " · begun " (time(campaign.created_at, now)) }
            p.muted {
                (progress(&campaign.tasks)) " · " (counted(campaign.posts_published, "post")) " published"
                @if campaign.reviews_pending > 0 { " · " a href="/review" { (counted(campaign.reviews_pending, "review")) " waiting" } }
            }
        }
    }
}

const AGENTS_NAMED_MAX: usize = 3;

fn agents(ids: &[String]) -> Markup {
    html! {
        @for (index, id) in ids.iter().take(AGENTS_NAMED_MAX).enumerate() { @if index > 0 { ", " } a href={ "/agents/" (id) } { (outside_line(id)) } }
        @if ids.len() > AGENTS_NAMED_MAX { " and " (ids.len() - AGENTS_NAMED_MAX) " more" }
    }
}

pub(in crate::pages) fn progress(tasks: &TaskCounts) -> String {
    let TaskCounts { open, awaiting_person, complete, given_up } = *tasks;
    // What waits for a person is open too, and told by itself.
    let parts = [
        (open.saturating_sub(awaiting_person), "under way"),
        (awaiting_person, "for a person"),
        (complete, "done"),
        (given_up, "given up"),
    ];
    let told: Vec<String> = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if told.is_empty() { "No tasks yet".to_owned() } else { format!("Tasks: {}", told.join(", ")) }
}
