//! What is asked: balances, malformed input, unknown names.

use super::*;

fn balance_of(asset: &str) -> Value {
    json!({ "task_id": task(1), "agent_id": "selam", "operation": "get_balance", "params": { "asset": asset } })
}

fn paths(answer: &Value) -> Vec<&str> {
    answer["details"]["violations"].as_array().unwrap().iter().map(|violation| violation["path"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_balance_is_told_in_units_and_in_whole_with_no_policy_at_all() {
    let world = World { policy: None, ..world() };

    let answer = call(&world.program(), &balance_of("USDC")).await;

    assert_eq!(answer["success"], true, "{answer:#}");
    assert_eq!(
        answer["result"],
        json!({ "balance_wei_or_units": "1000000000", "balance_formatted": "1000", "executed_at": "2026-11-15T23:00:00.000Z" })
    );
    assert_eq!((&answer["task_id"], &answer["agent_id"]), (&json!(task(1)), &json!("selam")));
}

#[tokio::test]
async fn a_balance_check_ignores_recipient_and_amount_and_the_task() {
    let world = world();
    let program = world.program();
    let odd = with(with(balance_of("ETH"), "/params/to_address", json!("nowhere")), "/params/amount_wei_or_units", json!("-1"));

    assert_eq!(call(&program, &odd).await["success"], true);
    assert_eq!(call(&program, &eth_transfer(1, 5)).await["success"], true, "the task of a balance check is not bound");
    assert_eq!(call(&program, &odd).await["success"], true, "and a bound task may still ask for a balance");
}

#[tokio::test]
async fn a_node_that_cannot_be_reached_or_serves_another_chain_tells_no_balance() {
    let world = world();
    world.chain.fail(crate::testing::fake_chain::Method::Balance, world.chain.cut());
    assert_error(&call(&world.program(), &balance_of("ETH")).await, "rpc_error");

    world.chain.say_it_is(ChainId(1));
    assert_error(&call(&world.program(), &balance_of("ETH")).await, "rpc_error");
}

#[tokio::test]
async fn malformed_addresses_alone_are_invalid_address_and_nothing_is_written() {
    let world = world();
    let own = wallet_address().to_checksum(None);
    for address in [
        "",
        "0x0",
        "0x0000000000000000000000000000000000000000",
        "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        &own,
    ] {
        let answer = call(&world.program(), &with(usdc_transfer(1, 5), "/params/to_address", json!(address))).await;
        assert_error(&answer, "invalid_address");
        assert_eq!(paths(&answer), ["/params/to_address"], "{address}");
    }
    let missing = call(&world.program(), &with(usdc_transfer(1, 5), "/params/to_address", Value::Null)).await;
    assert_error(&missing, "invalid_address");
    assert_eq!(world.ledger_states(), [""; 0]);
}

#[tokio::test]
async fn malformed_amounts_are_invalid_input() {
    let world = world();
    for amount in ["", "0", "00", "-1", "+7", "1.5", "1e18", "0x10", " 7", "７"] {
        let answer = call(&world.program(), &with(usdc_transfer(1, 5), "/params/amount_wei_or_units", json!(amount))).await;
        assert_error(&answer, "invalid_input");
        assert_eq!(paths(&answer), ["/params/amount_wei_or_units"], "{amount:?}");
    }
    assert_eq!(world.paid(), [0; 0]);
}

#[tokio::test]
async fn leading_zeros_change_nothing() {
    let world = world();
    let answer = call(&world.program(), &with(usdc_transfer(1, 5), "/params/amount_wei_or_units", json!("007"))).await;
    assert_eq!(answer["success"], true);
    assert_eq!(world.paid(), [7]);
}

#[tokio::test]
async fn every_violation_is_named_at_once() {
    let world = world();
    let input = json!({
        "task_id": "7", "agent_id": "selam", "operation": "token_transfer", "extra": 1,
        "params": { "asset": "USDC", "to_address": wallet_address().to_checksum(None), "amount_wei_or_units": "0" },
        "budget_check": { "daily_spend_key": "k" },
    });

    let answer = call(&world.program(), &input).await;

    assert_error(&answer, "invalid_input");
    let mut paths = paths(&answer);
    paths.sort_unstable();
    assert_eq!(paths, ["/budget_check/max_daily_limit_units", "/extra", "/params/amount_wei_or_units", "/params/to_address", "/task_id"]);
}

#[tokio::test]
async fn inputs_that_are_no_object_are_refused_without_a_panic() {
    let world = world();
    for input in [json!(null), json!([]), json!("x"), json!({ "params": 7, "operation": "native_transfer" }), json!({ "params": [] })] {
        assert_error(&call(&world.program(), &input).await, "invalid_input");
    }
}

#[tokio::test]
async fn unknown_agents_chains_and_assets_have_their_own_codes() {
    let world = world();
    for (path, value, code) in [
        ("/agent_id", "nobody", "unknown_agent"),
        ("/agent_id", "Not An Id", "unknown_agent"),
        ("/params/chain_id", "1", "unsupported_chain"),
        ("/params/asset", "usdc", "unsupported_asset"),
        ("/params/asset", "ETH", "unsupported_asset"),
    ] {
        assert_error(&call(&world.program(), &with(usdc_transfer(1, 5), path, json!(value))).await, code);
    }
    assert_error(&call(&world.program(), &transfer(1, "native_transfer", "USDC", 5)).await, "unsupported_asset");
    assert_error(&call(&world.program(), &with(balance_of("ETH"), "/params/chain_id", json!("1"))).await, "unsupported_chain");
}
