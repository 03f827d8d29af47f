//! Tokens that say no without reverting.

use super::*;
use crate::{
    attack::stage::Token,
    books::{Asset, Books},
    wallet_stage::usdc,
};

fn nothing_is_paid(folder: &Folder, answer: &Value) {
    assert_eq!(answer["success"], false, "{answer}");
    let books = Books::read(folder);
    assert_eq!(books.on_ledger("payee:", Asset::Usdc), 0, "no payment on the ledger: {answer}");
    assert_eq!(books.spent("own", "USDC"), 0, "nothing is spent: {answer}");
}

#[tokio::test]
async fn a_token_that_would_return_false_is_not_asked_to_pay() {
    let Some(mut lane) = lane(1).await else { return };
    let folder = lane.begin().await;
    lane.token_becomes(Token::ReturnsFalse).await;
    let program = Program::start(&folder).await;

    let mut call = program.ask(&usdc(1_000_000));
    tokio::time::sleep(Duration::from_secs(1)).await;
    lane.make_final().await;

    let answer = timeout(SETTLED_WITHIN, call.answer()).await.expect("an answer").unwrap();
    nothing_is_paid(&folder, &answer);
    ledger_is_whole(&folder).await.unwrap();
}

#[tokio::test]
async fn a_token_that_returns_false_once_it_is_in_a_block_has_not_paid() {
    let Some(mut lane) = lane(1).await else { return };
    let folder = lane.begin().await;
    let program = Program::start(&folder).await;
    let mut call = program.ask(&usdc(1_000_000));
    timeout(SETTLED_WITHIN, lane.anvil.pending()).await.expect("the bytes are sent");

    lane.token_becomes(Token::ReturnsFalse).await;
    lane.make_final().await;

    let answer = timeout(SETTLED_WITHIN, call.answer()).await.expect("an answer").unwrap();
    nothing_is_paid(&folder, &answer);
    ledger_is_whole(&folder).await.unwrap();
    assert_eq!(Books::read(&folder).on_ledger("fees", Asset::Eth), lane.on_chain(&lane.agents[0]).await[0].fee_wei, "the fee is gone");
}
