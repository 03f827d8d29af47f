//! Programs that die before or after any call to the outside, to show what a restart finds.

use crate::ports::watched::{Watched, Watcher};
use async_trait::async_trait;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::{Notify, Semaphore};

/// A port as seen by a program that will die.
pub type Mortal<Port> = Watched<Port>;

/// Dies at the given point: whoever asks from then on is never answered, as by a process that is no more.
pub struct Death {
    points_left: AtomicUsize,
    has_come: Notify,
    /// Lets those through who wait; nobody, for a real death.
    may_go_on: Semaphore,
}

impl Death {
    pub fn after(points: usize) -> Arc<Self> {
        Arc::new(Self { points_left: AtomicUsize::new(points), has_come: Notify::new(), may_go_on: Semaphore::new(0) })
    }

    pub async fn has_come(&self) {
        self.has_come.notified().await;
    }

    /// It was only a pause: everybody goes on.
    pub fn undo(&self) {
        self.may_go_on.add_permits(Semaphore::MAX_PERMITS);
    }

    async fn point(&self) {
        let before = self.points_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if before.is_err() {
            self.has_come.notify_one();
            let _permit = self.may_go_on.acquire().await;
        }
    }
}

#[async_trait]
impl Watcher for Death {
    async fn before(&self, _step: &'static str) {
        self.point().await;
    }

    async fn after(&self, _step: &'static str) {
        self.point().await;
    }
}
