//! What a person teaches an agent by a decision on one of its texts.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// What the agent wrote.
    pub written: String,
    /// What the person made of it; `None` when they turned it down.
    pub edited: Option<String>,
    /// In their words.
    pub reason: Option<String>,
}
