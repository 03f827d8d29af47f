//! The story of one post or payment: trend, task, drafts, decisions, review, act, with times.

use super::super::Context;
use crate::{mcp::post, wiring::Records};
use anyhow::{Result, bail};
use chimera_core::{
    contracts::{UtcTime, UuidV4, decision::JudgeDecision, task::AgentTask, trend_alert::TrendAlert},
    domain::hidden::visible_line,
    ports::{
        ledger::Ledger,
        model_budget::{CallOutcome, ModelBudget, ModelCall},
        perception::Perception,
        swarm::{Calendar, CampaignRecord, CampaignState, Campaigns, Engagement, Engagements, Judgements, Reviews, Tasks},
    },
    swarm::{planner, replying},
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// The newest entries of an agent among which its act is looked for.
const LEDGER_ENTRIES_MAX: usize = 10_000;
const ALERTS_MAX: usize = 10_000;
/// Of the trend's window.
const ITEMS_MAX: usize = 1_000;

/// `what` is a post's, task's or result's id, or the hash of a payment's transaction.
pub(super) async fn show(context: &Context, records: &Records, campaign: &CampaignState, what: &str) -> Result<()> {
    let id = &campaign.goal.campaign_id;
    let record = Judgements::of_campaign(&records.store, id).await?;
    let tasks = Tasks::of_campaign(&records.store, id).await?;
    let Some(task) = task_of(&record, &tasks, what) else {
        bail!("{what:?} is no post, task, result or transaction of campaign {id}; `chimera campaign show {id}` lists them")
    };
    let steps = in_order(steps_of(records, campaign, task, &record).await?);
    context.output.show(&json!({ "campaign_id": id, "task_id": task.task_id, "trace": steps }), |out| {
        let line = |step: &Value| {
            let (at, name) = (step["at"].as_str().unwrap_or("                        "), step["step"].as_str().unwrap_or_default());
            let after = step["after_ms"].as_i64().map(|ms| format!("+{}.{:03} s", ms / 1000, ms % 1000)).unwrap_or_default();
            format!("{}  {}  {}  {}", out.dim(at), out.dim(&format!("{after:>12}")), out.bold(&format!("{name:8}")), told(&step["facts"]))
        };
        steps.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(())
}

async fn steps_of(records: &Records, campaign: &CampaignState, task: &AgentTask, record: &CampaignRecord) -> Result<Vec<Value>> {
    let mut steps = Vec::new();
    let alerts = records.store.alerts(&campaign.goal.campaign_id, ALERTS_MAX).await?;
    if let Some(alert) = cause(campaign, task, &alerts) {
        let trend = &alert.trend;
        steps.extend(items_of(records, alert).await?);
        steps.push(step(alert.created_at, "trend", json!({ "topics": trend.topics, "cluster_id": trend.cluster_id, "items_from": trend.sample_resource_uris, "signal_strength": trend.signal_strength })));
    }
    if let Some(post_id) = replying::answered_post(task) {
        let said = json!({ "post_id": post_id, "resource_uri": task.context.required_resources.first() });
        steps.push(step(task.created_at, "mention", said));
    }
    let calendar = Calendar::of_campaign(&records.store, &campaign.goal.campaign_id).await?;
    if let Some((entry, status)) = calendar.iter().find(|(entry, _)| entry.task_id() == task.task_id) {
        steps.push(step(UtcTime(entry.at), "date", super::calendar::entry(entry, status)));
    }
    steps.push(planned(task));
    let calls = records.store.of_task(task.task_id).await?;
    steps.extend(calls.iter().map(|(call, outcome)| step(UtcTime(call.at), "model", asked(call, outcome))));
    let mut before: Option<DateTime<Utc>> = None;
    for result in record.results.iter().filter(|result| result.task_id == task.task_id) {
        let mut draft = json!({ "result_id": result.result_id, "worker_id": result.worker_id, "confidence_score": result.confidence_score, "reasoning_trace": result.reasoning_trace });
        if let Some(text) = result.artifact.as_ref().and_then(|artifact| artifact.payload_text.as_ref()) {
            draft["text"] = json!(text);
        }
        if let Some(transaction) = &result.transaction {
            draft["transaction"] = json!(transaction.result);
        }
        // Whatever was asked since the draft before led to this one.
        let made_for = calls.iter().filter(|(call, _)| call.at <= result.created_at.0 && before.is_none_or(|before| call.at > before));
        if let Some(cost) = cost_of(made_for) {
            draft["cost"] = cost;
        }
        before = Some(result.created_at.0);
        steps.push(step(result.created_at, "draft", draft));
    }
    for decision in record.decisions.iter().filter(|decision| decision.task_id == task.task_id && decision.result_id.is_some()) {
        steps.push(decided(decision));
    }
    for review in record.reviews.iter().filter(|review| review.task_id == task.task_id) {
        steps.push(step(
            review.created_at,
            "review",
            json!({ "review_id": review.review_id, "why": review.escalation_reason, "status": review.status }),
        ));
        if let Some(answer) = records.store.answered(review.review_id).await? {
            let mut said = json!({ "action": answer.action, "reviewer_id": answer.reviewer_id });
            if let Some(reason) = &answer.reason {
                said["reason"] = json!(reason);
            }
            steps.push(step(answer.reviewed_at, "answer", said));
        }
    }
    // Those of people, and the CFO's, come before a result or after a review.
    for decision in record.decisions.iter().filter(|decision| decision.task_id == task.task_id && decision.result_id.is_none()) {
        steps.push(decided(decision));
    }
    for post in record.posts.iter().filter(|made| made.task_id == task.task_id) {
        steps.push(json!({ "step": "post", "facts": self::post(post) }));
    }
    let agent = task.context.agent_id.parse().ok();
    for entry in Ledger::list(&records.store, agent.as_ref(), LEDGER_ENTRIES_MAX).await?.iter().rev() {
        if entry.entry.task_id == Some(task.task_id) {
            let act = json!({ "entry": entry.number, "kind": entry.entry.kind.as_str(), "facts": entry.entry.facts, "postings": entry.entry.postings.to_json() });
            steps.push(step(UtcTime(entry.entry.at), "act", act));
        }
    }
    let posts: Vec<UuidV4> = record.posts.iter().filter(|post| post.task_id == task.task_id).map(|post| post.post_id).collect();
    for read in
        Engagements::of_campaign(&records.store, &campaign.goal.campaign_id).await?.iter().filter(|read| posts.contains(&read.post_id))
    {
        let Engagement { likes, reposts, replies } = read.counts;
        let counts = json!({ "reading": read.reading.name(), "likes": likes, "reposts": reposts, "replies": replies });
        steps.push(step(UtcTime(read.at), "engagement", counts));
    }
    Ok(steps)
}

fn planned(task: &AgentTask) -> Value {
    let mut planned = json!({
        "task_id": task.task_id, "agent_id": task.context.agent_id, "task_type": task.task_type, "priority": task.priority,
        "attempt": task.attempt, "depends_on": task.depends_on,
    });
    if let Some(criteria) = &task.acceptance_criteria {
        planned["content_type"] = json!(criteria.content_type);
        if let Some(tier) = criteria.video_tier {
            planned["video_tier"] = json!(tier);
        }
    }
    if let Some(estimate) = &task.estimate {
        planned["estimate"] = json!(estimate);
    }
    step(task.created_at, "task", planned)
}

/// One call of a language model.
fn asked(call: &ModelCall, outcome: &CallOutcome) -> Value {
    match outcome {
        CallOutcome::Settled { usage, cost_micro_usd } => json!({
            "model": call.model, "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens,
            "is_estimated": usage.is_estimated, "micro_usd": cost_micro_usd,
        }),
        CallOutcome::Held => json!({ "model": call.model, "held_tokens": call.tokens_held, "held_micro_usd": call.micro_usd_held }),
        CallOutcome::Released => json!({ "model": call.model, "failed": true }),
    }
}

/// What language models took for a draft, as far as it is known; `None` when none was asked.
fn cost_of<'a>(calls: impl Iterator<Item = &'a (ModelCall, CallOutcome)>) -> Option<Value> {
    let (mut asked, mut tokens, mut micro_usd) = (0_u64, 0_u64, 0_u64);
    for (_, outcome) in calls {
        asked += 1;
        if let CallOutcome::Settled { usage, cost_micro_usd } = outcome {
            tokens = tokens.saturating_add(usage.total_tokens());
            micro_usd = micro_usd.saturating_add(*cost_micro_usd);
        }
    }
    (asked > 0).then(|| json!({ "model_calls": asked, "tokens": tokens, "micro_usd": micro_usd }))
}

/// What was read that made the trend.
async fn items_of(records: &Records, alert: &TrendAlert) -> Result<Vec<Value>> {
    let trend = &alert.trend;
    let seen = records.store.window(&trend.sample_resource_uris, trend.time_window_start.0, ITEMS_MAX).await?;
    let of_story =
        seen.iter().filter(|item| item.cluster_id.as_deref() == Some(trend.cluster_id.as_str()) && item.item.seen_at <= alert.created_at.0);
    Ok(of_story
        .map(|item| {
            let mut facts = json!({ "title": item.item.title.as_data(), "resource_uri": item.item.resource_uri });
            if let Some(url) = &item.item.url {
                facts["url"] = json!(url.as_str());
            }
            step(UtcTime(item.item.seen_at), "item", facts)
        })
        .collect())
}

fn in_order(steps: Vec<Value>) -> Vec<Value> {
    // Steps without a time of their own follow what they came from.
    let mut last = String::new();
    let mut timed: Vec<(String, Value)> = Vec::new();
    for step in steps {
        if let Some(at) = step["at"].as_str() {
            last = at.to_owned();
        }
        timed.push((last.clone(), step));
    }
    timed.sort_by(|a, b| a.0.cmp(&b.0));
    let mut before: Option<UtcTime> = None;
    let mut steps = Vec::with_capacity(timed.len());
    for (_, mut step) in timed {
        if let Some(at) = step["at"].as_str().and_then(|at| at.parse::<UtcTime>().ok()) {
            // What a step took is the time since the one before it.
            if let Some(before) = before {
                step["after_ms"] = json!((at.0 - before.0).num_milliseconds());
            }
            before = Some(at);
        }
        steps.push(step);
    }
    steps
}

fn task_of<'a>(record: &CampaignRecord, tasks: &'a [AgentTask], what: &str) -> Option<&'a AgentTask> {
    let id: Option<UuidV4> = what.parse().ok();
    let by_post = record.posts.iter().find(|post| Some(post.post_id) == id).map(|post| post.task_id);
    let by_result = record.results.iter().find(|result| Some(result.result_id) == id).map(|result| result.task_id);
    let paid = |hash: &Option<String>| hash.as_deref().is_some_and(|hash| hash.eq_ignore_ascii_case(what));
    let by_hash = record.results.iter().find(|result| result.transaction.as_ref().is_some_and(|done| paid(&done.result.tx_hash)));
    let task_id = by_post.or(by_result).or(by_hash.map(|result| result.task_id)).or(id)?;
    tasks.iter().find(|task| task.task_id == task_id)
}

/// The alert that the task was planned for: its id follows from it.
fn cause<'a>(campaign: &CampaignState, task: &AgentTask, alerts: &'a [TrendAlert]) -> Option<&'a TrendAlert> {
    let made_from = |alert: &TrendAlert| {
        (1..=campaign.goal_version).any(|goal_version| planner::is_of_story(task, goal_version, &alert.trend.cluster_id))
    };
    // The oldest one: later alerts to the same story planned nothing new.
    alerts.iter().rev().find(|alert| made_from(alert))
}

fn decided(decision: &JudgeDecision) -> Value {
    let made = json!({ "decision": decision.decision, "reason": decision.reason, "state_version": decision.state_version });
    step(decision.created_at, "decision", made)
}

fn step(at: UtcTime, name: &str, facts: Value) -> Value {
    json!({ "at": at, "step": name, "facts": facts })
}

/// The facts in one line; what is long is cut.
fn told(facts: &Value) -> String {
    let Some(facts) = facts.as_object() else { return facts.to_string() };
    let part = |(name, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned).replace('\n', " ");
        let cut: String = text.chars().take(120).collect();
        format!("{name}: {}", visible_line(&cut))
    };
    facts.iter().map(part).collect::<Vec<_>>().join(", ")
}
