//! The swarm killed at any moment and started again: no task lost, none published or paid twice, by the word of the far ends.

use crate::{
    anvil::Anvil,
    swarm_stage::{SwarmStage, killing_runs, list},
    wallet_stage::{POLICY, RECIPIENT, UNITS_AT_START, WEI_AT_START},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PAID_UNITS: u128 = 1_000;
const AGENTS: [(&str, &str); 4] = [("selam", "mastodon"), ("tariku", "bluesky"), ("hanna", "mastodon"), ("omar", "bluesky")];
/// The longest that a life may last before it is killed: in it a campaign of this size is done.
const LIFE_MS_MAX: u64 = 3_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_it_loses_no_task_and_publishes_and_pays_each_once() {
    let Some(anvil) = Anvil::start().await else { return };
    let more = format!("[judge]\nauto_approve_embedded = true\n{}", crate::wallet_stage::config(&anvil.url, POLICY));

    for (run, dice) in killing_runs() {
        // Agents of their own for each run: they would not say the same of the same news twice.
        let stage = SwarmStage::set(&AGENTS, &more).await;
        let address = stage.folder.json(&["wallet", "show", "--agent", "selam"]).await["address"].as_str().unwrap().to_owned();
        anvil.give_wei(&address, WEI_AT_START).await;
        anvil.give_usdc(&address, UNITS_AT_START).await;
        let params = json!({ "asset": "USDC", "to_address": RECIPIENT, "amount_wei_or_units": PAID_UNITS.to_string() });
        let payment = stage.folder.write("payment.json", json!({ "operation": "token_transfer", "params": params }).to_string());
        let id = stage.create(&AGENTS, &["--payment", payment.to_str().unwrap()]).await;
        stage.folder.json(&["campaign", "start", &id]).await;
        stage.killed(dice, LIFE_MS_MAX).await;
        let serving = stage.folder.serve().await;
        let ended = stage.ended(&format!("run {run} ends"), &id, AGENTS.len() + 1).await;
        assert_eq!(serving.stop().await.code, Some(0));

        assert_eq!(problems(&stage, &ended), [""; 0], "run {run}: {ended:#}");
        assert_eq!(anvil.usdc_of(RECIPIENT).await, PAID_UNITS * u128::from(run + 1), "run {run}: paid once");
        assert_eq!(anvil.transactions_of(&address).await, 1, "run {run}: one transaction");
        assert_eq!(stage.folder.json(&["ledger", "verify"]).await["ok"], true, "run {run}");
    }
}

/// What the far end has that it should not have, or has not.
fn problems(stage: &SwarmStage, campaign: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let on_record: BTreeSet<&str> = list(campaign, "posts").iter().map(|post| post["post_id"].as_str().unwrap()).collect();
    if on_record.len() != AGENTS.len() {
        problems.push(format!("{} posts of {} agents", on_record.len(), AGENTS.len()));
    }
    let there = stage.far_end().posts();
    problems.extend(on_record.iter().filter(|key| !there.contains_key(**key)).map(|key| format!("post {key} never arrived")));
    for post in list(campaign, "posts") {
        let task = &post["task_id"];
        if list(campaign, "posts").iter().filter(|other| other["task_id"] == *task).count() != 1 {
            problems.push(format!("task {task} has more than one post"));
        }
        let by_judge = list(campaign, "decisions").iter().any(|made| made["task_id"] == *task && made["decision"] == "approve");
        let by_person = list(campaign, "reviews").iter().any(|review| review["task_id"] == *task && review["status"] == "approved");
        if !by_judge && !by_person {
            problems.push(format!("task {task} was published without an approval"));
        }
    }
    problems
}
