//! Somebody else with the wallet's key, and a chain that changes its mind.

use super::*;
use crate::{
    attack::{
        node::{Does, Says, Sends},
        stage::STRANGER,
    },
    books::Books,
};

#[tokio::test]
async fn a_foreign_transaction_with_our_nonce_holds_the_wallet_until_a_person_has_reconciled_it() {
    let Some(mut lane) = lane(2).await else { return };
    let folder = lane.begin().await;
    let program = Program::start(&folder).await;
    lane.nodes.iter().for_each(|node| node.sends(Sends { does: Does::Holds, says: Says::Nothing }));
    let task = pays(1, ETHER / 2);
    let call = program.ask(&task);
    timeout(SETTLED_WITHIN, lane.given_more_than(&[0, 0])).await.expect("the bytes are sent");
    lane.foreign(&lane.agents[0], ETHER / 4).await;
    lane.make_final().await;
    lane.nodes.iter().for_each(|node| node.becomes_honest());

    program.kill().await;
    let program = Program::start(&folder).await;
    is_held(&lane, &program, &pays(2, 1)).await;

    reconcile(&folder, &lane.agents[0]).await;
    lane.deliver_held().await;
    lane.make_final().await;
    assert!(lane.settles(&folder, SETTLED_WITHIN).await, "the replaced transfer has ended");
    assert_eq!((wei_of(&lane, 1).await, lane.anvil.wei_of(STRANGER).await), (0, ETHER / 4));
    let over = program.call(&pays(3, ETHER)).await.unwrap();
    assert_eq!(over["error_code"], "budget_exceeded", "what somebody else spent counts: {over}");
    ends_within_the_limit(&lane, &folder).await;
    drop(call);
}

#[tokio::test]
async fn a_payment_whose_block_vanishes_keeps_its_budget_and_lands_once() {
    let Some(mut lane) = lane(2).await else { return };
    let folder = lane.begin().await;
    let program = Program::start(&folder).await;
    let task = pays(1, ETHER);
    let mut call = program.ask(&task);
    timeout(SETTLED_WITHIN, lane.anvil.pending()).await.expect("the bytes are sent");
    lane.mine(1).await;
    assert_eq!(call.answer().await.unwrap()["success"], true);

    lane.nodes.iter().for_each(|node| node.sends(Sends { does: Does::Holds, says: Says::Refusal("insufficient funds") }));
    lane.un_mine(1).await;
    lane.mine(1).await;
    assert_eq!(wei_of(&lane, 1).await, 0, "the payment is gone");
    let second = async {
        loop {
            let answer = program.call(&pays(2, ETHER)).await.unwrap();
            assert_eq!(answer["error_code"], "budget_exceeded", "nothing is freed: {answer}");
            if Books::read(&folder).open_transfers() > 0 && !lane.nodes[0].given().is_empty() && lane.given().iter().sum::<usize>() > 2 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    };
    timeout(SETTLED_WITHIN, second).await.expect("it is under way again, and refused by every node");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(program.call(&pays(3, ETHER)).await.unwrap()["error_code"], "budget_exceeded");

    ends_within_the_limit(&lane, &folder).await;
    assert_eq!(wei_of(&lane, 1).await, ETHER, "and it lands again");
}
