//! Model budgets in memory.

use crate::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        model_budget::{DayLimits, Holding, ModelBudget, ModelCall, ModelDay},
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
    Settled(Usage, u64),
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

fn day_of(calls: &[(ModelCall, Outcome)], agent: &AgentId, day: NaiveDate) -> ModelDay {
    let of_day = calls.iter().filter(|(call, _)| call.agent == *agent && call.at.date_naive() == day);
    of_day.fold(ModelDay::default(), |mut sum, (call, outcome)| {
        match outcome {
            Outcome::Held => {
                sum.held_tokens += call.tokens_held;
                sum.held_micro_usd += call.micro_usd_held;
            }
            Outcome::Settled(usage, cost_micro_usd) => {
                sum.used_tokens += usage.total_tokens();
                sum.used_micro_usd += cost_micro_usd;
            }
            Outcome::Released => {}
        }
        sum
    })
}

#[async_trait]
impl ModelBudget for FakeModelBudget {
    async fn hold(&self, call: &ModelCall, limits: DayLimits) -> Result<Holding, StoreError> {
        let mut calls = self.calls();
        let day = day_of(&calls, &call.agent, call.at.date_naive());
        if !day.has_room_for(call, limits) {
            return Ok(Holding::Exceeded(day));
        }
        calls.push((call.clone(), Outcome::Held));
        Ok(Holding::Held)
    }

    async fn settle(&self, call_id: UuidV4, usage: Usage, cost_micro_usd: u64) -> Result<(), StoreError> {
        self.end(call_id, Outcome::Settled(usage, cost_micro_usd));
        Ok(())
    }

    async fn release(&self, call_id: UuidV4) -> Result<(), StoreError> {
        self.end(call_id, Outcome::Released);
        Ok(())
    }

    async fn day(&self, agent: &AgentId, day: NaiveDate) -> Result<ModelDay, StoreError> {
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
