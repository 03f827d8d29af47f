//! One call of a language model, paid for from the agent's day.

use crate::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        clock::Clock,
        model_budget::{Holding, ModelBudget, ModelCall, TokenDay},
        text_model::{ModelError, Prompt, TextModel, Written},
    },
};

/// Who pays, and how much at most.
pub(super) struct Purse<'a> {
    pub budget: &'a dyn ModelBudget,
    pub tokens_per_day_max: u64,
    pub clock: &'a dyn Clock,
    pub agent: &'a AgentId,
}

pub(super) enum NoAnswer {
    Model(ModelError),
    OverBudget(TokenDay),
    Store(StoreError),
}

impl Purse<'_> {
    pub(super) async fn ask(&self, model: &dyn TextModel, prompt: &Prompt) -> Result<Written, NoAnswer> {
        let call = ModelCall {
            call_id: UuidV4::random(),
            agent: self.agent.clone(),
            model: model.name().to_owned(),
            tokens_held: prompt.tokens_held(),
            at: self.clock.now(),
        };
        if let Holding::Exceeded(day) = self.budget.hold(&call, self.tokens_per_day_max).await.map_err(NoAnswer::Store)? {
            return Err(NoAnswer::OverBudget(day));
        }
        let answer = model.write(prompt).await;
        match &answer {
            Ok(written) => self.budget.settle(call.call_id, written.usage).await.map_err(NoAnswer::Store)?,
            // What may have been written may have to be paid for, and stays held.
            Err(error) if error.may_have_cost() => {}
            Err(_) => self.budget.release(call.call_id).await.map_err(NoAnswer::Store)?,
        }
        answer.map_err(NoAnswer::Model)
    }
}
