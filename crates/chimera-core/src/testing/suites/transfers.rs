//! What every `Transfers` holds to.

use super::samples::at;
use crate::{
    contracts::{ErrorCode, SkillFailure, UuidV4, wallet_transaction::WalletOperation},
    domain::{
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{
            Attempt, FeeLimits, Gas, History, Mined, NewTransfer, OverLimit, RequestedLimit, Sent, Settlement, Shortage, Signed,
            SignedFailure, SigningTerms, Spend, TermsProblem, TransferRequest, TransferState, Verdict,
        },
    },
    ports::transfers::{Assignment, Judge, Recorded, Reservation, Transfers},
};
use chrono::TimeDelta;
use futures::future::join_all;
use std::sync::{Arc, Mutex};

pub use book::all as book;
pub use governance::all as governance;
pub use model::{Batch, follows_the_model};

mod book;
mod governance;
mod model;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Transfers>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    a_transfer_is_found_as_it_was_reserved_whatever_its_size(&store).await;
    let (_guard, store) = fresh();
    a_task_has_one_transfer_and_is_judged_once(&store).await;
    let (_guard, store) = fresh();
    a_refusal_binds_nothing(&store).await;
    let (_guard, store) = fresh();
    asking_binds_the_task_and_reserves_nothing(&store).await;
    let (_guard, store) = fresh();
    what_is_reserved_counts_until_it_is_released(&store).await;
    let (_guard, store) = fresh();
    each_settlement_moves_the_counters_once(&store).await;
    let (_guard, store) = fresh();
    counters_are_apart_by_wallet_chain_asset_name_and_day(&store).await;
    let (_guard, store) = fresh();
    history_knows_paid_recipients_and_the_last_hour(&store).await;
    let (_guard, store) = fresh();
    nonces_have_no_gaps_and_no_twins(&store).await;
    let (_guard, store) = fresh();
    what_is_in_flight_is_not_spendable_and_fees_are_bounded(&store).await;
    let (_guard, store) = fresh();
    what_was_given_up_is_never_signed_and_what_is_signed_never_given_up(&store).await;
    let (_guard, store) = fresh();
    concurrent_reservations_never_pass_a_limit(&store).await;
}

async fn a_transfer_is_found_as_it_was_reserved_whatever_its_size(store: &dyn Transfers) {
    let mut transfer = new_transfer(1);
    transfer.request.chain = ChainId(u64::MAX);
    transfer.request.amount_units = U256::MAX;
    transfer.request.asset = Asset::native("\u{39E} \"quoted\"");
    transfer.request.operation = WalletOperation::NativeTransfer;
    transfer.requested_limit = Some(RequestedLimit::Named { key: "campaign:7".to_owned(), limit_units: U256::MAX });

    reserve(store, &transfer).await;

    let record = store.find(transfer.task_id).await.unwrap().unwrap();
    assert_eq!((&record.transfer, &record.state), (&transfer, &TransferState::Reserved));
    assert_eq!(store.open().await.unwrap(), [record]);
    assert_eq!(store.find(UuidV4::random()).await.unwrap(), None);
}

async fn a_task_has_one_transfer_and_is_judged_once(store: &dyn Transfers) {
    let first = new_transfer(5);
    let second = NewTransfer { transaction_id: UuidV4::random(), ..first.clone() };
    reserve(store, &first).await;

    let judged = Arc::new(Mutex::new(false));
    let flag = Arc::clone(&judged);
    let judge: Judge = Arc::new(move |_| {
        *flag.lock().unwrap() = true;
        Verdict::Approve
    });
    let again = store.reserve(&second, judge).await.unwrap();

    assert!(matches!(again, Reservation::Existing(record) if record.transfer == first));
    assert!(!*judged.lock().unwrap());
    assert_eq!(own_day(store, &first).await, reserved(5));
}

async fn a_refusal_binds_nothing(store: &dyn Transfers) {
    let transfer = new_transfer(5);
    let why = SkillFailure::new(ErrorCode::NotApproved, "no").with("rule", "deny");
    let refusal = why.clone();

    let refused = store.reserve(&transfer, Arc::new(move |_| Verdict::Refuse(refusal.clone()))).await.unwrap();

    assert_eq!(refused, Reservation::Refused(why));
    assert_eq!(store.find(transfer.task_id).await.unwrap(), None);
    reserve(store, &transfer).await;
}

async fn asking_binds_the_task_and_reserves_nothing(store: &dyn Transfers) {
    let transfer = new_transfer(5);
    let ask = || -> Judge { Arc::new(|_| Verdict::Ask { rule: "ask_above".to_owned(), reason: "much".to_owned() }) };

    let asked = store.reserve(&transfer, ask()).await.unwrap();
    let again = store.reserve(&NewTransfer { transaction_id: UuidV4::random(), ..transfer.clone() }, ask()).await.unwrap();

    let Reservation::Asked { review_id, rule, .. } = asked else { panic!("{asked:?}") };
    let state = TransferState::AwaitingReview { review_id, rule };
    assert!(matches!(again, Reservation::Existing(record) if record.transfer == transfer && record.state == state));
    assert_eq!(own_day(store, &transfer).await, Spend::default());
    assert_eq!(store.open().await.unwrap(), []);
    assert!(!store.release(transfer.transaction_id, &why(), at(9)).await.unwrap(), "a review is not a reservation");
}

async fn what_is_reserved_counts_until_it_is_released(store: &dyn Transfers) {
    let transfer = new_transfer(5);
    reserve(store, &transfer).await;
    assert_eq!(own_day(store, &transfer).await, reserved(5));

    assert!(store.release(transfer.transaction_id, &why(), at(9)).await.unwrap());
    assert!(!store.release(transfer.transaction_id, &why(), at(9)).await.unwrap(), "once");

    assert_eq!(own_day(store, &transfer).await, Spend::default());
    assert_eq!(store.find(transfer.task_id).await.unwrap(), None);
    let next = NewTransfer { transaction_id: UuidV4::random(), ..transfer };
    reserve(store, &next).await;
    assert_eq!(store.find(next.task_id).await.unwrap().unwrap().transfer, next);
}

async fn each_settlement_moves_the_counters_once(store: &dyn Transfers) {
    let reverted = Settlement::Reverted { mined: mined(3), reason: "paused".to_owned() };
    let refused = Settlement::Failed(SignedFailure::Refused { reason: "underpriced".to_owned() });
    let mut spent = 0;
    for (settlement, counts) in
        [(Settlement::Confirmed(mined(2)), 5), (reverted, 0), (refused, 0), (Settlement::Failed(SignedFailure::Replaced), 0)]
    {
        let transfer = new_transfer(5);
        let nonce = sign(store, &transfer).await;
        store.mark_broadcast(transfer.transaction_id).await.unwrap();

        let record = store.settle(transfer.transaction_id, &settlement, at(9)).await.unwrap();
        let again = store.settle(transfer.transaction_id, &Settlement::Confirmed(mined(77)), at(9)).await.unwrap();
        store.mark_broadcast(transfer.transaction_id).await.unwrap();

        spent += counts;
        assert_eq!(record, again, "what is settled stays");
        assert_eq!(record.state, settled(&settlement, Sent::Signed(Signed::new(nonce, signature(&transfer)))));
        assert_eq!(store.find(transfer.task_id).await.unwrap(), Some(record));
        store.finalize(&[transfer.transaction_id]).await.unwrap();
        assert_eq!(own_day(store, &transfer).await, Spend { spent_units: U256::from(spent), reserved_units: U256::ZERO });
        assert_eq!(store.open().await.unwrap(), []);
    }
}

async fn counters_are_apart_by_wallet_chain_asset_name_and_day(store: &dyn Transfers) {
    let transfer = NewTransfer { requested_limit: named_limit("shared"), ..new_transfer(5) };
    reserve(store, &transfer).await;

    let probe = |change: &dyn Fn(&mut NewTransfer)| {
        let mut other = new_transfer(1);
        change(&mut other);
        other
    };
    let others = [
        probe(&|other| other.request.wallet = Address::repeat_byte(9)),
        probe(&|other| other.request.chain = ChainId(1)),
        probe(&|other| other.request.asset = Asset::native("ETH")),
        probe(&|other| other.reserved_at += TimeDelta::days(1)),
    ];
    for other in &others {
        assert_eq!(own_day(store, other).await, Spend::default(), "{other:?}");
    }
    let named = |name: &str, wallet: u8| {
        let mut other = NewTransfer { requested_limit: named_limit(name), ..new_transfer(1) };
        other.request.wallet = Address::repeat_byte(wallet);
        other
    };
    assert_eq!(history(store, &named("shared", 9)).await.named_day, reserved(5), "shared by whoever names it");
    assert_eq!(history(store, &named("other", 9)).await.named_day, Spend::default());
    let posing = transfer.request.wallet.to_string();
    assert_eq!(history(store, &named(&posing, 9)).await.named_day, Spend::default(), "a name cannot reach a wallet's own counter");
}

async fn history_knows_paid_recipients_and_the_last_hour(store: &dyn Transfers) {
    let first = new_transfer(5);
    sign(store, &first).await;
    let probe = new_transfer(1);
    assert!(!history(store, &probe).await.recipient_is_known, "not before it is confirmed");
    store.settle(first.transaction_id, &Settlement::Confirmed(mined(2)), at(9)).await.unwrap();
    let given_up = new_transfer(5);
    reserve(store, &given_up).await;
    assert_eq!(history(store, &probe).await.transfers_last_hour, 2);
    store.release(given_up.transaction_id, &why(), at(9)).await.unwrap();

    let seen = history(store, &probe).await;
    let later = NewTransfer { reserved_at: probe.reserved_at + TimeDelta::hours(1), ..probe.clone() };
    let mut elsewhere = probe.clone();
    elsewhere.request.chain = ChainId(1);
    let mut other_agent = probe.clone();
    other_agent.request.agent = "other".parse().unwrap();

    assert!(seen.recipient_is_known);
    assert_eq!(seen.transfers_last_hour, 1);
    assert_eq!(history(store, &later).await.transfers_last_hour, 0);
    assert!(!history(store, &elsewhere).await.recipient_is_known);
    let other = history(store, &other_agent).await;
    assert_eq!((other.recipient_is_known, other.transfers_last_hour), (false, 0));
}

async fn nonces_have_no_gaps_and_no_twins(store: &dyn Transfers) {
    let transfers: Vec<NewTransfer> = (0..8).map(|_| new_transfer(1)).collect();
    join_all(transfers.iter().map(|transfer| reserve(store, transfer))).await;

    let assigned = join_all(transfers.iter().map(|transfer| assign(store, transfer))).await;

    let mut nonces: Vec<u64> = assigned.iter().map(nonce_of).collect();
    nonces.sort_unstable();
    assert_eq!(nonces, (0..8).collect::<Vec<_>>());
    let given_back = transfers.iter().zip(&assigned).find(|(_, assigned)| **assigned == Assignment::Nonce(2)).unwrap().0;
    store.release(given_back.transaction_id, &why(), at(9)).await.unwrap();
    let mut fresh = new_transfer(1);
    assert_eq!(sign(store, &fresh).await, 2, "a nonce that was given back is the next");
    store.settle(fresh.transaction_id, &Settlement::Confirmed(mined(1)), at(9)).await.unwrap();
    fresh = new_transfer(1);
    assert_eq!(sign(store, &fresh).await, 8, "one that was used is not, whatever an old answer of the node says");
    fresh = new_transfer(1);
    fresh.request.chain = ChainId(1);
    assert_eq!(sign(store, &fresh).await, 0, "each chain counts for itself");
}

async fn what_is_in_flight_is_not_spendable_and_fees_are_bounded(store: &dyn Transfers) {
    let (first, second, third) = (new_transfer(600), new_transfer(401), new_transfer(400));
    sign(store, &first).await;
    reserve(store, &second).await;
    reserve(store, &third).await;

    let short = assign(store, &second).await;
    assert_eq!(
        short,
        Assignment::Refused(TermsProblem::Insufficient {
            of: Shortage::Asset,
            needed_units: U256::from(401),
            available_units: U256::from(400)
        })
    );
    assert!(matches!(assign(store, &third).await, Assignment::Nonce(_)));

    store.release(second.transaction_id, &why(), at(9)).await.unwrap();
    store.settle(first.transaction_id, &Settlement::Confirmed(mined(4)), at(9)).await.unwrap();
    let tight =
        SigningTerms { fee_limits: FeeLimits { per_transaction_max_wei: U256::from(10), per_day_max_wei: U256::from(23) }, ..terms() };
    let fourth = new_transfer(1);
    reserve(store, &fourth).await;
    let over = store.assign(fourth.transaction_id, &tight).await.unwrap();
    let Assignment::Refused(TermsProblem::OverFeeLimit(over)) = over else { panic!("{over:?}") };
    assert_eq!((over.counter.as_str(), over.spent_units, over.reserved_units), ("fees_per_day", U256::from(4), U256::from(10)));
}

async fn what_was_given_up_is_never_signed_and_what_is_signed_never_given_up(store: &dyn Transfers) {
    let lost = new_transfer(5);
    reserve(store, &lost).await;
    assert!(matches!(assign(store, &lost).await, Assignment::Nonce(0)));
    store.release(lost.transaction_id, &why(), at(9)).await.unwrap();
    assert_eq!(store.record_signed(lost.transaction_id, &signature(&lost)).await.unwrap(), Recorded::Lost);
    assert_eq!(assign(store, &lost).await, Assignment::Lost);

    let signed = new_transfer(5);
    sign(store, &signed).await;
    assert!(!store.release(signed.transaction_id, &why(), at(9)).await.unwrap());
    assert_eq!(store.record_signed(signed.transaction_id, &signature(&lost)).await.unwrap(), Recorded::Lost, "signed once");
    let record = store.find(signed.task_id).await.unwrap().unwrap();
    assert!(matches!(record.state, TransferState::Signed(bytes) if bytes.last().tx_hash == hash(&signed)));
}

async fn concurrent_reservations_never_pass_a_limit(store: &dyn Transfers) {
    let transfers: Vec<NewTransfer> = (0..40).map(|_| new_transfer(10)).collect();

    let outcomes = join_all(transfers.iter().map(|transfer| store.reserve(transfer, within(200, 10)))).await;

    let granted = outcomes.iter().filter(|outcome| matches!(outcome, Ok(Reservation::Reserved(_)))).count();
    assert_eq!(granted, 20);
    assert_eq!(own_day(store, &transfers[0]).await, reserved(200));
}

pub(super) fn new_transfer(amount: u64) -> NewTransfer {
    NewTransfer {
        transaction_id: UuidV4::random(),
        task_id: UuidV4::random(),
        request: TransferRequest {
            agent: "selam".parse().unwrap(),
            wallet: Address::repeat_byte(1),
            operation: WalletOperation::TokenTransfer,
            chain: ChainId(8453),
            asset: Asset::token("USDC", Address::repeat_byte(0xcc), 6),
            to: Address::repeat_byte(2),
            amount_units: U256::from(amount),
        },
        requested_limit: None,
        reserved_at: at(0),
        lease_until: at(60),
    }
}

fn terms() -> SigningTerms {
    SigningTerms {
        next_nonce: 0,
        fee_max_wei: U256::from(10),
        fee_limits: FeeLimits { per_transaction_max_wei: U256::from(10), per_day_max_wei: U256::from(1_000) },
        native_balance_wei: U256::from(1_000),
        asset_balance_units: U256::from(1_000),
    }
}

async fn reserve(store: &dyn Transfers, transfer: &NewTransfer) {
    let reservation = store.reserve(transfer, Arc::new(|_| Verdict::Approve)).await.unwrap();
    assert_eq!(reservation, Reservation::Reserved(Box::new(transfer.clone())));
}

async fn assign(store: &dyn Transfers, transfer: &NewTransfer) -> Assignment {
    store.assign(transfer.transaction_id, &terms()).await.unwrap()
}

/// Reserves, assigns and signs; the nonce.
pub(super) async fn sign(store: &dyn Transfers, transfer: &NewTransfer) -> u64 {
    reserve(store, transfer).await;
    let nonce = nonce_of(&assign(store, transfer).await);
    assert_eq!(store.record_signed(transfer.transaction_id, &signature(transfer)).await.unwrap(), Recorded::Recorded);
    nonce
}

fn nonce_of(assignment: &Assignment) -> u64 {
    let Assignment::Nonce(nonce) = assignment else { panic!("{assignment:?}") };
    *nonce
}

fn hash(transfer: &NewTransfer) -> B256 {
    alloy_primitives::keccak256(transfer.transaction_id.to_string())
}

fn signature(transfer: &NewTransfer) -> Attempt {
    let gas = Gas { limit: 5, max_fee_per_gas_wei: 2, max_priority_fee_per_gas_wei: 1 };
    Attempt { tx_hash: hash(transfer), raw: vec![1, 2, 3], gas, signed_at: at(1), cancelled_by: None }
}

fn named_limit(name: &str) -> Option<RequestedLimit> {
    Some(RequestedLimit::Named { key: name.to_owned(), limit_units: U256::from(1_000) })
}

fn settled(settlement: &Settlement, sent: Sent) -> TransferState {
    match settlement.clone() {
        Settlement::Confirmed(mined) => TransferState::Confirmed { sent, mined },
        Settlement::Reverted { mined, reason } => TransferState::Reverted { sent, mined, reason },
        Settlement::Failed(failure) => TransferState::Failed { sent, failure },
    }
}

pub(super) fn mined(fee: u64) -> Mined {
    Mined { tx_hash: B256::repeat_byte(0xee), block_number: 42, block_time: at(8), fee_wei: U256::from(fee) }
}

fn why() -> SkillFailure {
    SkillFailure::new(ErrorCode::RpcError, "the node could not be reached")
}

fn reserved(units: u64) -> Spend {
    Spend { spent_units: U256::ZERO, reserved_units: U256::from(units) }
}

/// Approves while the wallet's day stays within `limit`.
fn within(limit: u64, asked: u64) -> Judge {
    Arc::new(move |history| match OverLimit::check("per_day", U256::from(limit), history.own_day, U256::from(asked)) {
        None => Verdict::Approve,
        Some(_) => Verdict::Refuse(SkillFailure::new(ErrorCode::BudgetExceeded, "over")),
    })
}

/// What a judge would be shown; the probe itself is refused, so that it leaves no trace but a ledger entry.
async fn history(store: &dyn Transfers, probe: &NewTransfer) -> History {
    let seen = Arc::new(Mutex::new(None));
    let shown = Arc::clone(&seen);
    let probe = NewTransfer { transaction_id: UuidV4::random(), task_id: UuidV4::random(), ..probe.clone() };
    let judge: Judge = Arc::new(move |history| {
        *shown.lock().unwrap() = Some(history.clone());
        Verdict::Refuse(why())
    });
    store.reserve(&probe, judge).await.unwrap();
    seen.lock().unwrap().take().unwrap()
}

async fn own_day(store: &dyn Transfers, transfer: &NewTransfer) -> Spend {
    history(store, transfer).await.own_day
}
