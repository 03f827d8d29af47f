//! Keeps one server's one connection: opens it when somebody asks, and again, with growing pauses, when it is lost.

use super::config::UpstreamConfig;
use super::connection::{Connection, Dialer};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub(super) enum State {
    /// Nobody has asked yet, or nobody since the last failure's pause ended.
    Idle,
    Connecting,
    Connected(Connection),
    /// Asked before `retry_at`, it fails at once with `reason`.
    Failed {
        reason: String,
        retry_at: Instant,
    },
    Closed,
}

/// The callers' end of a supervised server.
pub(super) struct Supervised {
    pub(super) config: Arc<UpstreamConfig>,
    state: watch::Receiver<State>,
    demand: Arc<Notify>,
}

/// The future is to be run by the host until it ends, which it does after `cancel`.
pub(super) fn supervise(
    config: UpstreamConfig,
    dialer: Arc<Dialer>,
    cancel: CancellationToken,
) -> (Supervised, impl Future<Output = ()> + Send + 'static) {
    let (publish, state) = watch::channel(State::Idle);
    let (config, demand) = (Arc::new(config), Arc::new(Notify::new()));
    let supervised = Supervised { config: config.clone(), state, demand: demand.clone() };
    let running = async move {
        let keep = Keeper { config, dialer, demand, publish: publish.clone(), failures: 0 };
        keep.run(&cancel).await;
        publish.send_replace(State::Closed);
    };
    (supervised, running)
}

impl Supervised {
    /// Opens the connection if need be. The caller sets the deadline by dropping this; the attempt itself goes on,
    /// so that a slow server is there for the next caller.
    pub(super) async fn connection(&self) -> Result<Connection, String> {
        let mut state = self.state.clone();
        loop {
            let seen = state.borrow_and_update().clone();
            match seen {
                State::Connected(connection) if !connection.is_over() => return Ok(connection),
                State::Failed { reason, retry_at } => {
                    let wait = retry_at.saturating_duration_since(Instant::now());
                    return Err(format!("{reason}; next attempt in {} s", wait.as_secs_f32().ceil()));
                }
                State::Closed => return Err("the host is closing".to_owned()),
                State::Idle => self.demand.notify_one(),
                // Over, and its successor not yet announced.
                State::Connecting | State::Connected(_) => {}
            }
            if state.changed().await.is_err() {
                return Err("the host is closing".to_owned());
            }
        }
    }

    pub(super) fn current(&self) -> State {
        self.state.borrow().clone()
    }
}

struct Keeper {
    config: Arc<UpstreamConfig>,
    dialer: Arc<Dialer>,
    demand: Arc<Notify>,
    publish: watch::Sender<State>,
    /// In a row: a connection that lasted makes it zero again.
    failures: u32,
}

impl Keeper {
    async fn run(mut self, cancel: &CancellationToken) {
        while cancel.run_until_cancelled(self.demand.notified()).await.is_some() {
            while let Some(Ended::Lost) = self.one_connection(cancel).await {}
            if cancel.is_cancelled() {
                return;
            }
        }
    }

    /// `None` when cancelled.
    async fn one_connection(&mut self, cancel: &CancellationToken) -> Option<Ended> {
        self.publish.send_replace(State::Connecting);
        let name = &self.config.name;
        let opened = cancel.run_until_cancelled(self.dialer.open(&self.config)).await?;
        let reason = match opened {
            Ok(session) => {
                tracing::debug!(upstream = %name, "upstream server {name} is connected");
                let since = Instant::now();
                self.publish.send_replace(State::Connected(session.connection.clone()));
                let reason = session.run(cancel).await?;
                if since.elapsed() >= self.dialer.limits.stable_after {
                    self.failures = 0;
                }
                self.failures += 1;
                if self.failures == 1 {
                    // It worked until now, so the first restart comes at once, and callers wait for it.
                    tracing::warn!(upstream = %name, "upstream server {name} was lost ({reason}); connecting again");
                    return Some(Ended::Lost);
                }
                reason
            }
            Err(reason) => {
                self.failures += 1;
                reason
            }
        };
        let pause = self.pause();
        tracing::warn!(upstream = %name, "upstream server {name} failed ({reason}); next attempt in {} ms at the earliest", pause.as_millis());
        self.publish.send_replace(State::Failed { reason, retry_at: Instant::now() + pause });
        cancel.run_until_cancelled(tokio::time::sleep(pause)).await?;
        self.publish.send_replace(State::Idle);
        Some(Ended::WaitForDemand)
    }

    /// Doubles with each failure, and varies by half, so that many hosts do not knock at the same moment.
    fn pause(&self) -> Duration {
        let limits = &self.dialer.limits;
        let doubled = limits.backoff_first.saturating_mul(1 << (self.failures.saturating_sub(1)).min(16));
        let full = doubled.min(limits.backoff_max);
        let dice = f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX);
        full.mul_f64(0.5 + dice / 2.0)
    }
}

enum Ended {
    /// Connect again at once.
    Lost,
    WaitForDemand,
}
