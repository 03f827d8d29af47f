//! Attacks that somebody thought of, one each.

mod foreign;
mod freeze;
mod old_folder;
mod refusals;
mod tokens;

use super::stage::{Agent, ETHER, Lane, Limits, Prepared, Program};
use crate::{
    books::{Sent, ledger_is_whole},
    program::Folder,
    wallet_stage::{eth, with},
};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// How long it may take until everything is settled on a chain that behaves: a few rounds of the background.
const SETTLED_WITHIN: Duration = Duration::from_secs(90);

/// One agent that may spend one ether a day, and as many nodes.
async fn lane(nodes: usize) -> Option<Lane> {
    let prepared = Prepared::with(&["selam"], Limits { wei: ETHER, units: 100_000_000 }).await;
    Lane::open(nodes, &prepared).await
}

/// A new task that pays this to the payee of that number.
fn pays(payee: u64, wei: u128) -> Value {
    with(eth(wei), "/params/to_address", address(payee))
}

fn address(payee: u64) -> String {
    format!("0x{:040x}", 0xfeed_0000_0000_u64 + payee)
}

fn sum(sent: &[Sent]) -> u128 {
    sent.iter().map(|sent| sent.amount).sum()
}

/// Everything lands that can; nothing may be under way then, and no more than the day's limit may have gone.
async fn ends_within_the_limit(lane: &Lane, folder: &Folder) {
    lane.nodes.iter().for_each(super::node::Node::becomes_honest);
    lane.deliver_held().await;
    lane.make_final().await;
    assert!(lane.settles(folder, SETTLED_WITHIN).await, "something is under way for ever");
    let sent = lane.on_chain(&lane.agents[0]).await;
    assert!(sum(&sent) <= ETHER, "{} wei went on a day with a limit of {ETHER}: {sent:#?}", sum(&sent));
    ledger_is_whole(folder).await.unwrap();
}

async fn wei_of(lane: &Lane, payee: u64) -> u128 {
    lane.anvil.wei_of(&address(payee)).await
}

/// Nothing may be paid from this wallet before a person has reconciled it.
async fn is_held(lane: &Lane, program: &Program, task: &Value) {
    let Ok(answer) = timeout(Duration::from_secs(10), program.call(task)).await else {
        lane.make_final().await;
        let sent = lane.on_chain(&lane.agents[0]).await;
        panic!("it pays instead of waiting for a person; on chain are {sent:#?}");
    };
    let answer = answer.unwrap();
    assert_eq!((answer["success"].as_bool(), answer["error_code"].as_str()), (Some(false), Some("not_approved")), "{answer}");
    assert_eq!(answer["details"]["rule"], "wallet_held", "{answer}");
}

async fn reconcile(folder: &Folder, agent: &Agent) -> Value {
    folder.json(&["wallet", "reconcile", "--agent", agent.id]).await
}
