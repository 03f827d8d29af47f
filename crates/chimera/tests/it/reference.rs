//! What the program says of itself: schemas, examples, completions, manual pages, its version, and the doctor's verdict.

use crate::program::{Folder, run};
use serde_json::Value;

#[tokio::test]
async fn every_contract_is_printed_and_a_wrong_name_gets_the_nearest() {
    let folder = Folder::new();

    let names = folder.json(&["schema"]).await;
    for name in names["schemas"].as_array().unwrap() {
        let schema = folder.json(&["schema", name.as_str().unwrap()]).await;
        assert_eq!(schema["type"], "object", "{name}");
    }
    folder.run(&["schema", "review_itm"]).await.refused(2, &["did you mean review_item?", "`chimera schema`"]);
    assert!(!folder.data().exists(), "asking makes nothing");
}

#[tokio::test]
async fn an_example_is_an_input_that_the_skill_takes_from_the_agent_that_is_there() {
    let folder = Folder::with_config("default_chain = \"31337\"\n[chains.31337]\nname = \"play\"\nrpc = [\"devnet\"]\nnative = \"ETH\"\n");
    let before = folder.json(&["call", "skill_wallet_transaction", "--example"]).await;
    assert_eq!(before["agent_id"], "selam", "the sample's, where there is none yet");
    let soul = crate::program::SOUL.replace("id: selam", "id: abeba");
    let soul = folder.write("soul.md", soul);
    folder.json(&["agent", "create", "--soul", soul.to_str().unwrap()]).await;

    for skill in ["skill_trend_fetcher", "skill_content_generator", "skill_wallet_transaction"] {
        let example = folder.json(&["call", skill, "--example"]).await;
        assert_eq!(example["agent_id"], "abeba", "{skill}");
        let answer = folder.run_with_input(&["call", skill, "--input", "-"], example.to_string().as_bytes()).await;
        let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
        // Nothing is configured to be read here, and no contract is broken by the example.
        assert!(answer["success"] == true || answer["error_code"] != "invalid_input", "{skill}: {answer}");
    }
}

#[tokio::test]
async fn shells_complete_every_command_and_each_has_a_page() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.run(&["completions", shell]).await;
        assert_eq!(script.code, Some(0), "{script:?}");
        for command in ["campaign", "review", "doctor"] {
            assert!(script.stdout.contains(command), "{shell} knows no {command}");
        }
    }
    let pages = folder.path().join("man1");
    folder.json(&["man", pages.to_str().unwrap()]).await;
    for page in ["chimera.1", "chimera-campaign-create.1", "chimera-wallet-freeze.1"] {
        let text = std::fs::read_to_string(pages.join(page)).unwrap();
        assert!(text.contains(".SH") && text.contains("chimera"), "{page}");
    }
}

#[tokio::test]
async fn the_version_says_what_was_built() {
    let told = Folder::new().json(&["version"]).await;

    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(told["skills"].as_array().unwrap().len(), 3);
    assert!(told["mcp_revisions"].as_array().unwrap().iter().any(|revision| revision == "2026-07-28"), "{told}");
    assert!(told["store_schema"].as_u64().unwrap() >= 23, "{told}");
}

#[tokio::test]
async fn the_doctor_ends_with_a_verdict_and_sees_what_is_stopped_and_a_wrong_address() {
    let folder = Folder::with_config("[server]\nlisten = \"8420\"\n");
    folder.create_agent().await;
    folder.json(&["wallet", "freeze", "--all", "--reason", "a drill"]).await;
    folder.json(&["campaign", "pause", "--agent", "selam", "--reason", "on leave"]).await;

    let told = run(folder.command(&["doctor"]), b"").await;

    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(
        told.stdout.contains("the whole fleet is frozen: a drill") && told.stdout.contains("agent selam is paused: on leave"),
        "{told:?}"
    );
    assert!(told.stdout.contains("server.listen is \"8420\"; it must be an address with a port"), "{told:?}");
    let last = told.stdout.trim_end().lines().last().unwrap();
    assert!(last.contains("things to mend"), "{last}");
}
