//! A language model that writes. Who answers, in which wire format and after how many tries is the adapter's part.

use crate::domain::untrusted::{ByModel, Untrusted};
use async_trait::async_trait;
use serde_json::Value;
use std::time::Duration;

/// Every implementation bounds time and size, retries only what cannot have been paid for, and puts no secret into an error.
#[async_trait]
pub trait TextModel: Send + Sync {
    /// Provider and model, as traces name them: `openai smollm2`.
    fn name(&self) -> &str;
    /// One answer to one prompt, whole.
    async fn write(&self, prompt: &Prompt) -> Result<Written, ModelError>;
    /// Whether it can be reached with what is configured. Writes nothing, and costs nothing.
    async fn reach(&self) -> Result<(), ModelError>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Who the agent is and what it must keep to. Never holds fetched text.
    pub system: String,
    /// The task. Fetched text stands in it as a quotation only.
    pub user: String,
    /// 0 to 1.
    pub temperature: f64,
    pub output_tokens_max: u32,
    /// Where the model can, the same seed writes the same.
    pub seed: u32,
    /// What the answer must look like, where the server can hold its model to it. The prompt says it too: not every server can.
    pub answer_schema: Option<AnswerSchema>,
}

/// A JSON Schema, kept to what vendors take: objects whose properties are all required and closed, arrays and strings without bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSchema {
    /// Letters, digits, `_` and `-`.
    pub name: &'static str,
    pub schema: Value,
}

impl Prompt {
    /// More tokens than the call will take, by far in the usual scripts: what is held before it is known.
    pub fn tokens_held(&self) -> u64 {
        self.input_tokens_held() + u64::from(self.output_tokens_max)
    }

    /// Of these, what goes in.
    pub fn input_tokens_held(&self) -> u64 {
        let schema = self.answer_schema.as_ref().map_or(0, |asked| asked.schema.to_string().len());
        let bytes = self.system.len() + self.user.len() + schema;
        (bytes / INPUT_BYTES_PER_TOKEN_MIN + FRAMING_TOKENS) as u64
    }
}

/// English has about four bytes in a token; we hold twice of that.
const INPUT_BYTES_PER_TOKEN_MIN: usize = 2;
/// What a server puts around two messages.
const FRAMING_TOKENS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub text: Untrusted<ByModel>,
    pub usage: Usage,
    /// In how many pieces it came.
    pub pieces: usize,
    /// It ended because no more tokens were allowed, and not because it was done.
    pub was_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// The server did not say, and we guessed from the length.
    pub is_estimated: bool,
}

impl Usage {
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Why there is no answer, by what the caller can do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    #[error("{model} cannot be reached or cannot answer ({reason}); try again later")]
    Unavailable { model: String, reason: String },
    #[error("{model} asks for fewer requests; try again in {} s", retry_after.as_secs().max(1))]
    RateLimited { model: String, retry_after: Duration },
    #[error("{model} refuses: {reason}")]
    Refused { model: String, reason: String },
    /// It may have been written, and may have to be paid for.
    #[error("the answer of {model} was lost ({reason})")]
    Lost { model: String, reason: String },
    #[error("the answer of {model} cannot be used: {problem}")]
    Nonsense { model: String, problem: String },
}

impl ModelError {
    /// Whether the tokens that are held for the call may have been used. What is not known counts as used.
    pub fn may_have_cost(&self) -> bool {
        match self {
            Self::Unavailable { .. } | Self::RateLimited { .. } | Self::Refused { .. } => false,
            Self::Lost { .. } | Self::Nonsense { .. } => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_tokens_are_held_than_english_takes() {
        let plain = Prompt {
            system: "a ".repeat(100),
            user: "word ".repeat(100),
            temperature: 0.5,
            output_tokens_max: 50,
            seed: 1,
            answer_schema: None,
        };
        let schema = AnswerSchema { name: "text", schema: Value::String("x".repeat(98)) };

        assert_eq!(plain.tokens_held(), 700 / 2 + 64 + 50);
        assert_eq!(Prompt { answer_schema: Some(schema), ..plain }.tokens_held(), 800 / 2 + 64 + 50, "a schema is read too");
    }
}
