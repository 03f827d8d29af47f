//! Everything that is open after an event, and what each agent's state follows from: the rules are those of the present.

use super::Known;
use crate::{
    contracts::{
        UtcTime, UuidV4,
        views::{
            agents::{Stop, StopKind},
            hindsight::{AgentThen, HeldThen, StopThen},
        },
    },
    domain::{agent_state::Situation, task::TaskState},
    ports::events::{Event, EventKind},
};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// As the event log names the whole fleet.
const FLEET: &str = "*";
/// A stop is written down, and its event a moment later.
const SAME_WITHIN: TimeDelta = TimeDelta::seconds(5);

#[derive(Clone, Default)]
pub(super) struct Standing {
    agents: BTreeSet<String>,
    tasks: HashMap<UuidV4, (String, TaskState)>,
    reviews: HashMap<String, Pending>,
    /// Approved, or on their way, by post.
    posts: HashMap<String, String>,
    /// Not settled, by transaction.
    payments: HashMap<String, Payment>,
    stops: BTreeMap<(StopWord, String), (DateTime<Utc>, u64)>,
    held: BTreeMap<String, HeldThen>,
    running: HashSet<String>,
}

#[derive(Clone)]
struct Pending {
    agent: String,
    task: Option<UuidV4>,
    at: DateTime<Utc>,
}

#[derive(Clone)]
struct Payment {
    agent: String,
    task: Option<UuidV4>,
    is_asked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StopWord {
    Frozen,
    Held,
    Paused,
    Retired,
}

impl StopWord {
    fn name(self) -> &'static str {
        match self {
            Self::Frozen => "frozen",
            Self::Held => "held",
            Self::Paused => "paused",
            Self::Retired => "retired",
        }
    }

    fn kind(self) -> StopKind {
        match self {
            Self::Frozen => StopKind::Freeze,
            Self::Held => StopKind::Hold,
            Self::Paused => StopKind::Pause,
            Self::Retired => StopKind::Retired,
        }
    }

    /// And whether it begins.
    fn of(state: &str) -> Option<(Self, bool)> {
        Some(match state {
            "frozen" => (Self::Frozen, true),
            "unfrozen" => (Self::Frozen, false),
            "held" => (Self::Held, true),
            "released" => (Self::Held, false),
            "paused" => (Self::Paused, true),
            "resumed" => (Self::Paused, false),
            "retired" => (Self::Retired, true),
            "reinstated" => (Self::Retired, false),
            _ => return None,
        })
    }
}

impl Standing {
    pub(super) fn take(&mut self, event: &Event) {
        let agent = || event.agent_id.clone().unwrap_or_default();
        if let Some(agent) = &event.agent_id
            && !self.agents.contains(agent)
        {
            self.agents.insert(agent.clone());
        }
        match event.kind {
            EventKind::Task => self.take_task(event, agent()),
            EventKind::Review => match event.state.as_str() {
                "pending" => {
                    self.reviews.insert(event.subject.clone(), Pending { agent: agent(), task: event.task_id, at: event.at });
                }
                _ => drop(self.reviews.remove(&event.subject)),
            },
            EventKind::Post => match event.state.as_str() {
                "approved" | "sending" => drop(self.posts.insert(event.subject.clone(), agent())),
                _ => drop(self.posts.remove(&event.subject)),
            },
            EventKind::Payment => match event.state.as_str() {
                "awaiting_review" | "granted" | "reserved" | "handed_over" | "signed" | "broadcast" => {
                    let is_asked = event.state == "awaiting_review";
                    self.payments.insert(event.subject.clone(), Payment { agent: agent(), task: event.task_id, is_asked });
                }
                _ => drop(self.payments.remove(&event.subject)),
            },
            EventKind::Campaign => {
                if event.state == "running" {
                    self.running.insert(event.subject.clone());
                } else {
                    self.running.remove(&event.subject);
                }
            }
            // An agent that retires is stopped, too.
            EventKind::Stop | EventKind::Agent => self.take_stop(event),
            EventKind::Answer => match event.state.as_str() {
                "held" | "due" => {
                    let fresh = HeldThen { review_id: event.subject.clone(), agent_id: event.agent_id.clone(), since: UtcTime(event.at) };
                    self.held.entry(event.subject.clone()).or_insert(fresh);
                }
                _ => drop(self.held.remove(&event.subject)),
            },
            EventKind::Decision | EventKind::Calendar | EventKind::Trend | EventKind::Person => {}
        }
    }

    fn take_task(&mut self, event: &Event, agent: String) {
        let (Some(task), Some(state)) = (event.task_id, TaskState::of_name(&event.state)) else { return };
        if state.is_ended() {
            self.tasks.remove(&task);
        } else {
            self.tasks.insert(task, (agent, state));
        }
    }

    fn take_stop(&mut self, event: &Event) {
        let Some((word, begins)) = StopWord::of(&event.state) else { return };
        let key = (word, event.subject.clone());
        if begins {
            self.stops.insert(key, (event.at, event.number));
        } else {
            self.stops.remove(&key);
        }
    }

    pub(super) fn running_campaigns(&self) -> u64 {
        self.running.len() as u64
    }

    pub(super) fn stops(&self) -> Vec<StopThen> {
        let told = self.stops.iter().map(|((word, scope), (at, number))| StopThen {
            state: word.name().to_owned(),
            agent_id: agent_of(scope),
            since: UtcTime(*at),
            event: *number,
        });
        told.collect()
    }

    pub(super) fn held_answers(&self) -> Vec<HeldThen> {
        self.held.values().cloned().collect()
    }

    /// By id.
    pub(super) fn agents(&self, at: DateTime<Utc>, known: &Known<'_>) -> Vec<AgentThen> {
        let made = known.agents.iter().filter(|(_, made_at)| *made_at <= at).map(|(agent, _)| agent.as_str());
        let ids: BTreeSet<&str> = self.agents.iter().map(String::as_str).chain(made).collect();
        let mut situations: HashMap<&str, Situation> = HashMap::new();
        self.add_tasks(&mut situations);
        self.add_reviews(&mut situations);
        let stops: Vec<Stop> = self.stops.iter().map(|(key, (at, _))| stop(key, *at, known.stops)).collect();
        let posts = counted(self.posts.values());
        let payments = counted(self.payments.values().map(|payment| &payment.agent));
        let then = ids.into_iter().map(|agent| {
            let mut situation = situations.remove(agent).unwrap_or_default();
            situation.stops = stops.iter().filter(|stop| stop.agent_id.as_deref().is_none_or(|of| of == agent)).cloned().collect();
            let told = situation.state();
            AgentThen {
                agent_id: agent.to_owned(),
                state: told.state,
                because: told.because,
                queue: situation.queue,
                reviews_pending: situation.money_reviews + situation.other_reviews,
                posts_waiting: posts.get(agent).copied().unwrap_or_default(),
                payments_open: payments.get(agent).copied().unwrap_or_default(),
            }
        });
        then.collect()
    }

    fn add_tasks<'a>(&'a self, situations: &mut HashMap<&'a str, Situation>) {
        for (agent, state) in self.tasks.values() {
            let queue = &mut situations.entry(agent).or_default().queue;
            let count = match state {
                TaskState::Pending => &mut queue.pending,
                TaskState::InProgress => &mut queue.in_progress,
                TaskState::InReview => &mut queue.review,
                TaskState::AwaitingPerson => &mut queue.awaiting_person,
                TaskState::Returned => &mut queue.returned,
                TaskState::Complete | TaskState::GivenUp => continue,
            };
            *count += 1;
        }
    }

    fn add_reviews<'a>(&'a self, situations: &mut HashMap<&'a str, Situation>) {
        let asked: HashSet<UuidV4> = self.payments.values().filter(|payment| payment.is_asked).filter_map(|payment| payment.task).collect();
        for review in self.reviews.values() {
            let situation = situations.entry(&review.agent).or_default();
            let is_money = review.task.is_some_and(|task| asked.contains(&task));
            *(if is_money { &mut situation.money_reviews } else { &mut situation.other_reviews }) += 1;
            situation.oldest_review_at = [situation.oldest_review_at, Some(review.at)].into_iter().flatten().min();
        }
    }
}

fn agent_of(scope: &str) -> Option<String> {
    (scope != FLEET).then(|| scope.to_owned())
}

/// With its reason, where it stands still.
fn stop((word, scope): &(StopWord, String), at: DateTime<Utc>, standing: &[Stop]) -> Stop {
    let (kind, agent_id) = (word.kind(), agent_of(scope));
    let is_same = |stop: &&Stop| stop.kind == kind && stop.agent_id == agent_id && (stop.since.0 - at).abs() < SAME_WITHIN;
    let found = standing.iter().find(is_same);
    Stop {
        kind,
        agent_id,
        reason: found.map_or_else(|| "the event log does not keep why".to_owned(), |stop| stop.reason.clone()),
        by: found.map(|stop| stop.by.clone()).unwrap_or_default(),
        since: UtcTime(at),
    }
}

fn counted<'a>(agents: impl Iterator<Item = &'a String>) -> HashMap<&'a str, u64> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for agent in agents {
        *counts.entry(agent.as_str()).or_default() += 1;
    }
    counts
}
