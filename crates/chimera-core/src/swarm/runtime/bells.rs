//! How roles of one process wake each other.

use tokio::sync::Notify;

/// A ring while nobody waits is kept for the next who does: none is missed.
#[derive(Default)]
pub struct Bells {
    pub planner: Notify,
    /// Wakes one Worker; one that finds work wakes the next.
    pub workers: Notify,
    pub judge: Notify,
    pub publisher: Notify,
}

impl Bells {
    pub fn ring_all(&self) {
        for bell in [&self.planner, &self.workers, &self.judge, &self.publisher] {
            bell.notify_one();
        }
    }
}
