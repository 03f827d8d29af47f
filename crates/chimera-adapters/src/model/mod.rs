//! The `TextModel` port over HTTP: a file for each wire format, over one endpoint that waits, retries and gives up for all of them.

mod anthropic;
mod breaker;
mod endpoint;
mod openai;
mod rate_limits;
mod reading;

pub use anthropic::{ANTHROPIC_URL, AnthropicModel};
pub use endpoint::{ModelLimits, ModelPlace};
pub use openai::{OPENAI_URL, OpenAiModel};

#[cfg(test)]
mod tests;
