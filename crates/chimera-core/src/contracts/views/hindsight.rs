//! What was, seen again: recorded decisions under other thresholds, and the fleet as it stood at a moment of its event log.

use super::{
    Money,
    agents::{AgentState, Queue},
    stories::EventRow,
};
use crate::contracts::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::Serialize;

/// Recorded decisions, replayed through today's policy with other values. Nothing was changed by it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhatIf {
    pub since: UtcTime,
    pub until: UtcTime,
    /// So many decisions of each kind are looked at, the newest.
    pub decisions_max: u64,
    /// Of this agent alone; of all where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    pub settings: Vec<WhatIfSetting>,
    pub content: WhatIfDecisions,
    pub payments: WhatIfDecisions,
    /// What would have left by itself, by chain and asset.
    pub money: Vec<WhatIfMoney>,
    /// What people's answers in this time suggest, agent by agent.
    pub suggestions: Vec<WhatIfSuggestion>,
}

/// One value that can be moved.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhatIfSetting {
    /// The query parameter that moves it.
    pub parameter: String,
    /// What it does, in words.
    pub told: String,
    pub today: f64,
    pub value: f64,
    pub min: u64,
    pub max: u64,
    /// What would have to stand in the configuration; nothing while the value is today's.
    pub lines: Vec<String>,
}

/// Decisions of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct WhatIfDecisions {
    /// As they were decided then.
    pub recorded: Outcomes,
    /// As today's policy decides with today's values.
    pub today: Outcomes,
    /// And with the values that were asked for.
    pub then: Outcomes,
    /// How many would be others than with today's values.
    pub changed: u64,
    /// The newest of them.
    pub changes: Vec<WhatIfDecision>,
    /// What people said to those that would now go by themselves.
    pub loosened: PeopleSaid,
    /// How many today's policy decides otherwise than was decided then.
    pub differing: u64,
    /// The newest of them.
    pub differences: Vec<WhatIfDecision>,
    /// Those that no value here moves, by what holds them.
    pub held: Vec<WhatIfReason>,
    /// What is on record, and lacks what a replay needs.
    pub unreplayable: Vec<WhatIfReason>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outcomes {
    /// Went out by themselves.
    pub alone: u64,
    /// Went to a person.
    pub person: u64,
    /// Were refused, or sent back to be made again.
    pub refused: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Goes by itself.
    Alone,
    /// A person decides.
    Person,
    Refused,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Self::Alone => "by itself",
            Self::Person => "to a person",
            Self::Refused => "refused",
        }
    }
}

impl Outcomes {
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Alone => self.alone += 1,
            Outcome::Person => self.person += 1,
            Outcome::Refused => self.refused += 1,
        }
    }

    pub fn all(&self) -> u64 {
        self.alone + self.person + self.refused
    }
}

/// What became of what a person was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Nobody was asked.
    Nothing,
    Waiting,
    Approved,
    Edited,
    Rejected,
    /// Nobody answered in time.
    Expired,
}

impl Said {
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nobody was asked",
            Self::Waiting => "waits still",
            Self::Approved => "approved",
            Self::Edited => "edited",
            Self::Rejected => "rejected",
            Self::Expired => "nobody answered",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PeopleSaid {
    pub approved: u64,
    pub edited: u64,
    pub rejected: u64,
    /// Nobody was asked, nobody answered, or it waits still.
    pub unknown: u64,
}

impl PeopleSaid {
    pub fn count(&mut self, said: Said) {
        match said {
            Said::Approved => self.approved += 1,
            Said::Edited => self.edited += 1,
            Said::Rejected => self.rejected += 1,
            Said::Nothing | Said::Waiting | Said::Expired => self.unknown += 1,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhatIfDecision {
    /// The story of this task has every step.
    pub task_id: UuidV4,
    pub agent_id: String,
    pub at: UtcTime,
    /// The beginning of the text, or the payment.
    pub what: String,
    /// Of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    pub recorded: Outcome,
    pub today: Outcome,
    pub then: Outcome,
    /// Why it would be so, in the policy's own words.
    pub why: String,
    pub said: Said,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WhatIfReason {
    pub why: String,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WhatIfMoney {
    pub today: Money,
    pub then: Money,
}

/// Thresholds that would have asked people less and decided as they did, as `chimera review agreement` finds them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhatIfSuggestion {
    pub agent_id: String,
    pub answers: u64,
    /// How many answers were what the Judge leaned to.
    pub agreed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve_above: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reject_below: Option<f64>,
}

/// The fleet after one event, as far as the event log tells.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FleetThen {
    /// After this event; 0 is before the first.
    pub event: u64,
    /// The number of the newest event there is.
    pub last: u64,
    /// When the first and the newest event were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_at: Option<UtcTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<UtcTime>,
    /// What that event was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub happened: Option<EventRow>,
    pub running_campaigns: u64,
    /// By id.
    pub agents: Vec<AgentThen>,
    pub stops: Vec<StopThen>,
    pub held_answers: Vec<HeldThen>,
    /// What the event log cannot tell of that time.
    pub unknown: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentThen {
    pub agent_id: String,
    pub state: AgentState,
    pub because: String,
    pub queue: Queue,
    pub reviews_pending: u64,
    /// Approved, or on their way.
    pub posts_waiting: u64,
    /// Not settled.
    pub payments_open: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StopThen {
    /// frozen, held, paused or retired.
    pub state: String,
    /// Absent for the whole fleet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    pub since: UtcTime,
    /// The event that began it.
    pub event: u64,
}

/// An answer that was given and had not taken effect yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeldThen {
    pub review_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    pub since: UtcTime,
}
