//! What the CFO, the budget, the fee limits and the balance refuse; each refusal on the ledger, and nothing signed.

use super::*;
use crate::testing::fake_chain::{FEE_MAX_WEI, FEE_WEI};
use chrono::TimeDelta;

/// Calls once, expects `code`, and that nothing was signed and one refusal is on the ledger.
async fn refused(world: &World, input: &Value, code: &str) -> Value {
    let signed_before = world.signer.signed().len();
    let answer = call(&world.program(), input).await;
    assert_error(&answer, code);
    assert_eq!(world.signer.signed().len(), signed_before);
    let last = world.transfers.ledger().pop().unwrap();
    assert_eq!((last.kind.as_str(), &last.facts["error_code"]), ("refusal", &json!(code)));
    answer
}

#[tokio::test]
async fn each_rule_that_refuses_is_named() {
    let mut denied = world();
    denied.policy_mut().deny.insert(RECIPIENT.parse().unwrap());
    let mut unlimited = world();
    unlimited.policy_mut().limits.retain(|limit| limit.asset == "ETH");
    let mut strangers = world();
    strangers.policy_mut().first_seen_recipient = FirstSeenRecipient::Refuse;
    let mut busy = world();
    busy.policy_mut().transfers_per_hour_max = 0;
    let misled = world();
    misled.chain.say_it_is(ChainId(1));
    let lawless = World { policy: None, ..world() };

    for (world, rule) in [
        (lawless, "no_policy"),
        (unlimited, "asset_without_limit"),
        (denied, "deny"),
        (strangers, "first_seen_recipient"),
        (busy, "transfers_per_hour_max"),
        (misled, "chain_id_mismatch"),
    ] {
        let answer = refused(&world, &usdc_transfer(1, 5), "not_approved").await;
        assert_eq!(answer["details"]["rule"], rule);
    }
}

#[tokio::test]
async fn a_recipient_is_known_after_the_first_confirmed_payment() {
    let mut world = world();
    call(&world.program(), &usdc_transfer(1, 5)).await;
    world.policy_mut().first_seen_recipient = FirstSeenRecipient::Refuse;

    assert_eq!(call(&world.program(), &usdc_transfer(2, 5)).await["success"], true);
}

#[tokio::test]
async fn an_hour_later_the_agent_may_send_again() {
    let mut world = world();
    world.policy_mut().transfers_per_hour_max = 1;
    call(&world.program(), &usdc_transfer(1, 5)).await;
    refused(&world, &usdc_transfer(2, 5), "not_approved").await;

    world.clock.advance(TimeDelta::minutes(61));

    assert_eq!(call(&world.program(), &usdc_transfer(2, 5)).await["success"], true);
}

#[tokio::test]
async fn a_limit_is_reached_and_not_passed_and_the_refusal_has_the_figures() {
    let world = world();
    let over = refused(&world, &usdc_transfer(1, 1_001), "budget_exceeded").await;
    assert_eq!(over["details"]["counter"], "per_transaction");
    call(&world.program(), &usdc_transfer(1, 1_000)).await;
    call(&world.program(), &usdc_transfer(2, 999)).await;

    let over = refused(&world, &usdc_transfer(3, 2), "budget_exceeded").await;

    assert_eq!(
        over["details"],
        json!({ "counter": "per_day", "limit_units": "2000", "spent_units": "1999", "reserved_units": "0", "asked_units": "2" })
    );
    assert_eq!(call(&world.program(), &usdc_transfer(3, 1)).await["success"], true, "a refusal bound nothing");
}

#[tokio::test]
async fn a_budget_check_only_tightens() {
    let world = world();
    let checked = |number, amount, check: Value| with(usdc_transfer(number, amount), "/budget_check", check);

    let own = refused(&world, &checked(1, 11, json!({ "max_daily_limit_units": "10" })), "budget_exceeded").await;
    assert_eq!((&own["details"]["counter"], &own["details"]["limit_units"]), (&json!("per_day"), &json!("10")));
    let named = json!({ "daily_spend_key": "campaign:7", "max_daily_limit_units": "15" });
    assert_eq!(call(&world.program(), &checked(1, 10, named.clone())).await["success"], true);
    let over = refused(&world, &checked(2, 6, named), "budget_exceeded").await;
    assert_eq!((&over["details"]["counter"], &over["details"]["spent_units"]), (&json!("campaign:7"), &json!("10")));
    let generous = json!({ "daily_spend_key": "rich", "max_daily_limit_units": "9".repeat(78) });
    refused(&world, &checked(3, 1_001, generous), "budget_exceeded").await;
    assert_eq!(call(&world.program(), &checked(4, 6, json!({}))).await["success"], true);
}

#[tokio::test]
async fn a_person_is_asked_once_and_the_task_is_bound() {
    let mut world = world();
    world.policy_mut().limits[1].ask_above_units = Some(U256::from(100));
    let program = world.program();

    let asked = call(&program, &usdc_transfer(1, 101)).await;
    let again = call(&program, &usdc_transfer(1, 101)).await;
    let other = call(&program, &usdc_transfer(1, 100)).await;

    assert_error(&asked, "approval_required");
    assert_eq!(asked, again);
    let reviews = world.transfers.reviews();
    assert_eq!(reviews.len(), 1);
    assert_eq!(asked["details"]["review_id"], json!(reviews[0].review_id));
    assert_eq!(reviews[0].transaction.as_ref().unwrap().params.amount_wei_or_units.as_deref(), Some("101"));
    assert!(asked["message"].as_str().unwrap().contains("nothing is sent"));
    assert_error(&other, "invalid_input");
    assert!(world.signer.signed().is_empty());
}

#[tokio::test]
async fn the_balance_must_cover_the_amount_and_the_fee() {
    let mut world = world();
    world.policy_mut().limits.iter_mut().for_each(|limit| {
        limit.per_transaction_units = U256::MAX;
        limit.per_day_units = U256::MAX;
    });
    refused(&world, &eth_transfer(1, FUNDS + 1), "insufficient_balance").await;
    refused(&world, &usdc_transfer(1, FUNDS + 1), "insufficient_balance").await;

    let short = refused(&world, &eth_transfer(1, FUNDS - FEE_MAX_WEI + 1), "insufficient_balance").await;

    assert_eq!(
        (&short["details"]["needed_units"], &short["details"]["available_units"]),
        (&json!((FUNDS + 1).to_string()), &json!(FUNDS.to_string()))
    );
    assert_eq!(call(&world.program(), &eth_transfer(1, FUNDS - FEE_MAX_WEI)).await["success"], true);
    let feeless = refused(&world, &usdc_transfer(2, 1), "insufficient_balance").await;
    assert_eq!(
        (&feeless["details"]["asset"], &feeless["details"]["available_units"]),
        (&json!("ETH"), &json!((FEE_MAX_WEI - FEE_WEI).to_string()))
    );
}

#[tokio::test]
async fn what_is_signed_and_unconfirmed_is_not_spendable_twice() {
    let mut world = world();
    world.policy_mut().limits[0].per_transaction_units = U256::MAX;
    world.policy_mut().limits[0].per_day_units = U256::MAX;
    world.chain.stop_mining();
    let program = world.program();
    assert_eq!(call(&program, &eth_transfer(1, FUNDS / 2)).await["details"]["state"], "unknown");

    let second = refused(&world, &eth_transfer(2, FUNDS / 2), "insufficient_balance").await;

    assert_eq!(second["details"]["available_units"], (FUNDS / 2 - FEE_MAX_WEI).to_string());
}

#[tokio::test]
async fn fees_are_bounded_for_one_transaction_and_for_the_day() {
    let mut world = world();
    world.fee_limits.per_transaction_max_wei = U256::from(FEE_MAX_WEI - 1);
    let over = refused(&world, &usdc_transfer(1, 5), "budget_exceeded").await;
    assert_eq!(over["details"]["counter"], "fee_per_transaction");

    world.fee_limits =
        FeeLimits { per_transaction_max_wei: U256::from(FEE_MAX_WEI), per_day_max_wei: U256::from(FEE_MAX_WEI + FEE_WEI - 1) };
    assert_eq!(call(&world.program(), &usdc_transfer(1, 5)).await["success"], true);
    let over = refused(&world, &usdc_transfer(2, 5), "budget_exceeded").await;
    assert_eq!((&over["details"]["counter"], &over["details"]["spent_units"]), (&json!("fees_per_day"), &json!(FEE_WEI.to_string())));
}

#[tokio::test]
async fn a_locked_keystore_signs_nothing_and_says_what_to_do() {
    let world = World { signer: Arc::new(FakeSigner::locked()), ..world() };

    let answer = refused(&world, &usdc_transfer(1, 5), "internal_error").await;

    assert!(answer["message"].as_str().unwrap().contains("CHIMERA_WALLET_PASSPHRASE"));
    assert_eq!(world.transfers.open().await.unwrap(), []);
}
