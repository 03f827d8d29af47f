//! Medians, ratios and verdicts.

use super::load::Round;
use std::{fmt::Write, time::Duration};

/// How much longer than the bare rmcp echo an invalid call may take.
const INVALID_TIME_RATIO_MAX: f64 = 1.5;
/// How many times FastMCP's calls per second each of our calls must reach.
const FASTMCP_RATIO_MIN: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    Echo,
    /// For comparison: how much of a call's time is the length of its arguments.
    EchoOfHello,
    FastMcp,
    Balance,
    TwoMistakes,
    FourMistakes,
}

impl Row {
    pub(crate) const COUNT: usize = Self::ALL.len();
    pub(crate) const ALL: [Self; 6] = [Self::Echo, Self::EchoOfHello, Self::FastMcp, Self::Balance, Self::TwoMistakes, Self::FourMistakes];

    fn title(self) -> &'static str {
        match self {
            Self::Echo => "rmcp: echo",
            Self::EchoOfHello => "rmcp: echo of \"hello\"",
            Self::FastMcp => "FastMCP: echo",
            Self::Balance => "Chimera: `get_balance` on a stub chain",
            Self::TwoMistakes => "Chimera: an invalid call, with two mistakes",
            Self::FourMistakes => "Chimera: an invalid call, with four mistakes",
        }
    }
}

/// Every round at one number of connections, by row.
pub(crate) struct Measured {
    pub(crate) connections: usize,
    pub(crate) rounds: [Vec<Round>; Row::COUNT],
}

pub(crate) struct Comparison(Vec<Line>);

struct Line {
    connections: usize,
    row: Row,
    calls_per_s: f64,
    p50: Duration,
    p99: Duration,
    /// CPU time of the server for one call: what is left of the figures when the machine is busy.
    cpu: Duration,
    /// Time per call in units of the bare rmcp echo's, and calls per second in units of FastMCP's.
    time_ratio: f64,
    fastmcp_ratio: f64,
}

impl Comparison {
    pub(crate) fn of(measured: &[Measured]) -> Self {
        Self(measured.iter().flat_map(|level| Row::ALL.map(|row| Line::of(level, row))).collect())
    }

    pub(crate) fn holds(&self) -> bool {
        self.0.iter().all(|line| line.verdict() != "FAIL")
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from(
            "| connections | server and call | calls/s | p50 | p99 | CPU | time, rmcp = 1 | calls/s, FastMCP = 1 | verdict |\n\
             |--:|---|--:|--:|--:|--:|--:|--:|---|\n",
        );
        for line in &self.0 {
            let Line { connections, row, calls_per_s, time_ratio, fastmcp_ratio, .. } = line;
            let (title, p50, p99, verdict) = (row.title(), milliseconds(line.p50), milliseconds(line.p99), line.verdict());
            let cpu_us = line.cpu.as_secs_f64() * 1e6;
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "| {connections} | {title} | {calls_per_s:.0} | {p50} | {p99} | {cpu_us:.0} µs | {time_ratio:.2} | {fastmcp_ratio:.1} | {verdict} |"
            );
        }
        let _ = writeln!(
            text,
            "\nWanted: an invalid call takes at most {INVALID_TIME_RATIO_MAX} times as long as the bare rmcp echo, and all of our calls \
             reach at least {FASTMCP_RATIO_MIN:.0} times FastMCP's calls per second. The echoes are handed the arguments of the call with \
             four mistakes, and give them back as text. Calls per second and ratios are medians of the \
             rounds, where a ratio compares calls of one round; latencies and the server's CPU time for one call are \
             those of all rounds together."
        );
        text
    }
}

impl Line {
    fn of(level: &Measured, row: Row) -> Self {
        let rounds = |row: Row| &level.rounds[row as usize];
        let ratio_to = |other: Row| {
            let pairs = rounds(row).iter().zip(rounds(other));
            median(pairs.map(|(ours, theirs)| ours.calls_per_s / theirs.calls_per_s).collect())
        };
        let mut latencies: Vec<Duration> = rounds(row).iter().flat_map(|round| round.latencies.iter().copied()).collect();
        latencies.sort_unstable();
        let cpu: Duration = rounds(row).iter().map(|round| round.cpu).sum();
        Self {
            connections: level.connections,
            row,
            calls_per_s: median(rounds(row).iter().map(|round| round.calls_per_s).collect()),
            p50: latencies[latencies.len() / 2],
            p99: latencies[latencies.len() * 99 / 100],
            cpu: cpu / latencies.len() as u32,
            time_ratio: 1.0 / ratio_to(Row::Echo),
            fastmcp_ratio: ratio_to(Row::FastMcp),
        }
    }

    fn verdict(&self) -> &'static str {
        let holds = match self.row {
            Row::Echo | Row::EchoOfHello | Row::FastMcp => return "",
            Row::Balance => self.fastmcp_ratio >= FASTMCP_RATIO_MIN,
            Row::TwoMistakes | Row::FourMistakes => self.fastmcp_ratio >= FASTMCP_RATIO_MIN && self.time_ratio <= INVALID_TIME_RATIO_MAX,
        };
        if holds { "PASS" } else { "FAIL" }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
}
