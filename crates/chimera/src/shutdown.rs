//! Ctrl-C and SIGTERM: the first asks everything to finish, the second ends the program at once.

use tokio::{
    signal::unix::{SignalKind, signal},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// What a shell shows for a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Listens for as long as it lives.
pub struct Shutdown {
    /// Cancelled at the first signal.
    pub token: CancellationToken,
    _listener: JoinSet<()>,
}

impl Shutdown {
    pub fn on_signal() -> std::io::Result<Self> {
        let token = CancellationToken::new();
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let cancel = token.clone();
        let mut listener = JoinSet::new();
        listener.spawn(async move {
            let mut next = async || {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
            };
            next().await;
            tracing::info!("stopping: what runs is finished first; a second signal ends at once");
            cancel.cancel();
            next().await;
            std::process::exit(INTERRUPTED);
        });
        Ok(Self { token, _listener: listener })
    }
}
