//! Time that moves when told to.

use crate::ports::clock::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Mutex;

pub struct ManualClock(Mutex<DateTime<Utc>>);

impl ManualClock {
    /// `start` as RFC 3339.
    pub fn at(start: &str) -> Self {
        Self(Mutex::new(start.parse().expect("tests give valid times")))
    }

    pub fn advance(&self, by: TimeDelta) {
        *self.0.lock().expect("no test panics while holding the clock") += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().expect("no test panics while holding the clock")
    }
}
