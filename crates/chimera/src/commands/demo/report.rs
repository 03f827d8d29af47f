//! What the demo did, read back from the store where it counts.

use super::Run;
use crate::{
    output::{Output, quoted},
    wiring::App,
};
use anyhow::Result;
use chimera_core::{
    contracts::{decision::JudgeDecision, result::WorkerResult, task::AgentTask},
    domain::{hidden::visible_line, money::format_units},
    ports::{
        ledger::{Ledger, LedgerVerdict},
        swarm::{Judgements, Post, Tasks},
    },
    swarm::{perceiving::Perceived, round::Step},
};
use serde_json::{Value, json};
use std::path::PathBuf;

const ITEMS_SHOWN_MAX: usize = 6;
const USDC_DECIMALS: u8 = 6;

pub struct Report {
    goal: &'static str,
    campaign_id: String,
    arranged: Vec<String>,
    data_dir: PathBuf,
    perceived: Option<Perceived>,
    tasks: Vec<AgentTask>,
    results: Vec<WorkerResult>,
    decisions: Vec<JudgeDecision>,
    posts: Vec<Post>,
    ledger: LedgerVerdict,
    failures: Vec<String>,
}

impl Report {
    pub(super) fn new(run: &Run, goal: &'static str, data_dir: PathBuf) -> Self {
        Self {
            goal,
            campaign_id: run.campaign_id.clone(),
            arranged: run.arranged.clone(),
            data_dir,
            perceived: None,
            tasks: Vec::new(),
            results: Vec::new(),
            decisions: Vec::new(),
            posts: Vec::new(),
            ledger: LedgerVerdict::sound(0),
            failures: Vec::new(),
        }
    }

    pub fn take(&mut self, step: &Step<'_>) {
        match step {
            Step::Perceived(perceived) => self.perceived = Some((*perceived).clone()),
            Step::Worked(chimera_core::swarm::worker::Worked::Failed { reason, .. }) => self.failures.push(reason.clone()),
            Step::Planned(_) | Step::Worked(_) | Step::Judged(_) | Step::Published(_) => {}
        }
    }

    /// What is on record, not what passed by.
    pub async fn finish(&mut self, app: &App) -> Result<()> {
        let store = &app.records.store;
        let record = Judgements::of_campaign(store, &self.campaign_id).await?;
        self.tasks = Tasks::of_campaign(store, &self.campaign_id).await?;
        self.results = record.results;
        self.decisions = record.decisions;
        self.posts = record.posts;
        self.ledger = store.verify().await?;
        Ok(())
    }

    /// One post and one payment, and a ledger that verifies.
    pub fn closed(&self) -> bool {
        !self.posts.is_empty() && !self.payments().is_empty() && self.ledger.is_sound()
    }

    fn payments(&self) -> Vec<Value> {
        let paid = |result: &WorkerResult| {
            let facts = &result.transaction.as_ref()?.result;
            let task = self.tasks.iter().find(|task| task.task_id == result.task_id)?;
            let params = &task.transaction.as_ref()?.params;
            Some(json!({
                "task_id": result.task_id,
                "agent_id": result.agent_id,
                "asset": params.asset,
                "amount_wei_or_units": params.amount_wei_or_units,
                "to_address": params.to_address,
                "tx_hash": facts.tx_hash,
                "block_number": facts.block_number,
            }))
        };
        self.results.iter().filter_map(paid).collect()
    }

    pub fn to_json(&self) -> Value {
        let trends: Vec<Value> = self.perceived.iter().flat_map(|perceived| &perceived.alert).map(|alert| json!(alert)).collect();
        let post = |post: &Post| json!({ "post_id": post.post_id, "task_id": post.task_id, "agent_id": post.agent.as_str(), "platform": post.platform, "text": post.text, "status": "dry-run" });
        json!({
            "trends": trends,
            "tasks": self.tasks,
            "results": self.results,
            "decisions": self.decisions,
            "posts": self.posts.iter().map(post).collect::<Vec<_>>(),
            "payments": self.payments(),
            "ledger": { "ok": self.ledger.is_sound(), "entries": self.ledger.entries },
        })
    }

    pub fn to_lines(&self, out: &Output) -> String {
        let mut lines = vec![
            out.bold("Chimera demo"),
            out.dim("sample feeds, sample agents, play money on chimera-devnet; publishing is a dry run"),
            String::new(),
        ];
        self.perceived_lines(out, &mut lines);
        for post in &self.posts {
            self.post_lines(out, post, &mut lines);
        }
        self.undecided_lines(out, &mut lines);
        self.payment_lines(out, &mut lines);
        let verdict = match &self.ledger.problem {
            None => out.good("every entry verified"),
            Some(problem) => out.bad(&problem.to_string()),
        };
        lines.push(format!("{}  {} entries, {verdict}", out.bold("Ledger   "), self.ledger.entries));
        lines.push(String::new());
        lines.push(out.dim("The demo set for itself:"));
        lines.extend(self.arranged.iter().map(|arranged| out.dim(&format!("  - {arranged}"))));
        lines.push(out.dim(&format!("Everything is in {}", self.data_dir.display())));
        if !self.closed() {
            lines.push(out.bad("The loop did not close: a post and a payment must both be on the ledger."));
            lines.extend(self.failures.iter().map(|failure| format!("  {}", visible_line(failure))));
        }
        lines.join("\n")
    }

    fn perceived_lines(&self, out: &Output, lines: &mut Vec<String>) {
        let Some(perceived) = &self.perceived else { return };
        lines.push(format!("{}  {} items matter to: {}", out.bold("Perceived"), perceived.items.len(), self.goal));
        if let Some(alert) = &perceived.alert {
            let trend = &alert.trend;
            let new = if trend.new == Some(true) { ", new" } else { "" };
            lines.push(format!(
                "           trend: {} (signal {:.2}{new})",
                out.bold(&visible_line(&trend.topics.join(", "))),
                trend.signal_strength
            ));
        }
        for item in perceived.items.iter().take(ITEMS_SHOWN_MAX) {
            lines.push(format!("           {:.2}  {}", item.relevance_score, visible_line(&clipped(&item.content_summary, 84))));
        }
        if perceived.items.len() > ITEMS_SHOWN_MAX {
            lines.push(out.dim(&format!("           and {} more", perceived.items.len() - ITEMS_SHOWN_MAX)));
        }
        for error in &perceived.errors {
            lines.push(format!("           {} {}", out.bad(&visible_line(&error.resource_uri)), visible_line(&error.message)));
        }
        lines.push(String::new());
    }

    fn post_lines(&self, out: &Output, post: &Post, lines: &mut Vec<String>) {
        let result = self.results.iter().find(|result| result.result_id == post.result_id);
        let confidence = result.map(|result| format!("confidence {:.2}", result.confidence_score)).unwrap_or_default();
        lines.push(format!("{}  {} on {}, {confidence}, {}", out.bold("Post     "), post.agent, post.platform, out.bold("dry-run")));
        lines.extend(quoted("           ", &post.text));
        if let Some(result) = result {
            lines.extend(result.reasoning_trace.lines().map(|line| out.dim(&format!("           {}", visible_line(line)))));
        }
        for decision in self.decisions.iter().filter(|decision| decision.result_id == Some(post.result_id)) {
            lines.push(format!("           judge: {} because {}", out.good(verdict_word(decision)), visible_line(&decision.reason)));
        }
        lines.push(String::new());
    }

    /// Results that neither left nor were paid, and why.
    fn undecided_lines(&self, out: &Output, lines: &mut Vec<String>) {
        let posted = |decision: &JudgeDecision| self.posts.iter().any(|post| Some(post.result_id) == decision.result_id);
        let paid = |decision: &JudgeDecision| self.payments().iter().any(|payment| payment["task_id"] == json!(decision.task_id));
        for decision in self.decisions.iter().filter(|decision| !posted(decision) && !paid(decision)) {
            lines.push(format!("{}  {}: {}", out.bold("Judged   "), verdict_word(decision), visible_line(&decision.reason)));
        }
    }

    fn payment_lines(&self, out: &Output, lines: &mut Vec<String>) {
        for payment in self.payments() {
            let text = |name: &str| payment[name].as_str().unwrap_or("-").to_owned();
            let units = text("amount_wei_or_units").parse().unwrap_or_default();
            lines.push(format!(
                "{}  {} paid {} {} (test money) to {}",
                out.bold("Payment  "),
                text("agent_id"),
                format_units(units, USDC_DECIMALS),
                text("asset"),
                text("to_address")
            ));
            lines.push(format!("           {} in block {} of chimera-devnet", text("tx_hash"), text("block_number")));
            for decision in self.decisions.iter().filter(|decision| json!(decision.task_id) == payment["task_id"]) {
                // A decision before there is a result is the CFO's.
                let who = if decision.result_id.is_none() { "cfo" } else { "judge" };
                lines.push(format!("           {who}: {} because {}", out.good(verdict_word(decision)), decision.reason));
            }
            lines.push(String::new());
        }
    }
}

fn verdict_word(decision: &JudgeDecision) -> &'static str {
    use chimera_core::contracts::decision::Verdict;
    match decision.decision {
        Verdict::Approve => "approved",
        Verdict::Reject => "rejected",
        Verdict::Escalate => "a person must decide",
    }
}

fn clipped(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars_max - 1).collect();
    format!("{kept}…")
}
