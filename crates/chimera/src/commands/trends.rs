//! `chimera trends`: what agents were alerted to, and how it went on.

use super::Context;
use crate::{
    cli::{TrendsCommand, TrendsFlags},
    output::Output,
    trends::{self, Span, ToldTrend, chart, sparkline},
    wiring::{Records, configured_resources},
};
use anyhow::{Context as _, Result, bail};
use chimera_core::{
    contracts::UtcTime,
    domain::{WebUrl, hidden::visible_line},
    perception::judged::in_steps,
    ports::swarm::Campaigns,
};
use serde_json::{Value, json};
use std::{fs, path::Path, process::ExitCode};

/// Steps of the line in a table, and of the columns in a picture.
const LINE_STEPS: usize = 24;
const CHART_STEPS_MAX: usize = 72;
/// Of one trend, the newest.
const ITEMS_SHOWN_MAX: usize = 20;

pub async fn run(context: Context, command: TrendsCommand) -> Result<ExitCode> {
    let records = Records::open(&context.settings)?;
    let done = match command {
        TrendsCommand::List(flags) => list(&context, &records, &flags).await,
        TrendsCommand::Show { id, which, svg } => show(&context, &records, &id, &which, svg.as_deref()).await,
    };
    records.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn list(context: &Context, records: &Records, flags: &TrendsFlags) -> Result<()> {
    let (trends, span) = found(context, records, flags).await?;
    let shown: Vec<Value> = trends.iter().map(|trend| to_json(trend, span)).collect();
    context.output.show(&json!({ "trends": shown }), |out| {
        if trends.is_empty() {
            return format!(
                "no trend was told in the last {} hours\n  a trend needs 3 items from 2 sources that matter to a goal\n  \
                 see what is watched     chimera campaign list\n  look once, and plan     chimera campaign plan ID\n  keep looking            chimera serve",
                flags.hours
            );
        }
        table(out, &trends, span, flags.hours)
    })?;
    Ok(())
}

fn table(out: &Output, trends: &[ToldTrend], span: Span, hours: u16) -> String {
    let id_width = trends.iter().map(|trend| trend.cluster_id.len()).max().unwrap_or_default().max(5);
    let agent_width = trends.iter().map(|trend| trend.agent_id.len()).max().unwrap_or_default().max(5);
    let over_time = format!("last {hours} h");
    let header = format!(
        "{:<8}  {:>5}  {:>7}  {:<16}  {over_time:<LINE_STEPS$}  {:<agent_width$}  {:<id_width$}  what",
        "strength", "items", "sources", "since (UTC)", "agent", "trend"
    );
    let mut lines = vec![out.dim(&header)];
    for trend in trends {
        let since = trend.since().map(|at| at.format("%Y-%m-%d %H:%M").to_string()).unwrap_or_default();
        lines.push(format!(
            "{:<8.2}  {:>5}  {:>7}  {since:<16}  {}  {:<agent_width$}  {:<id_width$}  {}",
            trend.signal_strength,
            trend.items.len(),
            trend.sources(),
            out.good(&sparkline(&trend.course(span, LINE_STEPS))),
            trend.agent_id,
            trend.cluster_id,
            out.bold(&visible_line(&trend.label()))
        ));
    }
    lines.join("\n")
}

async fn show(context: &Context, records: &Records, id: &str, flags: &TrendsFlags, svg: Option<&Path>) -> Result<()> {
    let (trends, span) = found(context, records, flags).await?;
    let Some(trend) = trends.iter().find(|trend| trend.cluster_id == id) else {
        bail!("there is no trend {id:?} with items in the last {} hours; `chimera trends list` shows those there are", flags.hours);
    };
    if let Some(file) = svg {
        fs::write(file, picture(trend, span, flags.hours)).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let mut shown = to_json(trend, span);
    let newest: Vec<_> = trend.items.iter().rev().take(ITEMS_SHOWN_MAX).collect();
    shown["latest"] = newest
        .iter()
        .map(|stored| json!({ "at": UtcTime(stored.at), "source": trends::source(stored), "title": stored.item.title.as_data(), "url": stored.item.url.as_ref().map(WebUrl::as_str) }))
        .collect();
    context.output.show(&shown, |out| {
        let mut lines = vec![
            out.bold(&visible_line(&trend.label())),
            remark(trend),
            format!("told to {} for: {}", trend.agent_id, trend.goal),
            format!("{}  {}", out.good(&sparkline(&trend.course(span, LINE_STEPS))), out.dim(&format!("last {} h", flags.hours))),
        ];
        for stored in &newest {
            let at = out.dim(&stored.at.format("%Y-%m-%d %H:%M").to_string());
            lines.push(format!("  {at}  {}  {}", visible_line(&trends::source(stored)), visible_line(stored.item.title.as_data())));
        }
        if trend.items.len() > newest.len() {
            lines.push(out.dim(&format!("  and {} older ones", trend.items.len() - newest.len())));
        }
        if let Some(file) = svg {
            lines.push(format!("drawn in {}", file.display()));
        }
        lines.join("\n")
    })?;
    Ok(())
}

fn picture(trend: &ToldTrend, span: Span, hours: u16) -> String {
    let course = trend.course(span, usize::from(hours).clamp(LINE_STEPS, CHART_STEPS_MAX));
    chart::svg(&chart::Chart { label: &trend.label(), remark: &remark(trend), course: &course, told_at: &trend.told_at })
}

fn remark(trend: &ToldTrend) -> String {
    let counted = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let since = trend.since().map(|at| at.format("%Y-%m-%d %H:%M UTC").to_string()).unwrap_or_default();
    format!(
        "{} from {} since {since}, signal strength {:.2}",
        counted(trend.items.len(), "item"),
        counted(trend.sources(), "source"),
        trend.signal_strength
    )
}

async fn found(context: &Context, records: &Records, flags: &TrendsFlags) -> Result<(Vec<ToldTrend>, Span)> {
    let campaigns = match &flags.campaign {
        Some(id) => match Campaigns::find(&records.store, id).await? {
            Some(campaign) => vec![campaign],
            None => bail!("there is no campaign {id}; `chimera campaign list` shows those that exist"),
        },
        None => Campaigns::list(&records.store).await?,
    };
    let agent = match &flags.agent {
        Some(id) => Some(records.agent(id).await?.id),
        None => None,
    };
    let span = Span::last_hours(flags.hours, records.clock.now());
    let resources = configured_resources(&context.settings);
    let mut trends = trends::told((&records.store, &records.store), &campaigns, &resources, span).await?;
    trends.retain(|trend| agent.as_ref().is_none_or(|id| trend.agent_id == id.as_str()));
    Ok((trends, span))
}

fn to_json(trend: &ToldTrend, span: Span) -> Value {
    json!({
        "cluster_id": trend.cluster_id,
        "campaign_id": trend.campaign_id,
        "agent_id": trend.agent_id,
        "topics": trend.topics,
        "signal_strength": in_steps(trend.signal_strength),
        "items": trend.items.len(),
        "sources": trend.sources(),
        "since": trend.since().map(UtcTime),
        "told_at": trend.told_at.iter().copied().map(UtcTime).collect::<Vec<_>>(),
        "over_time": { "start": UtcTime(span.start), "end": UtcTime(span.end), "items": trend.course(span, LINE_STEPS).counts },
    })
}
