//! The name of an agent.

use std::{fmt, str::FromStr};

/// Matches `[a-z0-9][a-z0-9_-]{0,63}`; the same as the `id` of the agent's SOUL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId(String);

const AGENT_ID_CHARS_MAX: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an agent id: 1 to 64 of a-z, 0-9, _ and -, starting with a letter or digit")]
pub struct NotAgentId(String);

impl AgentId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentId {
    type Err = NotAgentId;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let starts_well = text.chars().next().is_some_and(plain);
        let fits = text.len() <= AGENT_ID_CHARS_MAX && text.chars().all(|c| plain(c) || c == '_' || c == '-');
        if starts_well && fits { Ok(Self(text.to_owned())) } else { Err(NotAgentId(text.chars().take(AGENT_ID_CHARS_MAX).collect())) }
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_within_the_pattern_are_agent_ids() {
        for name in ["a", "0", "selam", "a-b_c9", &"x".repeat(64)] {
            assert_eq!(name.parse::<AgentId>().unwrap().as_str(), name);
        }
    }

    #[test]
    fn names_outside_the_pattern_are_refused() {
        for name in ["", "-a", "_a", "A", "a b", "é", "a/b", "a.b", &"x".repeat(65)] {
            assert!(name.parse::<AgentId>().is_err(), "{name:?}");
        }
    }
}
