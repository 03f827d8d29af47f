//! Several nodes for one chain, none of the right one, and what a rollup takes beside the gas; on a real anvil.

use crate::wallet_stage::{POLICY, RECIPIENT, Stage, balance, config, eth, usdc, with};
use serde_json::json;

#[tokio::test]
async fn a_dead_node_before_a_living_one_stops_nothing() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let nodes = format!("http://127.0.0.1:9\", \"{}", stage.anvil.url);
    stage.folder.write("chimera.toml", config(&nodes, POLICY));

    let answer = stage.call(&usdc(1_000)).await;

    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!((stage.anvil.usdc_of(RECIPIENT).await, stage.anvil.transactions_of(&stage.address).await), (1_000, 1));
    let doctor = stage.folder.run(&["doctor"]).await;
    assert!(doctor.stdout.contains("base answers"), "{doctor:?}");
}

#[tokio::test]
async fn a_known_chain_without_a_node_says_what_is_missing() {
    let Some(stage) = Stage::set(POLICY).await else { return };

    let polygon = stage.refused("unsupported_chain", &with(balance("POL"), "/params/chain_id", "137")).await;

    let message = polygon["message"].as_str().unwrap();
    assert!(message.contains("polygon (chain 137) has no node") && message.contains("[chains.137]"), "{message}");
    assert_eq!(polygon["details"]["known_chains"], json!(["8453"]));
    let shown = stage.folder.json(&["wallet", "show", "--agent", "selam"]).await;
    assert_eq!(shown["chains"].as_array().unwrap().len(), 1, "only chains that have a node are asked: {shown}");
}

/// Answers `getL1FeeUpperBound(size)` with `size` times the six bytes of the price.
fn oracle(wei_per_byte: u64) -> String {
    format!("0x60043565{wei_per_byte:012x}025f5260205ff3")
}

#[tokio::test]
async fn the_fee_for_the_chain_below_counts_before_anything_is_signed() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let predeploy = "0x420000000000000000000000000000000000000F";
    let size = |data_bytes: u128| data_bytes + 128;

    stage.anvil.rpc("anvil_setCode", json!([predeploy, oracle(1_000_000)])).await;
    assert_eq!(stage.call(&usdc(1)).await["success"], true, "a small fee is in the limit");

    let wei_per_byte: u128 = 10_000_000_000_000;
    stage.anvil.rpc("anvil_setCode", json!([predeploy, oracle(wei_per_byte.try_into().unwrap())])).await;
    for (input, data_bytes) in [(usdc(1), 68), (eth(1), 0)] {
        let refused = stage.refused("budget_exceeded", &input).await;
        let asked: u128 = refused["details"]["asked_units"].as_str().unwrap().parse().unwrap();
        let data_fee_max = 2 * size(data_bytes) * wei_per_byte;
        assert_eq!(refused["details"]["counter"], "fee_per_transaction", "{refused}");
        assert!(asked > data_fee_max && asked < data_fee_max + 2_000_000_000_000_000, "{asked} against {data_fee_max}");
    }
}
