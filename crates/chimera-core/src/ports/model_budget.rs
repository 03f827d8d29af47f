//! What an agent's models, and those of all agents together, may take in a UTC day, and what every call took. Held before a call, like money.

use super::{StoreError, text_model::Usage};
use crate::{contracts::UuidV4, domain::AgentId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

/// Each method is one transaction, durable when it returns: callers, in one process or many, never together pass a limit.
/// A call that is never settled or released (the program died, the answer was lost) stays held: its day is too frugal, never overspent.
#[async_trait]
pub trait ModelBudget: Send + Sync {
    /// Holds what the call may take if the agent's day and the fleet's have room for it, and writes the call down.
    async fn hold(&self, call: &ModelCall, limits: DayLimits) -> Result<Holding, StoreError>;
    /// The call took and cost this much, which may be more than was held. Changes nothing unless the call is held.
    async fn settle(&self, call_id: UuidV4, usage: Usage, cost_micro_usd: u64) -> Result<(), StoreError>;
    /// The call took nothing. Changes nothing unless the call is held.
    async fn release(&self, call_id: UuidV4) -> Result<(), StoreError>;
    async fn day(&self, agent: &AgentId, day: NaiveDate) -> Result<ModelDay, StoreError>;
    /// The calls that were made for a task, oldest first.
    async fn of_task(&self, task_id: UuidV4) -> Result<Vec<(ModelCall, CallOutcome)>, StoreError>;
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// Not known: what was held counts.
    Held,
    Settled {
        usage: Usage,
        cost_micro_usd: u64,
    },
    Released,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCall {
    pub call_id: UuidV4,
    pub agent: AgentId,
    /// What it is for, and so of which campaign.
    pub task_id: Option<UuidV4>,
    /// Provider and model.
    pub model: String,
    pub tokens_held: u64,
    pub micro_usd_held: u64,
    /// Its UTC day owns the call.
    pub at: DateTime<Utc>,
}

/// Of each agent and UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayLimits {
    pub tokens_max: u64,
    /// Money is counted and not limited without it.
    pub micro_usd_max: Option<u64>,
    /// Of all agents together.
    pub fleet_tokens_max: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    Held,
    /// There is no room; this is how the day stands.
    Exceeded(ModelDay),
    /// The agent's day has room, and the fleet's has not: all agents together have used or hold so much.
    FleetExceeded {
        tokens: u64,
        tokens_max: u64,
    },
}

/// One agent's UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelDay {
    pub used_tokens: u64,
    pub held_tokens: u64,
    pub used_micro_usd: u64,
    pub held_micro_usd: u64,
}

impl ModelDay {
    pub fn has_room_for(&self, call: &ModelCall, limits: DayLimits) -> bool {
        self.has_tokens_for(call, limits) && self.has_money_for(call, limits)
    }

    pub fn has_tokens_for(&self, call: &ModelCall, limits: DayLimits) -> bool {
        self.used_tokens.saturating_add(self.held_tokens).saturating_add(call.tokens_held) <= limits.tokens_max
    }

    fn has_money_for(&self, call: &ModelCall, limits: DayLimits) -> bool {
        let spent = self.used_micro_usd.saturating_add(self.held_micro_usd).saturating_add(call.micro_usd_held);
        limits.micro_usd_max.is_none_or(|most| spent <= most)
    }
}

impl DayLimits {
    /// Whether all agents together, with so many tokens used and held, may also make this call.
    pub fn fleet_has_room_for(&self, call: &ModelCall, fleet_tokens: u64) -> bool {
        self.fleet_tokens_max.is_none_or(|most| fleet_tokens.saturating_add(call.tokens_held) <= most)
    }
}

/// What a model costs. Whole numbers, as for all money: a millionth of a dollar for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelPrice {
    pub input_micro_usd_per_million_tokens: u64,
    pub output_micro_usd_per_million_tokens: u64,
}

const MILLION: u128 = 1_000_000;

impl ModelPrice {
    /// Rounded up: a day may be too frugal, never overspent.
    pub fn micro_usd(&self, input_tokens: u64, output_tokens: u64) -> u64 {
        let input = u128::from(input_tokens) * u128::from(self.input_micro_usd_per_million_tokens);
        let output = u128::from(output_tokens) * u128::from(self.output_micro_usd_per_million_tokens);
        u64::try_from(input.saturating_add(output).div_ceil(MILLION)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_rounded_up_and_never_overflows() {
        let price = ModelPrice { input_micro_usd_per_million_tokens: 3_000_000, output_micro_usd_per_million_tokens: 15_000_000 };

        for (input, output, cost) in [(0, 0, 0), (1, 0, 3), (1_000_000, 0, 3_000_000), (500, 100, 3_000), (u64::MAX, u64::MAX, u64::MAX)] {
            assert_eq!(price.micro_usd(input, output), cost, "{input} {output}");
        }
        let cheap = ModelPrice { input_micro_usd_per_million_tokens: 1, output_micro_usd_per_million_tokens: 0 };
        assert_eq!((cheap.micro_usd(1, 0), cheap.micro_usd(1_000_001, 0)), (1, 2), "a part of a unit is a unit");
        assert_eq!(ModelPrice::default().micro_usd(1_000_000, 1_000_000), 0);
    }
}
