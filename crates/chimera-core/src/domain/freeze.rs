//! The kill switch: stops signing and sending at once, for one agent or for all. Watching goes on.

use super::AgentId;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freeze {
    pub scope: FreezeScope,
    /// In the operator's words.
    pub reason: String,
    pub by: String,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FreezeScope {
    Agent(AgentId),
    Fleet,
}

impl FreezeScope {
    pub fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Fleet => None,
        }
    }
}

impl std::fmt::Display for FreezeScope {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Agent(agent) => write!(formatter, "agent {agent}"),
            Self::Fleet => formatter.write_str("the whole fleet"),
        }
    }
}
