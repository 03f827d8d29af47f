//! `chimera wallet fund`: whoever runs the embedded chain, and nowhere else.

use crate::program::Folder;
use serde_json::json;

const DEVNET: &str = "default_chain = \"31337\"
[chains.31337]
name = \"chimera-devnet\"
rpc = [\"devnet\"]
native = \"ETH\"
[[chains.31337.tokens]]
symbol = \"USDC\"
address = \"0x5553444300000000000000000000000000000000\"
decimals = 6
";

async fn balances(folder: &Folder) -> [String; 2] {
    let mut found = Vec::new();
    for asset in ["ETH", "USDC"] {
        let input = json!({ "task_id": "2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f", "agent_id": "selam", "operation": "get_balance", "params": { "asset": asset } });
        let answer = folder.call("skill_wallet_transaction", &input).await;
        found.push(answer["result"]["balance_wei_or_units"].as_str().unwrap().to_owned());
    }
    found.try_into().unwrap()
}

#[tokio::test]
async fn an_agent_gets_play_money_while_the_chain_is_served_and_while_it_is_not() {
    let folder = Folder::with_config(DEVNET);
    let address = folder.create_agent().await;
    assert_eq!(balances(&folder).await, ["0", "0"]);

    let funded = folder.json(&["wallet", "fund", "--agent", "selam"]).await;
    assert_eq!(funded["address"], address.as_str());
    assert_eq!(balances(&folder).await, ["1000000000000000000", "25000000"]);

    let serving = folder.serve().await;
    folder.json(&["wallet", "fund", "--agent", "selam"]).await;
    assert_eq!(balances(&folder).await, ["2000000000000000000", "50000000"]);
    serving.stop().await;

    folder.run(&["wallet", "fund", "--agent", "nobody"]).await.refused(1, &["there is no agent nobody"]);
}

#[tokio::test]
async fn real_chains_give_no_play_money() {
    let folder = Folder::new();
    folder.create_agent().await;

    folder.run(&["wallet", "fund", "--agent", "selam"]).await.refused(1, &["play money is for the embedded chain", "0x"]);
}
