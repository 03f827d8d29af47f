use super::*;
use crate::{contracts::wallet_transaction::WalletOperation, domain::money::Asset};
use proptest::prelude::*;

const CHAIN: ChainId = ChainId(8453);

fn recipient() -> Address {
    Address::repeat_byte(0xbb)
}

fn asking(amount: u64) -> TransferRequest {
    TransferRequest {
        agent: "selam".parse().unwrap(),
        wallet: Address::repeat_byte(0xaa),
        operation: WalletOperation::TokenTransfer,
        chain: CHAIN,
        asset: Asset::token("USDC", Address::repeat_byte(0xcc), 6),
        to: recipient(),
        amount_units: U256::from(amount),
    }
}

/// 100 a transfer, 150 a day, a person above 80, known recipients only, 3 an hour.
fn policy() -> SpendingPolicy {
    SpendingPolicy {
        first_seen_recipient: FirstSeenRecipient::Allow,
        allow: BTreeSet::new(),
        deny: BTreeSet::new(),
        transfers_per_hour_max: 3,
        limits: vec![SpendingLimit {
            chain: CHAIN,
            asset: "USDC".to_owned(),
            per_transaction_units: U256::from(100),
            per_day_units: U256::from(150),
            ask_above_units: None,
        }],
    }
}

fn spent(units: u64) -> History {
    let own_day = Spend { spent_units: U256::from(units), reserved_units: U256::ZERO };
    History { own_day, unapproved_day_units: U256::from(units), ..History::default() }
}

fn over_counter(decision: SpendingDecision) -> Option<String> {
    match decision {
        SpendingDecision::OverLimit(over) => Some(over.counter),
        SpendingDecision::Approve | SpendingDecision::Ask(_) | SpendingDecision::Suspect { .. } | SpendingDecision::Refuse(_) => None,
    }
}

#[test]
fn an_agent_without_a_policy_sends_nothing() {
    assert_eq!(decide(None, &asking(1), None, &History::default()), SpendingDecision::Refuse(Rule::NoPolicy));
}

#[test]
fn an_asset_or_chain_without_a_limit_is_not_sent() {
    let other_asset = TransferRequest { asset: Asset::native("ETH"), ..asking(1) };
    let other_chain = TransferRequest { chain: ChainId(1), ..asking(1) };
    for request in [other_asset, other_chain] {
        assert_eq!(decide(Some(&policy()), &request, None, &History::default()), SpendingDecision::Refuse(Rule::AssetWithoutLimit));
    }
}

#[test]
fn the_deny_list_is_stronger_than_the_allow_list() {
    let policy = SpendingPolicy { allow: [recipient()].into(), deny: [recipient()].into(), ..policy() };
    assert_eq!(decide(Some(&policy), &asking(1), None, &History::default()), SpendingDecision::Refuse(Rule::Deny));
}

#[test]
fn one_transfer_may_reach_its_limit_and_not_pass_it() {
    assert_eq!(decide(Some(&policy()), &asking(100), None, &History::default()), SpendingDecision::Approve);
    assert_eq!(over_counter(decide(Some(&policy()), &asking(101), None, &History::default())).as_deref(), Some("per_transaction"));
}

#[test]
fn a_day_may_reach_its_limit_and_not_pass_it() {
    assert_eq!(decide(Some(&policy()), &asking(50), None, &spent(100)), SpendingDecision::Approve);
    assert_eq!(over_counter(decide(Some(&policy()), &asking(51), None, &spent(100))).as_deref(), Some("per_day"));
}

#[test]
fn a_request_can_lower_the_own_limit_and_never_raise_it() {
    let lower = RequestedLimit::Own { limit_units: U256::from(40) };
    let higher = RequestedLimit::Own { limit_units: U256::MAX };
    assert_eq!(over_counter(decide(Some(&policy()), &asking(41), Some(&lower), &History::default())).as_deref(), Some("per_day"));
    assert_eq!(over_counter(decide(Some(&policy()), &asking(51), Some(&higher), &spent(100))).as_deref(), Some("per_day"));
}

#[test]
fn a_named_counter_has_its_own_sum_and_limit() {
    let named = RequestedLimit::Named { key: "campaign:7".to_owned(), limit_units: U256::from(60) };
    let history = History { named_day: Spend { spent_units: U256::from(20), reserved_units: U256::from(20) }, ..spent(0) };
    assert_eq!(decide(Some(&policy()), &asking(20), Some(&named), &history), SpendingDecision::Approve);
    assert_eq!(over_counter(decide(Some(&policy()), &asking(21), Some(&named), &history)).as_deref(), Some("campaign:7"));
}

#[test]
fn the_last_transfer_of_the_hour_passes_and_the_next_does_not() {
    let history = |transfers_last_hour| History { transfers_last_hour, ..spent(0) };
    assert_eq!(decide(Some(&policy()), &asking(1), None, &history(2)), SpendingDecision::Approve);
    assert_eq!(decide(Some(&policy()), &asking(1), None, &history(3)), SpendingDecision::Refuse(Rule::TransfersPerHourMax));
}

#[test]
fn a_first_seen_recipient_is_treated_as_the_policy_says() {
    let with = |first_seen_recipient| SpendingPolicy { first_seen_recipient, ..policy() };
    for (setting, expected) in [
        (FirstSeenRecipient::Allow, SpendingDecision::Approve),
        (FirstSeenRecipient::Ask, SpendingDecision::Ask(Rule::FirstSeenRecipient)),
        (FirstSeenRecipient::Refuse, SpendingDecision::Refuse(Rule::FirstSeenRecipient)),
    ] {
        let known = History { recipient_is_known: true, ..spent(0) };
        let allowed = SpendingPolicy { allow: [recipient()].into(), ..with(setting) };

        assert_eq!(decide(Some(&with(setting)), &asking(1), None, &spent(0)), expected);
        assert_eq!(decide(Some(&with(setting)), &asking(1), None, &known), SpendingDecision::Approve);
        assert_eq!(decide(Some(&allowed), &asking(1), None, &spent(0)), SpendingDecision::Approve);
    }
}

#[test]
fn a_person_is_asked_above_the_threshold_for_one_transfer_or_the_days_sum() {
    let mut policy = policy();
    policy.limits[0].ask_above_units = Some(U256::from(80));
    assert_eq!(decide(Some(&policy), &asking(80), None, &spent(0)), SpendingDecision::Approve);
    assert_eq!(decide(Some(&policy), &asking(81), None, &spent(0)), SpendingDecision::Ask(Rule::AskAbove));
    assert_eq!(decide(Some(&policy), &asking(31), None, &spent(50)), SpendingDecision::Ask(Rule::AskAbove));
}

#[test]
fn nobody_is_asked_about_what_a_limit_forbids() {
    let mut policy = SpendingPolicy { first_seen_recipient: FirstSeenRecipient::Ask, ..policy() };
    policy.limits[0].ask_above_units = Some(U256::from(1));
    assert_eq!(over_counter(decide(Some(&policy), &asking(101), None, &spent(0))).as_deref(), Some("per_transaction"));
}

#[test]
fn a_look_alike_goes_to_a_person_and_only_the_whole_address_lifts_that() {
    let mut known = recipient();
    known.0[9] ^= 1;
    let allowed = SpendingPolicy { allow: [known].into(), ..policy() };
    let paid = History { look_alike: Some(known), ..spent(0) };
    for (policy, history) in [(policy(), paid), (allowed, spent(0))] {
        let granted = History { is_granted: true, ..history.clone() };
        let confirmed = History { address_is_confirmed: true, ..granted.clone() };
        let over = History { own_day: Spend { spent_units: U256::from(150), reserved_units: U256::ZERO }, ..confirmed.clone() };

        assert_eq!(decide(Some(&policy), &asking(1), None, &history), SpendingDecision::Suspect { known });
        assert_eq!(decide(Some(&policy), &asking(1), None, &granted), SpendingDecision::Refuse(Rule::LookAlike));
        assert_eq!(decide(Some(&policy), &asking(1), None, &confirmed), SpendingDecision::Approve);
        assert_eq!(over_counter(decide(Some(&policy), &asking(1), None, &over)).as_deref(), Some("per_day"), "it waives nothing else");
    }
}

proptest! {
    #[test]
    fn what_is_approved_never_passes_a_limit(
        amount in 0u64..200, own in 0u64..200, reserved in 0u64..200, named in 0u64..200, limit in 0u64..200, hour in 0u64..6,
    ) {
        let history = History {
            transfers_last_hour: hour,
            own_day: Spend { spent_units: U256::from(own), reserved_units: U256::from(reserved) },
            named_day: Spend { spent_units: U256::from(named), reserved_units: U256::ZERO },
            ..History::default()
        };
        let requested = RequestedLimit::Named { key: "k".to_owned(), limit_units: U256::from(limit) };
        let fits = amount <= 100 && own + reserved + amount <= 150 && named + amount <= limit && hour < 3;

        let decision = decide(Some(&policy()), &asking(amount), Some(&requested), &history);

        prop_assert_eq!(decision == SpendingDecision::Approve, fits);
    }
}
