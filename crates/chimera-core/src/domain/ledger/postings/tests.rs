use super::*;
use proptest::prelude::*;

fn usdc() -> Asset {
    Asset::token("USDC", Address::repeat_byte(0x11), 6)
}

fn movement(asset: Asset, units: U256) -> Movement {
    Movement {
        from: Account::Wallet("selam".parse().unwrap()),
        to: Account::Payee(Address::repeat_byte(0x22)),
        chain: ChainId(8453),
        asset,
        units,
    }
}

#[test]
fn a_movement_is_a_credit_and_a_debit_of_the_same() {
    let postings = Postings::of([movement(usdc(), U256::from(5)), movement(Asset::native("ETH"), U256::ZERO)]);

    let lines: Vec<_> = postings.iter().map(|posting| (posting.account.to_string(), posting.side, posting.units)).collect();

    let payee = format!("payee:{}", Address::repeat_byte(0x22).to_checksum(None));
    assert_eq!(lines, [("wallet:selam".to_owned(), Side::Credit, U256::from(5)), (payee, Side::Debit, U256::from(5))]);
}

#[test]
fn accounts_are_read_as_they_are_written() {
    let address = Address::repeat_byte(0xab);
    for account in [Account::Wallet("a-1".parse().unwrap()), Account::Payee(address), Account::Fees] {
        assert_eq!(account.to_string().parse(), Ok(account));
    }
    for text in ["", "wallet", "wallet:", "wallet:A", "payee:0x1", "fees:", "fee", "bank:selam"] {
        assert!(text.parse::<Account>().is_err(), "{text:?}");
    }
}

#[test]
fn postings_that_do_not_balance_cannot_be_built() {
    let good = Postings::of([movement(usdc(), U256::from(5)), movement(Asset::native("ETH"), U256::from(7))]).to_json();
    for (pointer, value) in [
        ("/0/units", json!("6")),
        ("/0/side", json!("debit")),
        ("/1/chain_id", json!("1")),
        ("/2/units", json!("5")),
        ("/1/token", json!(Address::repeat_byte(0x12).to_checksum(None))),
    ] {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let refused = Postings::from_json(&changed);
        assert!(matches!(refused, Err(NotPostings::Unbalanced { .. })), "{pointer}: {refused:?}");
    }
    let half = Value::Array(good.as_array().unwrap()[..1].to_vec());
    assert!(matches!(Postings::from_json(&half), Err(NotPostings::Unbalanced { .. })));
}

#[test]
fn sums_beyond_uint256_are_still_compared_exactly() {
    let large = Postings::of([movement(usdc(), U256::MAX), movement(usdc(), U256::from(9))]).to_json();
    let mut wrapped = large.clone();
    // Without the carry both sides would be 8.
    wrapped[0]["units"] = json!("0");
    wrapped[2]["units"] = json!("8");

    assert!(Postings::from_json(&large).is_ok());
    assert!(matches!(Postings::from_json(&wrapped), Err(NotPostings::Unbalanced { .. })));
}

#[test]
fn malformed_postings_are_refused() {
    let good = Postings::of([movement(usdc(), U256::from(5))]).to_json();
    for (field, value) in [
        ("account", json!("bank")),
        ("account", json!(null)),
        ("side", json!("left")),
        ("chain_id", json!(8453)),
        ("chain_id", json!("base")),
        ("token", json!(null)),
        ("token", json!("0x")),
        ("decimals", json!(256)),
        ("decimals", json!("6")),
        ("units", json!(5)),
        ("units", json!("-5")),
        ("units", json!("0x5")),
    ] {
        let mut changed = good.clone();
        changed[0][field] = value.clone();
        assert_eq!(Postings::from_json(&changed), Err(NotPostings::Unreadable), "{field}: {value}");
    }
    for whole in [json!(null), json!({}), json!([1]), json!("[]")] {
        assert_eq!(Postings::from_json(&whole), Err(NotPostings::Unreadable), "{whole}");
    }
}

proptest! {
    #[test]
    fn whatever_moves_balances_both_ways_and_reads_back(amounts in prop::collection::vec((any::<[u64; 4]>(), any::<bool>()), 0..6)) {
        let asset = |native| if native { Asset::native("ETH") } else { usdc() };
        let postings = Postings::of(amounts.into_iter().map(|(limbs, native)| movement(asset(native), U256::from_limbs(limbs))));

        prop_assert_eq!(Postings::from_json(&postings.to_json()), Ok(postings.clone()));
        prop_assert_eq!(Postings::from_json(&postings.reversed().to_json()), Ok(postings.reversed()));
        prop_assert_eq!(postings.reversed().reversed(), postings);
    }
}
