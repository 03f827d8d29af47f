//! `/metrics` in Prometheus' text form: what happened since this process began, from the events, and what is open now.

use crate::mcp::refusal_without;
use axum::{
    Router,
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use chimera_core::ports::{
    StoreError,
    clock::Clock,
    events::{EventKind, Events, Standing, Tally},
};
use chrono::{DateTime, Utc};
use std::{collections::BTreeMap, fmt::Write, sync::Arc};
use tokio::sync::Mutex;

const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `/metrics`, for whoever has the token, where one is asked for.
pub fn router(metrics: Metrics, token: Option<String>) -> Router {
    let metrics = Arc::new(metrics);
    let answer = move |headers: HeaderMap| async move {
        if let Some(refusal) = token.as_deref().and_then(|token| refusal_without(token, &headers)) {
            return refusal;
        }
        match metrics.text().await {
            Ok(text) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response(),
            Err(error) => {
                tracing::error!("no metrics: {error}");
                (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n").into_response()
            }
        }
    };
    Router::new().route("/metrics", get(answer))
}

pub struct Metrics {
    events: Arc<dyn Events>,
    clock: Arc<dyn Clock>,
    /// Up to which event it is counted, and what.
    counted: Mutex<Tally>,
}

impl Metrics {
    /// Counters begin at nothing, as those of a process do.
    pub async fn start(events: Arc<dyn Events>, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let counted = Tally { last: events.last().await?, counts: BTreeMap::new() };
        Ok(Self { events, clock, counted: Mutex::new(counted) })
    }

    pub async fn text(&self) -> Result<String, StoreError> {
        let counted = {
            let mut counted = self.counted.lock().await;
            let new = self.events.tally(counted.last).await?;
            counted.last = new.last;
            for (what, number) in new.counts {
                *counted.counts.entry(what).or_default() += number;
            }
            counted.clone()
        };
        let standing = self.events.standing().await?;
        Ok(exposition(&counted, &standing, self.clock.now(), resident_bytes()))
    }
}

/// What Linux says of this process; nothing where there is no such file.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn exposition(counted: &Tally, standing: &Standing, now: DateTime<Utc>, resident_bytes: Option<u64>) -> String {
    let mut page = Page::default();
    page.family("chimera_tasks", "gauge", "Open tasks by state.");
    for state in ["pending", "in_progress", "review", "awaiting_person", "returned"] {
        page.sample("chimera_tasks", &[("state", state)], standing.tasks.get(state).copied().unwrap_or(0));
    }
    page.family("chimera_campaigns", "gauge", "Campaigns by status.");
    for (status, number) in &standing.campaigns {
        page.sample("chimera_campaigns", &[("status", status)], *number);
    }
    for (name, help, number) in [
        ("chimera_agents", "Agents.", standing.agents),
        ("chimera_reviews_open", "Reviews that wait for a person.", standing.reviews),
        ("chimera_posts_waiting", "Posts that are approved and have not left.", standing.posts),
        ("chimera_queue_oldest_seconds", "Age of the oldest task that a Worker could take.", age(standing.oldest_ready_at, now)),
        ("chimera_review_oldest_seconds", "Age of the oldest review that waits for a person.", age(standing.oldest_review_at, now)),
    ] {
        page.family(name, "gauge", help);
        page.sample(name, &[], number);
    }
    page.family("chimera_model_tokens_total", "counter", "Tokens of language models, of this data folder.");
    page.sample("chimera_model_tokens_total", &[("direction", "input")], standing.input_tokens);
    page.sample("chimera_model_tokens_total", &[("direction", "output")], standing.output_tokens);
    for (kind, name, label, help) in [
        (EventKind::Task, "chimera_task_transitions_total", "state", "Steps of tasks, by the state they led to."),
        (EventKind::Decision, "chimera_decisions_total", "decision", "Decisions of the Judge, the CFO and people."),
        (EventKind::Review, "chimera_review_transitions_total", "state", "Reviews asked for and ended."),
        (EventKind::Post, "chimera_post_transitions_total", "state", "Posts approved, sending and ended."),
        (EventKind::Payment, "chimera_payment_transitions_total", "state", "Payments by the state they came to."),
        (EventKind::Campaign, "chimera_campaign_transitions_total", "state", "Changes of campaigns."),
        (EventKind::Stop, "chimera_stops_total", "state", "Freezes, holds and pauses, set and lifted."),
    ] {
        page.family(name, "counter", help);
        for ((of, state), number) in &counted.counts {
            if *of == kind {
                page.sample(name, &[(label, state)], *number);
            }
        }
    }
    if let Some(bytes) = resident_bytes {
        page.family("process_resident_memory_bytes", "gauge", "Memory of this process.");
        page.sample("process_resident_memory_bytes", &[], bytes);
    }
    page.0
}

fn age(since: Option<DateTime<Utc>>, now: DateTime<Utc>) -> u64 {
    since.map_or(0, |since| u64::try_from((now - since).num_seconds()).unwrap_or(0))
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: u64) {
        let labels: Vec<String> = labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_described_once_and_every_sample_has_one() {
        let counted = Tally { last: 9, counts: BTreeMap::from([((EventKind::Decision, "ap\"prove\\\n".to_owned()), 3)]) };
        let standing = Standing {
            tasks: BTreeMap::from([("pending".to_owned(), 7)]),
            campaigns: BTreeMap::from([("running".to_owned(), 1)]),
            oldest_ready_at: DateTime::from_timestamp(40, 0),
            ..Standing::default()
        };

        let text = exposition(&counted, &standing, DateTime::from_timestamp(100, 0).unwrap(), Some(4096));

        for line in [
            "chimera_tasks{state=\"pending\"} 7",
            "chimera_tasks{state=\"review\"} 0",
            "chimera_campaigns{status=\"running\"} 1",
            "chimera_queue_oldest_seconds 60",
            "chimera_review_oldest_seconds 0",
            "chimera_decisions_total{decision=\"ap\\\"prove\\\\\\n\"} 3",
            "process_resident_memory_bytes 4096",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let types: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
        let mut unique = types.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), types.len());
        for sample in text.lines().filter(|line| !line.starts_with('#')) {
            let name = sample.split(['{', ' ']).next().unwrap();
            assert!(types.contains(&name), "{sample}");
        }
    }
}
