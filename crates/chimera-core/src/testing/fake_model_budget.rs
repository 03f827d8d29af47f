//! Model budgets in memory.

use crate::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        model_budget::{CallOutcome, DayLimits, Holding, ModelBudget, ModelCall, ModelDay},
        text_model::Usage,
    },
};
use async_trait::async_trait;
use chrono::NaiveDate;
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct FakeModelBudget(Mutex<Vec<(ModelCall, CallOutcome)>>);

impl FakeModelBudget {
    fn calls(&self) -> MutexGuard<'_, Vec<(ModelCall, CallOutcome)>> {
        self.0.lock().expect("no test panics while holding the calls")
    }

    fn end(&self, call_id: UuidV4, outcome: CallOutcome) {
        let mut calls = self.calls();
        if let Some((_, held)) = calls.iter_mut().find(|(call, outcome)| call.call_id == call_id && *outcome == CallOutcome::Held) {
            *held = outcome;
        }
    }
}

fn tokens_of(call: &ModelCall, outcome: &CallOutcome) -> u64 {
    match outcome {
        CallOutcome::Held => call.tokens_held,
        CallOutcome::Settled { usage, .. } => usage.total_tokens(),
        CallOutcome::Released => 0,
    }
}

fn day_of(calls: &[(ModelCall, CallOutcome)], agent: &AgentId, day: NaiveDate) -> ModelDay {
    let of_day = calls.iter().filter(|(call, _)| call.agent == *agent && call.at.date_naive() == day);
    of_day.fold(ModelDay::default(), |mut sum, (call, outcome)| {
        match outcome {
            CallOutcome::Held => {
                sum.held_tokens += call.tokens_held;
                sum.held_micro_usd += call.micro_usd_held;
            }
            CallOutcome::Settled { usage, cost_micro_usd } => {
                sum.used_tokens += usage.total_tokens();
                sum.used_micro_usd += cost_micro_usd;
            }
            CallOutcome::Released => {}
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
        if let Some(tokens_max) = limits.fleet_tokens_max {
            let of_day = calls.iter().filter(|(other, _)| other.at.date_naive() == call.at.date_naive());
            let tokens = of_day.map(|(call, outcome)| tokens_of(call, outcome)).sum();
            if !limits.fleet_has_room_for(call, tokens) {
                return Ok(Holding::FleetExceeded { tokens, tokens_max });
            }
        }
        calls.push((call.clone(), CallOutcome::Held));
        Ok(Holding::Held)
    }

    async fn settle(&self, call_id: UuidV4, usage: Usage, cost_micro_usd: u64) -> Result<(), StoreError> {
        self.end(call_id, CallOutcome::Settled { usage, cost_micro_usd });
        Ok(())
    }

    async fn release(&self, call_id: UuidV4) -> Result<(), StoreError> {
        self.end(call_id, CallOutcome::Released);
        Ok(())
    }

    async fn day(&self, agent: &AgentId, day: NaiveDate) -> Result<ModelDay, StoreError> {
        Ok(day_of(&self.calls(), agent, day))
    }

    async fn of_task(&self, task_id: UuidV4) -> Result<Vec<(ModelCall, CallOutcome)>, StoreError> {
        let mut calls: Vec<_> = self.calls().iter().filter(|(call, _)| call.task_id == Some(task_id)).cloned().collect();
        calls.sort_by_key(|(call, _)| call.at);
        Ok(calls)
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
