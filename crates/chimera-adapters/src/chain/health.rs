//! Whether a node is worth asking: when it last failed, and whether it was seen to serve the right chain.

use std::time::Duration;
use tokio::time::Instant;

/// How long a node that failed is passed over, doubled with each failure in a row.
const PASSED_OVER_FIRST: Duration = Duration::from_secs(1);
const PASSED_OVER_MAX: Duration = Duration::from_secs(60);
/// Shorter than connections are kept: a node that was replaced behind its address is noticed on the next one.
const VERIFIED_FOR: Duration = Duration::from_secs(60);

/// Pure: the caller says what time it is.
#[derive(Debug, Default)]
pub struct Health {
    failures: u32,
    passed_over_until: Option<Instant>,
    verified_at: Option<Instant>,
}

impl Health {
    pub fn is_down(&self, now: Instant) -> bool {
        self.passed_over_until.is_some_and(|until| now < until)
    }

    /// When it is asked again at the latest; `None` when it may be asked now.
    pub fn passed_over_until(&self) -> Option<Instant> {
        self.passed_over_until
    }

    pub fn is_verified(&self, now: Instant) -> bool {
        self.verified_at.is_some_and(|at| now < at + VERIFIED_FOR)
    }

    pub fn verified(&mut self, now: Instant) {
        self.verified_at = Some(now);
    }

    /// It gave an answer, if only a refusal.
    pub fn answered(&mut self) {
        self.failures = 0;
        self.passed_over_until = None;
    }

    /// It gave none. What comes back at its address may be another node, so its chain is asked for again. Says whether this is news.
    pub fn failed(&mut self, now: Instant) -> bool {
        let doublings = self.failures.min(16);
        self.failures += 1;
        self.passed_over_until = Some(now + PASSED_OVER_FIRST.saturating_mul(1 << doublings).min(PASSED_OVER_MAX));
        self.verified_at = None;
        self.failures == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_node_is_passed_over_for_longer_each_time_up_to_a_minute() {
        let mut health = Health::default();
        let mut now = Instant::now();
        assert!(!health.is_down(now));
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(health.failed(now), seconds == 1, "only the first failure is news");
            assert!(health.is_down(now + Duration::from_secs(seconds) - Duration::from_millis(1)), "{seconds}");
            now += Duration::from_secs(seconds);
            assert!(!health.is_down(now), "{seconds}");
        }
        health.answered();
        assert!(health.failed(now) && !health.is_down(now + Duration::from_secs(1)), "one answer makes good for all");
    }

    #[test]
    fn the_chain_is_asked_for_again_after_a_failure_and_after_a_minute() {
        let mut health = Health::default();
        let now = Instant::now();
        assert!(!health.is_verified(now));
        health.verified(now);
        assert!(health.is_verified(now + Duration::from_secs(59)) && !health.is_verified(now + Duration::from_secs(60)));
        health.failed(now);
        assert!(!health.is_verified(now));
    }
}
