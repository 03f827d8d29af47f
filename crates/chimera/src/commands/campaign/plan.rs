//! `chimera campaign plan`: what would be queued now, and why no more.

use super::{Context, find};
use crate::{
    mission_control::{
        obstacles::Place,
        planning::{self, Plan},
    },
    wiring::{App, Role},
};
use anyhow::{Context as _, Result};
use chimera_core::{
    contracts::{content_generator::ContentType, task::TaskAcceptance},
    domain::hidden::visible_line,
    ports::swarm::PlannedTask,
    swarm::runtime::Draft,
};
use std::process::ExitCode;

pub(super) async fn show(context: &Context, id: &str) -> Result<ExitCode> {
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let swarm = app.swarm().await?;
    let planned = async {
        let campaign = find(&app.records, id).await?;
        planning::plan(&app.records, &swarm.swarm, &campaign).await.with_context(|| format!("campaign {id} cannot be planned"))
    }
    .await;
    swarm.close().await;
    app.close().await;
    let plan = planned?;
    let Plan { draft, dropped, places, estimate: told, .. } = &plan;
    context.output.show(&plan.told(), |out| {
        let mut lines = match &draft.trend {
            Some(alert) => vec![format!("{}  {}", out.bold("trend   "), visible_line(&alert.trend.topics.join(", ")))],
            None if !draft.told_elsewhere.is_empty() => vec!["nothing new for this goal now: a started campaign keeps looking".to_owned()],
            None => no_trend(draft),
        };
        lines.extend(draft.more_trends.iter().map(|trend| format!("{}  {}", out.bold("also now"), visible_line(&trend.topics.join(", ")))));
        for task in &draft.tasks {
            let what = match (&task.acceptance_criteria, &task.transaction) {
                (Some(criteria), _) => {
                    let form = task.context.form.map(|form| format!(" ({})", form.name())).unwrap_or_default();
                    format!("{}{form} on {}", noun(criteria), criteria.platform)
                }
                (None, Some(payment)) => {
                    format!("pay {} units of {}", payment.params.amount_wei_or_units.as_deref().unwrap_or("?"), payment.params.asset)
                }
                (None, None) => "nothing".to_owned(),
            };
            let id = out.dim(&task.task_id.to_string());
            lines.push(format!("{}  {}: {what}  {id}", out.bold("task    "), task.context.agent_id));
            lines.extend(task.context.brief.iter().map(|brief| format!("          brief: {}", visible_line(brief))));
        }
        for PlannedTask { task, .. } in dropped {
            let place = task.acceptance_criteria.as_ref().map(|criteria| format!(" on {}", criteria.platform)).unwrap_or_default();
            lines.push(format!("{}  {}{place}  {}", out.bold("dropped "), task.context.agent_id, out.dim(&task.task_id.to_string())));
        }
        let missing = places.iter().flat_map(Place::lines).map(|line| format!("{}  {}", out.bold("missing "), visible_line(&line)));
        lines.extend(missing);
        lines.extend(draft.payment_left_out.iter().map(|reason| format!("{}  no payment: {}", out.bold("note    "), visible_line(reason))));
        let spend: Vec<String> = told.spend_units.iter().map(|(asset, units)| format!("{units} units of {asset}")).collect();
        let spend = if spend.is_empty() { "nothing".to_owned() } else { spend.join(", ") };
        lines.push(format!("{}  {spend}, fees apart; {} micro-USD of models and media tools", out.bold("cost    "), told.cost_micro_usd));
        lines.push(format!("{}  {}", out.bold("risk    "), told.risk.name()));
        lines.extend(told.reasons.iter().map(|reason| format!("          {reason}")));
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

fn noun(criteria: &TaskAcceptance) -> String {
    match (criteria.content_type, criteria.video_tier) {
        (ContentType::Text, _) => "a post".to_owned(),
        (ContentType::Image, _) => "a post with a picture".to_owned(),
        (ContentType::Video, None) => "a post with a video".to_owned(),
        (ContentType::Video, Some(tier)) => format!("a post with a {} video", tier.name()),
    }
}

/// Why there is none, as far as can be told, and what to do about it.
fn no_trend(draft: &Draft) -> Vec<String> {
    let found = match (&draft.strongest_story, draft.relevant_items) {
        (_, 0) => "no item of these resources matters to the goal now".to_owned(),
        (None, items) => format!("{items} items matter, and the date of none is known and of late"),
        (Some(story), items) => format!(
            "{items} items matter; the strongest story ({}) has {} of {} needed items and {} of {} needed sources",
            visible_line(&story.topics.join(", ")),
            story.items,
            story.items_needed,
            story.voices,
            story.voices_needed
        ),
    };
    let mut lines = vec![format!("no trend for this goal now: {found}")];
    if draft.tasks.is_empty() && draft.paced.is_empty() {
        lines.push("nothing would be queued; a started campaign keeps looking".to_owned());
        if draft.relevant_items > 0 {
            lines.push("hint: a campaign with --posts-per-day tells single items too; [trends] says what a trend takes".to_owned());
        }
    }
    lines
}
