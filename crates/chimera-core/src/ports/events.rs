//! What happened, in order, and where everything stands: what dashboards, metrics and traces are fed from.

use super::StoreError;
use crate::contracts::UuidV4;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Append-only. A store writes an event in the transaction of the step that it tells of, and no step without one.
#[async_trait]
pub trait Events: Send + Sync {
    /// Those with a number above `after`, oldest first.
    async fn events(&self, after: u64, limit: usize) -> Result<Vec<Event>, StoreError>;
    /// The number of the newest; 0 when there is none.
    async fn last(&self) -> Result<u64, StoreError>;
    /// How many there are above `after`, by kind and state, and the number of the last of them.
    async fn tally(&self, after: u64) -> Result<Tally, StoreError>;
    /// Where everything stands; costs nothing for what has ended.
    async fn standing(&self) -> Result<Standing, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// 1 for the first.
    pub number: u64,
    pub at: DateTime<Utc>,
    pub kind: EventKind,
    /// The state that the subject is in now, in its own words; a decision's verdict.
    pub state: String,
    /// The id of what moved; a decision's is that of its result, where it has one.
    pub subject: String,
    /// `None` for what is of no task: a campaign, a stop, an agent.
    pub task_id: Option<UuidV4>,
    pub campaign_id: Option<String>,
    pub agent_id: Option<String>,
    /// Of a task.
    pub attempt: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    Task,
    Decision,
    Review,
    Post,
    Payment,
    Campaign,
    /// A freeze, a wallet's hold or a pause: frozen, unfrozen, held, released, paused, resumed. Its subject is an agent, or `*` for all.
    Stop,
    Agent,
    Calendar,
    Trend,
    /// A person's answer that is held for a moment.
    Answer,
    /// Who may look and act.
    Person,
}

impl EventKind {
    pub const ALL: [Self; 12] = [
        Self::Task,
        Self::Decision,
        Self::Review,
        Self::Post,
        Self::Payment,
        Self::Campaign,
        Self::Stop,
        Self::Agent,
        Self::Calendar,
        Self::Trend,
        Self::Answer,
        Self::Person,
    ];

    /// One word, the same in every store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Decision => "decision",
            Self::Review => "review",
            Self::Post => "post",
            Self::Payment => "payment",
            Self::Campaign => "campaign",
            Self::Stop => "stop",
            Self::Agent => "agent",
            Self::Calendar => "calendar",
            Self::Trend => "trend",
            Self::Answer => "answer",
            Self::Person => "person",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// The number of the newest event; `after` when there is none above it.
    pub last: u64,
    pub counts: BTreeMap<(EventKind, String), u64>,
}

/// What is open now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    pub agents: u64,
    /// By status.
    pub campaigns: BTreeMap<String, u64>,
    /// By state, without those that have ended.
    pub tasks: BTreeMap<String, u64>,
    /// When the task was planned that has waited longest for a Worker and could be leased.
    pub oldest_ready_at: Option<DateTime<Utc>>,
    pub reviews: u64,
    pub oldest_review_at: Option<DateTime<Utc>>,
    /// Approved or on their way.
    pub posts: u64,
    /// Of language models, of all days.
    pub input_tokens: u64,
    pub output_tokens: u64,
}
