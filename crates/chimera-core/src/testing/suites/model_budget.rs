//! What every `ModelBudget` holds to.

use super::samples::at;
use crate::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        model_budget::{Holding, ModelBudget, ModelCall, TokenDay},
        text_model::Usage,
    },
};
use chrono::TimeDelta;
use futures::future::join_all;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: ModelBudget>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, budget) = fresh();
    a_held_call_counts_until_it_is_settled_with_what_it_took(&budget).await;
    let (_guard, budget) = fresh();
    the_limit_itself_is_allowed_and_one_more_is_not(&budget).await;
    let (_guard, budget) = fresh();
    a_released_call_took_nothing_and_an_ended_one_stays_as_it_is(&budget).await;
    let (_guard, budget) = fresh();
    every_agent_and_every_day_has_a_budget_of_its_own(&budget).await;
    let (_guard, budget) = fresh();
    calls_at_the_same_time_never_together_pass_the_limit(&budget).await;
}

async fn a_held_call_counts_until_it_is_settled_with_what_it_took(budget: &dyn ModelBudget) {
    let call = call("selam", 100);
    assert_eq!(budget.hold(&call, 1_000).await.unwrap(), Holding::Held);
    assert_eq!(day(budget, &call).await, TokenDay { used_tokens: 0, held_tokens: 100 });

    budget.settle(call.call_id, used(30, 90)).await.unwrap();

    assert_eq!(day(budget, &call).await, TokenDay { used_tokens: 120, held_tokens: 0 }, "more than held is told as it was");
}

async fn the_limit_itself_is_allowed_and_one_more_is_not(budget: &dyn ModelBudget) {
    assert_eq!(budget.hold(&call("selam", 60), 100).await.unwrap(), Holding::Held);
    let standing = TokenDay { used_tokens: 0, held_tokens: 60 };

    assert_eq!(budget.hold(&call("selam", 41), 100).await.unwrap(), Holding::Exceeded(standing));
    assert_eq!(budget.hold(&call("selam", u64::MAX), 100).await.unwrap(), Holding::Exceeded(standing));
    assert_eq!(budget.hold(&call("selam", 40), 100).await.unwrap(), Holding::Held);
    assert_eq!(day(budget, &call("selam", 0)).await.held_tokens, 100, "what was refused is not held");
}

async fn a_released_call_took_nothing_and_an_ended_one_stays_as_it_is(budget: &dyn ModelBudget) {
    let (released, settled) = (call("selam", 50), call("selam", 50));
    budget.hold(&released, 1_000).await.unwrap();
    budget.hold(&settled, 1_000).await.unwrap();

    budget.release(released.call_id).await.unwrap();
    budget.settle(settled.call_id, used(5, 5)).await.unwrap();
    budget.settle(released.call_id, used(500, 500)).await.unwrap();
    budget.release(settled.call_id).await.unwrap();
    budget.release(UuidV4::random()).await.unwrap();

    assert_eq!(day(budget, &settled).await, TokenDay { used_tokens: 10, held_tokens: 0 });
}

async fn every_agent_and_every_day_has_a_budget_of_its_own(budget: &dyn ModelBudget) {
    let today = call("selam", 100);
    let tomorrow = ModelCall { at: today.at + TimeDelta::days(1), ..call("selam", 100) };
    for call in [&today, &tomorrow, &call("tariku", 100)] {
        assert_eq!(budget.hold(call, 100).await.unwrap(), Holding::Held);
    }

    assert_eq!(day(budget, &tomorrow).await.held_tokens, 100);
}

async fn calls_at_the_same_time_never_together_pass_the_limit(budget: &dyn ModelBudget) {
    let calls: Vec<ModelCall> = (0..20).map(|_| call("selam", 30)).collect();

    let holdings = join_all(calls.iter().map(|call| budget.hold(call, 100))).await;

    assert_eq!(holdings.into_iter().filter(|holding| *holding.as_ref().unwrap() == Holding::Held).count(), 3);
}

async fn day(budget: &dyn ModelBudget, call: &ModelCall) -> TokenDay {
    budget.day(&call.agent, call.at.date_naive()).await.unwrap()
}

fn used(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, is_estimated: false }
}

fn call(agent: &str, tokens_held: u64) -> ModelCall {
    let agent: AgentId = agent.parse().expect("tests give valid ids");
    ModelCall { call_id: UuidV4::random(), agent, model: "scripted model".to_owned(), tokens_held, at: at(0) }
}
