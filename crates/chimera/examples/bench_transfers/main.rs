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
use anyhow::{Context, Result, bail, ensure};
use contestants::{Contestant, Round};
use report::{Measured, Row};
use std::{io::Write, process::ExitCode, time::Duration};
use tokio::time::timeout;

/// Many short rounds rather than few long ones: a busy moment then spoils some rounds of all, and not all rounds of one.
/// Odd, so that there is a median.
const SETTINGS: [Setting; 2] = [
    Setting { blocks: Blocks::Instant, rounds: 15, transfers: 1024, transfers_agentkit: 12 },
    Setting { blocks: Blocks::EverySecond, rounds: 5, transfers: 320, transfers_agentkit: 4 },
];
/// Before the first round, of each.
const WARM_UP_DIVISOR: usize = 4;
/// Now and then anvil keeps a transaction that it could execute, and all that come behind it, until somebody replaces it. alloy's program
/// waits for it for ever, Chimera until it raises the fee after 25 s: such a round measures anvil alone. It is void, for whomever it happens
/// to, and made again on a fresh anvil.
const VOID_AFTER: Duration = Duration::from_secs(20);
const VOID_MAX: usize = 9;

struct Setting {
    blocks: Blocks,
    rounds: usize,
    transfers: usize,
    transfers_agentkit: usize,
}

impl Setting {
    fn transfers_of(&self, row: Row) -> usize {
        if row == Row::AgentKit { self.transfers_agentkit } else { self.transfers }
    }
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
    let mut places = Vec::new();
    for row in Row::ALL {
        places.push(Place::ready(setting, row).await.with_context(|| format!("{row:?}"))?);
    }
    let mut rounds: [Vec<Round>; Row::COUNT] = Default::default();
    let mut voided = [0; Row::COUNT];
    for first in 0..setting.rounds {
        for row in (0..Row::COUNT).map(|place| (first + place) % Row::COUNT) {
            let round = loop {
                if let Some(round) =
                    places[row].round(setting.transfers_of(Row::ALL[row])).await.with_context(|| format!("{:?}", Row::ALL[row]))?
                {
                    break round;
                }
                voided[row] += 1;
                ensure!(voided[row] <= VOID_MAX, "anvil kept transactions of {:?} again and again", Row::ALL[row]);
                places[row] = Place::ready(setting, Row::ALL[row]).await?;
            };
            writeln!(std::io::stderr(), "{:?} {:?}: {:.1}/s", setting.blocks, Row::ALL[row], round.transfers_per_s)?;
            rounds[row].push(round);
        }
    }
    Ok(Measured { blocks: setting.blocks, rounds, voided })
}

/// A contestant and its anvil.
struct Place {
    anvil: Anvil,
    peer: Contestant,
}

impl Place {
    async fn ready(setting: &Setting, row: Row) -> Result<Self> {
        for _ in 0..=VOID_MAX {
            let anvil = Anvil::start(setting.blocks).await?;
            let peer = Contestant::start(row, &anvil).await?;
            let mut place = Self { anvil, peer };
            if place.round((setting.transfers_of(row) / WARM_UP_DIVISOR).max(1)).await.context("warm-up")?.is_some() {
                return Ok(place);
            }
        }
        bail!("anvil kept transactions of every warm-up")
    }

    /// `None` for a round that is void.
    async fn round(&mut self, transfers: usize) -> Result<Option<Round>> {
        timeout(VOID_AFTER, self.peer.round(&self.anvil, transfers)).await.ok().transpose()
    }
}
