//! A campaign's plan as a tree: what would be made, what waits for what, and what a person made of each.

use crate::pages::components::{
    Tone, chip, empty, outside, outside_line, platform_name, time,
    why::{Why, why},
};
use chimera_core::{
    contracts::{
        UtcTime,
        views::{
            campaigns::CampaignDetail,
            people::Role,
            plans::{PlanView, PlannedRow},
        },
    },
    domain::Platform,
};
use chrono::{DateTime, SecondsFormat, Utc};
use maud::{Markup, html};

/// Looking is a question to the world; what it saw is drawn by [`tree`], and what is missing by the script.
pub(super) fn section(campaign: &CampaignDetail, plan: &PlanView, role: Role, now: DateTime<Utc>) -> Markup {
    let is_operator = role >= Role::Operator;
    html! {
        @if is_operator || !plan.tasks.is_empty() {
            section #plan {
                h2 { "What it would do" }
                @if is_operator {
                    p.muted { "Looks at the world once and begins nothing. It takes some seconds, and where a language model plans, it costs as one planning does." }
                    button #plan-button .button type="button" data-campaign=(campaign.row.campaign_id) { @if plan.tasks.is_empty() { "Look now" } @else { "Look again" } }
                    div #plan-shown aria-live="polite" {}
                }
                (tree(campaign, plan, role, now))
                @if is_operator { (add_form(campaign)) }
            }
        }
    }
}

/// Read anew whenever the plan or one of its tasks moves.
pub(super) fn tree(campaign: &CampaignDetail, plan: &PlanView, role: Role, now: DateTime<Utc>) -> Markup {
    let id = &campaign.row.campaign_id;
    let is_there = |id| plan.tasks.iter().any(|task| task.task_id == id);
    let firsts = plan.tasks.iter().filter(|task| !task.after.iter().any(|before| is_there(*before)));
    html! {
        div #campaign-plan data-live={ "/fragments/campaigns/" (id) "/plan" } data-live-for=(id) data-live-kinds="campaign task" {
            @if plan.tasks.is_empty() { (empty("Nothing is in the plan yet.", &html! { "Look what it would do, or add a post that you ask for." })) }
            @else {
                (sum(plan))
                ul.rows.planned { @for task in firsts { (branch(task, plan, campaign, role, now)) } }
            }
        }
    }
}

fn sum(plan: &PlanView) -> Markup {
    let counted = |number: u64, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    html! {
        p.line #plan-sum {
            strong { (counted(plan.posts, "post")) @if plan.payments > 0 { ", " (counted(plan.payments, "payment")) } " to come" }
            span.muted { (cost(plan.cost_micro_usd)) }
            @if let Some(risk) = &plan.risk { (risk_chip(risk)) }
            (why(Why::Cost))
        }
    }
}

fn branch(task: &PlannedRow, plan: &PlanView, campaign: &CampaignDetail, role: Role, now: DateTime<Utc>) -> Markup {
    let after: Vec<&PlannedRow> = plan.tasks.iter().filter(|other| other.after.contains(&task.task_id)).collect();
    html! {
        li id={ "planned-" (task.task_id) } data-state=(task.state) {
            header {
                (state(&task.state))
                strong { (what(task)) }
                a href={ "/agents/" (task.agent_id) } { (outside_line(&task.agent_id)) }
                @if let Some(risk) = &task.risk { (risk_chip(risk)) }
                @if let Some(micro_usd) = task.cost_micro_usd { span.muted { (cost(micro_usd)) } }
            }
            @if let Some(about) = topics(task, &campaign.row.goal) { p.muted { "About " (outside_line(about)) } }
            @if let Some(at) = task.not_before { p { "Not before " (time(at, now)) } }
            @if let Some(brief) = &task.brief { blockquote.brief { (outside(brief)) } }
            @if role >= Role::Operator && task.can_change { (controls(task, &campaign.row.campaign_id)) }
            @if !after.is_empty() { ul.rows.planned { @for next in after { (branch(next, plan, campaign, role, now)) } } }
        }
    }
}

fn controls(task: &PlannedRow, campaign_id: &str) -> Markup {
    let address = format!("/api/campaigns/{campaign_id}/plan/tasks/{}", task.task_id);
    html! {
        div.acts {
            @if task.state == "dropped" {
                form.plain data-method="POST" data-action={ (address) "/restore" } data-plan data-told="It is back in the plan." {
                    button.button.small type="submit" data-changes { "Put it back" }
                    div.problem data-problem role="alert" hidden {}
                }
            } @else {
                @if task.platform.is_some() { (instruct(task, &address)) }
                form.plain data-method="DELETE" data-action=(address) data-plan data-told="It is dropped, and not made unless you put it back." {
                    button.button.small.quiet type="submit" data-changes { "Drop it" }
                    div.problem data-problem role="alert" hidden {}
                }
            }
        }
    }
}

fn instruct(task: &PlannedRow, address: &str) -> Markup {
    html! {
        details.act id={ "brief-" (task.task_id) } {
            summary.button.small { @if task.brief.is_some() || task.not_before.is_some() { "Change the brief" } @else { "Brief it" } }
            form data-method="PUT" data-action=(address) data-plan data-told="It is told." {
                label { span { "What it is to say, in your own words" }
                    textarea name="brief" rows="3" maxlength="1000" dir="auto" placeholder="Say what it means for small teams" { (task.brief.as_deref().unwrap_or_default()) }
                }
                label { span { "Not before, in your own time" } (instant(task.not_before)) }
                p.muted { "The writer follows it as far as the SOUL and the sources allow. What you leave empty holds no more." }
                div.problem data-problem role="alert" hidden {}
                footer { button.button.primary type="submit" data-changes { "Tell it" } }
            }
        }
    }
}

/// The script writes it in the reader's own time.
fn instant(at: Option<UtcTime>) -> Markup {
    let exactly = at.map(|at| at.0.to_rfc3339_opts(SecondsFormat::Secs, true));
    html! { input.field type="datetime-local" name="not_before" data-type="instant" data-instant=[exactly]; }
}

fn add_form(campaign: &CampaignDetail) -> Markup {
    html! {
        details #add-task .act {
            summary.button { "Add a post" }
            form data-method="POST" data-action={ "/api/campaigns/" (campaign.row.campaign_id) "/plan/tasks" } data-plan data-told="It is in the plan." {
                div.pair {
                    label { span { "Who" } select.field name="agent_id" { @for id in &campaign.row.agent_ids { option value=(id) { (id) } } } }
                    label { span { "Where" } select.field name="platform" { @for platform in Platform::ALL { option value=(platform.name()) { (platform_name(platform.name())) } } } }
                }
                label { span { "What it is to say, in your own words" } textarea name="brief" rows="3" maxlength="1000" dir="auto" {} }
                label { span { "Not before, in your own time" } (instant(None)) }
                p.muted { "It is written from what the campaign watches, judged like every other, and goes before them." }
                div.problem data-problem role="alert" hidden {}
                footer { button.button.primary type="submit" data-changes { "Add it" } }
            }
        }
    }
}

fn what(task: &PlannedRow) -> String {
    let Some(platform) = task.platform.as_deref() else { return "A payment".to_owned() };
    let kind = match task.what.split([' ', '(']).next() {
        Some("image") => "A post with a picture",
        Some("video") => "A post with a video",
        _ => "A post",
    };
    let added = if task.is_added { ", asked for by a person" } else { "" };
    format!("{kind} on {}{added}", platform_name(platform))
}

/// What its goal says beyond the campaign's own.
fn topics<'a>(task: &'a PlannedRow, goal: &str) -> Option<&'a str> {
    task.about.strip_prefix(goal).map(str::trim).filter(|topics| !topics.is_empty())
}

fn cost(micro_usd: u64) -> String {
    if micro_usd == 0 { "costs nothing".to_owned() } else { format!("about {}", crate::pages::amounts::micro_usd(micro_usd)) }
}

fn risk_chip(risk: &str) -> Markup {
    let tone = match risk {
        "low" => Tone::Ok,
        "medium" => Tone::Warn,
        _ => Tone::Danger,
    };
    chip(tone, &format!("{risk} risk"))
}

fn state(state: &str) -> Markup {
    let (tone, word) = match state {
        "planned" => (Tone::Planning, "planned"),
        "dropped" => (Tone::Neutral, "dropped"),
        "pending" | "returned" => (Tone::Planning, "to begin"),
        "in_progress" => (Tone::Accent, "in work"),
        "in_review" => (Tone::Judging, "before the judge"),
        "awaiting_person" => (Tone::Warn, "for a person"),
        "complete" => (Tone::Ok, "done"),
        "given_up" => (Tone::Danger, "given up"),
        other => (Tone::Neutral, other),
    };
    chip(tone, word)
}
