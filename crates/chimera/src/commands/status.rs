//! `chimera status`: one screen of what runs, what waits and what fails.

use super::Context;
use crate::{
    output::Output,
    wiring::{self, Records},
};
use anyhow::Result;
use chimera_core::{
    contracts::views::{
        agents::{AgentCard, AgentState, Stop, StopKind},
        campaigns::CampaignRow,
        reviews::{ReviewKind, ReviewRow},
    },
    ports::queries::{PageOf, Queries, ReviewFilter},
};
use serde_json::json;
use std::process::ExitCode;

/// Lines of one screen.
const AGENTS_SHOWN_MAX: usize = 12;
const CAMPAIGNS_SHOWN_MAX: usize = 8;
const GOAL_CHARS_MAX: usize = 48;

pub async fn run(context: Context) -> Result<ExitCode> {
    let is_served = wiring::is_served(&context.settings)?;
    let records = Records::open(&context.settings)?;
    let done = show(&context, &records, is_served).await;
    records.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn show(context: &Context, records: &Records, is_served: bool) -> Result<()> {
    let store = &records.store;
    let now = records.clock.now();
    let (mut fleet, stops) = (Queries::fleet(store, now).await?, Queries::stops(store).await?);
    // What needs somebody first; who is retired last.
    fleet.agents.sort_by_key(|agent| (agent.state == AgentState::Retired, agent.state));
    let first = PageOf::first(PageOf::LIMIT_MAX);
    let campaigns = Queries::campaigns(store, &first).await?.items;
    let waiting = Queries::reviews(store, &ReviewFilter::default(), &first).await?.items;
    let pending = Queries::pending_reviews(store).await?;
    let shown = json!({
        "served": is_served,
        "data": context.settings.data_dir.display().to_string(),
        "stops": stops,
        "reviews_pending": pending,
        "oldest_review": waiting.first(),
        "campaigns": campaigns,
        "agents": fleet.agents,
    });
    context.output.show(&shown, |out| {
        let mut lines = vec![served(out, context, is_served)];
        lines.extend(stops.iter().map(|stop| out.bad(&stopped(stop))));
        lines.push(reviews(out, pending, &waiting));
        lines.extend(campaign_lines(out, &campaigns));
        lines.extend(agent_lines(out, &fleet.agents));
        lines.join("\n")
    })?;
    Ok(())
}

fn served(out: &Output, context: &Context, is_served: bool) -> String {
    let data = context.settings.data_dir.display();
    match is_served {
        true => format!("{}  {data}; `chimera access link owner` prints a link to its page", out.good("served    ")),
        false => format!("{}  {data}: nothing runs until `chimera serve` does", out.bold("not served")),
    }
}

fn stopped(stop: &Stop) -> String {
    let who = stop.agent_id.as_deref().unwrap_or("the whole fleet");
    let what = match stop.kind {
        StopKind::Freeze => "frozen",
        StopKind::Hold => "held",
        StopKind::Pause => "paused",
        StopKind::Retired => "retired",
    };
    format!("stopped     {who} is {what}: {} (by {}, since {})", stop.reason, stop.by, stop.since)
}

fn reviews(out: &Output, pending: u64, waiting: &[ReviewRow]) -> String {
    let Some(oldest) = waiting.first() else { return format!("{}  nothing waits for a person", out.good("reviews   ")) };
    let of = |kind: ReviewKind| waiting.iter().filter(|row| row.kind == kind).count();
    let kinds = [
        (of(ReviewKind::Content), "post", "posts"),
        (of(ReviewKind::Money), "payment", "payments"),
        (of(ReviewKind::Stuck), "stuck task", "stuck tasks"),
        (of(ReviewKind::UnknownPost), "post that may have left", "posts that may have left"),
    ];
    let kinds: Vec<String> = kinds
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    let more = if pending > waiting.len() as u64 { ", and more" } else { "" };
    let heading = out.bold("reviews   ");
    format!("{heading}  {pending} wait for a person: {}{more}; the oldest since {}", kinds.join(", "), oldest.asked_at)
}

fn campaign_lines(out: &Output, campaigns: &[CampaignRow]) -> Vec<String> {
    let heading = out.bold("campaigns ");
    if campaigns.is_empty() {
        return vec![format!("{heading}  none; make one with: chimera campaign create --goal TEXT --agents AGENT")];
    }
    let mut lines = vec![format!("{heading}  {}", counted(campaigns.iter().map(|campaign| campaign.status.as_str())))];
    let told = |campaign: &CampaignRow| {
        let tasks = &campaign.tasks;
        let reason = campaign.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let did = format!(
            "{} done, {} open, {} wait for a person, {} given up; {} published",
            tasks.complete, tasks.open, tasks.awaiting_person, tasks.given_up, campaign.posts_published
        );
        let cut = if campaign.goal.chars().count() > GOAL_CHARS_MAX { "…" } else { "" };
        let goal = campaign.goal.chars().take(GOAL_CHARS_MAX).chain(cut.chars()).collect::<String>();
        format!("  {}  {goal}\n    {}{reason}; {did}", out.dim(&campaign.campaign_id), campaign.status)
    };
    let (running, others): (Vec<_>, Vec<_>) = campaigns.iter().partition(|campaign| campaign.status == "running");
    lines.extend(running.into_iter().chain(others).take(CAMPAIGNS_SHOWN_MAX).map(told));
    lines.extend(and_more(out, campaigns.len(), CAMPAIGNS_SHOWN_MAX, "chimera campaign list"));
    lines
}

fn agent_lines(out: &Output, agents: &[AgentCard]) -> Vec<String> {
    let heading = out.bold("agents    ");
    if agents.is_empty() {
        return vec![format!("{heading}  none; make one with: chimera agent create --soul FILE")];
    }
    let mut lines = vec![format!("{heading}  {}", counted(agents.iter().map(|agent| agent.state.name())))];
    let widest = agents.iter().take(AGENTS_SHOWN_MAX).map(|agent| agent.agent_id.len()).max().unwrap_or_default();
    for agent in agents.iter().take(AGENTS_SHOWN_MAX) {
        let state = format!("{:<8}", agent.state.name());
        let state = match agent.state {
            AgentState::Error | AgentState::Frozen => out.bad(&state),
            AgentState::Working | AgentState::Judging => out.good(&state),
            _ => state,
        };
        lines.push(format!("  {:widest$}  {state}  {}", agent.agent_id, agent.because));
        lines.extend(agent.last_error.iter().map(|error| format!("  {:widest$}  {}", "", out.dim(&format!("last failure: {error}")))));
        lines.extend(agent.last_post.iter().map(|post| {
            format!(
                "  {:widest$}  {}",
                "",
                out.dim(&format!("last post: {} on {}, {}", post.status.replace('_', " "), post.platform, post.at))
            )
        }));
    }
    lines.extend(and_more(out, agents.len(), AGENTS_SHOWN_MAX, "chimera agent list"));
    lines
}

/// "2 running, 1 paused", in the order of their first ones.
fn counted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in words {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.into_iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

fn and_more(out: &Output, all: usize, shown: usize, command: &str) -> Option<String> {
    (all > shown).then(|| out.dim(&format!("  and {} more: {command}", all - shown)))
}
