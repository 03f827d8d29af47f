//! Measures `tools/call` on Chimera's server beside a bare rmcp echo and a FastMCP echo, in one run; `bench/mcp` starts it.
//!
//!     bench_mcp PYTHON FASTMCP_ECHO    the whole comparison, as Markdown on standard output; fails when a limit is missed
//!     bench_mcp serve-echo             the bare rmcp echo; says its port, and ends when standard input does
//!     bench_mcp serve-chimera          Chimera's server on a stub chain, likewise

mod load;
mod peers;
mod report;
mod servers;

use anyhow::{Context, Result, bail};
use load::{Round, Target};
use report::{Measured, Row};
use serde_json::{Value, json};
use std::{io::Write, process::ExitCode};

/// Connections at one time, and the calls that one round makes over them: on our servers, and on FastMCP, which takes far longer.
const LEVELS: [Level; 3] = [
    Level { connections: 1, calls: 1_000, calls_fastmcp: 100 },
    Level { connections: 16, calls: 3_200, calls_fastmcp: 160 },
    Level { connections: 64, calls: 3_200, calls_fastmcp: 192 },
];
/// Many short rounds rather than few long ones: a busy moment then spoils some rounds of all, and not all rounds of one.
/// Odd, so that there is a median.
const ROUNDS: usize = 15;
/// The share of a round's calls that each server answers before the first round.
const WARM_UP_DIVISOR: usize = 4;

struct Level {
    connections: usize,
    calls: usize,
    calls_fastmcp: usize,
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve-echo"] => servers::run(servers::echo)?,
        ["serve-chimera"] => servers::run(servers::chimera)?,
        // One thread makes the load, so that a server has the other cores to itself.
        [python, script] => return tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(compare(python, script)),
        _ => bail!("usage: bench_mcp PYTHON FASTMCP_ECHO"),
    }
    Ok(ExitCode::SUCCESS)
}

async fn compare(python: &str, script: &str) -> Result<ExitCode> {
    let echo = peers::start_own("serve-echo").await?;
    let chimera = peers::start_own("serve-chimera").await?;
    let fastmcp = peers::start_fastmcp(python, script).await?;
    // Everybody reads the same arguments: an echo of a shorter message would be quicker by the message alone.
    let echoed = json!({"message": four_mistakes()});
    // In the order of `report::Row`.
    let targets = [
        Target::new(&echo, "echo", &echoed, "get_rich"),
        Target::new(&echo, "echo", &json!({"message": "hello"}), "hello"),
        Target::new(&fastmcp, "echo", &echoed, "get_rich"),
        Target::new(&chimera, "skill_wallet_transaction", &balance_call(), "balance_wei_or_units"),
        Target::new(&chimera, "skill_wallet_transaction", &two_mistakes(), "invalid_input"),
        Target::new(&chimera, "skill_wallet_transaction", &four_mistakes(), "invalid_input"),
    ];
    let mut measured = Vec::new();
    for level in &LEVELS {
        measured.push(measure(level, &targets).await?);
    }
    let comparison = report::Comparison::of(&measured);
    std::io::stdout().write_all(comparison.markdown().as_bytes())?;
    Ok(if comparison.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Every server in every round, each round beginning with another, so that noise of the machine hits all alike.
async fn measure(level: &Level, targets: &[Target<'_>; Row::COUNT]) -> Result<Measured> {
    let calls = |row: usize| if row == Row::FastMcp as usize { level.calls_fastmcp } else { level.calls };
    let mut rounds: [Vec<Round>; Row::COUNT] = Default::default();
    for (row, target) in targets.iter().enumerate() {
        target.round(level.connections, calls(row) / WARM_UP_DIVISOR).await.with_context(|| format!("warm-up of {:?}", Row::ALL[row]))?;
    }
    for first in 0..ROUNDS {
        for row in (0..Row::COUNT).map(|place| (first + place) % Row::COUNT) {
            let round = targets[row].round(level.connections, calls(row)).await.with_context(|| format!("{:?}", Row::ALL[row]))?;
            rounds[row].push(round);
        }
    }
    Ok(Measured { connections: level.connections, rounds })
}

fn balance_call() -> Value {
    json!({
        "task_id": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
        "agent_id": servers::AGENT,
        "operation": "get_balance",
        "params": {"asset": "ETH"},
    })
}

/// The same with two mistakes: an id that is none, and a word that is no operation.
fn two_mistakes() -> Value {
    let mut call = balance_call();
    call["task_id"] = json!("not a uuid");
    call["operation"] = json!("get_rich");
    call
}

/// And two more: a field that nobody knows, and parameters that are no object.
fn four_mistakes() -> Value {
    let mut call = two_mistakes();
    call["amount"] = json!(1);
    call["params"] = json!("all of it");
    call
}
