//! Refusals of bytes that may have left already.

use super::*;
use crate::attack::node::{Does, REFUSALS, Says, Sends};
use serde_json::json;

#[tokio::test]
async fn a_refusal_after_a_lost_answer_frees_nothing_that_may_still_land() {
    let Some(mut lane) = lane(2).await else { return };
    let folder = lane.begin().await;
    let program = Program::start(&folder).await;
    lane.nodes[0].sends(Sends::refuses(REFUSALS[0]));
    lane.nodes[0].sends_next(Sends::HOLDS_AND_IS_SILENT);
    lane.nodes[1].sends(Sends::refuses(REFUSALS[0]));

    let first = pays(1, ETHER);
    let mut asked = program.ask(&first);
    // The bytes are lost on one node and refused by the other; then both refuse them, twice and more.
    timeout(SETTLED_WITHIN, lane.nodes[1].given_more_than(2)).await.expect("the bytes are sent again");
    tokio::time::sleep(Duration::from_secs(2)).await;
    lane.deliver_held().await;
    lane.nodes[1].becomes_honest();
    let second = timeout(Duration::from_secs(5), program.call(&pays(2, ETHER))).await;

    ends_within_the_limit(&lane, &folder).await;
    let second = second.expect("an answer at once, and not after a payment").unwrap();
    assert_eq!(second["error_code"], "budget_exceeded", "the budget is held: {second}");
    assert_eq!((wei_of(&lane, 1).await, wei_of(&lane, 2).await), (ETHER, 0));
    assert_ne!(asked.answer().await.unwrap()["error_code"], "internal_error");
    assert_eq!(program.call(&first).await.unwrap()["success"], true);
}

#[tokio::test]
async fn a_refusal_after_a_crash_frees_nothing_that_may_still_land() {
    let Some(mut lane) = lane(2).await else { return };
    for point in ["chain.broadcast:after:1", "transfers.mark_broadcast:before:1"] {
        let folder = lane.begin().await;
        lane.nodes[0].sends(Sends::HOLDS_AND_IS_SILENT);
        lane.nodes[0].sends_next(Sends { does: Does::Holds, says: Says::TheTruth });
        let first = pays(1, ETHER);
        let program = Program::start_to_die_at(&folder, point).await.unwrap();
        assert_eq!(program.call(&first).await, None, "it dies in the middle of it, at {point}");
        program.died().await;

        lane.nodes.iter().for_each(|node| node.sends(Sends::refuses(REFUSALS[0])));
        let before = lane.given();
        let program = Program::start(&folder).await;
        timeout(SETTLED_WITHIN, lane.given_more_than(&before)).await.expect("the bytes are sent again");
        tokio::time::sleep(Duration::from_secs(1)).await;
        lane.deliver_held().await;
        lane.nodes.iter().for_each(|node| node.becomes_honest());
        let second = timeout(Duration::from_secs(5), program.call(&pays(2, ETHER))).await;

        ends_within_the_limit(&lane, &folder).await;
        let second = second.expect("an answer at once, and not after a payment").unwrap();
        assert_eq!(second["error_code"], "budget_exceeded", "{point}: the budget is held: {second}");
        assert_eq!((wei_of(&lane, 1).await, wei_of(&lane, 2).await), (ETHER, 0), "{point}");
        let again = program.call(&first).await.unwrap();
        assert_eq!(again["success"], json!(true), "{point}: {again}");
        program.kill().await;
    }
}

/// A node's word is no proof of what it did with the bytes.
#[tokio::test]
async fn a_refusal_of_bytes_that_were_taken_after_all_is_not_believed() {
    let Some(mut lane) = lane(1).await else { return };
    for words in REFUSALS {
        let folder = lane.begin().await;
        let program = Program::start(&folder).await;
        // It takes them, keeps them, and says that it refuses.
        lane.nodes[0].sends(Sends { does: Does::Holds, says: Says::Refusal(words) });
        let before = lane.given();
        let first = program.ask(&pays(1, ETHER));
        timeout(SETTLED_WITHIN, lane.given_more_than(&before)).await.expect("the bytes are sent");
        tokio::time::sleep(Duration::from_secs(1)).await;
        lane.nodes[0].becomes_honest();
        lane.deliver_held().await;
        let second = program.ask(&pays(2, ETHER));
        tokio::time::sleep(Duration::from_secs(1)).await;

        program.kill().await;
        let program = Program::start(&folder).await;
        ends_within_the_limit(&lane, &folder).await;
        program.kill().await;
        drop((first, second));
    }
}
