//! A skill's progress on its way to the client that asked for it.

use chimera_core::skills::Progress;
use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;

/// Reports that wait while the client reads slowly; a report that finds no room is dropped, since the next one says more.
const WAITING_MAX: usize = 16;

pub(super) struct ProgressReports {
    token: ProgressToken,
    /// One more than the last `done` that was sent: the protocol wants progress that only grows.
    next: AtomicU64,
    waiting: mpsc::Sender<ProgressNotificationParam>,
}

impl ProgressReports {
    pub(super) fn new(token: ProgressToken) -> (Self, mpsc::Receiver<ProgressNotificationParam>) {
        let (waiting, reports) = mpsc::channel(WAITING_MAX);
        (Self { token, next: AtomicU64::new(0), waiting }, reports)
    }
}

impl Progress for ProgressReports {
    #[expect(clippy::cast_precision_loss, reason = "the protocol counts progress in floating point")]
    fn report(&self, done: u64, total: u64, message: &str) {
        if self.next.fetch_max(done.saturating_add(1), Ordering::Relaxed) > done {
            return;
        }
        let report = ProgressNotificationParam::new(self.token.clone(), done as f64).with_total(total as f64).with_message(message);
        // A full queue or a client that went away loses a report and nothing else.
        let _ = self.waiting.try_send(report);
    }
}

/// Until the skill is done and its reports have left.
pub(super) async fn forward(mut reports: mpsc::Receiver<ProgressNotificationParam>, client: &Peer<RoleServer>) {
    while let Some(report) = reports.recv().await {
        if client.notify_progress(report).await.is_err() {
            return;
        }
    }
}
