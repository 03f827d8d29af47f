//! A store that its signed head contradicts pays nothing: the database alone was put back, or the head was tampered with, while Chimera was
//! stopped or while it served.

use crate::{
    program::{Folder, Serving},
    wallet_stage::{DENIED, POLICY, RECIPIENT, Stage, WALLET, usdc, with},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

fn database(folder: &Folder) -> PathBuf {
    folder.data().join("chimera.db")
}

fn head(folder: &Folder) -> PathBuf {
    folder.data().join("ledger.head")
}

/// The answer to a transfer that must not be made: by which rule, and what the operator can do.
#[track_caller]
fn is_contradicted(answer: &Value) {
    assert_eq!((&answer["success"], &answer["error_code"]), (&json!(false), &json!("not_approved")), "{answer}");
    assert_eq!(answer["details"]["rule"], "ledger_contradicted", "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("chimera ledger adopt"), "{answer}");
}

/// A stage on which `paid` was paid, and the database from before.
async fn paid_and_older() -> Option<(Stage, Value, Vec<u8>)> {
    let stage = Stage::set(POLICY).await?;
    let older = fs::read(database(&stage.folder)).unwrap();
    let paid = usdc(2_000_000);
    assert_eq!(stage.call(&paid).await["success"], true);
    Some((stage, paid, older))
}

async fn caller(serving: &Serving) -> McpSkillCaller {
    McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap()
}

#[tokio::test]
async fn a_database_put_back_alone_pays_nothing_says_so_everywhere_and_pays_again_once_the_right_one_is_back() {
    let Some((stage, paid, older)) = paid_and_older().await else { return };
    let folder = &stage.folder;
    let newer = fs::read(database(folder)).unwrap();
    fs::write(database(folder), older).unwrap();

    for input in [&paid, &usdc(1_000_000)] {
        is_contradicted(&stage.refused("not_approved", input).await);
    }
    let shown = folder.json(&["wallet", "show", "--agent", "selam"]).await;
    let told = folder.run(&["wallet", "show", "--agent", "selam"]).await.stdout;
    let doctor = folder.run(&["doctor", "--json"]).await;
    let serving = folder.serve().await;
    let ready: Value = reqwest::get(serving.health.replace("healthz", "readyz")).await.unwrap().json().await.unwrap();
    let served = caller(&serving).await.call(WALLET, &paid).await.unwrap();
    let stopped = serving.stop().await;

    assert_eq!(shown["frozen"], true, "{shown}");
    assert!(told.contains("ledger.head"), "{told}");
    let checks: Value = serde_json::from_str(&doctor.stdout).unwrap();
    let spending = checks["checks"].as_array().unwrap().iter().find(|check| check["check"] == "spending").unwrap();
    assert!(spending["ok"] == false && spending["found"].as_str().unwrap().contains("ledger adopt"), "{spending}");
    assert_eq!(ready, json!({"ready": true, "spending": "ledger_contradicted"}));
    is_contradicted(&served);
    assert!(stopped.stderr.contains("nothing is paid"), "{stopped:?}");
    assert_eq!(folder.run(&["ledger", "verify"]).await.code, Some(1));
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 2_000_000);

    fs::write(database(folder), newer).unwrap();
    assert_eq!(stage.call(&paid).await["success"], true, "the same payment");
    assert_eq!(stage.call(&usdc(1_000_000)).await["success"], true);
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 3_000_000);
    assert_eq!(folder.json(&["ledger", "verify"]).await["ok"], true);
}

#[tokio::test]
async fn a_head_that_is_gone_forged_or_of_another_folder_stops_payments_and_one_that_lags_does_not() {
    let Some((stage, ..)) = paid_and_older().await else { return };
    let folder = &stage.folder;
    let lagging = fs::read_to_string(head(folder)).unwrap();
    assert_eq!(stage.call(&usdc(1_000_000)).await["success"], true);
    let good = fs::read_to_string(head(folder)).unwrap();
    assert_ne!(good, lagging);
    let other = Folder::new();
    other.create_agent().await;
    let higher = |text: &str| {
        let mut head: Value = serde_json::from_str(text).unwrap();
        head["number"] = json!(head["number"].as_u64().unwrap() + 1);
        head.to_string()
    };

    fs::remove_file(head(folder)).unwrap();
    is_contradicted(&stage.refused("not_approved", &usdc(1_000_000)).await);
    assert!(!head(folder).exists(), "nobody makes another");
    let others = fs::read_to_string(other.data().join("ledger.head")).unwrap();
    for forged in [String::new(), "{}".to_owned(), higher(&good), good.replace(['a', 'b'], "c"), others, "x".repeat(1 << 20)] {
        fs::write(head(folder), &forged).unwrap();
        is_contradicted(&stage.refused("not_approved", &usdc(1_000_000)).await);
        assert_eq!(fs::read_to_string(head(folder)).unwrap(), forged, "it is kept as it is");
    }

    fs::write(head(folder), lagging).unwrap();
    assert_eq!(stage.call(&usdc(1_000_000)).await["success"], true, "a crash may leave the head behind the database");
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 4_000_000);
}

/// A refusal: it puts the ledger's newest page, with all that was paid, into the log, and no other page of money.
async fn refused_by(caller: &McpSkillCaller) {
    let answer = caller.call(WALLET, &with(usdc(1_000_000), "/params/to_address", DENIED)).await.unwrap();
    assert_eq!(answer["details"]["rule"], "deny", "{answer}");
}

#[tokio::test]
async fn a_database_that_is_replaced_while_it_is_served_pays_nothing_however_it_was_replaced() {
    for way in ["renamed over", "written over", "written over with its log gone", "written over what is kept in memory", "deleted"] {
        let Some((stage, paid, older)) = paid_and_older().await else { return };
        let folder = &stage.folder;
        let serving = folder.serve().await;
        let caller = caller(&serving).await;
        refused_by(&caller).await;
        if way.ends_with("in memory") {
            assert_eq!(caller.call(WALLET, &paid).await.unwrap()["success"], true, "what it knows of the task");
            let db = Connection::open(database(folder)).unwrap();
            let log: i64 = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
            assert_eq!(log, 0, "the log is empty");
        }

        match way {
            "renamed over" => {
                let beside = folder.write("older.db", &older);
                fs::rename(beside, database(folder)).unwrap();
            }
            "deleted" => fs::remove_file(database(folder)).unwrap(),
            _ => fs::write(database(folder), &older).unwrap(),
        }
        if way.ends_with("gone")
            && let Err(error) = fs::remove_file(folder.data().join("chimera.db-wal"))
        {
            // SQLite removes the log itself if it opens the file in the moment that it is empty.
            assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
        }
        let again = caller.call(WALLET, &paid).await.unwrap();
        let new = caller.call(WALLET, &usdc(1_000_000)).await.unwrap();

        for answer in [&again, &new] {
            match answer["error_code"].as_str() {
                // What the store still knows of the task that was paid.
                None => assert_eq!(answer["task_id"], paid["task_id"], "{way}: {answer}"),
                // SQLite itself stumbled over the file.
                Some("internal_error") => assert!(way.starts_with("written over"), "{way}: {answer}"),
                Some(_) => is_contradicted(answer),
            }
        }
        assert_eq!(stage.anvil.transactions_of(&stage.address).await, 1, "{way}");
        assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 2_000_000, "{way}");
        serving.kill().await;
    }
}

#[tokio::test]
async fn a_database_put_back_beside_the_log_of_a_killed_program_pays_nothing() {
    let Some((stage, paid, older)) = paid_and_older().await else { return };
    let folder = &stage.folder;
    let serving = folder.serve().await;
    refused_by(&caller(&serving).await).await;
    serving.kill().await;
    assert!(fs::metadata(folder.data().join("chimera.db-wal")).unwrap().len() > 0, "it left its log");
    let head: Value = serde_json::from_slice(&fs::read(head(folder)).unwrap()).unwrap();
    assert!(head["number"].as_u64().unwrap() >= 1, "the head names an entry that the log holds too: {head}");

    fs::write(database(folder), older).unwrap();
    for input in [&paid, &usdc(1_000_000)] {
        is_contradicted(&stage.refused("not_approved", input).await);
    }
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 2_000_000);
}

#[tokio::test]
async fn a_folder_without_its_database_or_its_key_is_not_taken_for_a_new_one() {
    let Some((stage, ..)) = paid_and_older().await else { return };
    let folder = &stage.folder;
    let newer = fs::read(database(folder)).unwrap();

    fs::remove_file(database(folder)).unwrap();
    let agentless = stage.call(&usdc(1_000_000)).await;
    assert_eq!(agentless["success"], false, "{agentless}");
    stage.folder.create_agent().await;
    is_contradicted(&stage.refused("not_approved", &usdc(1_000_000)).await);
    fs::remove_file(folder.data().join("node.key")).unwrap();
    fs::remove_file(database(folder)).unwrap();
    folder.run(&["agent", "list"]).await.refused(1, &["node.key", "missing"]);

    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 2_000_000);
    fs::write(database(folder), newer).unwrap();
    folder.run(&["agent", "list"]).await.refused(1, &["node.key", "missing"]);
}

#[tokio::test]
async fn an_old_database_that_is_adopted_says_so_on_the_ledger_and_holds_every_wallet() {
    let Some((stage, paid, older)) = paid_and_older().await else { return };
    let folder = &stage.folder;
    folder.run(&["ledger", "adopt", "--reason", "why not"]).await.refused(1, &["nothing contradicts"]);
    fs::write(database(folder), older).unwrap();
    is_contradicted(&stage.refused("not_approved", &paid).await);

    let adopted = folder.json(&["ledger", "adopt", "--reason", "the disk died", "--by", "hanna"]).await;

    assert_eq!(adopted["held"], json!(["selam"]), "{adopted}");
    assert!(adopted["contradiction"].as_str().unwrap().contains("entry 1"), "{adopted}");
    let answer = stage.refused("not_approved", &paid).await;
    assert_eq!(answer["details"]["rule"], "wallet_held", "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("wallet reconcile"), "{answer}");
    let verdict = folder.json(&["ledger", "verify"]).await;
    assert_eq!(verdict["ok"], true, "{verdict}");
    let entries = folder.json(&["ledger", "list"]).await["entries"].take();
    let facts = entries.as_array().unwrap().iter().map(|entry| &entry["facts"]).find(|facts| facts["act"] == "adopt").unwrap();
    assert_eq!((&facts["reason"], &facts["by"], &facts["head_number"]), (&json!("the disk died"), &json!("hanna"), &json!(1)), "{facts}");
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 2_000_000);
}

#[tokio::test]
async fn a_ledger_whose_entries_were_changed_cannot_be_adopted() {
    let Some((stage, ..)) = paid_and_older().await else { return };
    let folder = &stage.folder;
    let db = Connection::open(database(folder)).unwrap();
    db.execute_batch("DROP TRIGGER ledger_stays; DROP TRIGGER ledger_keeps; UPDATE ledger SET facts = '{}'").unwrap();
    drop(db);
    fs::remove_file(head(folder)).unwrap();

    let adopted = folder.run(&["ledger", "adopt", "--reason", "it looks fine"]).await;

    adopted.refused(1, &["entry 1", "good copy"]);
    is_contradicted(&stage.refused("not_approved", &usdc(1_000_000)).await);
}

#[tokio::test]
async fn budgets_that_somebody_lowered_stop_payments_until_they_are_what_the_ledger_says() {
    let Some((stage, ..)) = paid_and_older().await else { return };
    let folder = &stage.folder;
    let db = Connection::open(database(folder)).unwrap();
    db.execute("UPDATE budget_days SET spent_units = '0'", []).unwrap();
    drop(db);

    for _ in 0..2 {
        let answer = stage.refused("not_approved", &usdc(1_000_000)).await;
        is_contradicted(&answer);
        assert!(answer["message"].as_str().unwrap().contains("2000000"), "{answer}");
    }
    assert_eq!(folder.run(&["doctor"]).await.code, Some(1));
    let adopted = folder.json(&["ledger", "adopt", "--reason", "somebody was at the file"]).await;

    assert_eq!(adopted["held"], json!(["selam"]));
    assert_eq!(folder.json(&["ledger", "verify"]).await["ok"], true);
    folder.json(&["wallet", "reconcile", "--agent", "selam"]).await;
    assert_eq!(stage.call(&usdc(1_000_000)).await["success"], true);
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 3_000_000);
    assert_eq!(folder.json(&["ledger", "verify"]).await["ok"], true);
}

#[tokio::test]
async fn budgets_that_are_not_what_the_ledger_comes_to_are_named() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let folder = &stage.folder;
    let mut named = usdc(2_000_000);
    named["budget_check"] = json!({"daily_spend_key": "campaign:one", "max_daily_limit_units": "9000000"});
    assert_eq!(stage.call(&named).await["success"], true);
    assert_eq!(stage.call(&usdc(1_000_000)).await["success"], true);
    assert_eq!(folder.json(&["ledger", "verify"]).await, json!({"ok": true, "entries": 2}));
    let whole = fs::read(database(folder)).unwrap();

    for (change, parts) in [
        ("UPDATE budget_days SET spent_units = '0' WHERE kind = 'own'", ["counter of 0x", "0 spent", "3000000"]),
        ("DELETE FROM budget_days WHERE kind = 'own'", ["counter of 0x", "0 spent", "3000000"]),
        ("UPDATE budget_days SET spent_units = '1' WHERE kind = 'named'", ["\"campaign:one\"", "1 spent", "2000000"]),
        ("UPDATE budget_days SET spent_units = '0' WHERE kind = 'fees'", ["fees on chain 8453", "0 spent", "come to"]),
        ("UPDATE budget_days SET day = '2020-01-01' WHERE kind = 'fees'", ["fees on chain 8453", "more counters", "come to"]),
        (
            "INSERT INTO budget_days (kind, name, chain_id, asset, day, spent_units, reserved_units) SELECT 'approved', name, chain_id, asset, day, '7', '0' FROM budget_days WHERE kind = 'own'",
            ["people approved", "7 spent", "come to 0"],
        ),
    ] {
        let db = Connection::open(database(folder)).unwrap();
        assert!(db.execute(change, []).unwrap() > 0, "{change}");
        drop(db);
        let done = folder.run(&["ledger", "verify", "--json"]).await;
        assert_eq!(done.code, Some(1), "{change}: {done:?}");
        let verdict: Value = serde_json::from_str(&done.stdout).unwrap();
        let problem = verdict["problem"].as_str().unwrap();
        assert!(parts.iter().all(|part| problem.contains(part)), "{change}: {problem}");
        assert!(verdict.get("first_bad").is_none(), "{verdict}");
        fs::write(database(folder), &whole).unwrap();
    }
    assert_eq!(folder.json(&["ledger", "verify"]).await["ok"], true);
}
