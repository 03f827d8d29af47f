//! Medians, ratios and verdicts.

use std::fmt::Write;

const LIMIT_RATIO_MIN: f64 = 0.7;
const BULLMQ_RATIO_MIN: f64 = 5.0;

pub(crate) trait Table {
    fn markdown(&self) -> String;
    fn holds(&self) -> bool;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    Ours,
    Limit,
    BullMq,
    Celery,
}

impl Row {
    const ALL: [Self; 4] = [Self::Ours, Self::Limit, Self::BullMq, Self::Celery];

    fn title(self) -> &'static str {
        match self {
            Self::Ours => "Chimera: plan, work, judge, commit, outbox, signed ledger",
            Self::Limit => "bare SQLite, the same rows in as many transactions: the limit",
            Self::BullMq => "BullMQ: a job to work, one to judge, one to publish",
            Self::Celery => "Celery: a chain of the same three",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    pub(crate) tasks_per_s: f64,
    pub(crate) commits_per_task: f64,
}

impl Round {
    pub(crate) fn of(tasks: usize, seconds: f64) -> Self {
        Self { tasks_per_s: tasks as f64 / seconds, commits_per_task: 0.0 }
    }
}

/// Every round of everybody.
#[derive(Default)]
pub(crate) struct Comparison([Vec<Round>; Row::ALL.len()]);

impl Comparison {
    pub(crate) fn add(&mut self, row: Row, round: Round) {
        self.0[row as usize].push(round);
    }

    /// The last round, for whoever watches.
    pub(crate) fn last(&self) -> String {
        let told = |row: Row| self.0[row as usize].last().map(|round| format!("{row:?} {:.0}/s", round.tasks_per_s));
        Row::ALL.into_iter().filter_map(told).collect::<Vec<_>>().join(", ")
    }

    fn ratio(&self, other: Row) -> f64 {
        let pairs = self.0[Row::Ours as usize].iter().zip(&self.0[other as usize]);
        median(pairs.map(|(ours, theirs)| ours.tasks_per_s / theirs.tasks_per_s).collect())
    }

    fn median_of(&self, row: Row, part: fn(&Round) -> f64) -> f64 {
        median(self.0[row as usize].iter().map(part).collect())
    }
}

impl Table for Comparison {
    fn holds(&self) -> bool {
        self.ratio(Row::Limit) >= LIMIT_RATIO_MIN && self.ratio(Row::BullMq) >= BULLMQ_RATIO_MIN
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| who | tasks/s | Chimera to it | verdict |\n|---|--:|--:|---|\n");
        for row in Row::ALL {
            let ratio = self.ratio(row);
            let (ratio, verdict) = match row {
                Row::Ours => (String::new(), ""),
                Row::Limit => (format!("{ratio:.2}"), if ratio >= LIMIT_RATIO_MIN { "PASS" } else { "FAIL" }),
                Row::BullMq => (format!("{ratio:.1}"), if ratio >= BULLMQ_RATIO_MIN { "PASS" } else { "FAIL" }),
                Row::Celery => (format!("{ratio:.0}"), ""),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {} | {:.0} | {ratio} | {verdict} |", row.title(), self.median_of(row, |round| round.tasks_per_s));
        }
        let commits = self.median_of(Row::Ours, |round| round.commits_per_task);
        let _ = writeln!(
            text,
            "\nWanted: at least {LIMIT_RATIO_MIN} of what bare SQLite does, and {BULLMQ_RATIO_MIN:.0} times BullMQ. Tasks per second and \
             ratios are medians of the rounds, where a ratio compares what was made in one round; everybody enqueues {} at a time and does \
             nothing in them, while the others stand still. Chimera has {} tasks in progress at once, the peers {} jobs of each role, which BullMQ is fastest with.\n\n\
             Chimera writes the task, its lease, its result, the decision, the post, its leaving, an entry of the signed ledger and seven events, \
             synced, with {commits:.3} commits for a task: those of different tasks share one. Bare SQLite writes those very rows, with \
             their indexes and triggers and under the same settings, in as many transactions, each synced. BullMQ and Celery have a job for each of the three \
             roles that take a task over, are on Redis with `appendfsync always` behind a Unix socket, and keep neither decisions nor a \
             ledger.",
            super::ours::BATCH,
            super::AT_ONCE,
            super::AT_ONCE_PEERS,
        );
        text
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
