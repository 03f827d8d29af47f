//! A recorded campaign judged again, offline, by the policy as it is now, and held against what was decided then.

use super::super::Context;
use crate::wiring::Records;
use anyhow::Result;
use chimera_core::{
    contracts::{
        decision::{JudgeDecision, Verdict},
        result::WorkerResult,
        task::AgentTask,
    },
    domain::hidden::visible_line,
    ports::swarm::{CampaignRecord, CampaignState, Judgements, Tasks},
    swarm::judge::{self, Judgement, Thresholds},
};
use serde_json::{Value, json};

struct Rejudged<'a> {
    result: &'a WorkerResult,
    then: &'a JudgeDecision,
    now: Judgement,
}

impl Rejudged<'_> {
    fn is_same(&self) -> bool {
        self.then.decision == self.now.verdict
    }

    fn told(&self) -> Value {
        json!({
            "task_id": self.result.task_id,
            "result_id": self.result.result_id,
            "then": { "decision": self.then.decision, "reason": self.then.reason, "at": self.then.created_at },
            "now": { "decision": self.now.verdict, "reason": self.now.reason },
            "same": self.is_same(),
        })
    }
}

pub(super) async fn run(context: &Context, records: &Records, campaign: &CampaignState, thresholds: &Thresholds) -> Result<()> {
    let id = &campaign.goal.campaign_id;
    let tasks = Tasks::of_campaign(&records.store, id).await?;
    let record = Judgements::of_campaign(&records.store, id).await?;
    let again = rejudge(records, &tasks, &record, thresholds).await?;
    let changed = again.iter().filter(|one| !one.is_same()).count();
    let shown = json!({
        "campaign_id": id,
        "decisions": again.len(),
        "same": again.len() - changed,
        "changed": changed,
        "replayed": again.iter().map(Rejudged::told).collect::<Vec<_>>(),
    });
    context.output.show(&shown, |out| {
        let mut lines = vec![format!("{} decisions judged again, {changed} would be other ones now", again.len())];
        for one in &again {
            let (then, now) = (word(&json!(one.then.decision)), word(&json!(one.now.verdict)));
            let task_id = one.result.task_id;
            lines.push(if one.is_same() {
                out.dim(&format!("  {task_id}  {then} as then"))
            } else {
                out.bad(&format!(
                    "  {task_id}  {then} then ({}), {now} now ({})",
                    visible_line(&one.then.reason),
                    visible_line(&one.now.reason)
                ))
            });
        }
        lines.join("\n")
    })?;
    Ok(())
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Every result that a Judge decided. One that was thrown away unread, because the campaign had moved, is not judged again.
async fn rejudge<'a>(
    records: &Records,
    tasks: &[AgentTask],
    record: &'a CampaignRecord,
    thresholds: &Thresholds,
) -> Result<Vec<Rejudged<'a>>> {
    let mut again = Vec::new();
    for result in &record.results {
        let Some(then) = record.decisions.iter().find(|decision| decision.result_id == Some(result.result_id)) else { continue };
        let Some(task) = tasks.iter().find(|task| task.task_id == result.task_id) else { continue };
        if is_return(then) {
            continue;
        }
        let task = AgentTask { attempt: attempt_of(task, result, record), ..task.clone() };
        let persona = judge::persona_of(&records.store, &task).await?;
        again.push(Rejudged { result, then, now: judge::judge(&task, result, &persona, thresholds) });
    }
    Ok(again)
}

/// The Judge's word on a result that came too late: it names the campaign, and not the content.
fn is_return(decision: &JudgeDecision) -> bool {
    decision.reason.starts_with("the campaign")
}

/// A rejection makes the next attempt: of the present one, those that came since are taken off.
fn attempt_of(task: &AgentTask, result: &WorkerResult, record: &CampaignRecord) -> u32 {
    let since = record.results.iter().filter(|other| other.task_id == task.task_id).skip_while(|other| other.result_id != result.result_id);
    let rejections = since.filter(|other| is_rejected(other, record)).count();
    task.attempt.saturating_sub(u32::try_from(rejections).unwrap_or(u32::MAX)).max(1)
}

fn is_rejected(result: &WorkerResult, record: &CampaignRecord) -> bool {
    record
        .decisions
        .iter()
        .any(|decision| decision.result_id == Some(result.result_id) && decision.decision == Verdict::Reject && !is_return(decision))
}
