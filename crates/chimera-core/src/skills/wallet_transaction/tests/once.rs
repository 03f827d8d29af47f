//! The same task never pays twice: repeats, different requests under one task, concurrent calls, callers that go away.

use super::*;
use crate::{
    ports::signer::{SignedTransaction, SignerError, UnsignedTransaction},
    testing::mortal::{Death, Mortal},
};
use chrono::TimeDelta;
use futures::future::join_all;
use tokio::sync::Semaphore;

#[tokio::test]
async fn a_repeated_task_returns_the_same_answer_and_pays_once() {
    let world = world();

    let first = call(&world.program(), &usdc_transfer(1, 5)).await;
    let same_program_or_not = call(&world.program(), &usdc_transfer(1, 5)).await;
    let spelled_out =
        with(with(usdc_transfer(1, 5), "/params/chain_id", json!("8453")), "/params/to_address", json!(RECIPIENT.to_lowercase()));
    let other_words = call(&world.program(), &spelled_out).await;

    assert_eq!(first["success"], true);
    assert_eq!(first, same_program_or_not);
    assert_eq!(first, other_words);
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn a_different_request_under_a_bound_task_is_refused() {
    let world = world();
    call(&world.program(), &usdc_transfer(1, 5)).await;
    let other_recipient = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";

    for input in [
        usdc_transfer(1, 6),
        eth_transfer(1, 5),
        with(usdc_transfer(1, 5), "/params/to_address", json!(other_recipient)),
        with(usdc_transfer(1, 5), "/params/chain_id", json!("1")),
    ] {
        let answer = call(&world.program(), &input).await;
        assert_error(&answer, "invalid_input");
        assert_eq!(answer["details"]["violations"][0]["path"], "/task_id");
    }
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn concurrent_calls_of_one_task_sign_once_and_hear_the_same() {
    let world = world();
    let program = world.program();
    let input = usdc_transfer(1, 5);

    let answers = join_all((0..50).map(|_| call(&program, &input))).await;

    assert!(answers.iter().all(|answer| answer == &answers[0] && answer["success"] == true));
    assert_eq!(world.signer.signed().len(), 1);
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn concurrent_calls_in_two_programs_on_one_store_sign_once() {
    let world = world();
    let (left, right) = (world.program(), world.program());
    let input = usdc_transfer(1, 5);

    let answers = join_all((0..20).map(|index| call(if index % 2 == 0 { &left } else { &right }, &input))).await;

    assert!(answers.iter().all(|answer| answer["success"] == true), "{answers:#?}");
    assert_eq!(world.signer.signed().len(), 1);
}

#[tokio::test]
async fn concurrent_different_requests_under_one_task_pay_one_of_them() {
    let world = world();
    let program = world.program();
    let inputs: Vec<Value> = (1..=10).map(|amount| usdc_transfer(1, amount)).collect();

    let answers = join_all(inputs.iter().map(|input| call(&program, input))).await;

    assert_eq!(answers.iter().filter(|answer| answer["success"] == true).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer["error_code"] == "invalid_input").count(), 9);
    assert_eq!(world.paid().len(), 1);
}

#[tokio::test]
async fn many_concurrent_tasks_never_pass_the_days_limit() {
    let world = world();
    let programs = [world.program(), world.program()];
    let inputs: Vec<Value> = (1..=200).map(|number| usdc_transfer(number, 20)).collect();

    let answers = join_all(inputs.iter().enumerate().map(|(index, input)| call(&programs[index % 2], input))).await;

    assert_eq!(answers.iter().filter(|answer| answer["success"] == true).count(), 100);
    assert_eq!(answers.iter().filter(|answer| answer["error_code"] == "budget_exceeded").count(), 100);
    assert_eq!(world.paid().iter().sum::<u64>(), 2_000);
}

/// Signs when let through, so that a test can act at that very moment.
struct GatedSigner {
    inner: Arc<FakeSigner>,
    reached: Semaphore,
    may_pass: Semaphore,
}

#[async_trait]
impl Signer for GatedSigner {
    async fn create(&self, agent: &AgentId) -> Result<Address, SignerError> {
        self.inner.create(agent).await
    }

    async fn sign(&self, agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError> {
        self.reached.add_permits(1);
        self.may_pass.acquire().await.unwrap().forget();
        self.inner.sign(agent, transaction).await
    }
}

#[tokio::test]
async fn a_caller_who_goes_away_does_not_stop_a_transfer_at_its_signature() {
    let world = world();
    let gate = Arc::new(GatedSigner { inner: world.signer.clone(), reached: Semaphore::new(0), may_pass: Semaphore::new(0) });
    let program = world.program_with(world.transfers.clone(), world.chain.clone(), gate.clone());

    let input = usdc_transfer(1, 5);
    tokio::select! {
        _ = call(&program, &input) => panic!("the signer was not let through"),
        permit = gate.reached.acquire() => permit.unwrap().forget(),
    }
    gate.may_pass.add_permits(1);
    program.tracker.close();
    program.tracker.wait().await;

    assert_eq!(world.paid(), [5]);
    assert_eq!(call(&program, &input).await["success"], true);
}

#[tokio::test]
async fn bytes_signed_for_a_reservation_that_was_given_up_meanwhile_are_never_sent() {
    let world = world();
    let gate = Arc::new(GatedSigner { inner: world.signer.clone(), reached: Semaphore::new(0), may_pass: Semaphore::new(0) });
    let slow = world.program_with(world.transfers.clone(), world.chain.clone(), gate.clone());
    let other = world.program();
    let input = usdc_transfer(1, 5);

    let restart = async {
        gate.reached.acquire().await.unwrap().forget();
        other.settle_open(Unsigned::ReleaseAll).await.unwrap();
        gate.may_pass.add_permits(1);
    };
    let (answer, ()) = tokio::join!(call(&slow, &input), restart);

    assert_error(&answer, "rpc_error");
    assert_eq!(answer["details"]["state"], "released");
    assert_eq!((world.signer.signed().len(), world.paid()), (1, vec![]));
    assert_eq!(call(&other, &input).await["success"], true);
    assert_eq!(world.paid(), [5]);
}

/// A program that stops before it takes its nonce, after it has looked for the task and reserved.
fn pausing_program(world: &World) -> (WalletTransaction, Arc<Death>) {
    let pause = Death::after(4);
    let transfers: Arc<dyn Transfers> = Arc::new(Mortal::<dyn Transfers>::new(world.transfers.clone(), &pause));
    (world.program_with(transfers, world.chain.clone(), world.signer.clone()), pause)
}

#[tokio::test]
async fn a_caller_who_goes_away_before_the_signature_stops_the_transfer() {
    let world = world();
    let (program, pause) = pausing_program(&world);

    let input = usdc_transfer(1, 5);
    tokio::select! {
        _ = call(&program, &input) => panic!("the reservation was not let through"),
        () = pause.has_come() => {}
    }
    pause.undo();
    program.tracker.close();
    program.tracker.wait().await;

    assert!(world.signer.signed().is_empty());
    assert_eq!(world.transfers.open().await.unwrap(), []);
    assert_eq!(world.transfers.ledger()[0].facts["error_code"], "cancelled");
}

#[tokio::test]
async fn a_reservation_that_was_given_up_meanwhile_is_never_signed() {
    let world = world();
    let (slow, pause) = pausing_program(&world);
    let input = usdc_transfer(1, 5);
    let other = world.program();

    let restart = async {
        pause.has_come().await;
        let early = other.settle_open(Unsigned::ReleaseExpired).await.unwrap();
        world.clock.advance(TimeDelta::minutes(2));
        let late = other.settle_open(Unsigned::ReleaseExpired).await.unwrap();
        pause.undo();
        (early.released, late.released)
    };
    let (answer, released) = tokio::join!(call(&slow, &input), restart);

    assert_eq!(released, (0, 1), "a lease is respected until it runs out");
    assert_error(&answer, "rpc_error");
    assert!(world.signer.signed().is_empty());
    assert_eq!(call(&other, &input).await["success"], true);
    assert_eq!(world.paid(), [5]);
}
