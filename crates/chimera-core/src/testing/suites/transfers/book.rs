//! Holds, replaced transfers and reconciliations, as every store holds to them.

use super::{assign, at, history, mined, new_transfer, own_day, reserve, sign, terms};
use crate::{
    domain::{
        freeze::{FreezeCause, FreezeScope},
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{ForeignMovement, ForeignTransaction, Reconciliation, Settlement, SigningTerms, Spend, TransferState},
    },
    ports::{
        kill_switch::KillSwitch,
        transfers::{Assignment, Transfers},
        wallet_book::WalletBook,
    },
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Transfers + KillSwitch + WalletBook>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    a_chain_that_is_ahead_holds_the_wallet_until_it_is_reconciled(&store).await;
    let (_guard, store) = fresh();
    a_hold_is_not_a_freeze_and_keeps_its_first_reason(&store).await;
    let (_guard, store) = fresh();
    a_replaced_transfer_keeps_its_budget_and_holds_the_wallet(&store).await;
    let (_guard, store) = fresh();
    a_reconciliation_charges_the_day_of_the_block_once(&store).await;
    let (_guard, store) = fresh();
    a_found_payment_is_asked_about_once(&store).await;
    let (_guard, store) = fresh();
    a_reverted_amount_is_free_when_its_block_is_final(&store).await;
}

fn foreign(nonce: u64, amount: u64) -> ForeignTransaction {
    let transfer = new_transfer(amount);
    let moved = ForeignMovement { asset: transfer.request.asset.clone(), to: transfer.request.to, units: U256::from(amount) };
    ForeignTransaction {
        chain: ChainId(8453),
        nonce,
        tx_hash: B256::repeat_byte(nonce as u8 + 1),
        block_number: 50,
        block_time: at(3),
        succeeded: true,
        fee_wei: U256::from(2),
        native: Asset::native("ETH"),
        moved: vec![moved],
    }
}

fn reconciliation(found: Vec<ForeignTransaction>, next: u64) -> Reconciliation {
    let request = new_transfer(1).request;
    Reconciliation {
        agent: request.agent,
        wallet: request.wallet,
        found,
        next_nonces: vec![(ChainId(8453), next)],
        is_complete: true,
        by: "hanna".to_owned(),
        at: at(9),
    }
}

async fn a_chain_that_is_ahead_holds_the_wallet_until_it_is_reconciled<Store: Transfers + KillSwitch + WalletBook>(store: &Store) {
    let (first, second) = (new_transfer(5), new_transfer(5));
    let agent = first.request.agent.clone();
    reserve(store, &first).await;
    reserve(store, &second).await;
    let ahead = SigningTerms { next_nonce: 2, ..terms() };

    let Assignment::Frozen(hold) = store.assign(first.transaction_id, &ahead).await.unwrap() else { panic!("not held") };

    assert_eq!((hold.cause, &hold.scope), (FreezeCause::Unreconciled, &FreezeScope::Agent(agent.clone())));
    assert_eq!(store.held(&agent).await.unwrap(), Some(hold.clone()));
    assert_eq!(store.frozen(&agent).await.unwrap(), Some(hold.clone()));
    assert_eq!(assign(store, &second).await, Assignment::Frozen(hold.clone()), "whatever another node says");
    assert_eq!(history(store, &new_transfer(1)).await.freeze, Some(hold));

    store.reconcile(&reconciliation(vec![foreign(0, 3), foreign(1, 3)], 2)).await.unwrap();

    assert_eq!(store.frozen(&agent).await.unwrap(), None);
    assert_eq!(store.assign(first.transaction_id, &ahead).await.unwrap(), Assignment::Nonce(2));
    assert_eq!(store.standing(first.request.wallet, ChainId(8453)).await.unwrap().consumed_next, 2);
}

async fn a_hold_is_not_a_freeze_and_keeps_its_first_reason<Store: KillSwitch + WalletBook>(store: &Store) {
    let agent = new_transfer(1).request.agent;
    store.hold(&agent, "restored", at(1)).await.unwrap();
    store.hold(&agent, "again", at(2)).await.unwrap();

    let was_frozen = store.unfreeze(&FreezeScope::Agent(agent.clone()), "hanna", at(3)).await.unwrap();

    assert!(!was_frozen, "an operator's switch does not lift it");
    let hold = store.frozen(&agent).await.unwrap().unwrap();
    assert_eq!((hold.reason.as_str(), hold.at), ("restored", at(1)));
    assert_eq!(store.frozen(&"dawit".parse().unwrap()).await.unwrap(), None);
    store.reconcile(&Reconciliation { is_complete: false, ..reconciliation(Vec::new(), 0) }).await.unwrap();
    assert!(store.held(&agent).await.unwrap().is_some(), "not everything was read");
    store.reconcile(&reconciliation(Vec::new(), 0)).await.unwrap();
    assert_eq!(store.frozen(&agent).await.unwrap(), None);
}

async fn a_replaced_transfer_keeps_its_budget_and_holds_the_wallet<Store: Transfers + KillSwitch + WalletBook>(store: &Store) {
    let transfer = new_transfer(5);
    sign(store, &transfer).await;
    store.mark_broadcast(transfer.transaction_id).await.unwrap();
    let by = B256::repeat_byte(0xee);

    let replaced = store.mark_replaced(transfer.transaction_id, by, at(4)).await.unwrap();

    assert!(matches!(&replaced.state, TransferState::Broadcast(signed) if signed.replaced_by == Some(by)), "{replaced:?}");
    assert_eq!(store.find(transfer.task_id).await.unwrap(), Some(replaced.clone()));
    assert_eq!(store.standing(transfer.request.wallet, ChainId(8453)).await.unwrap().open, [replaced]);
    assert_eq!(own_day(store, &transfer).await, super::reserved(5));
    assert!(store.held(&transfer.request.agent).await.unwrap().is_some());
    let confirmed = store.settle(transfer.transaction_id, &Settlement::Confirmed(mined(1)), at(9)).await.unwrap();
    assert_eq!(store.mark_replaced(transfer.transaction_id, by, at(9)).await.unwrap(), confirmed, "what is settled stays");
}

async fn a_reconciliation_charges_the_day_of_the_block_once<Store: Transfers + WalletBook>(store: &Store) {
    let found = reconciliation(vec![foreign(0, 30)], 1);

    store.reconcile(&found).await.unwrap();
    store.reconcile(&found).await.unwrap();

    let spent = Spend { spent_units: U256::from(30), reserved_units: U256::ZERO };
    assert_eq!(own_day(store, &new_transfer(1)).await, spent);
    let known = history(store, &new_transfer(1)).await.recipient_is_known;
    assert!(!known, "whom somebody else paid is nobody's known payee");
}

async fn a_found_payment_is_asked_about_once<Store: Transfers + WalletBook>(store: &Store) {
    store.reconcile(&reconciliation(vec![foreign(0, 30)], 1)).await.unwrap();
    let mut elsewhere = new_transfer(30);
    elsewhere.request.to = Address::repeat_byte(9);
    assert_eq!(history(store, &elsewhere).await.reconciled_alike, None);
    assert_eq!(history(store, &new_transfer(31)).await.reconciled_alike, None);
    assert_eq!(history(store, &new_transfer(30)).await.reconciled_alike, Some(B256::repeat_byte(1)));

    super::governance::asked(store, &new_transfer(30)).await;

    assert_eq!(history(store, &new_transfer(30)).await.reconciled_alike, None);
}

async fn a_reverted_amount_is_free_when_its_block_is_final<Store: Transfers>(store: &Store) {
    let transfer = new_transfer(5);
    let reverted = || Settlement::Reverted { mined: mined(3), reason: "paused".to_owned() };
    sign(store, &transfer).await;
    store.settle(transfer.transaction_id, &reverted(), at(9)).await.unwrap();
    assert_eq!(own_day(store, &transfer).await, super::reserved(5));
    store.unsettle(transfer.transaction_id, at(9)).await.unwrap();
    assert_eq!(own_day(store, &transfer).await, super::reserved(5), "held once, not twice");
    store.settle(transfer.transaction_id, &reverted(), at(9)).await.unwrap();

    store.finalize(&[transfer.transaction_id]).await.unwrap();
    store.finalize(&[transfer.transaction_id]).await.unwrap();

    assert_eq!(own_day(store, &transfer).await, Spend::default());
}
