//! A disk without room: no new transfer begins, what is under way is not lost, and room is enough to go on.
//! The limit on the size of files stands in for the disk: it needs no rights, and a write past it fails half-way, as on a full disk.

use crate::{
    anvil::number,
    books::{self, Asset, Books, End, Wanted},
    program::{PATIENCE, Serving},
    wallet_stage::{POLICY, Stage, WALLET, balance},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use futures::future::join_all;
use serde_json::{Value, json};
use std::{fs, time::Duration};
use tokio::{process::Command, time::timeout};

/// `chimera serve` that is told of a write past the limit by an error, as of a full disk, and not by a signal.
async fn serve(stage: &Stage) -> Serving {
    let plain = stage.folder.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    let plain = plain.as_std();
    let mut command = Command::new("env");
    command.arg("--ignore-signal=XFSZ").arg(plain.get_program()).args(plain.get_args()).current_dir(stage.folder.path());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    stage.folder.serving(command).await
}

/// From now on no file of the process may grow past this; `None` is room again.
async fn limit_files(serving: &Serving, bytes: Option<u64>) {
    let soft = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    let id = serving.running.id().to_string();
    let done = Command::new("prlimit").args(["--pid", &id, &format!("--fsize={soft}:unlimited")]).output().await.unwrap();
    assert!(done.status.success(), "{done:?}");
}

fn wanted(amounts: std::ops::Range<u128>) -> Vec<Wanted> {
    amounts.map(|amount| Wanted::new(Asset::Usdc, amount, End::Paid)).collect()
}

async fn call_all(caller: &McpSkillCaller, wanted: &[Wanted]) -> Vec<Value> {
    let inputs: Vec<Value> = wanted.iter().map(Wanted::input).collect();
    join_all(inputs.iter().map(|input| caller.call(WALLET, input))).await.into_iter().map(Result::unwrap).collect()
}

async fn in_pool(stage: &Stage, count: u128) {
    let waiting = async {
        while number(&stage.anvil.rpc("txpool_status", json!([])).await["pending"]) < count {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("the transactions arrive in time");
}

fn is_refused_for_the_disk(answer: &Value) -> bool {
    answer["error_code"] == "internal_error" && answer["message"].as_str().is_some_and(|message| message.contains("no transfer is made"))
}

async fn check(stage: &Stage, wanted: &[Wanted]) {
    let sent = books::sent_by(&stage.anvil, &stage.address, 0).await;
    let problems = books::problems(wanted, &sent, &Books::read(&stage.folder));
    assert!(problems.is_empty(), "{problems:#?}");
    books::ledger_is_whole(&stage.folder).await.unwrap();
}

#[tokio::test]
async fn a_full_disk_refuses_new_transfers_and_loses_none_of_those_under_way() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let serving = serve(&stage).await;
    let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    let (before, under_way, refused) = (wanted(1..4), wanted(11..14), wanted(21..24));
    assert!(call_all(&caller, &before).await.iter().all(|answer| answer["success"] == true));
    stage.anvil.rpc("evm_setAutomine", json!([false])).await;

    let full = async {
        in_pool(&stage, 3).await;
        limit_files(&serving, Some(0)).await;
        let answers = call_all(&caller, &refused).await;
        assert!(answers.iter().all(is_refused_for_the_disk), "{answers:#?}");
        let read = caller.call(WALLET, &balance("USDC")).await.unwrap();
        assert_eq!(read["success"], true, "what needs no room goes on: {read}");
        stage.anvil.rpc("evm_mine", json!([])).await;
        stage.anvil.rpc("evm_setAutomine", json!([true])).await;
    };
    let (answers, ()) = tokio::join!(call_all(&caller, &under_way), full);

    assert_eq!(stage.anvil.transactions_of(&stage.address).await, 6);
    for answer in &answers {
        let told = (&answer["success"], &answer["details"]["state"]);
        assert_eq!(told, (&json!(false), &json!("unknown")), "in a block, but not in the books: {answer}");
    }
    limit_files(&serving, None).await;
    let all = [before, under_way, refused].concat();
    let answers = call_all(&caller, &all).await;
    assert!(answers.iter().all(|answer| answer["success"] == true), "{answers:#?}");
    check(&stage, &all).await;
    caller.close().await;
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_disk_that_fills_up_among_transfers_and_a_kill_lose_none() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let mut all = Vec::new();
    // Room for a few more writes, which ends in the middle of one: here a transfer may stop at any of its steps.
    for (round, room_bytes) in [5_000, 40_000, 90_000, 200_000].into_iter().enumerate() {
        let serving = serve(&stage).await;
        let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
        let first = 1_000 * (round as u128 + 1);
        let warm = wanted(first..first + 1);
        assert_eq!(call_all(&caller, &warm).await[0]["success"], true);
        let log_bytes = fs::metadata(stage.folder.data().join("chimera.db-wal")).unwrap().len();
        limit_files(&serving, Some(log_bytes + room_bytes)).await;

        let racing = wanted(first + 1..first + 31);
        let told = call_all(&caller, &racing).await;
        drop(caller);
        serving.kill().await;

        assert!(told.iter().any(is_refused_for_the_disk), "the disk was never full: {told:#?}");
        let serving = serve(&stage).await;
        let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
        let answers = call_all(&caller, &racing).await;
        for (told, answer) in told.iter().zip(&answers) {
            assert_eq!(answer["success"], true, "{answer}");
            if told["success"] == true {
                assert_eq!(told["result"]["tx_hash"], answer["result"]["tx_hash"]);
            }
        }
        caller.close().await;
        assert_eq!(serving.stop().await.code, Some(0));
        all.extend([warm, racing].concat());
    }
    check(&stage, &all).await;
}
