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

/// A node that was given the bytes has them, whatever it says: freed, the budget would pay a second time when they land after all.
#[tokio::test]
async fn a_refusal_by_a_node_frees_nothing_since_the_bytes_may_still_land() {
    let world = world();
    let program = world.program();
    let lie = Fault::After(ChainError::Refused { chain: BASE, reason: "underpriced".to_owned() });
    world.chain.stop_mining();
    world.chain.fail(Method::Broadcast, lie);

    let refused = call(&program, &usdc_transfer(1, 1_000)).await;
    let more = [call(&program, &usdc_transfer(2, 1_000)).await, call(&program, &usdc_transfer(3, 1_000)).await];
    world.chain.mine();
    world.program().settle_open(Unsigned::ReleaseAll).await.unwrap();

    assert_error(&refused, "rpc_error");
    assert_eq!((&refused["details"]["state"], &refused["details"]["reason"]), (&json!("unknown"), &json!("underpriced")));
    assert_eq!(more[0]["details"]["state"], "unknown", "there is room for two");
    assert_eq!(more[1]["error_code"], "budget_exceeded", "and not for three");
    assert_eq!(world.paid(), [1_000, 1_000]);
    assert_eq!(call(&program, &usdc_transfer(1, 1_000)).await["success"], true);
}

#[tokio::test]
async fn a_refused_transfer_is_sent_again_until_a_node_takes_it() {
    let world = world();
    let program = world.program();
    world.chain.fail(Method::Broadcast, Fault::Instead(ChainError::Refused { chain: BASE, reason: "pool rules".to_owned() }));

    assert_eq!(call(&program, &usdc_transfer(1, 1_000)).await["details"]["reason"], "pool rules");
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();

    assert_eq!(call(&program, &usdc_transfer(1, 1_000)).await["success"], true);
    assert_eq!(world.signer.signed().len(), 1);
}

/// Lost by the first answer, refused after a restart, and then it lands: the two ways in which money once left twice.
#[tokio::test]
async fn neither_a_lost_answer_nor_a_restart_makes_a_later_refusal_believed() {
    let world = world();
    world.chain.stop_mining();
    let lost = ChainError::Unknown { reason: "no answer".to_owned() };
    world.chain.fail(Method::Broadcast, Fault::After(lost));
    for _ in 0..6 {
        world.chain.fail(Method::Broadcast, Fault::Instead(ChainError::Refused { chain: BASE, reason: "insufficient funds".to_owned() }));
    }

    let first = call(&world.program(), &usdc_transfer(1, 1_000)).await;
    world.program().settle_open(Unsigned::ReleaseAll).await.unwrap();
    let others: Vec<Value> =
        vec![call(&world.program(), &usdc_transfer(2, 1_000)).await, call(&world.program(), &usdc_transfer(3, 1_000)).await];
    world.chain.mine();

    assert_eq!(first["details"]["state"], "unknown");
    assert_eq!(others[1]["error_code"], "budget_exceeded");
    assert!(world.paid().iter().sum::<u64>() <= 2_000, "{:?}", world.paid());
}

#[tokio::test]
async fn a_foreign_transaction_with_our_nonce_holds_wallet_and_budget_until_it_is_reconciled() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    let unknown = call(&program, &usdc_transfer(1, 1_000)).await;
    world.chain.empty_pool();
    let foreign = world.chain.send_foreign(wallet_address(), Address::repeat_byte(9), U256::from(7));

    let before_final = call(&program, &usdc_transfer(1, 1_000)).await;
    world.chain.finalize(u64::MAX);
    let replaced = call(&program, &usdc_transfer(1, 1_000)).await;
    let held = call(&program, &usdc_transfer(2, 5)).await;

    assert_eq!((&unknown["details"]["state"], &before_final["details"]["state"]), (&json!("unknown"), &json!("unknown")));
    assert_error(&replaced, "rpc_error");
    assert_eq!(replaced["details"]["state"], "replaced");
    assert_eq!(replaced["details"]["replaced_by"], foreign.to_string());
    assert_eq!(held["details"]["rule"], "wallet_held");
    assert_eq!(world.signer.signed().len(), 1, "never signed again");
    assert_eq!(world.transfers.open().await.unwrap().len(), 1, "and its budget is not free");

    let reconciled = program.reconcile(&selam(), "hanna").await.unwrap();

    assert_eq!(reconciled.found.iter().map(|found| found.tx_hash).collect::<Vec<_>>(), [foreign]);
    assert_eq!(world.transfers.open().await.unwrap(), []);
    assert_eq!(call(&program, &usdc_transfer(1, 1_000)).await["details"]["state"], "replaced");
    world.chain.start_mining();
    assert_eq!(call(&program, &usdc_transfer(2, 2_000 - 1_000)).await["success"], true);
    let posted: Vec<_> = world.transfers.ledger().into_iter().filter(|entry| entry.facts["origin"] == "reconciled").collect();
    assert_eq!(posted.len(), 1);
    assert_eq!((&posted[0].facts["amount_units"], &posted[0].facts["asset"]), (&json!("7"), &json!("ETH")));
}

#[tokio::test]
async fn a_book_that_the_chain_is_ahead_of_pays_nothing_until_it_is_reconciled_and_then_asks_about_what_it_may_have_paid() {
    let world = world();
    world.chain.finalize(u64::MAX);
    assert_eq!(call(&world.program(), &eth_transfer(1, 700)).await["success"], true);
    // The store as it was before: the same task is asked again.
    let old = World { transfers: Arc::default(), ..world };
    let program = old.program();

    let held = call(&program, &eth_transfer(1, 700)).await;
    let other = call(&program, &usdc_transfer(2, 5)).await;
    let reconciled = program.reconcile(&selam(), "hanna").await.unwrap();
    let asked = call(&program, &eth_transfer(1, 700)).await;
    let next = call(&program, &usdc_transfer(2, 5)).await;

    assert_eq!((&held["error_code"], &held["details"]["rule"]), (&json!("not_approved"), &json!("wallet_held")));
    assert_eq!(other["details"]["rule"], "wallet_held");
    assert_eq!(reconciled.found.len(), 1);
    assert_error(&asked, "approval_required");
    assert_eq!(asked["details"]["rule"], "may_be_paid");
    assert_eq!(next["success"], true);
    assert_eq!(old.chain.payments().len(), 2);
    let over = call(&program, &eth_transfer(3, 2_000 - 700 + 1)).await;
    assert_error(&over, "budget_exceeded");
}

#[tokio::test]
async fn what_cannot_be_read_or_is_not_final_leaves_the_wallet_held() {
    let world = world();
    world.chain.send_foreign(wallet_address(), Address::repeat_byte(9), U256::from(7));
    let program = world.program();
    assert_eq!(call(&program, &usdc_transfer(1, 5)).await["details"]["rule"], "wallet_held");

    let too_early = program.reconcile(&selam(), "hanna").await.unwrap_err();
    world.chain.finalize(u64::MAX);
    world.chain.fail(Method::Id, world.chain.cut());
    let unreadable = program.reconcile(&selam(), "hanna").await.unwrap_err();

    assert!(matches!(too_early, ReconcileError::NotFinal { nonce: 0, .. }), "{too_early}");
    assert!(matches!(unreadable, ReconcileError::Unreadable { .. }), "{unreadable}");
    assert_eq!(call(&program, &usdc_transfer(1, 5)).await["details"]["rule"], "wallet_held");
    assert_eq!(world.paid(), [7]);
}

#[tokio::test]
async fn a_token_that_says_no_without_reverting_is_not_paid() {
    let world = world();
    world.chain.make_tokens_say_no();

    let answer = call(&world.program(), &usdc_transfer(1, 1_000)).await;

    assert_error(&answer, "rpc_error");
    assert_eq!(answer["details"]["state"], "reverted");
    assert_eq!(world.paid(), [] as [u64; 0]);
}

/// Freed at once, the amount would pay again when the block vanishes and the transaction succeeds in the next one.
#[tokio::test]
async fn the_amount_of_a_reverted_transfer_is_free_only_once_its_block_is_final() {
    let world = world();
    world.chain.revert_all();
    let program = world.program();
    for number in [1, 2] {
        assert_eq!(call(&program, &usdc_transfer(number, 1_000)).await["details"]["state"], "reverted");
    }

    let early = call(&program, &usdc_transfer(3, 1)).await;
    world.chain.finalize(u64::MAX);
    program.watch_blocks().await.unwrap();
    let later = call(&program, &usdc_transfer(3, 1)).await;

    assert_error(&early, "budget_exceeded");
    assert_eq!(later["details"]["state"], "reverted", "there is room again");
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
