//! `chimera campaign budget`, `agents`, `delete` and `task`: a campaign and its plan as people shape them.

use super::{super::Context, change, find};
use crate::{
    cli::{AgentsFlags, BudgetFlags, Limit, TaskCommand},
    wiring::Records,
};
use anyhow::{Context as _, Result, bail};
use chimera_core::{
    contracts::{UtcTime, UuidV4, content_generator::BRIEF_CHARS_MAX},
    domain::{
        Platform, Soul,
        campaign::{Budget, CampaignEvent, CampaignStatus, STAYS},
    },
    ports::swarm::{Campaigns, PlannedTask, Plans, Shaping},
    swarm::planner::shaped,
};
use serde_json::json;

pub(super) async fn budget(context: &Context, records: &Records, flags: BudgetFlags) -> Result<()> {
    let campaign = find(records, &flags.id).await?;
    let budget = with_limits(Budget::of(&campaign.goal.budget_constraints)?, &flags);
    let campaign = records.store.change(&flags.id, &CampaignEvent::ChangeBudget { budget }, records.clock.now()).await?;
    let stops = budget.stops(&records.store.used(&flags.id).await?);
    let mut shown =
        json!({ "campaign_id": flags.id, "status": campaign.status.name(), "budget_constraints": campaign.goal.budget_constraints });
    if let Some(stops) = &stops {
        shown["stops"] = json!(stops);
    }
    context.output.show(&shown, |out| {
        let told = format!("campaign {} has its new budget", out.bold(&flags.id));
        std::iter::once(told).chain(stops.iter().map(|stops| format!("  {}", out.bad(stops)))).collect::<Vec<_>>().join("\n")
    })?;
    Ok(())
}

fn with_limits(mut budget: Budget, flags: &BudgetFlags) -> Budget {
    for limit in &flags.no_limit {
        match limit {
            Limit::PostsMax => budget.posts_max = None,
            Limit::PaymentsMax => budget.payments_max = None,
            Limit::SpendMax => budget.spend_max_units = None,
            Limit::TokensMax => budget.tokens_max = None,
            Limit::ImagesMax => budget.images_max = None,
            Limit::VideosMax => budget.videos_max = None,
            Limit::MediaMax => budget.media_micro_usd_max = None,
        }
    }
    Budget {
        posts_max: flags.posts_max.or(budget.posts_max),
        payments_max: flags.payments_max.or(budget.payments_max),
        spend_max_units: flags.spend_max.or(budget.spend_max_units),
        tokens_max: flags.tokens_max.or(budget.tokens_max),
        images_max: flags.images_max.or(budget.images_max),
        videos_max: flags.videos_max.or(budget.videos_max),
        media_micro_usd_max: flags.media_max.or(budget.media_micro_usd_max),
    }
}

pub(super) async fn agents(context: &Context, records: &Records, flags: AgentsFlags) -> Result<()> {
    let mut agent_ids = find(records, &flags.id).await?.goal.agent_ids;
    for gone in &flags.remove {
        if !agent_ids.contains(gone) {
            bail!("{gone} does not work for campaign {}; {} do", flags.id, agent_ids.join(", "));
        }
        agent_ids.retain(|id| id != gone);
    }
    for new in flags.add {
        Soul::parse(&records.active_agent(&new).await?.soul_source)?;
        if !agent_ids.contains(&new) {
            agent_ids.push(new);
        }
    }
    if agent_ids.is_empty() {
        bail!("nobody would work for it; add somebody with --add, or `chimera campaign delete {}`", flags.id);
    }
    change(context, records, &flags.id, CampaignEvent::ChangeAgents { agent_ids }).await
}

pub(super) async fn delete(context: &Context, records: &Records, id: &str) -> Result<()> {
    let campaign = records.store.change(id, &CampaignEvent::Delete, records.clock.now()).await?;
    let shown = json!({ "campaign_id": id, "status": campaign.status.name(), "stays": STAYS });
    context.output.show(&shown, |out| format!("campaign {} is deleted: {STAYS}", out.bold(id)))?;
    Ok(())
}

pub(super) async fn task(context: &Context, records: &Records, command: TaskCommand) -> Result<()> {
    match command {
        TaskCommand::Add { id, agent, platform, brief, not_before } => {
            let new = New { agent, platform, brief: said(brief)?, not_before };
            add(context, records, &id, new).await
        }
        TaskCommand::Brief { id, task, brief, not_before } => {
            let shaping = Shaping::Instruct { brief: said(brief)?, not_before: not_before.map(|at| at.0) };
            shape(context, records, (&id, &task), shaping).await
        }
        TaskCommand::Drop { id, task } => shape(context, records, (&id, &task), Shaping::Drop).await,
        TaskCommand::Restore { id, task } => shape(context, records, (&id, &task), Shaping::PutBack).await,
    }
}

/// A task that is asked for.
struct New {
    agent: String,
    platform: Platform,
    brief: Option<String>,
    not_before: Option<UtcTime>,
}

async fn add(context: &Context, records: &Records, id: &str, new: New) -> Result<()> {
    let campaign = find(records, id).await?;
    if campaign.status == CampaignStatus::Deleted {
        bail!("campaign {id} is deleted");
    }
    if !campaign.goal.agent_ids.contains(&new.agent) {
        bail!("{} does not work for campaign {id}; {} do", new.agent, campaign.goal.agent_ids.join(", "));
    }
    let soul = Soul::parse(&records.active_agent(&new.agent).await?.soul_source)?;
    if !soul.platforms.contains(&new.platform) {
        bail!("{} is not on {}; see `chimera agent show {}`", new.agent, new.platform, new.agent);
    }
    let task = shaped::added(&campaign, &soul, new.platform, new.brief, records.clock.now());
    records.store.add(&task, new.not_before.map(|at| at.0)).await?;
    let shown = json!({ "campaign_id": id, "task_id": task.task_id });
    context.output.show(&shown, |out| format!("task {} is in the plan", out.bold(&task.task_id.to_string())))?;
    Ok(())
}

async fn shape(context: &Context, records: &Records, (id, task): (&str, &str), shaping: Shaping) -> Result<()> {
    find(records, id).await?;
    let task_id: UuidV4 = task.parse().with_context(|| format!("{task:?} is no task's id; `chimera campaign plan {id}` lists them"))?;
    let planned = records.store.shape(id, task_id, &shaping, records.clock.now()).await?;
    let PlannedTask { task, not_before, is_dropped, .. } = &planned;
    let mut shown = json!({ "campaign_id": id, "task_id": task_id, "is_dropped": is_dropped });
    if let Some(brief) = &task.context.brief {
        shown["brief"] = json!(brief);
    }
    if let Some(at) = not_before {
        shown["not_before"] = json!(UtcTime(*at));
    }
    context.output.show(&shown, |out| {
        let told = match &shaping {
            Shaping::Drop => "is dropped: it is not made",
            Shaping::PutBack => "is back in the plan",
            Shaping::Instruct { .. } => "is told",
        };
        format!("task {} {told}", out.bold(&task_id.to_string()))
    })?;
    Ok(())
}

fn said(brief: Option<String>) -> Result<Option<String>> {
    let brief = brief.map(|brief| brief.trim().to_owned()).filter(|brief| !brief.is_empty());
    let chars = brief.as_ref().map_or(0, |brief| brief.chars().count());
    if chars > BRIEF_CHARS_MAX {
        bail!("the brief has {chars} characters, of at most {BRIEF_CHARS_MAX}");
    }
    Ok(brief)
}
