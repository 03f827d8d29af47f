//! Token budgets in memory.

use crate::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        model_budget::{Holding, ModelBudget, ModelCall, TokenDay},
        text_model::Usage,
    },
};
use async_trait::async_trait;
use chrono::NaiveDate;
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct FakeModelBudget(Mutex<Vec<(ModelCall, Outcome)>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Held,
    Settled(Usage),
    Released,
}

impl FakeModelBudget {
    fn calls(&self) -> MutexGuard<'_, Vec<(ModelCall, Outcome)>> {
        self.0.lock().expect("no test panics while holding the calls")
    }

    fn end(&self, call_id: UuidV4, outcome: Outcome) {
        let mut calls = self.calls();
        if let Some((_, held)) = calls.iter_mut().find(|(call, outcome)| call.call_id == call_id && *outcome == Outcome::Held) {
            *held = outcome;
        }
    }
}

fn day_of(calls: &[(ModelCall, Outcome)], agent: &AgentId, day: NaiveDate) -> TokenDay {
    let of_day = calls.iter().filter(|(call, _)| call.agent == *agent && call.at.date_naive() == day);
    of_day.fold(TokenDay::default(), |mut sum, (call, outcome)| {
        match outcome {
            Outcome::Held => sum.held_tokens += call.tokens_held,
            Outcome::Settled(usage) => sum.used_tokens += usage.total_tokens(),
            Outcome::Released => {}
        }
        sum
    })
}

#[async_trait]
impl ModelBudget for FakeModelBudget {
    async fn hold(&self, call: &ModelCall, tokens_per_day_max: u64) -> Result<Holding, StoreError> {
        let mut calls = self.calls();
        let day = day_of(&calls, &call.agent, call.at.date_naive());
        if !day.has_room_for(call.tokens_held, tokens_per_day_max) {
            return Ok(Holding::Exceeded(day));
        }
        calls.push((call.clone(), Outcome::Held));
        Ok(Holding::Held)
    }

    async fn settle(&self, call_id: UuidV4, usage: Usage) -> Result<(), StoreError> {
        self.end(call_id, Outcome::Settled(usage));
        Ok(())
    }

    async fn release(&self, call_id: UuidV4) -> Result<(), StoreError> {
        self.end(call_id, Outcome::Released);
        Ok(())
    }

    async fn day(&self, agent: &AgentId, day: NaiveDate) -> Result<TokenDay, StoreError> {
        Ok(day_of(&self.calls(), agent, day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn fake_model_budgets_hold_to_the_port() {
        suites::model_budget::all(|| ((), FakeModelBudget::default())).await;
    }
}
