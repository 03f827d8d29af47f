//! Transfers that go through, and chains that misbehave on the way.

use super::*;
use crate::{
    domain::transfer::TransferState,
    ports::chain::ChainError,
    testing::fake_chain::{FEE_WEI, Fault, Method},
};
use chrono::TimeDelta;

#[tokio::test]
async fn a_native_transfer_is_confirmed_with_hash_block_time_and_new_balance() {
    let world = world();

    let answer = call(&world.program(), &eth_transfer(1, 500)).await;

    assert_eq!(answer["success"], true, "{answer:#}");
    let result = &answer["result"];
    assert_eq!(result["tx_hash"].as_str().unwrap().len(), 66);
    assert_eq!((&result["block_number"], &result["executed_at"]), (&json!("101"), &json!("2026-11-15T23:00:01.000Z")));
    assert_eq!(result["balance_wei_or_units"], (FUNDS - 500 - FEE_WEI).to_string());
    assert_eq!(world.paid(), [500]);
    assert_eq!(world.ledger_states(), ["confirmed"]);
    assert_eq!(world.transfers.ledger()[0].kind.as_str(), "payment");
}

#[tokio::test]
async fn a_token_transfer_moves_the_token() {
    let world = world();

    let answer = call(&world.program(), &usdc_transfer(1, 500)).await;

    assert_eq!(answer["result"]["balance_wei_or_units"], (FUNDS - 500).to_string());
    let payment = &world.chain.payments()[0];
    assert_eq!(
        (payment.token, payment.to),
        (Some("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913".parse().unwrap()), RECIPIENT.parse().unwrap())
    );
}

#[tokio::test]
async fn a_new_balance_that_cannot_be_read_is_left_out() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    assert_eq!(call(&program, &eth_transfer(1, 500)).await["details"]["state"], "unknown");
    world.chain.mine();
    world.chain.fail(Method::Balance, world.chain.cut());

    let answer = call(&program, &eth_transfer(1, 500)).await;

    assert_eq!(answer["success"], true, "{answer:#}");
    assert!(answer["result"].get("balance_wei_or_units").is_none());
}

#[tokio::test]
async fn a_node_out_of_reach_before_signing_is_rpc_error_and_the_budget_is_free_again() {
    for method in [Method::Id, Method::Balance, Method::Prepare] {
        let world = world();
        world.chain.fail(method, world.chain.cut());

        assert_error(&call(&world.program(), &usdc_transfer(1, 1_000)).await, "rpc_error");

        assert!(world.signer.signed().is_empty());
        assert_eq!(world.ledger_states(), ["refused"]);
        for number in [1, 2] {
            assert_eq!(call(&world.program(), &usdc_transfer(number, 1_000)).await["success"], true, "the whole day's budget is there");
        }
    }
}

#[tokio::test]
async fn a_transfer_that_would_revert_is_not_signed() {
    let world = world();
    world.chain.fail(Method::Prepare, Fault::Instead(ChainError::Reverted { reason: "paused".to_owned() }));

    let answer = call(&world.program(), &usdc_transfer(1, 5)).await;

    assert_error(&answer, "rpc_error");
    assert_eq!((&answer["details"]["state"], &answer["details"]["reason"]), (&json!("would_revert"), &json!("paused")));
    assert!(world.signer.signed().is_empty());
}

#[tokio::test]
async fn a_reverted_transaction_is_told_with_hash_and_block_and_never_paid_again() {
    let world = world();
    world.chain.revert_all();
    let program = world.program();

    let first = call(&program, &usdc_transfer(1, 1_000)).await;
    let second = call(&program, &usdc_transfer(1, 1_000)).await;

    assert_error(&first, "rpc_error");
    assert_eq!((&first["details"]["state"], &first["details"]["block_number"]), (&json!("reverted"), &json!("101")));
    assert!(first["details"]["tx_hash"].is_string() && first["details"]["reason"].is_string());
    assert_eq!(first, second);
    assert_eq!(world.signer.signed().len(), 1);
    assert_eq!(world.ledger_states(), ["reverted"]);
}

#[tokio::test]
async fn an_answer_lost_after_the_broadcast_still_ends_confirmed() {
    let world = world();
    world.chain.fail(Method::Broadcast, Fault::After(ChainError::Unknown { reason: "connection reset".to_owned() }));

    let answer = call(&world.program(), &usdc_transfer(1, 5)).await;

    assert_eq!(answer["success"], true, "{answer:#}");
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn an_unknown_fate_keeps_the_budget_and_is_settled_in_the_background() {
    let world = world();
    for _ in 0..world.settings.broadcast_attempts_max {
        world.chain.fail(Method::Broadcast, world.chain.cut());
    }
    let program = world.program();

    let unknown = call(&program, &usdc_transfer(1, 1_000)).await;
    let second = call(&program, &usdc_transfer(2, 1_000)).await;
    let third = call(&program, &usdc_transfer(3, 1)).await;

    assert_error(&unknown, "rpc_error");
    assert_eq!(unknown["details"]["state"], "unknown");
    assert!(unknown["details"]["tx_hash"].is_string());
    assert_eq!(second["details"]["state"], "unknown", "its nonce waits for the first one's");
    assert_error(&third, "budget_exceeded");
    assert_eq!(third["details"]["reserved_units"], "2000");

    let recovered = program.settle_open(Unsigned::ReleaseExpired).await.unwrap();

    assert_eq!(recovered, Recovered { released: 0, settled: 2, still_open: 0 });
    assert_eq!(world.paid(), [1_000, 1_000]);
    let repeated = call(&program, &usdc_transfer(1, 1_000)).await;
    assert_eq!((&repeated["success"], &repeated["transaction_id"]), (&json!(true), &unknown["transaction_id"]));
}

#[tokio::test]
async fn a_node_that_refuses_the_bytes_ends_the_transfer_and_frees_budget_and_nonce() {
    let world = world();
    let program = world.program();
    world.chain.fail(Method::Broadcast, Fault::Instead(ChainError::Refused { chain: BASE, reason: "underpriced".to_owned() }));

    let refused = call(&program, &usdc_transfer(1, 1_000)).await;

    assert_error(&refused, "rpc_error");
    assert_eq!(refused["details"]["state"], "refused");
    assert_eq!(call(&program, &usdc_transfer(1, 1_000)).await, refused, "the task stays with what was signed for it");
    for number in [2, 3] {
        assert_eq!(call(&program, &usdc_transfer(number, 1_000)).await["success"], true);
    }
    let nonces: Vec<u64> = world.signer.signed().iter().map(|transaction| transaction.nonce).collect();
    assert_eq!(nonces, [0, 0, 1]);
}

#[tokio::test]
async fn a_nonce_used_by_another_sender_ends_the_transfer_as_replaced() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    let unknown = call(&program, &usdc_transfer(1, 1_000)).await;
    world.chain.empty_pool();
    world.chain.use_nonce(wallet_address());

    let replaced = call(&program, &usdc_transfer(1, 1_000)).await;

    assert_eq!(unknown["details"]["state"], "unknown");
    assert_error(&replaced, "rpc_error");
    assert_eq!(replaced["details"]["state"], "replaced");
    assert_eq!(world.signer.signed().len(), 1, "never signed again");
    assert_eq!(world.transfers.open().await.unwrap(), []);
}

#[tokio::test]
async fn a_node_of_another_chain_cannot_end_a_transfer_that_is_under_way() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    call(&program, &usdc_transfer(1, 5)).await;
    world.chain.say_it_is(ChainId(1));

    let answer = call(&program, &usdc_transfer(1, 5)).await;
    let recovered = program.settle_open(Unsigned::ReleaseAll).await.unwrap();

    assert_eq!(answer["details"]["state"], "unknown");
    assert_eq!(recovered.still_open, 1);
    assert!(matches!(world.transfers.open().await.unwrap()[0].state, TransferState::Broadcast(_)));
}

#[tokio::test]
async fn many_transfers_of_one_wallet_are_in_flight_at_once() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    for number in 1..=20 {
        assert_eq!(call(&program, &usdc_transfer(number, 10)).await["details"]["state"], "unknown");
    }

    world.chain.mine();
    let recovered = program.settle_open(Unsigned::ReleaseExpired).await.unwrap();

    assert_eq!(recovered.settled, 20);
    assert_eq!(world.paid(), [10; 20]);
}

#[tokio::test]
async fn the_day_of_the_reservation_owns_the_spend_however_late_it_settles() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    call(&program, &usdc_transfer(1, 1_000)).await;
    world.clock.advance(TimeDelta::hours(2));

    for number in [2, 3] {
        assert_eq!(call(&program, &usdc_transfer(number, 1_000)).await["details"]["state"], "unknown", "a new day, a new budget");
    }
    world.chain.mine();
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();

    let over = call(&program, &usdc_transfer(4, 1)).await;
    assert_error(&over, "budget_exceeded");
    assert_eq!(over["details"]["spent_units"], "2000", "yesterday's thousand is not in it");
}
