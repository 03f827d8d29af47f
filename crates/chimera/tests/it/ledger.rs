//! The ledger from outside: what the commands say of it, and what they say when somebody was at the files.

use crate::{
    program::{Finished, Folder, run},
    wallet_stage::{DENIED, POLICY, WALLET, config, usdc, with},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use futures::{StreamExt, stream::FuturesUnordered};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt};

/// Nobody listens there: refusals by policy need no chain.
const NO_NODE: &str = "http://127.0.0.1:9";

async fn with_agent() -> Folder {
    let folder = Folder::with_config(&config(NO_NODE, POLICY));
    folder.create_agent().await;
    folder
}

fn denied() -> Value {
    with(usdc(1_500_000), "/params/to_address", DENIED)
}

async fn refuse(folder: &Folder, count: usize) {
    for _ in 0..count {
        assert_eq!(folder.call(WALLET, &denied()).await["error_code"], "not_approved");
    }
}

/// What `ledger verify` says when it must not be content.
async fn broken(folder: &Folder) -> Value {
    let done = folder.run(&["ledger", "verify", "--json"]).await;
    assert_eq!(done.code, Some(1), "{done:?}");
    done.calm();
    let told = folder.run(&["ledger", "verify"]).await;
    assert_eq!(told.code, Some(1));
    let verdict: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(verdict["ok"], false);
    assert!(told.stdout.contains(verdict["problem"].as_str().unwrap()), "{told:?}");
    verdict
}

#[tokio::test]
async fn refusals_are_listed_in_words_and_the_chain_of_them_verifies() {
    let folder = with_agent().await;
    assert_eq!(folder.json(&["ledger", "verify"]).await, json!({"ok": true, "entries": 0}));
    assert!(folder.run(&["ledger", "list"]).await.stdout.contains("nothing"));
    refuse(&folder, 3).await;

    let verdict = folder.json(&["ledger", "verify"]).await;
    let listed = folder.json(&["ledger", "list", "--agent", "selam", "--limit", "2"]).await;
    let table = folder.run(&["ledger", "list"]).await;

    assert_eq!(verdict, json!({"ok": true, "entries": 3}));
    let entries = listed["entries"].as_array().unwrap();
    assert_eq!(entries.iter().map(|entry| &entry["number"]).collect::<Vec<_>>(), [&json!(3), &json!(2)]);
    assert_eq!((&entries[0]["kind"], &entries[0]["agent_id"], &entries[0]["postings"]), (&json!("refusal"), &json!("selam"), &json!([])));
    assert_eq!(table.stdout.lines().count(), 4, "{}", table.stdout);
    let line = format!("refused 1.5 USDC to {DENIED} on chain 8453: ");
    assert!(table.stdout.lines().nth(1).unwrap().contains(&line), "{}", table.stdout);
    folder.run(&["ledger", "list", "--agent", "nobody"]).await.refused(1, &["nobody", "agent list"]);
    let key = folder.data().join("node.key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_cut_tail_a_changed_row_and_a_missing_head_are_told_with_exit_code_1() {
    let folder = with_agent().await;
    refuse(&folder, 2).await;
    let (database, head) = (folder.data().join("chimera.db"), folder.data().join("ledger.head"));
    let old = fs::read(&database).unwrap();
    refuse(&folder, 2).await;
    let (new, good_head) = (fs::read(&database).unwrap(), fs::read(&head).unwrap());

    fs::write(&database, old).unwrap();
    let cut = broken(&folder).await;
    assert_eq!((&cut["entries"], &cut["first_bad"]), (&json!(2), &json!(3)), "{cut}");
    assert!(cut["problem"].as_str().unwrap().contains("cut off"), "{cut}");

    let text = String::from_utf8_lossy(&new).into_owned();
    let amount = "\"amount_units\":\"1500000\"";
    assert!(text.contains(amount));
    let mut changed = new.clone();
    for at in (0..new.len() - amount.len()).filter(|at| new[*at..].starts_with(amount.as_bytes())) {
        changed[at + amount.len() - 2] = b'1';
    }
    fs::write(&database, changed).unwrap();
    let changed = broken(&folder).await;
    assert_eq!((&changed["entries"], &changed["first_bad"]), (&json!(4), &json!(1)), "{changed}");

    fs::write(&database, &new).unwrap();
    fs::remove_file(&head).unwrap();
    let headless = broken(&folder).await;
    assert_eq!(headless["first_bad"], 5, "{headless}");
    let health: Finished = folder.run(&["doctor", "--json"]).await;
    assert!(health.stdout.contains("signed head is missing"), "{health:?}");

    fs::write(&head, good_head).unwrap();
    assert_eq!(folder.json(&["ledger", "verify"]).await, json!({"ok": true, "entries": 4}));
}

#[tokio::test]
async fn a_signed_ledger_without_its_key_is_not_written_to() {
    let folder = with_agent().await;
    refuse(&folder, 1).await;
    let key = folder.data().join("node.key");
    let secret = fs::read_to_string(&key).unwrap();

    fs::remove_file(&key).unwrap();
    folder.run(&["ledger", "verify"]).await.refused(1, &["node.key", "copy of the data folder"]);
    assert!(!key.exists(), "no other key is made in its place");
    fs::write(&key, "nonsense").unwrap();
    folder.run(&["ledger", "list"]).await.refused(1, &["node.key", "holds no key"]);

    fs::write(&key, &secret).unwrap();
    assert_eq!(folder.json(&["ledger", "verify"]).await["ok"], true);
    let commands: [&[&str]; 3] = [&["ledger", "list", "--json"], &["ledger", "verify"], &["doctor", "--json"]];
    for args in commands {
        let done = folder.run(args).await;
        assert!(!done.stdout.contains(secret.trim()) && !done.stderr.contains(secret.trim()), "{args:?}");
    }
}

#[tokio::test]
async fn many_processes_at_once_write_one_chain_and_one_head() {
    let folder = with_agent().await;
    let serving = folder.serve().await;
    let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();

    let inputs: Vec<Value> = (0..20).map(|_| denied()).collect();
    let served = futures::future::join_all(inputs.iter().map(|input| caller.call(WALLET, input)));
    let beside = futures::future::join_all((0..6).map(|_| refuse(&folder, 1)));
    let (served, _) = tokio::join!(served, beside);

    assert!(served.iter().all(|answer| answer.as_ref().unwrap()["error_code"] == "not_approved"), "{served:?}");
    caller.close().await;
    assert_eq!(folder.json(&["ledger", "verify"]).await, json!({"ok": true, "entries": 26}), "while it is served");
    assert_eq!(serving.stop().await.code, Some(0));
    assert_eq!(folder.json(&["ledger", "verify"]).await, json!({"ok": true, "entries": 26}));
    let head: Value = serde_json::from_slice(&fs::read(folder.data().join("ledger.head")).unwrap()).unwrap();
    assert_eq!(head["number"], 26, "once all have ended, the head is the last entry");
}

#[tokio::test]
async fn the_ledger_verifies_right_after_the_program_is_killed() {
    let folder = with_agent().await;
    for answers_before_kill in [1, 5, 11] {
        let serving = folder.serve().await;
        let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
        let inputs: Vec<Value> = (0..12).map(|_| denied()).collect();
        let mut calls: FuturesUnordered<_> = inputs.iter().map(|input| caller.call(WALLET, input)).collect();
        for _ in 0..answers_before_kill {
            assert_eq!(calls.next().await.unwrap().unwrap()["error_code"], "not_approved");
        }
        serving.kill().await;

        let verdict = folder.json(&["ledger", "verify"]).await;
        assert_eq!(verdict["ok"], true, "{verdict}");
        assert!(verdict["entries"].as_u64().unwrap() >= answers_before_kill, "{verdict}");
    }
}

/// The very bytes that an export writes.
async fn csv(mut command: tokio::process::Command) -> Vec<Vec<String>> {
    let done = command.kill_on_drop(true).output().await.unwrap();
    assert!(done.status.success(), "{done:?}");
    records(std::str::from_utf8(&done.stdout).unwrap())
}

/// The records of a CSV file, by RFC 4180.
fn records(csv: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = csv.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !quoted && chars.next() == Some('\n') => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    assert!(record.is_empty() && cell.is_empty() && !quoted, "it ends within a record");
    records
}

#[tokio::test]
async fn what_the_demo_paid_is_exported_balanced_and_comes_to_what_the_chain_says() {
    let folder = Folder::new();
    let command = |args: &[&str]| {
        let mut command = folder.command(args);
        command.env_remove("CHIMERA_WALLET_PASSPHRASE");
        command
    };
    let done = run(command(&["demo", "--once", "--json"]), b"").await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    let config = folder.data().join("demo/chimera.toml");
    let ledger = async |args: &[&str]| {
        let done = run(command(&[&["ledger"], args, &["--json", "--config", config.to_str().unwrap()]].concat()), b"").await;
        assert_eq!(done.code, Some(0), "{done:?}");
        serde_json::from_str::<Value>(&done.stdout).unwrap()
    };

    let csv = csv(command(&["ledger", "export", "--csv", "--config", config.to_str().unwrap()])).await;
    let exported = ledger(&["export"]).await;
    let pnl = ledger(&["pnl"]).await;
    let verdict = ledger(&["verify"]).await;

    let column = |name: &str| csv[0].iter().position(|header| header == name).unwrap_or_else(|| panic!("{name} in {:?}", csv[0]));
    let sum = |side: &str, asset: &str| -> u128 {
        let of = csv[1..].iter().filter(|row| row[column("asset")] == asset && !row[column(side)].is_empty());
        of.map(|row| row[column("units")].parse::<u128>().unwrap()).sum()
    };
    for asset in ["USDC", "ETH"] {
        assert_eq!(sum("debit", asset), sum("credit", asset), "{asset}");
        assert!(sum("debit", asset) > 0, "{asset}");
    }
    let mut numbers: Vec<u64> = csv[1..].iter().map(|row| row[0].parse().unwrap()).collect();
    numbers.dedup();
    assert_eq!(numbers, (1..=verdict["entries"].as_u64().unwrap()).collect::<Vec<_>>(), "every entry is there, in order");
    assert_eq!(exported["entries"].as_array().unwrap().len(), numbers.len());
    assert!(csv.iter().all(|row| row.len() == csv[0].len()));
    let paid: u128 = report["payments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|paid| paid["amount_wei_or_units"].as_str().unwrap().parse::<u128>().unwrap())
        .sum();
    assert_eq!(sum("debit", "USDC"), paid);
    comes_to(&pnl, "USDC", "paid_units", paid);
    comes_to(&pnl, "ETH", "fees_units", sum("debit", "ETH"));
    assert!(pnl["agents"][0]["assets"][0]["received_units"].is_string(), "{pnl}");

    let offline = folder.write("offline.toml", fs::read_to_string(&config).unwrap().replace("\"devnet\"", &format!("\"{NO_NODE}\"")));
    let done = run(command(&["ledger", "pnl", "--json", "--config", offline.to_str().unwrap()]), b"").await;
    let unknown: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    comes_to(&unknown, "USDC", "paid_units", paid);
    let assets: Vec<&Value> = unknown["agents"].as_array().unwrap().iter().flat_map(|agent| agent["assets"].as_array().unwrap()).collect();
    assert!(assets.iter().all(|asset| asset["received_unknown"].is_string() && asset.get("received_units").is_none()), "{unknown}");
}

/// The sum of one figure over all agents.
fn comes_to(pnl: &Value, asset: &str, figure: &str, expected: u128) {
    let assets = pnl["agents"].as_array().unwrap().iter().flat_map(|agent| agent["assets"].as_array().unwrap());
    let figures = assets.filter(|line| line["asset"] == asset).map(|line| line[figure].as_str().unwrap().parse::<u128>().unwrap());
    assert_eq!(figures.sum::<u128>(), expected, "{asset} {figure}: {pnl}");
}

#[tokio::test]
async fn an_export_needs_exactly_one_form() {
    let folder = with_agent().await;
    folder.run(&["ledger", "export"]).await.refused(2, &["--csv", "--json"]);
    folder.run(&["ledger", "export", "--csv", "--json"]).await.refused(2, &["--csv", "--json"]);

    refuse(&folder, 1).await;
    let exported = csv(folder.command(&["ledger", "export", "--csv", "--agent", "selam"])).await;
    let empty = Folder::with_config(&config(NO_NODE, POLICY));

    assert_eq!(exported.len(), 2);
    let what = exported[0].iter().position(|header| header == "what").unwrap();
    assert!(exported[1][what].starts_with(&format!("refused 1.5 USDC to {DENIED}")), "{exported:?}");
    assert_eq!(empty.json(&["ledger", "export"]).await, json!({"entries": []}));
    assert_eq!(csv(empty.command(&["ledger", "export", "--csv"])).await.len(), 1);
}
