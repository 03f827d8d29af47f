//! Medians, ratios and verdicts.

use super::{anvil::Blocks, contestants::Round};
use std::{fmt::Write, time::Duration};

const LIMIT_RATIO_MIN: f64 = 0.9;
const AGENTKIT_RATIO_MIN_INSTANT: f64 = 5.0;
const AGENTKIT_RATIO_MIN_EVERY_SECOND: f64 = 10.0;

pub(crate) trait Table {
    fn markdown(&self) -> String;
    fn holds(&self) -> bool;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    Ours,
    Alloy,
    AgentKit,
}

impl Row {
    pub(crate) const COUNT: usize = Self::ALL.len();
    pub(crate) const ALL: [Self; 3] = [Self::Ours, Self::Alloy, Self::AgentKit];

    fn title(self) -> &'static str {
        match self {
            Self::Ours => "Chimera, full governance, 256 at once",
            Self::Alloy => "alloy, gas and fees asked for, 256 at once: the limit",
            Self::AgentKit => "AgentKit over MCP, one after another",
        }
    }
}

/// Every round with one kind of blocks, by row.
pub(crate) struct Measured {
    pub(crate) blocks: Blocks,
    pub(crate) rounds: [Vec<Round>; Row::COUNT],
    /// Rounds that were made again, since anvil kept a transaction of theirs.
    pub(crate) voided: [usize; Row::COUNT],
}

pub(crate) struct Comparison(Vec<Line>);

struct Line {
    blocks: Blocks,
    row: Row,
    transfers_per_s: f64,
    /// For one transfer: what is left of the figures when the machine is busy.
    cpu: Duration,
    cpu_of_anvil: Duration,
    /// In units of alloy's transfers per second, and of AgentKit's.
    alloy_ratio: f64,
    agentkit_ratio: f64,
    voided: usize,
}

impl Comparison {
    pub(crate) fn of(measured: &[Measured]) -> Self {
        Self(measured.iter().flat_map(|setting| Row::ALL.map(|row| Line::of(setting, row))).collect())
    }
}

impl Table for Comparison {
    fn holds(&self) -> bool {
        self.0.iter().all(|line| line.verdict() != "FAIL")
    }

    fn markdown(&self) -> String {
        let mut text = String::from(
            "| blocks | who | transfers/s | CPU | anvil's CPU | transfers/s, alloy = 1 | transfers/s, AgentKit = 1 | void rounds | verdict |\n\
             |---|---|--:|--:|--:|--:|--:|--:|---|\n",
        );
        for line in &self.0 {
            let Line { row, transfers_per_s, alloy_ratio, agentkit_ratio, voided, .. } = line;
            let blocks = match line.blocks {
                Blocks::Instant => "instant",
                Blocks::EverySecond => "every second",
            };
            let (title, verdict, cpu, cpu_of_anvil) = (row.title(), line.verdict(), shown(line.cpu), shown(line.cpu_of_anvil));
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "| {blocks} | {title} | {transfers_per_s:.1} | {cpu} | {cpu_of_anvil} | {alloy_ratio:.2} | {agentkit_ratio:.1} | {voided} | {verdict} |"
            );
        }
        let _ = writeln!(
            text,
            "\nWanted: at least {LIMIT_RATIO_MIN} of alloy's confirmed transfers per second, and {AGENTKIT_RATIO_MIN_INSTANT:.0} times \
             AgentKit's with instant blocks, {AGENTKIT_RATIO_MIN_EVERY_SECOND:.0} times with a block every second. Transfers per second \
             and ratios are medians of the rounds, where a ratio compares transfers of one round; CPU time is that of one transfer over \
             all rounds. Every transfer is counted on the chain after its round. A round in which anvil kept a transaction that it could \
             have executed, and all behind it, is void for whomever it happened to, and made again.\n\n\
             Chimera runs in process, called through the wallet skill, with policy, budget, signed ledger, synced store and the \
             background's passes. alloy keeps no record of anything, hands out its own nonces and signs in process. Both look for \
             receipts by hash, after 25, 50, 100, 200, 400 and then every 500 ms. AgentKit is called one transfer after another, since \
             it loses nearly all of those that are sent at once."
        );
        text
    }
}

impl Line {
    fn of(setting: &Measured, row: Row) -> Self {
        let rounds = |row: Row| &setting.rounds[row as usize];
        let ratio_to = |other: Row| {
            let pairs = rounds(row).iter().zip(rounds(other));
            median(pairs.map(|(ours, theirs)| ours.transfers_per_s / theirs.transfers_per_s).collect())
        };
        let transfers: usize = rounds(row).iter().map(|round| round.transfers).sum();
        let of_one = |part: fn(&Round) -> Duration| rounds(row).iter().map(part).sum::<Duration>() / transfers as u32;
        Self {
            blocks: setting.blocks,
            row,
            transfers_per_s: median(rounds(row).iter().map(|round| round.transfers_per_s).collect()),
            cpu: of_one(|round| round.cpu),
            cpu_of_anvil: of_one(|round| round.cpu_of_anvil),
            alloy_ratio: ratio_to(Row::Alloy),
            agentkit_ratio: ratio_to(Row::AgentKit),
            voided: setting.voided[row as usize],
        }
    }

    fn verdict(&self) -> &'static str {
        let agentkit_ratio_min = match self.blocks {
            Blocks::Instant => AGENTKIT_RATIO_MIN_INSTANT,
            Blocks::EverySecond => AGENTKIT_RATIO_MIN_EVERY_SECOND,
        };
        match self.row {
            Row::Ours if self.alloy_ratio >= LIMIT_RATIO_MIN && self.agentkit_ratio >= agentkit_ratio_min => "PASS",
            Row::Ours => "FAIL",
            Row::Alloy | Row::AgentKit => "",
        }
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn shown(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
}
