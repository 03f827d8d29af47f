//! Measures confirmed transfers per second on anvil, and what a transfer costs the store as it fills; `bench/transfers` starts it.
//!
//!     bench_transfers    both, as Markdown on standard output; fails when a limit is missed. ANVIL, ALLOY, NODE, AGENTKIT_HOME and
//!                        AGENTKIT_BRIDGE say where its peers are
//!     bench_transfers pay RPC_URL RECIPIENT    Chimera on that node, as a peer: each line is a number of transfers to make
//!     bench_transfers growth                   only the store

mod agentkit;
mod anvil;
mod contestants;
mod growth;
mod ours;
mod report;

use anvil::{Anvil, Blocks};
use anyhow::{Context, Result, bail};
use contestants::{Contestant, Round};
use report::{Measured, Row};
use std::{io::Write, process::ExitCode};

/// Many short rounds rather than few long ones: a busy moment then spoils some rounds of all, and not all rounds of one.
/// Odd, so that there is a median.
const SETTINGS: [Setting; 2] = [
    Setting { blocks: Blocks::Instant, rounds: 9, transfers: 512, transfers_agentkit: 12 },
    Setting { blocks: Blocks::EverySecond, rounds: 5, transfers: 320, transfers_agentkit: 4 },
];
/// Before the first round, of each.
const WARM_UP_DIVISOR: usize = 4;

struct Setting {
    blocks: Blocks,
    rounds: usize,
    transfers: usize,
    transfers_agentkit: usize,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["pay", url, recipient] => {
            ours::pay(url, recipient).await?;
            Ok(ExitCode::SUCCESS)
        }
        ["growth"] => verdict(&growth::measure().await?),
        [] => {
            let mut measured = Vec::new();
            for setting in &SETTINGS {
                measured.push(measure(setting).await.with_context(|| format!("{:?}", setting.blocks))?);
            }
            let speed = verdict(&report::Comparison::of(&measured))?;
            let growth = verdict(&growth::measure().await?)?;
            Ok(if speed == ExitCode::SUCCESS { growth } else { speed })
        }
        _ => bail!("usage: bench_transfers [pay RPC_URL RECIPIENT | growth]"),
    }
}

fn verdict(table: &impl report::Table) -> Result<ExitCode> {
    std::io::stdout().write_all(table.markdown().as_bytes())?;
    Ok(if table.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Everybody in every round, each round beginning with another, so that noise of the machine hits all alike. Each has an anvil of its
/// own, so that nobody pays for what another one left in it.
async fn measure(setting: &Setting) -> Result<Measured> {
    let transfers = |row: usize| if row == Row::AgentKit as usize { setting.transfers_agentkit } else { setting.transfers };
    let mut peers = Vec::new();
    for row in Row::ALL {
        let anvil = Anvil::start(setting.blocks).await?;
        let peer = Contestant::start(row, &anvil).await.with_context(|| format!("{row:?}"))?;
        peers.push((anvil, peer));
    }
    let mut rounds: [Vec<Round>; Row::COUNT] = Default::default();
    for (row, (anvil, peer)) in peers.iter_mut().enumerate() {
        peer.round(anvil, (transfers(row) / WARM_UP_DIVISOR).max(1)).await.with_context(|| format!("warm-up of {:?}", Row::ALL[row]))?;
    }
    for first in 0..setting.rounds {
        for row in (0..Row::COUNT).map(|place| (first + place) % Row::COUNT) {
            let (anvil, peer) = &mut peers[row];
            let round = peer.round(anvil, transfers(row)).await.with_context(|| format!("{:?}", Row::ALL[row]))?;
            writeln!(std::io::stderr(), "{:?} {:?}: {:.1}/s", setting.blocks, Row::ALL[row], round.transfers_per_s)?;
            rounds[row].push(round);
        }
    }
    Ok(Measured { blocks: setting.blocks, rounds })
}
