//! People above the program: grants, freezes, look-alikes; and chains that stall or take blocks back.

use super::*;
use crate::{
    contracts::review::ReviewAction,
    domain::{
        freeze::{Freeze, FreezeCause, FreezeScope},
        transfer::TransferState,
    },
    ports::{kill_switch::KillSwitch, transfers::Answered},
};
use chrono::TimeDelta;
use std::time::Duration;

const LOOK_ALIKE: &str = "0x5aae00000000000000000000000000000000eaed";

/// A world that asks above 3 units, and a transfer of 5 that waits; its review.
async fn asked(requested_limit: Option<u64>) -> (World, Value, Value) {
    let mut world = world();
    world.policy_mut().limits[1].ask_above_units = Some(U256::from(3));
    let mut input = usdc_transfer(1, 5);
    if let Some(limit) = requested_limit {
        input["budget_check"] = json!({ "daily_spend_key": "campaign:7", "max_daily_limit_units": limit.to_string() });
    }
    let waiting = call(&world.program(), &input).await;
    assert_error(&waiting, "approval_required");
    let review_id = waiting["details"]["review_id"].clone();
    (world, input, review_id)
}

fn freeze(scope: FreezeScope) -> Freeze {
    Freeze { scope, reason: "odd payments".to_owned(), by: "hanna".to_owned(), at: NOW.parse().unwrap(), cause: FreezeCause::KillSwitch }
}

#[tokio::test]
async fn a_granted_transfer_is_made_once_and_the_same_call_returns_it() {
    let (world, input, review_id) = asked(None).await;

    assert!(matches!(answer(&world, &review_id, ReviewAction::Approve).await, Answered::Granted(_)));
    world.program().carry_out_granted().await.unwrap();
    let first = call(&world.program(), &input).await;
    let again = call(&world.program(), &input).await;

    assert_eq!((&first["success"], &first), (&json!(true), &again));
    assert_eq!(world.paid(), [5]);
    assert!(matches!(answer(&world, &review_id, ReviewAction::Reject).await, Answered::AlreadyDecided(_)), "the first answer counts");
}

#[tokio::test]
async fn what_a_person_approved_does_not_count_against_what_passes_without_one() {
    let (world, _, review_id) = asked(None).await;
    answer(&world, &review_id, ReviewAction::Approve).await;
    world.program().carry_out_granted().await.unwrap();

    assert_eq!(call(&world.program(), &usdc_transfer(2, 3)).await["success"], true, "5 were approved, 3 are not yet");
    assert_error(&call(&world.program(), &usdc_transfer(3, 1)).await, "approval_required");
}

#[tokio::test]
async fn a_grant_is_for_exactly_that_transfer() {
    let (world, input, review_id) = asked(None).await;
    answer(&world, &review_id, ReviewAction::Approve).await;

    for (path, value) in
        [("/params/amount_wei_or_units", json!("6")), ("/params/to_address", json!("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"))]
    {
        assert_error(&call(&world.program(), &with(input.clone(), path, value)).await, "invalid_input");
    }
    assert_eq!(world.paid(), Vec::<u64>::new());
}

#[tokio::test]
async fn a_grant_waives_only_the_rules_that_ask() {
    let (mut world, input, review_id) = asked(None).await;
    answer(&world, &review_id, ReviewAction::Approve).await;

    world.policy_mut().deny = BTreeSet::from([RECIPIENT.parse().unwrap()]);
    let denied = call(&world.program(), &input).await;
    world.policy_mut().deny.clear();
    world.policy_mut().limits[1].per_day_units = U256::from(4);
    let over = call(&world.program(), &input).await;
    world.policy_mut().limits[1].per_day_units = U256::from(2_000);
    let paid = call(&world.program(), &input).await;

    assert_eq!(denied["details"]["rule"], "deny");
    assert_error(&over, "budget_exceeded");
    assert_eq!(paid["success"], true, "the grant outlived the refusals");
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn a_granted_transfer_is_held_to_the_budget_check_it_came_with() {
    let (world, mut input, review_id) = asked(Some(7)).await;
    answer(&world, &review_id, ReviewAction::Approve).await;
    let mut meanwhile = usdc_transfer(2, 3);
    meanwhile["budget_check"] = json!({ "daily_spend_key": "campaign:7", "max_daily_limit_units": "100" });
    assert_eq!(call(&world.program(), &meanwhile).await["success"], true);
    input.as_object_mut().unwrap().remove("budget_check");

    assert_error(&call(&world.program(), &input).await, "budget_exceeded");
    assert_eq!(world.paid(), [3]);
}

#[tokio::test]
async fn a_grant_runs_out_and_a_rejection_stands() {
    let (world, input, review_id) = asked(None).await;
    answer(&world, &review_id, ReviewAction::Approve).await;
    world.clock.advance(TimeDelta::hours(24));
    world.program().carry_out_granted().await.unwrap();
    assert_eq!(call(&world.program(), &input).await["details"]["rule"], "grant_expired");

    let (other, other_input, other_review) = asked(None).await;
    assert!(matches!(answer(&other, &other_review, ReviewAction::Reject).await, Answered::Declined(_)));
    let declined = call(&other.program(), &other_input).await;
    assert_eq!((&declined["details"]["rule"], &declined["details"]["reason"]), (&json!("declined"), &json!("checked")));
    assert_eq!((world.paid(), other.paid()), (vec![], vec![]));
}

#[tokio::test]
async fn a_granted_transfer_that_cannot_be_made_is_on_the_ledger_once_however_often_it_is_tried() {
    let (world, input, review_id) = asked(None).await;
    answer(&world, &review_id, ReviewAction::Approve).await;
    let refusals = |world: &World| world.transfers.ledger().iter().filter(|entry| entry.kind.as_str() == "refusal").count();
    world.transfers.freeze(&freeze(FreezeScope::Fleet)).await.unwrap();
    for _ in 0..3 {
        assert_eq!(call(&world.program(), &input).await["details"]["rule"], "frozen");
    }
    assert_eq!(refusals(&world), 1);
    world.transfers.unfreeze(&FreezeScope::Fleet, "hanna", NOW.parse().unwrap()).await.unwrap();

    for _ in 0..3 {
        world.chain.fail(crate::testing::fake_chain::Method::Prepare, world.chain.cut());
        assert_eq!(call(&world.program(), &input).await["details"]["state"], "unreachable");
    }

    assert_eq!(refusals(&world), 2, "another reason is news");
    assert_eq!(call(&world.program(), &input).await["success"], true);
}

#[tokio::test]
async fn a_granted_transfer_survives_a_node_that_is_away() {
    let (world, input, review_id) = asked(None).await;
    answer(&world, &review_id, ReviewAction::Approve).await;
    world.chain.fail(crate::testing::fake_chain::Method::Prepare, world.chain.cut());

    assert_error(&call(&world.program(), &input).await, "rpc_error");
    assert_eq!(call(&world.program(), &input).await["success"], true);
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn nothing_is_signed_for_a_frozen_agent_or_fleet() {
    for scope in [FreezeScope::Agent(selam()), FreezeScope::Fleet] {
        let world = world();
        world.transfers.freeze(&freeze(scope.clone())).await.unwrap();

        let refused = call(&world.program(), &usdc_transfer(1, 5)).await;
        assert_error(&refused, "not_approved");
        assert_eq!(refused["details"]["rule"], "frozen");
        assert!(refused["message"].as_str().unwrap().contains("odd payments"), "{refused}");
        assert!(world.signer.signed().is_empty());

        assert!(world.transfers.unfreeze(&scope, "hanna", world.clock.now()).await.unwrap());
        assert_eq!(call(&world.program(), &usdc_transfer(1, 5)).await["success"], true);
    }
}

#[tokio::test]
async fn another_agents_freeze_is_its_own() {
    let world = world();
    world.transfers.freeze(&freeze(FreezeScope::Agent("dawit".parse().unwrap()))).await.unwrap();
    assert_eq!(call(&world.program(), &usdc_transfer(1, 5)).await["success"], true);
}

#[tokio::test]
async fn a_freeze_stops_rebroadcast_and_bumps_while_watching_goes_on() {
    let world = world();
    world.chain.stop_mining();
    let input = usdc_transfer(1, 5);
    let program = world.program();
    assert_eq!(call(&program, &input).await["details"]["state"], "unknown");

    world.transfers.freeze(&freeze(FreezeScope::Fleet)).await.unwrap();
    world.chain.empty_pool();
    world.clock.advance(TimeDelta::minutes(5));
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
    world.chain.mine();
    assert_eq!((world.paid(), world.signer.signed().len()), (vec![], 1), "neither sent again nor bumped");

    world.transfers.unfreeze(&FreezeScope::Fleet, "hanna", world.clock.now()).await.unwrap();
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
    world.transfers.freeze(&freeze(FreezeScope::Fleet)).await.unwrap();
    world.chain.mine();
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
    assert_eq!(call(&program, &input).await["success"], true, "what landed is seen although frozen");
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn an_address_that_looks_like_a_known_payee_is_refused_and_put_before_a_person() {
    let mut world = world();
    let alike = with(usdc_transfer(2, 5), "/params/to_address", json!(LOOK_ALIKE));
    assert_eq!(
        call(&world.program(), &with(alike.clone(), "/task_id", usdc_transfer(9, 1)["task_id"].clone())).await["success"],
        true,
        "nobody is known yet"
    );

    let world_with_payee = super::world();
    assert_eq!(call(&world_with_payee.program(), &usdc_transfer(1, 5)).await["success"], true);
    let refused = call(&world_with_payee.program(), &alike).await;
    assert_eq!((&refused["details"]["rule"], &refused["details"]["known_payee"]), (&json!("look_alike"), &json!(RECIPIENT)));
    assert_eq!(refused["error_code"], "not_approved");
    let review_id = &refused["details"]["review_id"];
    let again = call(&world_with_payee.program(), &alike).await;
    assert_eq!((&again["error_code"], &again["details"]["review_id"]), (&json!("not_approved"), review_id), "{again}");

    for typed in [None, Some(RECIPIENT), Some("0x12")] {
        let answered = answer_with(&world_with_payee, review_id, ReviewAction::Approve, typed).await;
        assert_eq!(answered, Answered::AddressNotConfirmed, "{typed:?}");
        assert_eq!(call(&world_with_payee.program(), &alike).await["details"]["review_id"], *review_id, "{typed:?}");
    }
    assert_eq!(world_with_payee.paid(), [5]);
    let answered = answer_with(&world_with_payee, review_id, ReviewAction::Approve, Some(&LOOK_ALIKE.to_lowercase())).await;
    assert!(matches!(answered, Answered::Granted(_)), "{answered:?}");
    assert_eq!(call(&world_with_payee.program(), &alike).await["success"], true);
    assert_eq!(world_with_payee.paid(), [5, 5]);

    world = super::world();
    world.policy_mut().allow = BTreeSet::from([RECIPIENT.parse().unwrap()]);
    assert_eq!(call(&world.program(), &alike).await["details"]["rule"], "look_alike", "the allow list has payees too");
    world.policy_mut().allow.insert(LOOK_ALIKE.parse().unwrap());
    let anew = with(alike, "/task_id", usdc_transfer(3, 5)["task_id"].clone());
    assert_eq!(call(&world.program(), &anew).await["success"], true, "an operator has looked");
}

#[tokio::test]
async fn who_approved_for_another_reason_has_not_looked_at_the_address() {
    let mut world = world();
    world.policy_mut().first_seen_recipient = FirstSeenRecipient::Ask;
    let alike = with(usdc_transfer(2, 5), "/params/to_address", json!(LOOK_ALIKE));
    let waiting = call(&world.program(), &alike).await;
    assert_eq!(waiting["details"]["rule"], "first_seen_recipient");
    answer(&world, &waiting["details"]["review_id"], ReviewAction::Approve).await;
    world.policy_mut().allow = BTreeSet::from([RECIPIENT.parse().unwrap()]);

    let refused = call(&world.program(), &alike).await;

    assert_eq!((&refused["error_code"], &refused["details"]["rule"]), (&json!("not_approved"), &json!("look_alike")));
    assert_eq!(world.paid(), Vec::<u64>::new());
}

#[tokio::test]
async fn a_stuck_transfer_is_sent_again_and_then_bumped_with_the_same_nonce() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    let input = usdc_transfer(1, 5);
    assert_eq!(call(&program, &input).await["details"]["state"], "unknown");

    world.clock.advance(TimeDelta::seconds(29));
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
    assert_eq!(world.signer.signed().len(), 1, "not yet");
    world.clock.advance(TimeDelta::seconds(1));
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();

    let signed = world.signer.signed();
    assert_eq!(signed.len(), 2);
    let (first, second) = (&signed[0], &signed[1]);
    assert_eq!((first.nonce, first.to, first.value_wei, &first.data), (second.nonce, second.to, second.value_wei, &second.data));
    assert!(second.max_fee_per_gas_wei * 8 > first.max_fee_per_gas_wei * 9 - 8, "{second:?}");
    world.chain.mine();
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
    assert_eq!(call(&program, &input).await["success"], true);
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn a_transfer_that_does_not_land_is_cancelled_by_one_that_takes_its_nonce_and_frees_its_budget_once_final() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    let (input, task_id) = (usdc_transfer(1, 1_000), usdc_transfer(1, 1_000)["task_id"].as_str().unwrap().parse().unwrap());
    call(&program, &input).await;

    let record = program.cancel(task_id, "hanna: wrong month").await.unwrap();
    let before = call(&program, &input).await;
    world.chain.mine();
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
    let after = call(&program, &input).await;

    assert!(record.state.is_open(), "only a block says that it is cancelled");
    assert_eq!(before["details"]["state"], "unknown");
    assert_eq!(after["details"]["state"], "reverted");
    assert!(after["message"].as_str().unwrap().contains("cancelled by hanna: wrong month"), "{after}");
    assert_eq!(world.chain.payments().iter().filter(|payment| payment.token.is_some()).count(), 0);
    let nonces: Vec<u64> = world.signer.signed().iter().map(|transaction| transaction.nonce).collect();
    assert_eq!(nonces, [0, 0]);
    let acts: Vec<_> = world.transfers.ledger().into_iter().filter_map(|entry| Some(entry.facts["act"].as_str()?.to_owned())).collect();
    assert_eq!(acts, ["cancel"]);
    assert!(matches!(program.cancel(task_id, "hanna").await, Err(CancelError::NotUnderWay(_))));
    let over = call(&program, &usdc_transfer(2, 1_001)).await;
    assert_error(&over, "budget_exceeded");
}

/// A server delivers it while somebody cancels it from the command line.
#[tokio::test]
async fn a_cancellation_by_another_process_is_no_foreign_transaction() {
    let mut world = world();
    world.chain.stop_mining();
    world.chain.finalize(u64::MAX);
    let other = world.program();
    world.settings = TransferSettings { receipt_deadline_ms: 60_000, resend_after_ms: 40, receipt_poll_max_ms: 10, ..world.settings };
    let server = world.program();
    let input = usdc_transfer(1, 1_000);
    let task_id = input["task_id"].as_str().unwrap().parse().unwrap();

    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        other.cancel(task_id, "hanna").await.unwrap();
        world.chain.mine();
    };
    let (answer, ()) = tokio::join!(call(&server, &input), cancelling);

    assert_eq!(answer["details"]["state"], "reverted", "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("cancelled by hanna"), "{answer}");
    world.chain.start_mining();
    assert_eq!(call(&server, &usdc_transfer(2, 5)).await["success"], true, "the wallet is not held");
}

#[tokio::test]
async fn what_lands_before_its_cancellation_is_paid() {
    let world = world();
    world.chain.stop_mining();
    let program = world.program();
    let input = usdc_transfer(1, 1_000);
    call(&program, &input).await;
    world.chain.mine();

    let record = program.cancel(input["task_id"].as_str().unwrap().parse().unwrap(), "hanna").await.unwrap();

    assert!(matches!(record.state, TransferState::Confirmed { .. }), "{record:?}");
    assert_eq!(call(&program, &input).await["success"], true);
}

#[tokio::test]
async fn a_bump_never_passes_the_fee_limit() {
    let mut world = world();
    world.fee_limits.per_transaction_max_wei = U256::from(crate::testing::fake_chain::FEE_MAX_WEI);
    world.chain.stop_mining();
    let program = world.program();
    call(&program, &usdc_transfer(1, 5)).await;

    world.clock.advance(TimeDelta::minutes(5));
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();

    assert_eq!(world.signer.signed().len(), 1);
    assert_eq!(world.transfers.open().await.unwrap().len(), 1, "it waits, and is not given up");
}

#[tokio::test]
async fn a_vanished_block_puts_the_transfer_under_way_again_and_pays_once() {
    let world = world();
    let program = world.program();
    let input = usdc_transfer(1, 5);
    assert_eq!(call(&program, &input).await["success"], true);
    let native_before = world.chain.balance(wallet_address(), &eth()).await.unwrap();

    world.chain.reorganise(100);
    world.chain.stop_mining();
    assert_eq!(world.paid(), Vec::<u64>::new());
    program.watch_blocks().await.unwrap();
    assert_eq!(call(&program, &input).await["details"]["state"], "unknown");
    world.chain.mine();
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();

    assert_eq!(call(&program, &input).await["success"], true);
    assert_eq!((world.paid(), world.signer.signed().len()), (vec![5], 1), "the same bytes");
    assert_eq!(world.chain.balance(wallet_address(), &eth()).await.unwrap(), native_before, "one fee");
}

#[tokio::test]
async fn a_final_block_is_looked_at_no_more() {
    let world = world();
    let program = world.program();
    call(&program, &usdc_transfer(1, 5)).await;

    program.watch_blocks().await.unwrap();
    assert_eq!(world.transfers.not_final().await.unwrap().len(), 1);
    world.chain.finalize(1_000);
    program.watch_blocks().await.unwrap();
    assert_eq!(world.transfers.not_final().await.unwrap(), []);
}
