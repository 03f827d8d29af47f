//! What a language model thinks of a text that the Judge would let through, or put before a person for its score. It can only hold back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelOpinion {
    pub verdict: OpinionVerdict,
    pub rationale: String,
    /// What is wrong with the text, one fault each.
    #[serde(default)]
    #[schemars(length(max = 32))]
    pub violations: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpinionVerdict {
    /// Nothing is changed by it.
    Fine,
    /// A person decides.
    Ask,
    /// The text is to be written anew.
    Reject,
}
