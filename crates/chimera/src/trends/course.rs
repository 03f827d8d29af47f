//! How many items came when, in equal steps.

use chrono::{DateTime, TimeDelta, Utc};

/// From `start` to `end`, which is later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: DateTime<Utc>,
    pub end: DateTime<Utc>,
}

impl Span {
    pub fn last_hours(hours: u16, now: DateTime<Utc>) -> Self {
        Self { start: now - TimeDelta::hours(i64::from(hours)), end: now }
    }

    /// 0 at the start, 1 at the end; what lies outside is moved to the nearer of them.
    pub fn share(&self, at: DateTime<Utc>) -> f64 {
        let whole = (self.end - self.start).num_milliseconds().max(1) as f64;
        ((at - self.start).num_milliseconds() as f64 / whole).clamp(0.0, 1.0)
    }

    /// The moment at `share` of the span.
    pub fn at(&self, share: f64) -> DateTime<Utc> {
        self.start + TimeDelta::milliseconds(((self.end - self.start).num_milliseconds() as f64 * share) as i64)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    pub span: Span,
    /// One for each step of equal length, the oldest first.
    pub counts: Vec<usize>,
}

impl Course {
    /// Times outside of the span are passed over.
    pub fn new(times: impl Iterator<Item = DateTime<Utc>>, span: Span, steps: usize) -> Self {
        let mut counts = vec![0; steps.max(1)];
        let last = counts.len() - 1;
        for at in times.filter(|at| (span.start..=span.end).contains(at)) {
            counts[((span.share(at) * (last + 1) as f64) as usize).min(last)] += 1;
        }
        Self { span, counts }
    }

    pub fn most(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or_default()
    }
}

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Nothing came; a blank would hide how long the line is.
const NONE: char = '·';

/// One character a step, as high as its share of the highest.
pub fn sparkline(course: &Course) -> String {
    let most = course.most();
    let block = |count: &usize| match count {
        0 => NONE,
        count => BLOCKS[(count * BLOCKS.len()).div_ceil(most) - 1],
    };
    course.counts.iter().map(block).collect()
}
