//! The system's clock, and the only reader of it.

use chimera_core::ports::clock::Clock;
use chrono::{DateTime, Utc};

pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else takes as an argument")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
