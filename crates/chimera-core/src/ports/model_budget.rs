//! The tokens that an agent's models may take in a UTC day, and what every call took. Held before a call, like money.

use super::{StoreError, text_model::Usage};
use crate::{contracts::UuidV4, domain::AgentId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

/// Each method is one transaction, durable when it returns: callers, in one process or many, never together pass a limit.
/// A call that is never settled or released (the program died, the answer was lost) stays held: its day is too frugal, never overspent.
#[async_trait]
pub trait ModelBudget: Send + Sync {
    /// Holds the call's tokens if the agent's day has room for them, and writes the call down.
    async fn hold(&self, call: &ModelCall, tokens_per_day_max: u64) -> Result<Holding, StoreError>;
    /// The call took this much, which may be more than was held. Changes nothing unless the call is held.
    async fn settle(&self, call_id: UuidV4, usage: Usage) -> Result<(), StoreError>;
    /// The call took nothing. Changes nothing unless the call is held.
    async fn release(&self, call_id: UuidV4) -> Result<(), StoreError>;
    async fn day(&self, agent: &AgentId, day: NaiveDate) -> Result<TokenDay, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCall {
    pub call_id: UuidV4,
    pub agent: AgentId,
    /// Provider and model.
    pub model: String,
    pub tokens_held: u64,
    /// Its UTC day owns the call.
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    Held,
    /// There is no room; this is how the day stands.
    Exceeded(TokenDay),
}

/// One agent's UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenDay {
    pub used_tokens: u64,
    pub held_tokens: u64,
}

impl TokenDay {
    pub fn has_room_for(&self, tokens: u64, tokens_per_day_max: u64) -> bool {
        self.used_tokens.saturating_add(self.held_tokens).saturating_add(tokens) <= tokens_per_day_max
    }
}
