//! The fleet as it stood after any event: the event log folded from its beginning (event sourcing), with a snapshot every so many events, so
//! that no look reads more than what lies between two snapshots. The first look reads the log once.

mod standing;

use crate::{
    contracts::views::{
        agents::Stop,
        hindsight::{AgentThen, FleetThen},
    },
    ports::{
        StoreError,
        events::{Event, Events},
    },
};
use chrono::{DateTime, Utc};
use standing::Standing;
use tokio::sync::Mutex;

/// Events between two snapshots, while the log is short.
const STRIDE: u64 = 2_000;
/// When there are more, every second one is dropped.
const SNAPSHOTS_MAX: usize = 256;
const PAGE: usize = 2_000;

/// What the event log cannot tell.
const UNKNOWN: [&str; 4] = [
    "Why something was stopped, where the stop was lifted since: the log keeps that it was, and the ledger the reason of a freeze.",
    "Whether an agent was in error: the log has no failures of Workers, so an agent that failed is shown by what it did otherwise.",
    "Balances, budgets and what a SOUL or a policy said then: /money and the ledger have what was paid.",
    "Agents and stops of before the log had them appear with the first event that names them.",
];

/// Snapshots of one store's log; for one process.
#[derive(Default)]
pub struct FleetHistory(Mutex<Snapshots>);

struct Snapshots {
    /// By number, from 0 on.
    kept: Vec<Snapshot>,
    stride: u64,
}

#[derive(Clone, Default)]
struct Snapshot {
    number: u64,
    at: Option<DateTime<Utc>>,
    standing: Standing,
}

impl Default for Snapshots {
    fn default() -> Self {
        Self { kept: vec![Snapshot::default()], stride: STRIDE }
    }
}

/// Which moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// After the event of this number.
    Event(u64),
    At(DateTime<Utc>),
}

impl Moment {
    fn is_past(self, event: &Event) -> bool {
        match self {
            Self::Event(number) => event.number > number,
            Self::At(at) => event.at > at,
        }
    }

    fn holds(self, snapshot: &Snapshot) -> bool {
        match self {
            Self::Event(number) => snapshot.number <= number,
            Self::At(at) => snapshot.at.is_none_or(|snapshot_at| snapshot_at <= at),
        }
    }
}

/// Who exists that no event may name, and why what stands still was stopped.
pub struct Known<'a> {
    /// Agents, and when they were made.
    pub agents: &'a [(String, DateTime<Utc>)],
    pub stops: &'a [Stop],
}

impl FleetHistory {
    pub async fn fleet(&self, events: &dyn Events, moment: Moment, known: &Known<'_>) -> Result<FleetThen, StoreError> {
        let last = events.last().await?;
        let found = self.after(events, moment).await?;
        let at = found.at.unwrap_or(DateTime::UNIX_EPOCH);
        // Between two events the fleet stands as after the first of them, and an agent may have been made in between.
        let at = if let Moment::At(asked) = moment { asked.max(at) } else { at };
        let agents: Vec<AgentThen> = found.standing.agents(at, known);
        Ok(FleetThen {
            event: found.number,
            last: last.max(found.number),
            first_at: None,
            last_at: None,
            happened: None,
            running_campaigns: found.standing.running_campaigns(),
            agents,
            stops: found.standing.stops(),
            held_answers: found.standing.held_answers(),
            unknown: UNKNOWN.map(str::to_owned).to_vec(),
        })
    }

    async fn after(&self, events: &dyn Events, moment: Moment) -> Result<Snapshot, StoreError> {
        let mut snapshots = self.0.lock().await;
        let from = snapshots.kept.partition_point(|snapshot| moment.holds(snapshot)).saturating_sub(1);
        let is_newest = from + 1 == snapshots.kept.len();
        let mut now = snapshots.kept.get(from).cloned().unwrap_or_default();
        // What lies between two snapshots needs no lock, and holds up nobody.
        if !is_newest {
            drop(snapshots);
            fold(events, moment, &mut now, |_| {}).await?;
            return Ok(now);
        }
        fold(events, moment, &mut now, |standing| snapshots.keep(standing)).await?;
        Ok(now)
    }
}

async fn fold(events: &dyn Events, moment: Moment, now: &mut Snapshot, mut keep: impl FnMut(&Snapshot)) -> Result<(), StoreError> {
    loop {
        let page = events.events(now.number, PAGE).await?;
        for event in &page {
            if moment.is_past(event) {
                return Ok(());
            }
            now.standing.take(event);
            (now.number, now.at) = (event.number, Some(event.at));
            keep(now);
        }
        if page.len() < PAGE {
            return Ok(());
        }
    }
}

impl Snapshots {
    fn keep(&mut self, now: &Snapshot) {
        if now.number < self.kept.last().map_or(0, |last| last.number) + self.stride {
            return;
        }
        self.kept.push(now.clone());
        if self.kept.len() > SNAPSHOTS_MAX {
            let mut place = 0;
            self.kept.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
        }
    }
}

#[cfg(test)]
mod tests;
