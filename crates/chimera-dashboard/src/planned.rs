//! A campaign's plan as a view: the very rows that `/api` gives and the page draws.

use chimera_core::{
    contracts::{
        UtcTime,
        content_generator::ContentType,
        task::{AgentTask, Priority, Risk},
        views::plans::{PlanView, PlannedRow},
    },
    domain::task::TaskState,
    ports::swarm::PlannedTask,
};

pub(crate) fn view(campaign_id: &str, plan: &[PlannedTask]) -> PlanView {
    let is_ahead = |planned: &&PlannedTask| !planned.is_dropped && !planned.state.is_some_and(TaskState::is_ended);
    let ahead = || plan.iter().filter(is_ahead);
    let payments = ahead().filter(|planned| planned.task.transaction.is_some()).count() as u64;
    let estimates = || ahead().filter_map(|planned| planned.task.estimate.as_ref());
    PlanView {
        campaign_id: campaign_id.to_owned(),
        tasks: plan.iter().map(row).collect(),
        posts: ahead().count() as u64 - payments,
        payments,
        cost_micro_usd: estimates().fold(0, |sum: u64, of| sum.saturating_add(of.text_micro_usd).saturating_add(of.media_micro_usd)),
        risk: estimates().map(|of| of.risk).max().map(|risk| risk.name().to_owned()),
    }
}

pub(crate) fn row(planned: &PlannedTask) -> PlannedRow {
    let PlannedTask { task, not_before, is_dropped, is_added, state } = planned;
    let estimate = task.estimate.as_ref();
    PlannedRow {
        task_id: task.task_id,
        agent_id: task.context.agent_id.clone(),
        platform: task.acceptance_criteria.as_ref().map(|criteria| criteria.platform.clone()),
        what: what(task),
        about: task.context.goal_description.clone(),
        priority: priority(task.priority).to_owned(),
        state: if *is_dropped { "dropped" } else { state.map_or("planned", state_word) }.to_owned(),
        can_change: planned.can_change(),
        is_added: *is_added,
        brief: task.context.brief.clone(),
        not_before: not_before.map(UtcTime),
        cost_micro_usd: estimate.map(|of| of.text_micro_usd.saturating_add(of.media_micro_usd)),
        risk: estimate.map(|of| of.risk).map(Risk::name).map(str::to_owned),
        after: task.depends_on.clone(),
    }
}

fn state_word(state: TaskState) -> &'static str {
    if state == TaskState::InReview { "in_review" } else { state.name() }
}

fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::High => "high",
        Priority::Medium => "medium",
        Priority::Low => "low",
    }
}

fn what(task: &AgentTask) -> String {
    let Some(criteria) = &task.acceptance_criteria else { return "payment".to_owned() };
    let kind = match criteria.content_type {
        ContentType::Text => "text",
        ContentType::Image => "image",
        ContentType::Video => "video",
    };
    let form = task.context.form.map(|form| format!(" ({})", form.name())).unwrap_or_default();
    format!("{kind}{form} for {}", criteria.platform)
}
