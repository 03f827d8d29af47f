use super::*;
use crate::{
    contracts::wallet_transaction::WalletOperation,
    domain::{
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{Gas, NewTransfer, TransferRequest},
    },
};

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(minute * 60, 0).unwrap()
}

fn attempt(number: u8) -> Attempt {
    let gas = Gas { limit: 21_000, max_fee_per_gas_wei: 10, max_priority_fee_per_gas_wei: 1 };
    Attempt { tx_hash: B256::repeat_byte(number), raw: vec![number], gas, signed_at: at(1), cancelled_by: None }
}

fn grant() -> Grant {
    Grant { review_id: UuidV4::named(&["review"]), until: at(60), address_confirmed: false }
}

fn handover() -> Handover {
    Handover { nonce: 7, block_number: 100, at: at(1) }
}

fn signed() -> Signed {
    Signed::new(7, attempt(1))
}

fn mined() -> Mined {
    Mined { tx_hash: B256::repeat_byte(1), block_number: 101, block_time: at(2), fee_wei: U256::from(3) }
}

fn record(state: TransferState, grant: Option<Grant>) -> TransferRecord {
    let request = TransferRequest {
        agent: "selam".parse().unwrap(),
        wallet: Address::repeat_byte(1),
        operation: WalletOperation::NativeTransfer,
        chain: ChainId(8453),
        asset: Asset::native("ETH"),
        to: Address::repeat_byte(2),
        amount_units: U256::from(5),
    };
    let transfer = NewTransfer {
        transaction_id: UuidV4::named(&["transaction"]),
        task_id: UuidV4::named(&["task"]),
        request,
        requested_limit: None,
        reserved_at: at(0),
        lease_until: at(2),
    };
    TransferRecord { transfer, grant, state }
}

fn states() -> Vec<TransferState> {
    let (by_us, by_another) = (Sent::Signed(signed()), Sent::HandedOver(handover()));
    let mut states = vec![
        TransferState::AwaitingReview { review_id: UuidV4::named(&["review"]), rule: "ask_above".to_owned() },
        TransferState::Granted,
        TransferState::Declined { reason: "no".to_owned() },
        TransferState::Reserved,
        TransferState::Released,
        TransferState::HandedOver(handover()),
        TransferState::Signed(signed()),
        TransferState::Broadcast(signed()),
    ];
    for sent in [by_us, by_another] {
        states.push(TransferState::Confirmed { sent: sent.clone(), mined: mined() });
        states.push(TransferState::Reverted { sent: sent.clone(), mined: mined(), reason: "paused".to_owned() });
        states.push(TransferState::Failed { sent, failure: SignedFailure::Replaced });
    }
    states
}

fn events() -> Vec<TransferEvent> {
    vec![
        TransferEvent::Grant(grant()),
        TransferEvent::Decline { reason: "no".to_owned() },
        TransferEvent::Revoke { reason: "no".to_owned() },
        TransferEvent::Reserve { at: at(5), lease_until: at(7) },
        TransferEvent::Release,
        TransferEvent::HandOver(handover()),
        TransferEvent::Sign { nonce: 7, attempt: attempt(1) },
        TransferEvent::Accept,
        TransferEvent::Bump(attempt(2)),
        TransferEvent::Settle(Settlement::Confirmed(mined())),
        TransferEvent::Vanish,
    ]
}

/// Every pair that is not listed is refused, and changes nothing.
#[test]
fn only_these_steps_lead_on() {
    const STEPS: [(&str, &str, &str); 18] = [
        ("awaiting_review", "be granted", "granted"),
        ("awaiting_review", "be declined", "declined"),
        ("granted", "be revoked", "declined"),
        ("granted", "be reserved", "reserved"),
        ("reserved", "be released", "released"),
        ("reserved", "be handed over", "handed_over"),
        ("reserved", "be signed", "signed"),
        ("handed_over", "be settled", "confirmed"),
        ("signed", "be accepted by a node", "broadcast"),
        ("signed", "be bumped", "signed"),
        ("signed", "be settled", "confirmed"),
        ("broadcast", "be accepted by a node", "broadcast"),
        ("broadcast", "be bumped", "signed"),
        ("broadcast", "be settled", "confirmed"),
        ("confirmed", "vanish", "broadcast"),
        ("reverted", "vanish", "broadcast"),
        ("confirmed", "vanish", "handed_over"),
        ("reverted", "vanish", "handed_over"),
    ];
    let mut taken = Vec::new();
    for state in states() {
        for event in events() {
            let (from, by) = (state.name(), event.name());
            match record(state.clone(), None).after(event) {
                Ok(after) => taken.push((from, by, after.state.name())),
                Err(error) => assert_eq!(error.to_string(), format!("a transfer that is {from} cannot {by}")),
            }
        }
    }
    taken.sort_unstable();
    let mut expected = STEPS.to_vec();
    expected.sort_unstable();
    assert_eq!(taken, expected);
}

#[test]
fn a_grant_survives_a_reservation_that_is_given_up_and_owns_the_day_it_is_used_on() {
    let reserved = record(TransferState::Granted, Some(grant())).after(TransferEvent::Reserve { at: at(5), lease_until: at(7) }).unwrap();
    assert_eq!((reserved.transfer.reserved_at, reserved.transfer.lease_until), (at(5), at(7)));

    let released = reserved.after(TransferEvent::Release).unwrap();

    assert_eq!((released.state.clone(), released.grant), (TransferState::Granted, Some(grant())));
    assert!(released.is_granted_at(at(59)));
    assert!(!released.is_granted_at(at(60)), "a grant that ran out is worth nothing");
}

#[test]
fn every_attempt_is_kept_and_any_of_them_may_land() {
    let bumped = record(TransferState::Broadcast(signed()), None).after(TransferEvent::Bump(attempt(2))).unwrap();
    let settled = bumped.after(TransferEvent::Settle(Settlement::Confirmed(mined()))).unwrap();

    let TransferState::Confirmed { sent: Sent::Signed(signed), mined } = settled.state else { panic!("{settled:?}") };
    assert_eq!(signed.attempts, [attempt(1), attempt(2)]);
    assert_eq!(mined.tx_hash, attempt(1).tx_hash);
}
