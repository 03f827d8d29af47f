//! The program killed while it makes an agent: the key is whole or not there, and the agent has only ever one.

use crate::{
    program::{Folder, PATIENCE, Running, SOUL},
    wallet_stage::{POLICY, UNITS_AT_START, WALLET, WEI_AT_START, config, usdc},
};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::{fs, path::PathBuf, time::Duration};
use tokio::time::timeout;

#[tokio::test]
async fn killed_while_it_makes_an_agent_it_makes_it_at_the_next_try_with_one_key() {
    let Some(anvil) = crate::anvil::Anvil::start().await else { return };
    // Killed as soon as this is there; `None` is never, to compare with.
    for landmark in [Some("keystore"), Some("keystore/vault.json"), Some("keystore/keys"), Some("keystore/keys/selam.json"), None] {
        let folder = Folder::with_config(&config(&anvil.url, POLICY));
        let soul = folder.write("soul.md", SOUL);
        let create = ["agent", "create", "--json", "--soul", soul.to_str().unwrap()];
        if let Some(landmark) = landmark {
            let mut running = Running::start(folder.command(&create));
            there(folder.data().join(landmark)).await;
            running.signal(Signal::SIGKILL);
            running.exit().await;
        }
        let key_left_behind = fs::read_to_string(folder.data().join("keystore/keys/selam.json")).ok();

        // It says that the agent exists when the kill came too late.
        let repeated = folder.run(&create).await;
        repeated.calm();
        let agents = folder.json(&["agent", "list"]).await["agents"].clone();

        let address = agents[0]["address"].as_str().unwrap();
        assert_eq!(agents.as_array().unwrap().len(), 1, "{landmark:?}: {agents}");
        if let Some(key) = key_left_behind {
            let key: Value = serde_json::from_str(&key).unwrap_or_else(|error| panic!("{landmark:?}: {error} in {key:?}"));
            assert_eq!(key["address"], address, "{landmark:?}: the key that was made is the agent's");
        }
        anvil.give_wei(address, WEI_AT_START).await;
        anvil.give_usdc(address, UNITS_AT_START).await;
        let paid = folder.call(WALLET, &usdc(7)).await;
        assert_eq!(paid["success"], true, "{landmark:?}: the key signs: {paid}");
    }
}

async fn there(path: PathBuf) {
    let appears = async {
        while !path.exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, appears).await.expect("it appears in time");
}
