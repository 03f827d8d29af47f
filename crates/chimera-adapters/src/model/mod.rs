//! The `TextModel` port over HTTP: a file for each wire format, over one endpoint that waits, retries and gives up for all of them.

mod anthropic;
mod breaker;
mod endpoint;
mod openai;
mod rate_limits;
mod reading;
mod schema_support;

pub use anthropic::{ANTHROPIC_URL, AnthropicModel, read_event as read_anthropic_event};
pub use endpoint::{ModelLimits, ModelPlace};
pub use openai::{OPENAI_URL, OpenAiModel, read_event as read_openai_event};
pub use reading::{EventError, Heard};

#[cfg(test)]
mod tests;
