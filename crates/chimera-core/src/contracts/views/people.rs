//! Who may look and act.

use crate::contracts::UtcTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What somebody may do; each may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads everything but keys.
    Viewer,
    /// Decides on content; stops: freezes and pauses.
    Reviewer,
    /// Decides on money; campaigns, agents, calendar; resumes.
    Operator,
    /// Unfreezes; people and keys.
    Owner,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Reviewer, Self::Operator, Self::Owner];

    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Reviewer => "reviewer",
            Self::Operator => "operator",
            Self::Owner => "owner",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// Somebody who can sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PersonRow {
    pub name: String,
    pub role: Role,
    pub added_at: UtcTime,
    /// Browsers that are signed in now.
    pub devices: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<UtcTime>,
}
