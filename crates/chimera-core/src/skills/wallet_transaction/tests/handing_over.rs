//! Wallets elsewhere, which sign and send by themselves: asked once, and only the chain is believed.

use super::*;
use crate::{
    contracts::review::ReviewAction,
    domain::money::B256,
    ports::{
        sending_wallet::{SendOrder, SendingWalletError, WalletDetails},
        transfers::Answered,
    },
    testing::fake_chain::always_allowed,
};
use chrono::TimeDelta;
use std::sync::Mutex;

/// A wallet elsewhere: counts how often it is asked, and does what the test says.
struct Elsewhere {
    chain: Arc<FakeChain>,
    signer: Arc<FakeSigner>,
    asked: Mutex<Vec<SendOrder>>,
    does: Mutex<Does>,
}

#[derive(Clone, Copy, PartialEq)]
enum Does {
    Pay,
    PayAndFail,
    Nothing,
    PayAnother,
    NotReached,
}

#[async_trait]
impl SendingWallet for Elsewhere {
    async fn details(&self) -> Result<WalletDetails, SendingWalletError> {
        Ok(WalletDetails { address: wallet_address(), chain: BASE })
    }

    async fn send(&self, order: &SendOrder) -> Result<Option<B256>, SendingWalletError> {
        self.asked.lock().unwrap().push(order.clone());
        let does = *self.does.lock().unwrap();
        match does {
            Does::NotReached => return Err(SendingWalletError::NotAsked { reason: "it is not running".to_owned() }),
            Does::Nothing => return Ok(Some(B256::repeat_byte(7))),
            Does::Pay | Does::PayAndFail | Does::PayAnother => {}
        }
        let amount = if does == Does::PayAnother { order.amount_units + U256::from(1) } else { order.amount_units };
        let transaction = crate::ports::signer::UnsignedTransaction {
            chain: BASE,
            nonce: self.chain.confirmed_nonce(wallet_address()).await.unwrap(),
            to: order.to,
            value_wei: amount,
            data: Vec::new(),
            gas_limit: 1,
            max_fee_per_gas_wei: 1,
            max_priority_fee_per_gas_wei: 1,
        };
        let signed = self.signer.sign(&selam(), &transaction).await.unwrap();
        self.chain.broadcast(&signed.raw, signed.tx_hash, always_allowed()).await.unwrap();
        if does == Does::PayAndFail { Err(SendingWalletError::Unclear { reason: "cut".to_owned() }) } else { Ok(None) }
    }
}

fn elsewhere(does: Does) -> (World, Arc<Elsewhere>) {
    let mut world = world();
    let wallet =
        Arc::new(Elsewhere { chain: world.chain.clone(), signer: Arc::default(), asked: Mutex::default(), does: Mutex::new(does) });
    world.sending.insert(selam(), wallet.clone());
    (world, wallet)
}

#[tokio::test]
async fn a_wallet_elsewhere_is_asked_once_and_only_the_chain_is_believed() {
    for does in [Does::Pay, Does::PayAndFail] {
        let (world, wallet) = elsewhere(does);

        let first = call(&world.program(), &eth_transfer(1, 5)).await;
        let again = call(&world.program(), &eth_transfer(1, 5)).await;

        assert_eq!((&first["success"], &first), (&json!(true), &again), "{first}");
        assert_eq!((world.paid(), wallet.asked.lock().unwrap().len()), (vec![5], 1));
        assert!(world.signer.signed().is_empty(), "nothing is signed here");
    }
}

#[tokio::test]
async fn a_payment_that_a_wallet_elsewhere_only_claims_is_unknown_and_then_a_persons() {
    let (world, wallet) = elsewhere(Does::Nothing);
    let program = world.program();

    assert_eq!(call(&program, &eth_transfer(1, 5)).await["details"]["state"], "unknown");
    assert_eq!(call(&program, &eth_transfer(2, 5)).await["details"]["state"], "busy", "one at a time");
    assert_eq!(world.transfers.reviews(), []);
    world.clock.advance(TimeDelta::minutes(10));
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
    program.settle_open(Unsigned::ReleaseExpired).await.unwrap();

    let reviews = world.transfers.reviews();
    assert_eq!((reviews.len(), wallet.asked.lock().unwrap().len()), (1, 1));
    let review_id = json!(reviews[0].review_id);
    assert!(matches!(answer(&world, &review_id, ReviewAction::Approve).await, Answered::NothingToApprove));
    assert!(matches!(answer(&world, &review_id, ReviewAction::Reject).await, Answered::GivenUp(_)));
    assert_eq!(call(&program, &eth_transfer(1, 5)).await["details"]["state"], "given_up");
    *wallet.does.lock().unwrap() = Does::Pay;
    assert_eq!(call(&program, &eth_transfer(2, 5)).await["success"], true);
    assert_eq!(world.paid(), [5]);
}

#[tokio::test]
async fn another_payment_than_the_one_asked_for_is_never_taken_for_it() {
    let (world, _) = elsewhere(Does::PayAnother);
    assert_eq!(call(&world.program(), &eth_transfer(1, 5)).await["details"]["state"], "unknown");
    assert!(world.transfers.reviews()[0].escalation_reason.contains("is another one"));
}

#[tokio::test]
async fn a_wallet_elsewhere_is_not_asked_before_the_cfo_is() {
    let (mut world, wallet) = elsewhere(Does::Pay);
    world.policy_mut().limits[0].per_transaction_units = U256::from(4);
    assert_error(&call(&world.program(), &eth_transfer(1, 5)).await, "budget_exceeded");
    world.policy_mut().limits[0].per_transaction_units = U256::from(5);
    *wallet.does.lock().unwrap() = Does::NotReached;
    let unreached = call(&world.program(), &eth_transfer(1, 5)).await;

    assert_eq!(unreached["details"]["state"], "refused", "{unreached}");
    assert_eq!((world.paid(), wallet.asked.lock().unwrap().len()), (vec![], 1));
    assert_eq!(world.transfers.open().await.unwrap(), []);
}
