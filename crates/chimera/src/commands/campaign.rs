//! `chimera campaign`: goals for agents, and what became of them.

mod calendar;
mod plan;
mod replay;
mod shaping;
mod trace;

use super::Context;
use crate::{
    cli::{CampaignCommand, CreateFlags, PauseFlags},
    output::Output,
    wiring::{Records, thresholds},
};
use anyhow::{Context as _, Result, bail};
use chimera_core::{
    contracts::{UtcTime, UuidV4, campaign::CampaignGoal, task::TaskStatus},
    domain::{
        Soul,
        campaign::{Budget, Cadence, CampaignEvent, CampaignStatus, Mix, Pause, Reach},
        freeze::FreezeScope,
        hidden::visible_line,
    },
    ports::swarm::{
        Calendar, CampaignState, Campaigns, Engagement, EngagementRecord, Engagements, Judgements, Outbox, Pauses, Post, Tasks,
    },
    swarm::planner,
};
use serde_json::{Map, Value, json};
use std::{fs, path::Path, process::ExitCode};

pub async fn run(context: Context, command: CampaignCommand) -> Result<ExitCode> {
    if let CampaignCommand::Plan { id } = &command {
        return plan::show(&context, id).await;
    }
    let records = Records::open(&context.settings)?;
    let done = with_records(&context, &records, command).await;
    records.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn with_records(context: &Context, records: &Records, command: CampaignCommand) -> Result<()> {
    match command {
        CampaignCommand::Create(flags) => create(context, records, *flags).await,
        CampaignCommand::Plan { .. } => Ok(()),
        CampaignCommand::Start { id } => change(context, records, &id, CampaignEvent::Start).await,
        CampaignCommand::Goal { id, goal } => {
            let event = CampaignEvent::ChangeGoal { goal_description: checked_goal(&goal)? };
            change(context, records, &id, event).await
        }
        CampaignCommand::Pause(flags) => pause(context, records, flags).await,
        CampaignCommand::Resume(flags) => resume(context, records, flags).await,
        CampaignCommand::Budget(flags) => shaping::budget(context, records, flags).await,
        CampaignCommand::Agents(flags) => shaping::agents(context, records, flags).await,
        CampaignCommand::Delete { id } => shaping::delete(context, records, &id).await,
        CampaignCommand::Task(command) => shaping::task(context, records, command).await,
        CampaignCommand::Schedule(flags) => calendar::schedule(context, records, flags).await,
        CampaignCommand::Unschedule { id, entry } => calendar::unschedule(context, records, &id, &entry).await,
        CampaignCommand::List => list(context, records).await,
        CampaignCommand::Replay { id } => replay::run(context, records, &find(records, &id).await?, &thresholds(&context.settings)).await,
        CampaignCommand::Show { id, trace: None } => show(context, records, &id).await,
        CampaignCommand::Show { id, trace: Some(what) } => trace::show(context, records, &find(records, &id).await?, &what).await,
    }
}

async fn create(context: &Context, records: &Records, flags: CreateFlags) -> Result<()> {
    let mut souls = Vec::new();
    for id in &flags.agents {
        souls.push(Soul::parse(&records.active_agent(id).await?.soul_source)?);
    }
    for uri in &flags.watch {
        uri.parse::<url::Url>()
            .with_context(|| format!("--watch {uri:?} is not an absolute URI, such as news://global/technology/latest"))?;
    }
    for platform in &flags.platforms {
        if !souls.iter().any(|soul| soul.platforms.contains(platform)) {
            bail!("--platforms {platform}: none of the campaign's agents has it in its SOUL");
        }
    }
    let goal = CampaignGoal {
        campaign_id: UuidV4::random().to_string(),
        goal_description: checked_goal(&flags.goal)?,
        operator_id: flags.operator.clone(),
        agent_ids: flags.agents.clone(),
        budget_constraints: constraints(&flags)?,
        created_at: UtcTime(records.clock.now()),
    };
    planner::payment_of(&goal.budget_constraints)?;
    Campaigns::create(&records.store, &goal, &flags.watch).await?;
    context.output.show(&json!({ "campaign_id": goal.campaign_id }), |out| {
        let id = out.bold(&goal.campaign_id);
        format!(
            "created {id}\n  see what it would do  chimera campaign plan {0}\n  start it              chimera campaign start {0}",
            goal.campaign_id
        )
    })?;
    Ok(())
}

fn constraints(flags: &CreateFlags) -> Result<Map<String, Value>> {
    let CreateFlags { posts_max, payments_max, tokens_max, images_max, videos_max, .. } = *flags;
    let media = Budget { images_max, videos_max, media_micro_usd_max: flags.media_max, ..Budget::default() };
    let budget = Budget { posts_max, payments_max, spend_max_units: flags.spend_max, tokens_max, ..media };
    let cadence = Cadence { per_day: flags.posts_per_day, per_week: flags.posts_per_week };
    let mut constraints = budget.constraints();
    constraints.extend(cadence.constraints());
    constraints.extend(Reach::only(flags.platforms.clone()).constraint());
    constraints.extend(flags.mix.as_ref().map(Mix::constraint));
    if let Some(file) = &flags.payment {
        constraints.insert(planner::PAYMENT_KEY.to_owned(), payment(file)?);
    }
    Ok(constraints)
}

fn payment(file: &Path) -> Result<Value> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))
}

fn checked_goal(goal: &str) -> Result<String> {
    let goal = goal.trim();
    if goal.is_empty() {
        bail!("--goal is empty; say what the agents shall do");
    }
    Ok(goal.to_owned())
}

async fn change(context: &Context, records: &Records, id: &str, event: CampaignEvent) -> Result<()> {
    let campaign = records.store.change(id, &event, records.clock.now()).await?;
    let shown = json!({ "campaign_id": id, "status": campaign.status.name(), "state_version": campaign.state_version });
    context.output.show(&shown, |out| format!("campaign {id} is {}", out.bold(campaign.status.name())))?;
    Ok(())
}

/// `None`: the flags name a campaign.
fn scope(flags: &PauseFlags) -> Result<Option<FreezeScope>> {
    match &flags.agent {
        Some(agent) => Ok(Some(FreezeScope::Agent(agent.parse()?))),
        None => Ok(flags.fleet.then_some(FreezeScope::Fleet)),
    }
}

async fn pause(context: &Context, records: &Records, flags: PauseFlags) -> Result<()> {
    let Some(scope) = scope(&flags)? else {
        return change(context, records, &flags.id.unwrap_or_default(), CampaignEvent::Pause { reason: flags.reason }).await;
    };
    if let Some(agent) = scope.agent() {
        records.agent(agent.as_str()).await?;
    }
    let pause = Pause { scope, reason: flags.reason, by: flags.by, at: records.clock.now() };
    records.store.pause(&pause).await?;
    context
        .output
        .show(&json!({ "paused": pause.scope.to_string() }), |_| format!("{} is paused: nothing is claimed or published", pause.scope))?;
    Ok(())
}

async fn resume(context: &Context, records: &Records, flags: PauseFlags) -> Result<()> {
    let Some(scope) = scope(&flags)? else {
        return change(context, records, &flags.id.unwrap_or_default(), CampaignEvent::Resume).await;
    };
    if !records.store.resume(&scope).await? {
        bail!("{scope} is not paused");
    }
    context.output.show(&json!({ "resumed": scope.to_string() }), |_| format!("{scope} goes on"))?;
    Ok(())
}

async fn list(context: &Context, records: &Records) -> Result<()> {
    let campaigns = Campaigns::list(&records.store).await?;
    let pauses = records.store.pauses().await?;
    let mut shown = Vec::new();
    for campaign in &campaigns {
        shown.push(summary(records, campaign).await?);
    }
    let paused: Vec<String> = pauses.iter().map(|pause| format!("{} is paused: {}", pause.scope, pause.reason)).collect();
    context.output.show(&json!({ "campaigns": shown, "pauses": paused }), |out| {
        if campaigns.is_empty() {
            return "no campaigns yet; make one with: chimera campaign create --goal TEXT --agents IDS".to_owned();
        }
        let line = |campaign: &CampaignState| {
            format!("{}  {}\n  {}", out.bold(&campaign.goal.campaign_id), standing(out, campaign), campaign.goal.goal_description)
        };
        campaigns.iter().map(line).chain(paused.iter().map(|line| out.bad(line))).collect::<Vec<_>>().join("\n")
    })?;
    Ok(())
}

async fn summary(records: &Records, campaign: &CampaignState) -> Result<Value> {
    let tasks = Tasks::of_campaign(&records.store, &campaign.goal.campaign_id).await?;
    let count = |status: TaskStatus| tasks.iter().filter(|task| task.status == status).count();
    let mut shown = json!({
        "campaign_id": campaign.goal.campaign_id,
        "goal_description": campaign.goal.goal_description,
        "agent_ids": campaign.goal.agent_ids,
        "status": campaign.status.name(),
        "state_version": campaign.state_version,
        "budget_constraints": campaign.goal.budget_constraints,
        "resource_uris": campaign.resource_uris,
        "created_at": campaign.goal.created_at,
        "tasks": {
            "pending": count(TaskStatus::Pending), "in_progress": count(TaskStatus::InProgress),
            "review": count(TaskStatus::Review), "complete": count(TaskStatus::Complete),
        },
    });
    if let Some(reason) = &campaign.reason {
        shown["reason"] = json!(reason);
    }
    Ok(shown)
}

async fn show(context: &Context, records: &Records, id: &str) -> Result<()> {
    let campaign = find(records, id).await?;
    let mut shown = summary(records, &campaign).await?;
    let tasks = Tasks::of_campaign(&records.store, id).await?;
    let record = Judgements::of_campaign(&records.store, id).await?;
    let readings = Engagements::of_campaign(&records.store, id).await?;
    let reasons = records.store.reasons(id).await?;
    let posts: Vec<Value> = record.posts.iter().map(|post| told(post, &readings, reasons.get(&post.post_id))).collect();
    let alerts = records.store.alerts(id, ALERTS_SHOWN_MAX).await?;
    let entries = Calendar::of_campaign(&records.store, id).await?;
    for (name, value) in [
        ("trends", json!(alerts)),
        ("task_list", json!(tasks)),
        ("results", json!(record.results)),
        ("decisions", json!(record.decisions)),
        ("reviews", json!(record.reviews)),
        ("posts", json!(posts)),
        ("calendar", entries.iter().map(|(entry, status)| calendar::entry(entry, status)).collect()),
    ] {
        shown[name] = value;
    }
    context.output.show(&shown, |out| {
        let mut lines =
            vec![format!("{}  {}", out.bold(id), standing(out, &campaign)), format!("  goal    {}", campaign.goal.goal_description)];
        lines.push(format!("  agents  {}", campaign.goal.agent_ids.join(", ")));
        for task in &tasks {
            let status = serde_json::to_value(task.status).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default();
            let last = record.decisions.iter().rfind(|decision| decision.task_id == task.task_id);
            let why = last.map(|decision| format!(": {}", visible_line(&decision.reason))).unwrap_or_default();
            lines.push(format!("  task    {}  {} {status}{why}", task.task_id, task.context.agent_id));
        }
        for post in &record.posts {
            let why = reasons.get(&post.post_id).map(|reason| format!(" ({})", visible_line(reason))).unwrap_or_default();
            lines.push(format!("  post    {}  {} on {}: {}{why}", post.post_id, post.agent, post.platform, post.status.name()));
        }
        lines.extend(entries.iter().map(|(entry, status)| format!("  dated   {}", calendar::line(entry, status))));
        lines.push(out.dim("  the story of one:  chimera campaign show ID --trace POST_OR_TASK"));
        lines.join("\n")
    })?;
    Ok(())
}

/// The post, with why it waits or did not leave, and what people did after an hour and after a day.
fn told(post: &Post, readings: &[EngagementRecord], reason: Option<&String>) -> Value {
    let mut shown = crate::mcp::post(post);
    if let Some(reason) = reason {
        shown["reason"] = json!(reason);
    }
    for read in readings.iter().filter(|read| read.post_id == post.post_id) {
        let Engagement { likes, reposts, replies } = read.counts;
        shown["engagement"][read.reading.name()] =
            json!({ "likes": likes, "reposts": reposts, "replies": replies, "at": UtcTime(read.at) });
    }
    shown
}

const ALERTS_SHOWN_MAX: usize = 50;

async fn find(records: &Records, id: &str) -> Result<CampaignState> {
    let found = Campaigns::find(&records.store, id).await?;
    found.with_context(|| format!("there is no campaign {id}; `chimera campaign list` shows all"))
}

fn standing(out: &Output, campaign: &CampaignState) -> String {
    let name = campaign.status.name();
    let shown = match campaign.status {
        CampaignStatus::Running => out.good(name),
        CampaignStatus::Draft => out.dim(name),
        CampaignStatus::Paused | CampaignStatus::Exhausted | CampaignStatus::Deleted => out.bad(name),
    };
    match &campaign.reason {
        Some(reason) => format!("{shown} ({})", visible_line(reason)),
        None => shown,
    }
}
