//! One call of a language model, paid for from the agent's day.

use super::{
    StoreError,
    clock::Clock,
    model_budget::{DayLimits, Holding, ModelBudget, ModelCall, ModelDay, ModelPrice},
    text_model::{ModelError, Prompt, TextModel, Written},
};
use crate::{contracts::UuidV4, domain::AgentId};
use std::sync::Arc;

/// A model, and what its tokens cost.
#[derive(Clone)]
pub struct PricedModel {
    pub model: Arc<dyn TextModel>,
    pub price: ModelPrice,
}

/// Who pays, and how much at most.
pub struct Purse<'a> {
    pub budget: &'a dyn ModelBudget,
    pub limits: DayLimits,
    pub clock: &'a dyn Clock,
    pub agent: &'a AgentId,
    /// What it is for, if it is for a task.
    pub task_id: Option<UuidV4>,
}

pub enum NoAnswer {
    Model(ModelError),
    /// The call would not have fitted into the day, which stands like this.
    OverBudget(Box<ModelCall>, ModelDay),
    /// All agents together have used or hold so many tokens of their day.
    FleetOverBudget {
        tokens: u64,
        tokens_max: u64,
    },
    Store(StoreError),
}

impl Purse<'_> {
    pub async fn ask(&self, PricedModel { model, price }: &PricedModel, prompt: &Prompt) -> Result<Written, NoAnswer> {
        let call = ModelCall {
            call_id: UuidV4::random(),
            agent: self.agent.clone(),
            task_id: self.task_id,
            model: model.name().to_owned(),
            tokens_held: prompt.tokens_held(),
            micro_usd_held: price.micro_usd(prompt.input_tokens_held(), u64::from(prompt.output_tokens_max)),
            at: self.clock.now(),
        };
        match self.budget.hold(&call, self.limits).await.map_err(NoAnswer::Store)? {
            Holding::Held => {}
            Holding::Exceeded(day) => return Err(NoAnswer::OverBudget(Box::new(call), day)),
            Holding::FleetExceeded { tokens, tokens_max } => return Err(NoAnswer::FleetOverBudget { tokens, tokens_max }),
        }
        let answer = model.write(prompt).await;
        match &answer {
            Ok(Written { usage, .. }) => {
                let cost_micro_usd = price.micro_usd(usage.input_tokens, usage.output_tokens);
                self.budget.settle(call.call_id, *usage, cost_micro_usd).await.map_err(NoAnswer::Store)?;
            }
            // What may have been written may have to be paid for, and stays held.
            Err(error) if error.may_have_cost() => {}
            Err(_) => self.budget.release(call.call_id).await.map_err(NoAnswer::Store)?,
        }
        answer.map_err(NoAnswer::Model)
    }
}
