//! Turns events into spans, one trace for each task: plan, work, judge, review and act, below one span for the whole.

use crate::{
    contracts::UuidV4,
    ports::{
        events::{Event, EventKind},
        trace_sink::Span,
    },
};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Tasks that are followed at one time. Of those beyond it only the newest are, so that a queue that nobody works on does not fill the memory.
const TASKS_MAX: usize = 100_000;

/// Follows tasks from their first event on; those that began earlier are not traced.
#[derive(Default)]
pub struct SpanMaker {
    tasks: BTreeMap<UuidV4, Followed>,
}

struct Followed {
    begun_at: DateTime<Utc>,
    phase: Option<Phase>,
    act: Option<DateTime<Utc>>,
    attempt: u32,
    agent_id: String,
    campaign_id: String,
    verdict: Option<String>,
    is_complete: bool,
    spans: u32,
}

struct Phase {
    name: &'static str,
    begun_at: DateTime<Utc>,
}

impl SpanMaker {
    /// The spans that ended with this event.
    pub fn follow(&mut self, event: &Event) -> Vec<Span> {
        let Some(task_id) = event.task_id else { return Vec::new() };
        if event.kind == EventKind::Task && event.state == "pending" && !self.tasks.contains_key(&task_id) {
            self.begin(task_id, event);
            return Vec::new();
        }
        let Some(task) = self.tasks.get_mut(&task_id) else { return Vec::new() };
        let mut spans = Vec::new();
        let is_over = match event.kind {
            EventKind::Task => task.moved(task_id, event, &mut spans),
            EventKind::Decision => {
                task.verdict = Some(event.state.clone());
                false
            }
            EventKind::Post | EventKind::Payment => task.acted(task_id, event, &mut spans),
            EventKind::Review
            | EventKind::Campaign
            | EventKind::Stop
            | EventKind::Agent
            | EventKind::Calendar
            | EventKind::Trend
            | EventKind::Answer
            | EventKind::Person => false,
        };
        if is_over && let Some(task) = self.tasks.remove(&task_id) {
            spans.push(task.whole(task_id, event));
        }
        spans
    }

    fn begin(&mut self, task_id: UuidV4, event: &Event) {
        if self.tasks.len() >= TASKS_MAX
            && let Some(oldest) = self.tasks.iter().min_by_key(|(_, task)| task.begun_at).map(|(id, _)| *id)
        {
            self.tasks.remove(&oldest);
        }
        let followed = Followed {
            begun_at: event.at,
            phase: Some(Phase { name: "plan", begun_at: event.at }),
            act: None,
            attempt: event.attempt.unwrap_or(1),
            agent_id: event.agent_id.clone().unwrap_or_default(),
            campaign_id: event.campaign_id.clone().unwrap_or_default(),
            verdict: None,
            is_complete: false,
            spans: 0,
        };
        self.tasks.insert(task_id, followed);
    }
}

impl Followed {
    /// Whether nothing more is to come.
    fn moved(&mut self, task_id: UuidV4, event: &Event, spans: &mut Vec<Span>) -> bool {
        let has_failed = matches!(event.state.as_str(), "pending" | "returned" | "given_up");
        if let Some(phase) = self.phase.take() {
            let mut span = self.span(task_id, phase.name, phase.begun_at, event.at);
            span.has_failed = has_failed;
            span.attributes.push(("chimera.task.state", event.state.clone()));
            if phase.name == "judge" || phase.name == "review" {
                span.attributes.extend(self.verdict.take().map(|verdict| ("chimera.decision", verdict)));
            }
            spans.push(span);
        }
        self.attempt = event.attempt.unwrap_or(self.attempt);
        let next = match event.state.as_str() {
            "pending" | "returned" => "plan",
            "in_progress" => "work",
            "review" => "judge",
            "awaiting_person" => "review",
            "complete" => {
                self.is_complete = true;
                // A post that waits to leave is part of the story; a payment was made while the task was worked on.
                return self.act.is_none();
            }
            _ => return true,
        };
        self.phase = Some(Phase { name: next, begun_at: event.at });
        false
    }

    fn acted(&mut self, task_id: UuidV4, event: &Event, spans: &mut Vec<Span>) -> bool {
        let (is_open, has_failed) = match event.state.as_str() {
            "approved" | "sending" | "reserved" | "signed" | "broadcast" | "awaiting_review" => (true, false),
            "published" | "dry_run" | "confirmed" => (false, false),
            _ => (false, true),
        };
        if is_open {
            self.act.get_or_insert(event.at);
            return false;
        }
        let Some(begun_at) = self.act.take() else { return false };
        let mut span = self.span(task_id, "act", begun_at, event.at);
        span.has_failed = has_failed;
        span.attributes.push(("chimera.act", format!("{} {}", event.kind.name(), event.state)));
        span.attributes.push(("chimera.act.id", event.subject.clone()));
        spans.push(span);
        self.is_complete
    }

    fn span(&mut self, task_id: UuidV4, name: &'static str, begun_at: DateTime<Utc>, ended_at: DateTime<Utc>) -> Span {
        self.spans += 1;
        Span {
            trace_id: trace_id(task_id),
            span_id: span_id(task_id, self.spans),
            parent_id: Some(span_id(task_id, 0)),
            name,
            begun_at,
            ended_at,
            has_failed: false,
            attributes: vec![("chimera.attempt", self.attempt.to_string())],
        }
    }

    fn whole(self, task_id: UuidV4, last: &Event) -> Span {
        Span {
            trace_id: trace_id(task_id),
            span_id: span_id(task_id, 0),
            parent_id: None,
            name: "task",
            begun_at: self.begun_at,
            ended_at: last.at,
            has_failed: last.state == "given_up",
            attributes: vec![
                ("chimera.task.id", task_id.to_string()),
                ("chimera.agent.id", self.agent_id),
                ("chimera.campaign.id", self.campaign_id),
                ("chimera.attempts", self.attempt.to_string()),
            ],
        }
    }
}

/// A task's id has as many bits as a trace's.
fn trace_id(task_id: UuidV4) -> String {
    task_id.to_string().replace('-', "")
}

fn span_id(task_id: UuidV4, number: u32) -> String {
    let named = UuidV4::named(&["span", &task_id.to_string(), &number.to_string()]).to_string().replace('-', "");
    named[..16].to_owned()
}

#[cfg(test)]
mod tests;
