//! Grants, freezes, bumps, handovers and vanished blocks, as every store holds to them.

use super::{at, history, mined, nonce_of, own_day, reserved, sign, signature, terms, why};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        review::{ReviewAction, ReviewAnswer, ReviewStatus},
    },
    domain::{
        freeze::{Freeze, FreezeCause, FreezeScope},
        money::{Address, B256, U256},
        transfer::{Attempt, FeeLimits, LOOK_ALIKE, NewTransfer, Settlement, Spend, TransferRecord, TransferState, Verdict},
    },
    ports::{
        grants::{Grants, NotRevoked, Revocation, Revoked},
        kill_switch::KillSwitch,
        transfers::{Answered, Assignment, Judge, Recorded, Reservation, Transfers},
    },
};
use std::sync::Arc;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Transfers + KillSwitch + Grants>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    a_grant_is_reserved_on_its_own_day_survives_a_release_and_counts_as_approved(&store).await;
    let (_guard, store) = fresh();
    the_first_answer_counts_and_a_decline_is_for_good(&store).await;
    let (_guard, store) = fresh();
    an_approval_is_revoked_before_it_is_used_or_not_at_all(&store).await;
    let (_guard, store) = fresh();
    of_a_revocation_and_a_use_at_once_one_wins(&store).await;
    let (_guard, store) = fresh();
    a_freeze_stops_nonces_signatures_and_bumps(&store).await;
    let (_guard, store) = fresh();
    a_bump_holds_the_higher_fee_within_the_limits_and_keeps_every_attempt(&store).await;
    let (_guard, store) = fresh();
    a_vanished_block_takes_the_settlement_back_until_it_is_final(&store).await;
    let (_guard, store) = fresh();
    a_handover_is_one_at_a_time_and_a_person_may_give_it_up(&store).await;
    let (_guard, store) = fresh();
    look_alikes_of_paid_recipients_are_known(&store).await;
    let (_guard, store) = fresh();
    a_held_transfer_is_granted_by_its_whole_address_alone(&store).await;
}

fn new_transfer(amount: u64) -> NewTransfer {
    super::new_transfer(amount)
}

fn ask() -> Judge {
    Arc::new(|_| Verdict::Ask { rule: "ask_above".to_owned(), reason: "much".to_owned() })
}

fn approve() -> Judge {
    Arc::new(|_| Verdict::Approve)
}

pub(super) async fn asked(store: &dyn Transfers, transfer: &NewTransfer) -> UuidV4 {
    match store.reserve(transfer, ask()).await.unwrap() {
        Reservation::Asked { review_id, .. } => review_id,
        other => panic!("{other:?}"),
    }
}

async fn answer(store: &dyn Transfers, review_id: UuidV4, action: ReviewAction) -> Answered {
    let answer = ReviewAnswer {
        review_id,
        action,
        reason: Some("looked".to_owned()),
        edited_artifact: None,
        give_up: false,
        confirmed_address: None,
        found: None,
        reviewer_id: "hanna".to_owned(),
        reviewed_at: UtcTime(at(1)),
    };
    store.answer_review(&answer, at(60)).await.unwrap()
}

fn limits(per_transaction: u64, per_day: u64) -> FeeLimits {
    FeeLimits { per_transaction_max_wei: U256::from(per_transaction), per_day_max_wei: U256::from(per_day) }
}

fn bump(transfer: &NewTransfer) -> Attempt {
    Attempt { tx_hash: B256::repeat_byte(0xb2), raw: vec![4, 5], ..signature(transfer) }
}

async fn found(store: &dyn Transfers, transfer: &NewTransfer) -> TransferRecord {
    store.find(transfer.task_id).await.unwrap().unwrap()
}

async fn fees_reserved(store: &dyn Transfers, transfer: &NewTransfer) -> U256 {
    // A fee that is over by exactly what is reserved tells what is.
    let probe = NewTransfer { transaction_id: UuidV4::random(), task_id: UuidV4::random(), ..transfer.clone() };
    store.reserve(&probe, approve()).await.unwrap();
    let mut terms = terms();
    terms.fee_limits = limits(10, 0);
    let refused = store.assign(probe.transaction_id, &terms).await.unwrap();
    store.release(probe.transaction_id, &why(), at(9)).await.unwrap();
    match refused {
        Assignment::Refused(crate::domain::transfer::TermsProblem::OverFeeLimit(over)) => over.reserved_units,
        other => panic!("{other:?}"),
    }
}

async fn a_grant_is_reserved_on_its_own_day_survives_a_release_and_counts_as_approved(store: &dyn Transfers) {
    let transfer = new_transfer(5);
    let review_id = asked(store, &transfer).await;
    assert!(matches!(answer(store, review_id, ReviewAction::Approve).await, Answered::Granted(_)));
    assert_eq!(store.granted(at(59)).await.unwrap().len(), 1);
    assert_eq!(store.granted(at(60)).await.unwrap(), [], "it ran out");
    assert_eq!(own_day(store, &transfer).await, Spend::default(), "a grant reserves nothing");

    for round in 0..2 {
        let call = NewTransfer { transaction_id: UuidV4::random(), reserved_at: at(30), lease_until: at(31), ..transfer.clone() };
        let Reservation::Reserved(granted) = store.reserve(&call, approve()).await.unwrap() else { panic!("round {round}") };
        assert_eq!((granted.transaction_id, granted.reserved_at), (transfer.transaction_id, at(30)));
        assert!(matches!(store.reserve(&call, approve()).await.unwrap(), Reservation::Existing(_)), "once at a time");
        assert_eq!(own_day(store, &granted).await, reserved(5));
        assert_eq!(history(store, &granted).await.unapproved_day_units, U256::ZERO);
        assert_eq!(store.granted(at(30)).await.unwrap(), []);
        if round == 0 {
            assert!(store.release(granted.transaction_id, &why(), at(31)).await.unwrap());
            assert_eq!(found(store, &transfer).await.state, TransferState::Granted);
            assert_eq!(own_day(store, &granted).await, Spend::default());
        }
    }
    let refused = store.reserve(&transfer, Arc::new(|_| Verdict::Refuse(why()))).await.unwrap();
    assert!(matches!(refused, Reservation::Existing(_)), "under way, so not judged again");
}

async fn the_first_answer_counts_and_a_decline_is_for_good(store: &dyn Transfers) {
    let transfer = new_transfer(5);
    let review_id = asked(store, &transfer).await;

    assert!(matches!(answer(store, review_id, ReviewAction::Reject).await, Answered::Declined(_)));
    assert_eq!(answer(store, review_id, ReviewAction::Approve).await, Answered::AlreadyDecided(ReviewStatus::Rejected));
    assert_eq!(answer(store, UuidV4::random(), ReviewAction::Approve).await, Answered::NotFound);

    assert_eq!(found(store, &transfer).await.state, TransferState::Declined { reason: "looked".to_owned() });
    assert!(matches!(store.reserve(&transfer, approve()).await.unwrap(), Reservation::Existing(_)));
    assert_eq!(store.granted(at(0)).await.unwrap(), []);
}

fn revocation(review_id: UuidV4) -> Revocation {
    Revocation { review_id, by: "omar".to_owned(), reason: Some("a wrong invoice".to_owned()), at: at(30) }
}

async fn an_approval_is_revoked_before_it_is_used_or_not_at_all<Store: Transfers + Grants>(store: &Store) {
    let transfer = new_transfer(5);
    let review_id = asked(store, &transfer).await;
    let revoke = async |id| store.revoke(&revocation(id)).await.unwrap();
    assert_eq!(revoke(UuidV4::random()).await, Revoked::NotDone(NotRevoked::NotFound));
    assert_eq!(revoke(review_id).await, Revoked::NotDone(NotRevoked::NotApproved("pending")));
    answer(store, review_id, ReviewAction::Approve).await;
    // Given up unsigned, so that it may be used again, or be revoked.
    let call = NewTransfer { transaction_id: UuidV4::random(), reserved_at: at(20), lease_until: at(21), ..transfer.clone() };
    let Reservation::Reserved(used) = store.reserve(&call, approve()).await.unwrap() else { panic!("it is approved") };
    assert_eq!(revoke(review_id).await, Revoked::NotDone(NotRevoked::Used("reserved")));
    assert_eq!(found(store, &transfer).await.state, TransferState::Reserved);
    store.release(used.transaction_id, &why(), at(22)).await.unwrap();

    let Revoked::Done(record) = revoke(review_id).await else { panic!("it is not used") };

    let declined = TransferState::Declined { reason: "revoked by omar: a wrong invoice".to_owned() };
    assert_eq!((&record.state, &found(store, &transfer).await.state), (&declined, &declined));
    assert_eq!(store.granted(at(31)).await.unwrap(), []);
    assert!(matches!(store.reserve(&call, approve()).await.unwrap(), Reservation::Existing(_)), "it is never made");
    assert_eq!(revoke(review_id).await, Revoked::NotDone(NotRevoked::Before));

    let rejected = asked(store, &new_transfer(6)).await;
    answer(store, rejected, ReviewAction::Reject).await;
    assert_eq!(revoke(rejected).await, Revoked::NotDone(NotRevoked::NotApproved("rejected")));
}

async fn of_a_revocation_and_a_use_at_once_one_wins<Store: Transfers + Grants>(store: &Store) {
    for round in 0..20 {
        let transfer = new_transfer(1);
        let review_id = asked(store, &transfer).await;
        answer(store, review_id, ReviewAction::Approve).await;
        let call = NewTransfer { transaction_id: UuidV4::random(), reserved_at: at(20), lease_until: at(21), ..transfer.clone() };
        let revocation = revocation(review_id);
        let (use_it, take_it_back) = (store.reserve(&call, approve()), store.revoke(&revocation));
        let (reserved, revoked) = if round % 2 == 0 {
            futures::future::join(use_it, take_it_back).await
        } else {
            let (revoked, reserved) = futures::future::join(take_it_back, use_it).await;
            (reserved, revoked)
        };
        let is_used = matches!(reserved.unwrap(), Reservation::Reserved(_));
        let is_revoked = matches!(revoked.unwrap(), Revoked::Done(_));
        assert!(is_used != is_revoked, "round {round}: used {is_used}, revoked {is_revoked}");
        assert_eq!(found(store, &transfer).await.state == TransferState::Reserved, is_used);
    }
}

async fn a_freeze_stops_nonces_signatures_and_bumps<Store: Transfers + KillSwitch>(store: &Store) {
    let [unassigned, unsigned, sent] = [new_transfer(1), new_transfer(2), new_transfer(3)];
    sign(store, &sent).await;
    for transfer in [&unassigned, &unsigned] {
        super::reserve(store, transfer).await;
    }
    nonce_of(&super::assign(store, &unsigned).await);
    let agent = sent.request.agent.clone();
    for scope in [FreezeScope::Fleet, FreezeScope::Agent(agent.clone())] {
        let freeze =
            Freeze { scope: scope.clone(), reason: "odd".to_owned(), by: "hanna".to_owned(), at: at(2), cause: FreezeCause::KillSwitch };
        store.freeze(&freeze).await.unwrap();
        store.freeze(&Freeze { reason: "again".to_owned(), ..freeze.clone() }).await.unwrap();
        assert_eq!(store.frozen(&agent).await.unwrap(), Some(freeze.clone()), "the first reason stays");

        assert_eq!(history(store, &unassigned).await.freeze, Some(freeze.clone()));
        assert_eq!(super::assign(store, &unassigned).await, Assignment::Frozen(freeze.clone()));
        assert_eq!(store.record_signed(unsigned.transaction_id, &signature(&unsigned)).await.unwrap(), Recorded::Frozen(freeze.clone()));
        let bumped = store.record_bump(sent.transaction_id, &bump(&sent), U256::from(11), &limits(100, 100)).await.unwrap();
        assert_eq!(bumped, Recorded::Frozen(freeze));

        assert!(store.unfreeze(&scope, "hanna", at(3)).await.unwrap());
        assert!(!store.unfreeze(&scope, "hanna", at(3)).await.unwrap());
        assert_eq!(store.frozen(&agent).await.unwrap(), None);
    }
    let other = Freeze {
        scope: FreezeScope::Agent("dawit".parse().unwrap()),
        reason: String::new(),
        by: String::new(),
        at: at(2),
        cause: FreezeCause::KillSwitch,
    };
    store.freeze(&other).await.unwrap();
    assert_eq!(store.record_signed(unsigned.transaction_id, &signature(&unsigned)).await.unwrap(), Recorded::Recorded);
}

async fn a_bump_holds_the_higher_fee_within_the_limits_and_keeps_every_attempt(store: &dyn Transfers) {
    let transfer = new_transfer(5);
    sign(store, &transfer).await;
    store.mark_broadcast(transfer.transaction_id).await.unwrap();
    let id = transfer.transaction_id;
    assert_eq!(fees_reserved(store, &transfer).await, U256::from(10));

    for (too_tight, fee) in [(limits(11, 100), 12), (limits(100, 11), 12)] {
        let refused = store.record_bump(id, &bump(&transfer), U256::from(fee), &too_tight).await.unwrap();
        assert!(matches!(refused, Recorded::Refused(_)), "{refused:?}");
    }
    assert_eq!(store.record_bump(id, &bump(&transfer), U256::from(12), &limits(12, 12)).await.unwrap(), Recorded::Recorded);

    assert_eq!(fees_reserved(store, &transfer).await, U256::from(12), "instead of the 10 before, not beside them");
    let TransferState::Signed(signed) = found(store, &transfer).await.state else { panic!("it must be sent again") };
    assert_eq!(signed.attempts, [signature(&transfer), bump(&transfer)]);
    store.settle(id, &Settlement::Confirmed(mined(3)), at(9)).await.unwrap();
    assert_eq!(fees_reserved(store, &transfer).await, U256::ZERO);
    assert_eq!(store.record_bump(id, &bump(&transfer), U256::from(12), &limits(12, 12)).await.unwrap(), Recorded::Lost);
}

async fn a_vanished_block_takes_the_settlement_back_until_it_is_final(store: &dyn Transfers) {
    let (spent, transfer) = (|units| Spend { spent_units: U256::from(units), reserved_units: U256::ZERO }, new_transfer(5));
    let nonce = sign(store, &transfer).await;
    let id = transfer.transaction_id;
    assert!(store.unsettle(id, at(9)).await.unwrap().state.is_open(), "nothing to take back");
    store.settle(id, &Settlement::Confirmed(mined(3)), at(9)).await.unwrap();
    assert_eq!((own_day(store, &transfer).await, store.not_final().await.unwrap().len()), (spent(5), 1));

    let open = store.unsettle(id, at(10)).await.unwrap();

    assert!(matches!(&open.state, TransferState::Broadcast(signed) if signed.nonce == nonce && signed.attempts == [signature(&transfer)]));
    assert_eq!((found(store, &transfer).await, store.open().await.unwrap()), (open.clone(), vec![open]));
    assert_eq!((own_day(store, &transfer).await, fees_reserved(store, &transfer).await), (reserved(5), U256::from(10)));
    assert_eq!(store.not_final().await.unwrap(), []);
    let settled = store.settle(id, &Settlement::Confirmed(mined(4)), at(11)).await.unwrap();
    store.finalize(&[id]).await.unwrap();
    assert_eq!(store.not_final().await.unwrap(), []);
    assert_eq!(store.unsettle(id, at(12)).await.unwrap(), settled, "final is final");
    assert_eq!((own_day(store, &transfer).await, fees_reserved(store, &transfer).await), (spent(5), U256::ZERO));
}

async fn a_handover_is_one_at_a_time_and_a_person_may_give_it_up(store: &dyn Transfers) {
    let (first, second) = (new_transfer(5), new_transfer(6));
    for transfer in [&first, &second] {
        super::reserve(store, transfer).await;
    }
    let hand_over = |transfer: &NewTransfer| {
        let id = transfer.transaction_id;
        async move { store.hand_over(id, &terms(), 100, at(1)).await.unwrap() }
    };
    assert_eq!(hand_over(&first).await, Assignment::Nonce(0));
    assert_eq!(hand_over(&second).await, Assignment::Busy);
    assert_eq!(hand_over(&first).await, Assignment::Lost, "handed over already");
    assert!(!store.release(first.transaction_id, &why(), at(2)).await.unwrap(), "what another wallet may have paid is never released");
    let record = found(store, &first).await;
    assert!(
        matches!(record.state, TransferState::HandedOver(handover) if (handover.nonce, handover.block_number, handover.at) == (0, 100, at(1)))
    );

    for _ in 0..2 {
        store.ask_about(first.transaction_id, "it never showed", at(11)).await.unwrap();
    }
    let review_id = UuidV4::named(&["handed_over", &first.transaction_id.to_string()]);
    assert_eq!(answer(store, review_id, ReviewAction::Approve).await, Answered::NothingToApprove);
    assert!(matches!(answer(store, review_id, ReviewAction::Reject).await, Answered::GivenUp(_)));
    assert_eq!(own_day(store, &first).await, reserved(6), "only the second is held now");
    assert_eq!(hand_over(&second).await, Assignment::Nonce(0));
    let settled = store.settle(second.transaction_id, &Settlement::Confirmed(mined(3)), at(12)).await.unwrap();
    assert_eq!(found(store, &second).await, settled);
    let open = store.unsettle(second.transaction_id, at(13)).await.unwrap();
    assert!(matches!(open.state, TransferState::HandedOver(_)), "watched again, not sent again");
}

async fn look_alikes_of_paid_recipients_are_known(store: &dyn Transfers) {
    let paid = new_transfer(5);
    sign(store, &paid).await;
    let alike = |head: u8| {
        let mut other = new_transfer(1);
        let mut bytes = [9; 20];
        (bytes[0], bytes[1], bytes[18], bytes[19]) = (head, 2, 2, 2);
        other.request.to = Address::from(bytes);
        other
    };
    assert_eq!(history(store, &alike(2)).await.look_alike, None, "not paid yet");
    store.settle(paid.transaction_id, &Settlement::Confirmed(mined(3)), at(9)).await.unwrap();

    assert_eq!(history(store, &alike(2)).await.look_alike, Some(paid.request.to));
    assert_eq!(history(store, &alike(3)).await.look_alike, None);
    assert_eq!(history(store, &paid).await.look_alike, None, "it is itself");
}

async fn a_held_transfer_is_granted_by_its_whole_address_alone(store: &dyn Transfers) {
    let transfer = new_transfer(5);
    let hold: Judge = Arc::new(|_| Verdict::Hold { rule: LOOK_ALIKE.to_owned(), reason: "compare".to_owned(), refusal: why() });
    let Reservation::Asked { review_id, rule, refusal } = store.reserve(&transfer, hold.clone()).await.unwrap() else {
        panic!("it is held")
    };
    assert_eq!((rule.as_str(), refusal), (LOOK_ALIKE, Some(why())));
    assert!(matches!(store.reserve(&transfer, hold).await.unwrap(), Reservation::Existing(_)), "asked once");

    assert_eq!(answer(store, review_id, ReviewAction::Approve).await, Answered::AddressNotConfirmed);
    assert!(matches!(found(store, &transfer).await.state, TransferState::AwaitingReview { .. }), "still open");
    let whole = ReviewAnswer {
        review_id,
        action: ReviewAction::Approve,
        reason: None,
        edited_artifact: None,
        give_up: false,
        confirmed_address: Some(transfer.request.to.to_string().to_lowercase()),
        found: None,
        reviewer_id: "hanna".to_owned(),
        reviewed_at: UtcTime(at(1)),
    };
    assert!(matches!(store.answer_review(&whole, at(60)).await.unwrap(), Answered::Granted(_)));

    assert!(found(store, &transfer).await.grant.is_some_and(|grant| grant.address_confirmed));
    let judged: Judge = Arc::new(|history| {
        assert!(history.is_granted && history.address_is_confirmed, "{history:?}");
        Verdict::Approve
    });
    assert!(matches!(store.reserve(&transfer, judged).await.unwrap(), Reservation::Reserved(_)));
}
