//! The story of one task, told from what a store has of it: who asked for it, what was made, what was said of it, what left.

use crate::{
    contracts::{
        UtcTime, UuidV4,
        decision::{JudgeDecision, Verdict},
        result::WorkerResult,
        review::{ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
        task::AgentTask,
        trend_alert::TrendAlert,
        views::{
            campaigns::PostRow,
            money::{LedgerRow, TransferRow},
            stories::{StepKind, StoryStep, TaskStory},
        },
    },
    domain::{
        money::{format_units, parse_units},
        task::{TaskState, what},
    },
    ports::events::{Event, EventKind},
};

/// All that is on record of a task. Of a wallet call from outside there is no task, only what its id is bound to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskRecord {
    pub task: Option<AgentTask>,
    pub goal: Option<String>,
    /// Why it was returned or given up.
    pub reason: Option<String>,
    /// What it was planned for, and titles of the items that made the trend.
    pub trend: Option<(TrendAlert, Vec<String>)>,
    pub events: Vec<Event>,
    pub results: Vec<WorkerResult>,
    pub decisions: Vec<JudgeDecision>,
    pub reviews: Vec<(ReviewItem, Option<ReviewAnswer>)>,
    pub post: Option<PostRow>,
    pub transfer: Option<TransferRow>,
    pub ledger: Vec<LedgerRow>,
}

impl TaskRecord {
    /// `None` where nothing is on record.
    pub fn story(&self, task_id: UuidV4) -> Option<TaskStory> {
        let mut steps = self.steps();
        if steps.is_empty() {
            return None;
        }
        // Of one moment, what came first here came first.
        steps.sort_by_key(|step| step.at);
        let context = self.task.as_ref().map(|task| &task.context);
        let agent_of_transfer = || self.transfer.as_ref().map(|transfer| transfer.agent_id.clone());
        let agent_of_review = || self.reviews.first().map(|(review, _)| review.agent_id.clone());
        Some(TaskStory {
            task_id,
            campaign_id: context.map(|context| context.campaign_id.clone()),
            agent_id: context.map(|context| context.agent_id.clone()).or_else(agent_of_transfer).or_else(agent_of_review),
            // As it was when this was planned; the campaign may have another by now.
            goal: context.map(|context| context.goal_description.clone()).or_else(|| self.goal.clone()),
            what: self.task.as_ref().map_or_else(|| "payment".to_owned(), what),
            steps,
        })
    }

    fn steps(&self) -> Vec<StoryStep> {
        let mut steps = Vec::new();
        steps.extend(self.trend.as_ref().map(|(alert, titles)| found(alert, titles)));
        steps.extend(self.task_steps());
        steps.extend(self.results.iter().map(made));
        steps.extend(self.decisions.iter().map(|decision| self.decided(decision)));
        for (review, answer) in &self.reviews {
            steps.extend(self.asked(review, answer.as_ref()));
        }
        steps.extend(self.post_steps());
        steps.extend(self.payment_steps());
        steps.extend(self.ledger.iter().map(entered));
        steps
    }

    fn of_kind(&self, kind: EventKind) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |event| event.kind == kind)
    }

    fn task_steps(&self) -> Vec<StoryStep> {
        let Some(task) = &self.task else { return Vec::new() };
        let mut steps: Vec<StoryStep> = self.of_kind(EventKind::Task).map(|event| self.moved(task, event)).collect();
        // One from before there were events.
        if steps.is_empty() {
            steps.push(step(task.created_at, StepKind::Task, TaskState::Pending.name(), planned(task)));
        }
        steps
    }

    fn moved(&self, task: &AgentTask, event: &Event) -> StoryStep {
        let attempt = event.attempt.unwrap_or(1);
        let why = || self.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let told = match TaskState::of_name(&event.state) {
            Some(TaskState::Pending) if self.is_first(event) => planned(task),
            Some(TaskState::Pending) => format!("queued again, attempt {attempt}"),
            Some(TaskState::InProgress) => format!("a Worker took it, attempt {attempt}"),
            Some(TaskState::InReview) => "the Worker finished it; the Judge is next".to_owned(),
            Some(TaskState::AwaitingPerson) => "waits for a person".to_owned(),
            Some(TaskState::Returned) => "back with the Planner".to_owned(),
            Some(TaskState::Complete) => "done".to_owned(),
            Some(TaskState::GivenUp) => format!("given up{}", why()),
            None => event.state.clone(),
        };
        of_event(event, StepKind::Task, told)
    }

    fn is_first(&self, event: &Event) -> bool {
        self.events.first().is_some_and(|first| first.number == event.number)
    }

    fn event_of(&self, kind: EventKind, subject: UuidV4, is_meant: impl Fn(&str) -> bool) -> Option<u64> {
        let subject = subject.to_string();
        self.of_kind(kind).find(|event| event.subject == subject && is_meant(&event.state)).map(|event| event.number)
    }

    fn decided(&self, decision: &JudgeDecision) -> StoryStep {
        let (state, word) = match decision.decision {
            Verdict::Approve => ("approve", "approved"),
            Verdict::Reject => ("reject", "rejected"),
            Verdict::Escalate => ("escalate", "put before a person"),
        };
        let subject = decision.result_id.unwrap_or(decision.decision_id);
        let event = self.event_of(EventKind::Decision, subject, |_| true);
        StoryStep { event, ..step(decision.created_at, StepKind::Decision, state, format!("{word}: {}", decision.reason)) }
    }

    /// The question, and how it ended.
    fn asked(&self, review: &ReviewItem, answer: Option<&ReviewAnswer>) -> Vec<StoryStep> {
        let pending = |state: &str| state == "pending";
        let opened = self.event_of(EventKind::Review, review.review_id, pending);
        let ended = self.of_kind(EventKind::Review).find(|event| event.subject == review.review_id.to_string() && !pending(&event.state));
        let question = step(review.created_at, StepKind::Review, "pending", format!("a person is asked: {}", review.escalation_reason));
        let mut steps = vec![StoryStep { event: opened, ..question }];
        if let Some(answer) = answer {
            steps.push(StoryStep { event: ended.map(|event| event.number), ..answered(answer) });
        } else if let (ReviewStatus::Expired, Some(event)) = (review.status, ended) {
            steps.push(of_event(event, StepKind::Review, "closed without an answer".to_owned()));
        }
        steps
    }

    fn post_steps(&self) -> Vec<StoryStep> {
        let Some(post) = &self.post else { return Vec::new() };
        let mut steps: Vec<StoryStep> = self
            .of_kind(EventKind::Post)
            .map(|event| StoryStep { details: self.post_details(event), ..of_event(event, StepKind::Post, posted(&event.state, post)) })
            .collect();
        if steps.is_empty()
            && let Some(at) = post.at
        {
            let lone = step(at, StepKind::Post, &post.status, posted(&post.status, post));
            steps.push(StoryStep { details: vec![post.text.clone()], ..lone });
        }
        steps
    }

    /// The text where it is let out, and what became of it where it is in its last state.
    fn post_details(&self, event: &Event) -> Vec<String> {
        let Some(post) = &self.post else { return Vec::new() };
        let is_first = self.of_kind(EventKind::Post).next().is_some_and(|first| first.number == event.number);
        let mut details = Vec::new();
        if is_first {
            details.push(post.text.clone());
            details.extend(post.media_uri.clone());
        }
        if event.state == post.status {
            details.extend(post.url.clone());
            details.extend(post.reason.clone());
        }
        details
    }

    fn payment_steps(&self) -> Vec<StoryStep> {
        let Some(transfer) = &self.transfer else { return Vec::new() };
        let details = || {
            let mut details = Vec::new();
            details.extend(transfer.tx_hash.clone());
            details.extend(transfer.block_number.map(|number| format!("block {number}")));
            details.extend(transfer.reason.clone());
            details
        };
        let mut steps: Vec<StoryStep> =
            self.of_kind(EventKind::Payment).map(|event| of_event(event, StepKind::Payment, paid(&event.state, transfer))).collect();
        if steps.is_empty() {
            steps.push(step(transfer.reserved_at, StepKind::Payment, &transfer.state, paid(&transfer.state, transfer)));
        }
        if let Some(last) = steps.last_mut() {
            last.details = details();
        }
        steps
    }
}

fn step(at: UtcTime, kind: StepKind, state: &str, told: String) -> StoryStep {
    StoryStep { at, kind, state: state.to_owned(), told, details: Vec::new(), event: None }
}

fn of_event(event: &Event, kind: StepKind, told: String) -> StoryStep {
    StoryStep { event: Some(event.number), ..step(UtcTime(event.at), kind, &event.state, told) }
}

fn found(alert: &TrendAlert, titles: &[String]) -> StoryStep {
    let told = format!("a trend was found: {}, signal {:.2}", alert.trend.topics.join(", "), alert.trend.signal_strength);
    StoryStep { details: titles.to_vec(), ..step(alert.created_at, StepKind::Trend, "found", told) }
}

fn planned(task: &AgentTask) -> String {
    format!("planned: {} by {}", what(task), task.context.agent_id)
}

fn made(result: &WorkerResult) -> StoryStep {
    let told = match &result.transaction {
        Some(_) => "the Worker reports the payment".to_owned(),
        None => {
            let writer = result.written_by.as_deref().map(|writer| format!(", written by {writer}")).unwrap_or_default();
            format!("a draft{writer}, confidence {:.2}", result.confidence_score)
        }
    };
    let mut details = vec![format!("Worker {}", result.worker_id)];
    if let Some(artifact) = &result.artifact {
        details.extend(artifact.payload_text.clone());
        details.extend(artifact.payload_media_uri.clone());
    }
    if let Some(transaction) = &result.transaction {
        details.extend(transaction.result.tx_hash.clone());
    }
    StoryStep { details, ..step(result.created_at, StepKind::Result, "made", told) }
}

fn answered(answer: &ReviewAnswer) -> StoryStep {
    let (state, word) = match answer.action {
        ReviewAction::Approve if answer.found.as_ref().is_some_and(|found| found.is_there) => ("published", "found where it should be"),
        ReviewAction::Approve if answer.found.is_some() => ("resend", "not found, and sent again"),
        ReviewAction::Approve => ("approve", "approved"),
        ReviewAction::Reject => ("reject", "rejected"),
        ReviewAction::Edit => ("edit", "edited and approved"),
    };
    let why = answer.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let text = answer.edited_artifact.as_ref().and_then(|artifact| artifact.payload_text.clone());
    let told = format!("{word} by {}{why}", answer.reviewer_id);
    StoryStep { details: text.into_iter().collect(), ..step(answer.reviewed_at, StepKind::Answer, state, told) }
}

fn posted(state: &str, post: &PostRow) -> String {
    let platform = &post.platform;
    match state {
        "approved" => format!("may be posted on {platform}"),
        "sending" => format!("being sent to {platform}"),
        "dry_run" => format!("would have been posted on {platform}: a dry run"),
        "published" => format!("published on {platform}"),
        "refused" => format!("not posted on {platform}"),
        "unknown" => format!("sent to {platform}; whether it is there, nobody knows"),
        other => format!("{other} on {platform}"),
    }
}

fn paid(state: &str, transfer: &TransferRow) -> String {
    let amount = &transfer.amount;
    let shown = parse_units(&amount.units).map_or_else(|_| amount.units.clone(), |units| format_units(units, amount.decimals));
    let moved = format!("{shown} {} to {}", amount.asset, transfer.to_address);
    match state {
        "awaiting_review" => format!("{moved} waits for a person"),
        "granted" => format!("a person granted {moved}"),
        "declined" => format!("a person declined {moved}"),
        "handed_over" => format!("{moved} was handed to the wallet elsewhere"),
        "given_up" => format!("{moved} was given up"),
        other => format!("{moved}: {other}"),
    }
}

fn entered(entry: &LedgerRow) -> StoryStep {
    let told = format!("ledger entry {}: {}", entry.number, entry.told);
    StoryStep { details: vec![entry.hash.clone()], ..step(entry.at, StepKind::Ledger, &entry.kind, told) }
}
