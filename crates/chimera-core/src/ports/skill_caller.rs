//! The way to a skill for those who may not call it as a function: Planner and Worker reach the three skills through MCP.

use async_trait::async_trait;
use serde_json::Value;

#[async_trait]
pub trait SkillCaller: Send + Sync {
    /// The contract's JSON, whether it says `success: true` or `success: false`. `input` is sent as it is.
    /// Dropping the future cancels the call at the server.
    async fn call(&self, skill: &str, input: &Value) -> Result<Value, CallError>;
    /// Whether the skills run in this very process. Only then is an answer believed when it says that the embedded composer wrote it:
    /// a server elsewhere may say so of anything.
    fn is_own(&self) -> bool {
        false
    }
}

/// No contract answer came back. Except after `Refused`, the skill may have had its effect: repeat only with the same ids.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The call itself was wrong (no such skill, wrong token); nothing was done.
    #[error("the server refused the call: {0}")]
    Refused(String),
    #[error("no answer within {after_s} s")]
    TimedOut { after_s: u64 },
    #[error("the server cannot be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the server answered with something that is not the skill's contract: {0}")]
    NotAContract(String),
}
