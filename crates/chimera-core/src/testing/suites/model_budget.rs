//! What every `ModelBudget` holds to.

use super::samples::at;
use crate::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        model_budget::{CallOutcome, DayLimits, Holding, ModelBudget, ModelCall, ModelDay},
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
    let (_guard, budget) = fresh();
    money_is_held_settled_and_limited_beside_tokens(&budget).await;
    let (_guard, budget) = fresh();
    all_agents_together_keep_to_the_fleets_tokens_of_the_day(&budget).await;
    let (_guard, budget) = fresh();
    the_calls_of_a_task_are_told_with_what_became_of_them(&budget).await;
}

async fn a_held_call_counts_until_it_is_settled_with_what_it_took(budget: &dyn ModelBudget) {
    let call = call("selam", 100);
    assert_eq!(budget.hold(&call, tokens(1_000)).await.unwrap(), Holding::Held);
    assert_eq!(day(budget, &call).await, ModelDay { used_tokens: 0, held_tokens: 100, ..ModelDay::default() });

    budget.settle(call.call_id, used(30, 90), 0).await.unwrap();

    assert_eq!(
        day(budget, &call).await,
        ModelDay { used_tokens: 120, held_tokens: 0, ..ModelDay::default() },
        "more than held is told as it was"
    );
}

async fn the_limit_itself_is_allowed_and_one_more_is_not(budget: &dyn ModelBudget) {
    assert_eq!(budget.hold(&call("selam", 60), tokens(100)).await.unwrap(), Holding::Held);
    let standing = ModelDay { used_tokens: 0, held_tokens: 60, ..ModelDay::default() };

    assert_eq!(budget.hold(&call("selam", 41), tokens(100)).await.unwrap(), Holding::Exceeded(standing));
    assert_eq!(budget.hold(&call("selam", u64::MAX), tokens(100)).await.unwrap(), Holding::Exceeded(standing));
    assert_eq!(budget.hold(&call("selam", 40), tokens(100)).await.unwrap(), Holding::Held);
    assert_eq!(day(budget, &call("selam", 0)).await.held_tokens, 100, "what was refused is not held");
}

async fn a_released_call_took_nothing_and_an_ended_one_stays_as_it_is(budget: &dyn ModelBudget) {
    let (released, settled) = (call("selam", 50), call("selam", 50));
    budget.hold(&released, tokens(1_000)).await.unwrap();
    budget.hold(&settled, tokens(1_000)).await.unwrap();

    budget.release(released.call_id).await.unwrap();
    budget.settle(settled.call_id, used(5, 5), 0).await.unwrap();
    budget.settle(released.call_id, used(500, 500), 0).await.unwrap();
    budget.release(settled.call_id).await.unwrap();
    budget.release(UuidV4::random()).await.unwrap();

    assert_eq!(day(budget, &settled).await, ModelDay { used_tokens: 10, held_tokens: 0, ..ModelDay::default() });
}

async fn every_agent_and_every_day_has_a_budget_of_its_own(budget: &dyn ModelBudget) {
    let today = call("selam", 100);
    let tomorrow = ModelCall { at: today.at + TimeDelta::days(1), ..call("selam", 100) };
    for call in [&today, &tomorrow, &call("tariku", 100)] {
        assert_eq!(budget.hold(call, tokens(100)).await.unwrap(), Holding::Held);
    }

    assert_eq!(day(budget, &tomorrow).await.held_tokens, 100);
}

async fn calls_at_the_same_time_never_together_pass_the_limit(budget: &dyn ModelBudget) {
    let calls: Vec<ModelCall> = (0..20).map(|_| call("selam", 30)).collect();

    let holdings = join_all(calls.iter().map(|call| budget.hold(call, tokens(100)))).await;

    assert_eq!(holdings.into_iter().filter(|holding| *holding.as_ref().unwrap() == Holding::Held).count(), 3);
}

async fn money_is_held_settled_and_limited_beside_tokens(budget: &dyn ModelBudget) {
    let limits = DayLimits { tokens_max: 1_000, micro_usd_max: Some(500), fleet_tokens_max: None };
    let priced = |micro_usd_held| ModelCall { micro_usd_held, ..call("selam", 10) };
    let first = priced(400);
    assert_eq!(budget.hold(&first, limits).await.unwrap(), Holding::Held);
    let standing = ModelDay { held_tokens: 10, held_micro_usd: 400, ..ModelDay::default() };

    assert_eq!(budget.hold(&priced(101), limits).await.unwrap(), Holding::Exceeded(standing));
    assert_eq!(budget.hold(&priced(u64::MAX), limits).await.unwrap(), Holding::Exceeded(standing));
    assert_eq!(day(budget, &first).await, standing, "what was refused is not held");

    budget.settle(first.call_id, used(5, 5), 200).await.unwrap();
    assert_eq!(budget.hold(&priced(300), limits).await.unwrap(), Holding::Held, "the limit itself is allowed");
    assert_eq!(
        day(budget, &first).await,
        ModelDay { used_tokens: 10, held_tokens: 10, used_micro_usd: 200, held_micro_usd: 300 },
        "what a call cost counts, and not what was held for it"
    );
    assert_eq!(budget.hold(&priced(1_000), tokens(1_000)).await.unwrap(), Holding::Held, "without a limit money is counted alone");
    let calls: Vec<ModelCall> = (0..20).map(|_| ModelCall { micro_usd_held: 30, ..call("tariku", 1) }).collect();
    let holdings = join_all(calls.iter().map(|call| budget.hold(call, DayLimits { micro_usd_max: Some(100), ..limits }))).await;
    assert_eq!(holdings.into_iter().filter(|holding| *holding.as_ref().unwrap() == Holding::Held).count(), 3, "together, too");
}

async fn all_agents_together_keep_to_the_fleets_tokens_of_the_day(budget: &dyn ModelBudget) {
    let limits = DayLimits { fleet_tokens_max: Some(100), ..tokens(80) };
    let first = call("selam", 60);
    assert_eq!(budget.hold(&first, limits).await.unwrap(), Holding::Held);

    let fleet_exceeded = Holding::FleetExceeded { tokens: 60, tokens_max: 100 };
    assert_eq!(budget.hold(&call("tariku", 41), limits).await.unwrap(), fleet_exceeded);
    assert!(matches!(budget.hold(&call("selam", 41), limits).await.unwrap(), Holding::Exceeded(_)), "the agent's own limit is told first");
    assert_eq!(day(budget, &call("tariku", 0)).await, ModelDay::default(), "what was refused is not held");
    assert_eq!(budget.hold(&call("tariku", 40), limits).await.unwrap(), Holding::Held, "the limit itself is allowed");

    budget.settle(first.call_id, used(5, 5), 0).await.unwrap();
    let calls: Vec<ModelCall> = (0..20).map(|number| call(["hanna", "abel"][number % 2], 20)).collect();
    let holdings = join_all(calls.iter().map(|call| budget.hold(call, limits))).await;
    assert_eq!(holdings.into_iter().filter(|holding| *holding.as_ref().unwrap() == Holding::Held).count(), 2, "10 used and 40 held before");
    let tomorrow = ModelCall { at: first.at + TimeDelta::days(1), ..call("hanna", 80) };
    assert_eq!(budget.hold(&tomorrow, limits).await.unwrap(), Holding::Held, "every day has its own");
}

async fn the_calls_of_a_task_are_told_with_what_became_of_them(budget: &dyn ModelBudget) {
    let task_id = UuidV4::random();
    let of_task = |seconds| ModelCall { task_id: Some(task_id), micro_usd_held: 9, at: at(seconds), ..call("selam", 50) };
    let [settled, held, released] = [of_task(1), of_task(2), of_task(3)];
    for call in [&held, &settled, &released, &call("selam", 50)] {
        assert_eq!(budget.hold(call, tokens(1_000)).await.unwrap(), Holding::Held);
    }
    budget.settle(settled.call_id, used(30, 12), 7).await.unwrap();
    budget.release(released.call_id).await.unwrap();

    let told = budget.of_task(task_id).await.unwrap();
    let outcome = CallOutcome::Settled { usage: used(30, 12), cost_micro_usd: 7 };
    assert_eq!(told, [(settled, outcome), (held, CallOutcome::Held), (released, CallOutcome::Released)]);
    assert_eq!(budget.of_task(UuidV4::random()).await.unwrap(), []);
}

async fn day(budget: &dyn ModelBudget, call: &ModelCall) -> ModelDay {
    budget.day(&call.agent, call.at.date_naive()).await.unwrap()
}

fn tokens(tokens_max: u64) -> DayLimits {
    DayLimits { tokens_max, micro_usd_max: None, fleet_tokens_max: None }
}

fn used(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, is_estimated: false }
}

fn call(agent: &str, tokens_held: u64) -> ModelCall {
    let agent: AgentId = agent.parse().expect("tests give valid ids");
    ModelCall {
        call_id: UuidV4::random(),
        agent,
        task_id: None,
        model: "scripted model".to_owned(),
        tokens_held,
        micro_usd_held: 0,
        at: at(0),
    }
}
