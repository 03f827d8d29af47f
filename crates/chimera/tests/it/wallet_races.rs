//! Many transfers at once, and the program killed among them: the chain says what was really paid.

use crate::{
    books::{self, Asset, Books, End, Wanted},
    program::{Running, Serving},
    wallet_stage::{POLICY, RECIPIENT, Stage, UNITS_AT_START, WALLET, usdc, with},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use futures::{StreamExt, stream::FuturesUnordered};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    process::{ChildStdin, Command},
};

const CONNECTIONS: usize = 4;

async fn connect(serving: &Serving) -> Vec<McpSkillCaller> {
    let mut callers = Vec::new();
    for _ in 0..CONNECTIONS {
        callers.push(McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap());
    }
    callers
}

/// 200 transfers to 200 people, each of a hundredth of the day's budget.
const RACERS: usize = 200;
const BUDGETED: usize = 100;
const EACH: u128 = 3_000_000;

async fn race_stage() -> Option<(Stage, Vec<Wanted>)> {
    let budget = format!("per_day = \"{}\"", EACH * BUDGETED as u128);
    let stage = Stage::set(&POLICY.replace("per_day = \"100000000\"", &budget).replace("ask_above = \"50000000\"\n", "")).await?;
    let to = |racer: usize| format!("0x{:040x}", (racer as u128 + 1) << 100 | racer as u128);
    let wanted = (0..RACERS).map(|racer| Wanted { to: to(racer), ..Wanted::new(Asset::Usdc, EACH, End::Paid) }).collect();
    Some((stage, wanted))
}

/// Half is paid and half is refused, and chain, store and ledger agree on which.
async fn check_race(stage: &Stage, mut wanted: Vec<Wanted>, answers: &[Value]) {
    assert_eq!(answers.len(), wanted.len());
    for (wanted, answer) in wanted.iter_mut().zip(answers) {
        wanted.end = if answer["success"] == true { End::Paid } else { End::Refused("budget_exceeded") };
        assert!(wanted.is_final(answer), "{answer}");
    }
    assert_eq!(wanted.iter().filter(|wanted| wanted.end == End::Paid).count(), BUDGETED);
    let sent = books::sent_by(&stage.anvil, &stage.address, 0).await;
    let problems = books::problems(&wanted, &sent, &Books::read(&stage.folder));
    assert!(problems.is_empty(), "{problems:#?}");
    let budget = EACH * BUDGETED as u128;
    assert_eq!(sent.iter().map(|sent| sent.amount).sum::<u128>(), budget);
    assert_eq!(stage.anvil.usdc_of(&stage.address).await, UNITS_AT_START - budget);
    books::ledger_is_whole(&stage.folder).await.unwrap();
}

async fn call_served(callers: &[McpSkillCaller], wanted: &[Wanted]) -> Vec<Value> {
    let inputs: Vec<Value> = wanted.iter().map(Wanted::input).collect();
    let calls = inputs.iter().enumerate().map(|(index, input)| callers[index % CONNECTIONS].call(WALLET, input));
    futures::future::join_all(calls).await.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn two_hundred_transfers_at_once_spend_exactly_a_budget_for_a_hundred() {
    let Some((stage, wanted)) = race_stage().await else { return };
    let serving = stage.folder.serve().await;
    let callers = connect(&serving).await;

    let answers = call_served(&callers, &wanted).await;

    check_race(&stage, wanted, &answers).await;
    for caller in callers {
        caller.close().await;
    }
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn processes_on_one_store_spend_exactly_one_budget_together() {
    let Some((stage, wanted)) = race_stage().await else { return };
    let serving = stage.folder.serve().await;
    let callers = connect(&serving).await;
    let mut second = LineHost::start(stage.folder.command(&["mcp"])).await;
    let mut third = LineHost::start(stage.folder.command(&["mcp"])).await;
    // None of them can spend it all, so at least two of them spend at the same time.
    let share = wanted.len().div_ceil(3);
    let [of_first, of_second, of_third] = wanted.chunks(share).collect::<Vec<_>>()[..] else { panic!("three shares") };

    let answers = tokio::join!(call_served(&callers, of_first), second.call_all(of_second), third.call_all(of_third));

    check_race(&stage, wanted, &[answers.0, answers.1, answers.2].concat()).await;
    second.end().await;
    third.end().await;
    for caller in callers {
        caller.close().await;
    }
    assert_eq!(serving.stop().await.code, Some(0));
}

/// A host that speaks MCP on lines to a child.
struct LineHost {
    running: Running,
    stdin: ChildStdin,
}

impl LineHost {
    async fn start(command: Command) -> Self {
        let mut running = Running::start(command);
        let stdin = running.stdin();
        let mut host = Self { running, stdin };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}});
        host.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params})).await;
        assert_eq!(host.receive().await["id"], "hello");
        host.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        host
    }

    async fn call_all(&mut self, wanted: &[Wanted]) -> Vec<Value> {
        for (id, wanted) in wanted.iter().enumerate() {
            let params = json!({"name": WALLET, "arguments": wanted.input()});
            self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
        }
        let mut answers = vec![Value::Null; wanted.len()];
        while answers.contains(&Value::Null) {
            let message = self.receive().await;
            if let Some(id) = message["id"].as_u64() {
                answers[id as usize] = message["result"]["structuredContent"].clone();
            }
        }
        answers
    }

    async fn send(&mut self, message: &Value) {
        self.stdin.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.running.line().await.expect("it still speaks")).unwrap()
    }

    async fn end(self) {
        drop(self.stdin);
        let done = self.running.finish().await;
        assert_eq!(done.code, Some(0), "{done:?}");
        done.calm();
    }
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
