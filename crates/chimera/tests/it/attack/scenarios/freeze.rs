//! The kill switch, thrown by another process while bytes are on their way.

use super::*;
use crate::attack::node::{Does, Says, Sends};

#[tokio::test]
async fn no_node_after_a_freeze_gets_the_bytes() {
    let Some(mut lane) = lane(3).await else { return };
    let folder = lane.begin().await;
    let program = Program::start(&folder).await;
    // The first one thinks for a while, and says nothing then; the others would take the bytes at once.
    lane.nodes[0].sends(Sends { does: Does::Drops, says: Says::Nothing });
    lane.nodes[0].sends_after(Duration::from_secs(4));
    let task = pays(1, ETHER);
    let mut call = program.ask(&task);
    timeout(SETTLED_WITHIN, lane.nodes[0].given_more_than(0)).await.expect("the first node is asked");

    folder.json(&["wallet", "freeze", "--all"]).await;
    let at_the_freeze = lane.given();
    assert_eq!(at_the_freeze, [1, 0, 0], "the freeze came while the first node was thinking");
    // Long enough for the first node's answer, another round of this call, and one of the background.
    tokio::time::sleep(Duration::from_secs(18)).await;

    assert_eq!(lane.given(), at_the_freeze, "bytes left after the freeze");
    folder.json(&["wallet", "unfreeze", "--all"]).await;
    lane.nodes[0].becomes_honest();
    timeout(SETTLED_WITHIN, lane.anvil.pending()).await.expect("it goes on when the freeze is lifted");
    ends_within_the_limit(&lane, &folder).await;
    assert_eq!(wei_of(&lane, 1).await, ETHER);
    assert_eq!(call.answer().await.unwrap()["success"], true);
}

/// Every node that is asked may be the last one: the switch is thrown before the second, then before the third.
#[tokio::test]
async fn a_freeze_stops_the_bytes_before_the_last_node_too() {
    let Some(mut lane) = lane(3).await else { return };
    let folder = lane.begin().await;
    let program = Program::start(&folder).await;
    for node in &lane.nodes[..2] {
        node.sends(Sends { does: Does::Drops, says: Says::Unavailable });
    }
    lane.nodes[1].sends_after(Duration::from_secs(4));
    let call = program.ask(&pays(1, ETHER));
    timeout(SETTLED_WITHIN, lane.nodes[1].given_more_than(0)).await.expect("the second node is asked");

    folder.json(&["wallet", "freeze", "--agent", "selam"]).await;
    tokio::time::sleep(Duration::from_secs(8)).await;

    assert_eq!(lane.nodes[2].given(), Vec::<String>::new(), "bytes left after the freeze");
    program.kill().await;
    drop(call);
    // A freeze outlives the program: the next one only watches.
    let given = lane.given();
    let program = Program::start(&folder).await;
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(lane.given(), given, "bytes left after the freeze, at the next start");
    program.kill().await;
}
