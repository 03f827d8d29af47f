//! `/campaigns/{campaign_id}`: where it stands, what it would do now, and all that it made.

use super::{list::progress, plan, shaping, status, tasks};
use crate::pages::{
    amounts::limits,
    assets, calendar,
    components::{definitions, empty, outside, outside_line, text::linked, time},
    fleet::counted,
    posts, trends,
};
use chimera_core::contracts::views::{
    Page,
    agents::AgentCard,
    campaigns::{CalendarRow, CampaignDetail, PostRow, TaskRow},
    people::Role,
    plans::PlanView,
    trends::TrendRow,
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

/// A campaign and the newest of what belongs to it.
pub(in crate::pages) struct Whole {
    pub campaign: CampaignDetail,
    pub plan: PlanView,
    /// Who could work for it.
    pub agents: Vec<AgentCard>,
    pub tasks: Page<TaskRow>,
    pub posts: Page<PostRow>,
    pub calendar: Page<CalendarRow>,
    pub trends: Page<TrendRow>,
}

pub(in crate::pages) fn view(whole: &Whole, role: Role, now: DateTime<Utc>) -> Markup {
    let row = &whole.campaign.row;
    let address = format!("/campaigns/{}", row.campaign_id);
    html! {
        (standing(&whole.campaign, role, now))
        script type="module" src=(assets::address("campaigns.js")) {}
        div.columns {
            div {
                @if row.status != "deleted" { (plan::section(&whole.campaign, &whole.plan, role, now)) }
                section #posts {
                    h2 { "Posts" }
                    @if whole.posts.items.is_empty() { (empty("Nothing is approved yet.", &next_for_posts(row.reviews_pending, &row.status))) }
                    @else { (posts::posts(&row.campaign_id, &whole.posts.items, now)) (older(&whole.posts, &address, "posts")) }
                }
                section #tasks {
                    h2 { "Tasks" }
                    @if whole.tasks.items.is_empty() { (empty("Nothing is planned yet.", &next_for_tasks(&row.status))) }
                    @else { (tasks::list(&row.campaign_id, &whole.tasks.items, now)) (older(&whole.tasks, &address, "tasks")) }
                }
            }
            aside {
                section #campaign-facts { h2 { "What holds for it" } (facts(&whole.campaign, now)) }
                (shaping::forms(&whole.campaign, &whole.agents, role))
                section #calendar { h2 { "Calendar" } (calendar::of_campaign(&whole.calendar.items, row, role, now)) }
                section #trends { h2 { "Trends" } (trends::of_campaign(&whole.trends.items, now)) }
            }
        }
    }
}

/// Where it stands and what can be done about it; replaced when it moves, but never while its goal is being written anew.
pub(in crate::pages) fn standing(campaign: &CampaignDetail, role: Role, now: DateTime<Utc>) -> Markup {
    let row = &campaign.row;
    let id = &row.campaign_id;
    html! {
        div #campaign-standing .standing data-live={ "/fragments/campaigns/" (id) "/standing" } data-live-for=(id) data-live-kinds="campaign task review post" {
            p.crumbs { a href="/campaigns" { "Campaigns" } }
            p.goal { (outside(&row.goal)) }
            p { (status(&row.status)) @if let Some(reason) = &row.reason { " " (outside_line(reason)) } }
            p.muted {
                (progress(&row.tasks)) " · " (counted(row.posts_published, "post")) " published · begun " (time(row.created_at, now))
                @if row.reviews_pending > 0 { " · " a href="/review" { (counted(row.reviews_pending, "review")) " waiting" } }
            }
            (acts(campaign, role))
        }
    }
}

fn acts(campaign: &CampaignDetail, role: Role) -> Markup {
    let row = &campaign.row;
    let id = row.campaign_id.as_str();
    let is_operator = role >= Role::Operator;
    html! {
        div.acts {
            @match row.status.as_str() {
                "draft" if is_operator => (simple(id, "start", "Start", "button primary")),
                "paused" if is_operator => (simple(id, "resume", "Resume", "button primary")),
                "exhausted" if is_operator => {
                    p.muted { "It has used up what it may. Give it more below, and let it go on." }
                    (simple(id, "resume", "Resume", "button"))
                },
                "deleted" => (shaping::deleted()),
                _ => {},
            }
            @if row.status == "running" && role >= Role::Reviewer { (pause(id)) }
            @if is_operator && row.status != "deleted" { (change_goal(campaign)) }
        }
    }
}

fn simple(id: &str, act: &str, label: &str, class: &str) -> Markup {
    html! {
        form.plain data-method="POST" data-action={ "/api/campaigns/" (id) "/" (act) } data-then="reload" {
            button class=(class) type="submit" data-changes { (label) }
            div.problem data-problem role="alert" hidden {}
        }
    }
}

fn pause(id: &str) -> Markup {
    html! {
        details.act {
            summary.button { "Pause" }
            form data-method="POST" data-action={ "/api/campaigns/" (id) "/pause" } data-then="reload" {
                label { span { "Why" } input.field name="reason" required maxlength="500" autocomplete="off" dir="auto"; }
                p.muted { "Nothing more is begun or published for it. What waits for a person can still be answered." }
                div.problem data-problem role="alert" hidden {}
                footer { button.button.danger type="submit" data-changes { "Pause the campaign" } }
            }
        }
    }
}

fn change_goal(campaign: &CampaignDetail) -> Markup {
    html! {
        details #change-goal .act {
            summary.button { "Change the goal" }
            form #goal-form data-method="PUT" data-action={ "/api/campaigns/" (campaign.row.campaign_id) "/goal" } data-if-match={ "\"" (campaign.last_event) "\"" } data-then="reload" {
                label { span { "Goal" } textarea name="goal" rows="4" required maxlength="2000" dir="auto" { (campaign.row.goal) } }
                p.muted { "What is planned for the present goal is dropped; what is published stays." }
                div.problem data-problem role="alert" hidden {}
                footer { button.button.primary type="submit" data-changes { "Change the goal" } }
            }
        }
    }
}

fn facts(campaign: &CampaignDetail, now: DateTime<Utc>) -> Markup {
    let row = &campaign.row;
    let held = limits(&campaign.budget_constraints);
    let agents = html! { ul.plain { @for id in &row.agent_ids { li { a href={ "/agents/" (id) } { (outside_line(id)) } } } } };
    let held = html! {
        @if held.is_empty() { "No limits of its own; the agents' policies hold." }
        @else { ul.plain { @for line in &held { li { (outside_line(line)) } } } }
    };
    let resources = html! {
        @if campaign.resource_uris.is_empty() { "Every feed of the configuration." }
        @else { ul.plain.addresses { @for uri in &campaign.resource_uris { li { (linked(uri)) } } } }
    };
    definitions(&[
        ("Agents", agents),
        ("Limits", held),
        ("Watches", resources),
        ("Wanted by", outside_line(&campaign.operator_id)),
        ("Begun", time(row.created_at, now)),
        ("Version", html! { (campaign.state_version) " " span.muted { "it moves with every change of goal or standing" } }),
        ("Id", crate::pages::components::hash(&row.campaign_id)),
    ])
}

/// Older rows of one of its lists.
fn older<T>(page: &Page<T>, address: &str, list: &str) -> Markup {
    html! { @if let Some(next) = &page.next { p.more { a.button href={ (address) "?" (list) "=" (next) "#" (list) } { "Older" } } } }
}

fn next_for_posts(reviews_pending: u64, status: &str) -> Markup {
    html! {
        @if reviews_pending > 0 { a href="/review" { (counted(reviews_pending, "draft")) " waiting for a person" } }
        @else if status == "draft" { "Start it, and its first drafts come with the next trend." }
        @else { "Drafts come with the next trend; the plan above says what is missing." }
    }
}

fn next_for_tasks(status: &str) -> Markup {
    html! {
        @match status {
            "draft" => "Look what it would do now, then start it.",
            "running" => "It keeps looking. What it would do now says what is missing.",
            "paused" => "It plans nothing while it is paused.",
            _ => "It has come to its end.",
        }
    }
}
