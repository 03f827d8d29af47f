//! Many transfers at once, and the program killed among them: the chain says what was really paid.

use crate::{
    program::Serving,
    wallet_stage::{POLICY, RECIPIENT, Stage, UNITS_AT_START, WALLET, usdc, with},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use futures::{StreamExt, stream::FuturesUnordered};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

const CONNECTIONS: usize = 4;

async fn connect(serving: &Serving) -> Vec<McpSkillCaller> {
    let mut callers = Vec::new();
    for _ in 0..CONNECTIONS {
        callers.push(McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap());
    }
    callers
}

#[tokio::test]
async fn twenty_transfers_at_once_spend_exactly_a_budget_for_ten() {
    let policy = POLICY.replace("per_day = \"100000000\"", "per_day = \"30000000\"");
    let Some(stage) = Stage::set(&policy).await else { return };
    let serving = stage.folder.serve().await;
    let callers = connect(&serving).await;

    let inputs: Vec<Value> = (0..20).map(|_| usdc(3_000_000)).collect();
    let calls = inputs.iter().enumerate().map(|(index, input)| callers[index % CONNECTIONS].call(WALLET, input));
    let answers: Vec<Value> = futures::future::join_all(calls).await.into_iter().map(Result::unwrap).collect();

    let confirmed = answers.iter().filter(|answer| answer["success"] == true).count();
    let refused = answers.iter().filter(|answer| answer["error_code"] == "budget_exceeded").count();
    assert_eq!((confirmed, refused), (10, 10), "{answers:#?}");
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 30_000_000);
    assert_eq!(stage.anvil.usdc_of(&stage.address).await, UNITS_AT_START - 30_000_000);
    assert_eq!(stage.anvil.transactions_of(&stage.address).await, 10);
    for caller in callers {
        caller.close().await;
    }
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn one_task_called_from_many_places_at_once_pays_once() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let serving = stage.folder.serve().await;
    let callers = connect(&serving).await;
    let input = usdc(2_000_000);

    let served = futures::future::join_all((0..12).map(|index| callers[index % CONNECTIONS].call(WALLET, &input)));
    let beside = futures::future::join_all((0..3).map(|_| stage.call(&input)));
    let (served, beside) = tokio::join!(served, beside);

    let answers: Vec<Value> = served.into_iter().map(Result::unwrap).chain(beside).collect();
    for answer in &answers {
        assert_eq!(answer["success"], true, "{answer}");
        assert_eq!(answer["result"]["tx_hash"], answers[0]["result"]["tx_hash"]);
        assert_eq!(answer["transaction_id"], answers[0]["transaction_id"]);
    }
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 2_000_000);
}

#[tokio::test]
async fn a_program_asked_to_stop_finishes_the_transfer_that_is_under_way() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let serving = stage.folder.serve().await;
    let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    stage.anvil.rpc("evm_setAutomine", json!([false])).await;
    let input = usdc(5_000_000);

    let stopped = async {
        stage.anvil.pending().await;
        serving.running.signal(Signal::SIGTERM);
        // Only once it takes no more calls does the block come that it waits for.
        while reqwest::get(&serving.health).await.is_ok() {}
        stage.anvil.rpc("evm_mine", json!([])).await;
    };
    let (answer, ()) = tokio::join!(caller.call(WALLET, &input), stopped);

    let answer = answer.unwrap();
    assert_eq!(answer["success"], true, "{answer}");
    caller.close().await;
    let done = serving.running.finish().await;
    assert_eq!(done.code, Some(0), "{done:?}");
    done.calm();
    let repeated = stage.call(&input).await;
    assert_eq!(repeated["result"]["tx_hash"], answer["result"]["tx_hash"]);
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 5_000_000);
}

#[tokio::test]
async fn a_program_killed_among_transfers_pays_each_of_them_once() {
    let Some(stage) = Stage::set(&POLICY.replace("ask_above = \"50000000\"\n", "")).await else { return };
    const TRANSFERS: usize = 12;
    // Killed after that many answers, so that the others are everywhere between the door and the block.
    for (round, answers_before_kill) in [1, 4, 8].into_iter().enumerate() {
        let recipient = |index: usize| format!("0x{:040x}", 0xfeed_0000 + round * 100 + index);
        let inputs: Vec<Value> =
            (0..TRANSFERS).map(|index| with(usdc(1_000 + index as u128), "/params/to_address", recipient(index))).collect();
        let serving = stage.folder.serve().await;
        let callers = connect(&serving).await;
        let mut calls: FuturesUnordered<_> =
            inputs.iter().enumerate().map(|(index, input)| callers[index % CONNECTIONS].call(WALLET, input)).collect();
        for _ in 0..answers_before_kill {
            let answer = calls.next().await.unwrap().unwrap();
            assert_eq!(answer["success"], true, "{answer}");
        }
        serving.kill().await;
        drop(calls);
        drop(callers);

        let serving = stage.folder.serve().await;
        let callers = connect(&serving).await;
        let calls = inputs.iter().enumerate().map(|(index, input)| callers[index % CONNECTIONS].call(WALLET, input));
        let answers = futures::future::join_all(calls).await;

        for (index, answer) in answers.into_iter().enumerate() {
            let answer = answer.unwrap();
            assert_eq!(answer["success"], true, "{answer}");
            assert_eq!(stage.anvil.usdc_of(&recipient(index)).await, 1_000 + index as u128, "round {round}, transfer {index}");
        }
        assert_eq!(stage.anvil.transactions_of(&stage.address).await, ((round + 1) * TRANSFERS) as u128);
        for caller in callers {
            caller.close().await;
        }
        assert_eq!(serving.stop().await.code, Some(0));
    }
    let health = stage.folder.json(&["doctor"]).await;
    let ledger = health["checks"].as_array().unwrap().iter().find(|check| check["check"] == "ledger").unwrap();
    assert_eq!(ledger["ok"], true, "{ledger}");
}
