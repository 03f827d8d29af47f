//! A campaign's tasks as rows.

use crate::pages::components::{Tone, chip, outside_line, time};
use chimera_core::contracts::views::campaigns::TaskRow;
use chrono::{DateTime, Utc};
use maud::{Markup, html};

pub(super) fn list(campaign_id: &str, tasks: &[TaskRow], now: DateTime<Utc>) -> Markup {
    let address = format!("/fragments/campaigns/{campaign_id}/tasks");
    html! { ul #campaign-tasks .rows.tasks data-live=(address) data-live-rows data-live-kinds="task" data-live-for=(campaign_id) data-live-new="pending" { @for task in tasks { (row(task, now)) } } }
}

pub(super) fn row(task: &TaskRow, now: DateTime<Utc>) -> Markup {
    html! {
        li id={ "task-" (task.task_id) } data-live-id=(task.task_id) {
            header {
                (state(&task.state))
                a href={ "/stories/" (task.task_id) } { (outside_line(&task.what)) }
                a href={ "/agents/" (task.agent_id) } { (outside_line(&task.agent_id)) }
                span.muted { (time(task.created_at, now)) }
            }
            p.muted {
                @if task.attempt > 1 { "Attempt " (task.attempt) ". " }
                @if let Some(run_at) = task.run_at { @if run_at.0 > now { "Not before " (time(run_at, now)) ". " } }
            }
            @if let Some(reason) = &task.reason { p.reason { (outside_line(reason)) } }
        }
    }
}

fn state(state: &str) -> Markup {
    let (tone, word) = match state {
        "in_progress" => (Tone::Accent, "in work"),
        "in_review" => (Tone::Judging, "before the judge"),
        "awaiting_person" => (Tone::Warn, "for a person"),
        "pending" => (Tone::Planning, "to begin"),
        "returned" => (Tone::Planning, "to plan again"),
        "complete" => (Tone::Ok, "done"),
        "given_up" => (Tone::Danger, "given up"),
        other => (Tone::Neutral, other),
    };
    chip(tone, word)
}
