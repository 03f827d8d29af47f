//! Whether an endpoint is worth asking: after failures in a row it is left alone for a while, and then one request tries it for all.

use std::time::Duration;
use tokio::time::Instant;

/// One failure may be the network's; so many in a row are the server's.
const FAILURES_MAX: u32 = 3;
const LEFT_ALONE_FIRST: Duration = Duration::from_secs(5);
const LEFT_ALONE_MAX: Duration = Duration::from_secs(300);
/// How long the one that tries has, before another may.
const TRIAL: Duration = Duration::from_secs(30);

/// Pure: the caller says what time it is.
#[derive(Debug, Default)]
pub struct Breaker {
    failures: u32,
    left_alone_until: Option<Instant>,
    /// The server itself named this moment.
    limited_until: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Go,
    /// It failed too often of late.
    LeftAlone,
    /// It asked us to wait so long.
    Limited(Duration),
}

impl Breaker {
    pub fn admit(&mut self, now: Instant) -> Admission {
        if let Some(until) = self.limited_until.filter(|until| now < *until) {
            return Admission::Limited(until - now);
        }
        match self.left_alone_until {
            None => Admission::Go,
            Some(until) if now < until => Admission::LeftAlone,
            Some(_) => {
                self.left_alone_until = Some(now + TRIAL);
                Admission::Go
            }
        }
    }

    /// It gave an answer, if only a refusal.
    pub fn answered(&mut self) {
        self.failures = 0;
        self.left_alone_until = None;
    }

    pub fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES_MAX {
            let doublings = (self.failures - FAILURES_MAX).min(16);
            self.left_alone_until = Some(now + LEFT_ALONE_FIRST.saturating_mul(1 << doublings).min(LEFT_ALONE_MAX));
        }
    }

    pub fn limited(&mut self, until: Instant) {
        self.limited_until = Some(self.limited_until.map_or(until, |known| known.max(until)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_row_leave_it_alone_and_then_one_request_tries() {
        let mut breaker = Breaker::default();
        let now = Instant::now();
        for _ in 0..2 {
            breaker.failed(now);
            assert_eq!(breaker.admit(now), Admission::Go);
        }
        breaker.failed(now);

        assert_eq!(breaker.admit(now + LEFT_ALONE_FIRST - Duration::from_millis(1)), Admission::LeftAlone);
        assert_eq!(breaker.admit(now + LEFT_ALONE_FIRST), Admission::Go, "one tries");
        assert_eq!(breaker.admit(now + LEFT_ALONE_FIRST), Admission::LeftAlone, "and only one");
        assert_eq!(breaker.admit(now + LEFT_ALONE_FIRST + TRIAL), Admission::Go, "one that never came back blocks nobody for ever");

        breaker.failed(now);
        assert_eq!(breaker.admit(now + 2 * LEFT_ALONE_FIRST - Duration::from_millis(1)), Admission::LeftAlone, "longer each time");
        breaker.answered();
        assert_eq!(breaker.admit(now), Admission::Go);
    }

    #[test]
    fn what_the_server_asks_for_is_kept_to_and_never_shortened() {
        let mut breaker = Breaker::default();
        let now = Instant::now();
        breaker.limited(now + Duration::from_secs(9));
        breaker.limited(now + Duration::from_secs(2));

        assert_eq!(breaker.admit(now + Duration::from_secs(2)), Admission::Limited(Duration::from_secs(7)));
        assert_eq!(breaker.admit(now + Duration::from_secs(9)), Admission::Go);
    }
}
