use super::*;
use crate::{
    contracts::{error_code::ErrorCode, wallet_transaction::WalletOperation},
    domain::{
        money::{Address, B256, ChainId, U256},
        transfer::{Attempt, Gas, Signed},
    },
};

fn at() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

fn transfer(asset: Asset) -> NewTransfer {
    NewTransfer {
        transaction_id: UuidV4::random(),
        task_id: UuidV4::random(),
        request: TransferRequest {
            agent: "selam".parse().unwrap(),
            wallet: Address::repeat_byte(1),
            operation: WalletOperation::TokenTransfer,
            chain: ChainId(8453),
            asset,
            to: Address::repeat_byte(2),
            amount_units: U256::from(500),
        },
        requested_limit: None,
        reserved_at: at(),
        lease_until: at(),
    }
}

fn signed() -> Sent {
    let gas = Gas { limit: 21_000, max_fee_per_gas_wei: 1, max_priority_fee_per_gas_wei: 1 };
    let attempt = Attempt { tx_hash: B256::repeat_byte(9), raw: vec![1], gas, signed_at: at(), cancelled_by: None };
    Sent::Signed(Signed::new(4, attempt))
}

fn mined() -> Mined {
    Mined { tx_hash: B256::repeat_byte(9), block_number: 12, block_time: at(), fee_wei: U256::from(21_000) }
}

fn usdc() -> Asset {
    Asset::token("USDC", Address::repeat_byte(3), 6)
}

/// Account, side, asset and units of each posting.
fn lines(entry: &NewLedgerEntry) -> Vec<String> {
    let line = |posting: &super::super::Posting| {
        format!("{} {} {} {}", posting.account, posting.side.as_str(), posting.units, posting.asset.symbol)
    };
    entry.postings.iter().map(line).collect()
}

#[test]
fn a_payment_moves_the_amount_to_the_payee_and_the_fee_to_the_fees() {
    let payee = format!("payee:{}", Address::repeat_byte(2).to_checksum(None));
    for (asset, symbol, fee_symbol) in [(usdc(), "USDC", "native"), (Asset::native("ETH"), "ETH", "ETH")] {
        let entry = settlement_entry(&transfer(asset), &signed(), &Settlement::Confirmed(mined()), at());

        assert_eq!(entry.kind, LedgerKind::Payment);
        let expected = [
            format!("wallet:selam credit 500 {symbol}"),
            format!("{payee} debit 500 {symbol}"),
            format!("wallet:selam credit 21000 {fee_symbol}"),
            format!("fees debit 21000 {fee_symbol}"),
        ];
        assert_eq!(lines(&entry), expected);
        assert_eq!((&entry.facts["state"], &entry.facts["tx_hash"]), (&json!("confirmed"), &json!(B256::repeat_byte(9).to_string())));
    }
}

#[test]
fn a_reverted_transaction_moves_its_fee_alone() {
    let settlement = Settlement::Reverted { mined: mined(), reason: "paused".to_owned() };

    let entry = settlement_entry(&transfer(usdc()), &signed(), &settlement, at());

    assert_eq!(entry.kind, LedgerKind::Refusal);
    assert_eq!(lines(&entry), ["wallet:selam credit 21000 native", "fees debit 21000 native"]);
    assert_eq!((&entry.facts["state"], &entry.facts["reason"]), (&json!("reverted"), &json!("paused")));
}

#[test]
fn what_was_refused_never_landed_or_was_decided_by_a_person_moves_nothing() {
    let transfer = transfer(usdc());
    let failure = SkillFailure::new(ErrorCode::BudgetExceeded, "too much");
    let replaced = Settlement::Failed(SignedFailure::Replaced);
    let refused = Settlement::Failed(SignedFailure::Refused { reason: "no".to_owned() });

    for entry in [
        refusal_entry(&transfer, &failure, at()),
        settlement_entry(&transfer, &signed(), &replaced, at()),
        settlement_entry(&transfer, &signed(), &refused, at()),
        unfreeze_entry(&FreezeScope::Fleet, "ops", at()),
    ] {
        assert!(entry.postings.is_empty(), "{entry:?}");
    }
}

#[test]
fn a_reversal_takes_back_exactly_what_the_settlement_moved() {
    let transfer = transfer(usdc());
    for settlement in [Settlement::Confirmed(mined()), Settlement::Reverted { mined: mined(), reason: String::new() }] {
        let entered = settlement_entry(&transfer, &signed(), &settlement, at());
        let reversal = reversal_entry(&transfer, &signed(), &settlement, at());

        assert_eq!(reversal.kind, LedgerKind::Reversal);
        assert_eq!(reversal.postings, entered.postings.reversed());
        assert!(!reversal.postings.is_empty());
        assert_eq!(reversal.facts["state"], "reorganised");
        assert_eq!((&reversal.facts["taken_back"], &reversal.facts["block_number"]), (&entered.facts["state"], &json!("12")));
    }
}

#[test]
fn a_control_entry_names_the_act_and_may_concern_the_whole_fleet() {
    let entry = freeze_entry(&Freeze {
        scope: FreezeScope::Fleet,
        reason: "odd payments".to_owned(),
        by: "ops".to_owned(),
        at: at(),
        cause: crate::domain::freeze::FreezeCause::KillSwitch,
    });

    assert_eq!((entry.kind, entry.agent, entry.task_id), (LedgerKind::Control, None, None));
    assert_eq!(entry.facts, json!({"act": "freeze", "by": "ops", "reason": "odd payments"}));
}
