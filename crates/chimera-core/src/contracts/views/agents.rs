//! The fleet, and one agent.

use super::{Money, campaigns::PostRow};
use crate::contracts::UtcTime;
use schemars::JsonSchema;
use serde::Serialize;

/// Every agent, and what holds for all of them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fleet {
    /// By id.
    pub agents: Vec<AgentCard>,
    /// What stops the whole fleet now.
    pub stops: Vec<Stop>,
    /// The number of the newest event when this was read.
    pub last_event: u64,
}

/// One agent at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentCard {
    pub agent_id: String,
    /// As its SOUL says.
    pub name: String,
    pub state: AgentState,
    /// Why it is in that state, as a sentence: "waits for a reviewer", "frozen: the key may be known".
    pub because: String,
    /// Since when, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<UtcTime>,
    pub queue: Queue,
    pub reviews_pending: u64,
    /// Running campaigns that it is in.
    pub campaigns: u64,
    /// Of today, by chain and asset.
    pub budgets: Vec<BudgetDay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_post: Option<LastPost>,
    /// The newest failure of its tasks that nothing has made good since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// The first of these that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// It does nothing any more until a person reinstates it.
    Retired,
    /// A task of it failed for good, nothing has made that good since, and nothing of it works now.
    Error,
    /// Its money is stopped.
    Frozen,
    /// Its work is stopped.
    Paused,
    /// For a person.
    Waiting,
    /// A Worker has a task of it.
    Working,
    /// A result of it is before the Judge.
    Judging,
    /// It has tasks to begin, or tasks that the Planner looks at again.
    Planning,
    /// It has nothing to do now.
    Sleeping,
}

impl AgentState {
    pub const ALL: [Self; 9] = [
        Self::Error,
        Self::Frozen,
        Self::Paused,
        Self::Waiting,
        Self::Working,
        Self::Judging,
        Self::Planning,
        Self::Sleeping,
        Self::Retired,
    ];

    /// One word, the same on every surface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retired => "retired",
            Self::Error => "error",
            Self::Frozen => "frozen",
            Self::Paused => "paused",
            Self::Waiting => "waiting",
            Self::Working => "working",
            Self::Judging => "judging",
            Self::Planning => "planning",
            Self::Sleeping => "sleeping",
        }
    }
}

/// Open tasks of one agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Queue {
    pub pending: u64,
    pub in_progress: u64,
    pub review: u64,
    pub awaiting_person: u64,
    pub returned: u64,
}

/// What one counter has of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BudgetDay {
    pub spent: Money,
    /// Held for transfers under way.
    pub reserved_units: String,
    /// What the policy allows a day; absent where it allows nothing of this asset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_units: Option<String>,
    /// Above this a person is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_above_units: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LastPost {
    pub platform: String,
    pub status: String,
    pub at: UtcTime,
}

/// A freeze, a wallet's hold, a pause or a retirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stop {
    pub kind: StopKind,
    /// `None` for the whole fleet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    pub reason: String,
    pub by: String,
    pub since: UtcTime,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopKind {
    /// Nothing is signed or sent until a person lifts it.
    Freeze,
    /// Nothing is signed or sent until the wallet is reconciled.
    Hold,
    /// Nothing is claimed or published until a person lifts it.
    Pause,
    /// Nothing is planned, heard, published or paid until a person reinstates the agent.
    Retired,
}

/// One agent, whole.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentDetail {
    pub card: AgentCard,
    pub address: String,
    pub soul_version: String,
    /// SOUL.md as it was given.
    pub soul_source: String,
    pub created_at: UtcTime,
    /// What stops it, its own and the fleet's.
    pub stops: Vec<Stop>,
    /// Ids of campaigns, newest first, with their goals.
    pub campaigns: Vec<AgentCampaign>,
    /// Newest first.
    pub posts: Vec<PostRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentCampaign {
    pub campaign_id: String,
    pub goal: String,
    pub status: String,
}
