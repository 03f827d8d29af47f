//! Traces for whoever collects them: events of this data folder as spans, sent while the program serves.

use super::App;
use chimera_adapters::trace_sink::OtlpSink;
use chimera_core::{
    ports::{
        StoreError,
        events::Events,
        trace_sink::{Span, TraceSink},
    },
    swarm::spans::SpanMaker,
};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const LOOK_EVERY: Duration = Duration::from_secs(1);
const EVENTS_PER_LOOK_MAX: usize = 5_000;
const SPANS_PER_REQUEST_MAX: usize = 512;

impl App {
    /// Until `stop`; what happened by then is still told. Nothing is sent without a collector, and nothing waits for one.
    pub async fn tell_collector(&self, stop: &CancellationToken) {
        let Some(url) = &self.settings.file.telemetry.otlp_url else { return };
        let sink = match OtlpSink::new(url) {
            Ok(sink) => sink,
            Err(error) => return tracing::error!("telemetry.otlp_url: {error}; no traces are sent"),
        };
        let mut teller = Teller { events: &self.records.store, sink: &sink, maker: SpanMaker::default(), told_to: 0, is_refused: false };
        teller.told_to = match self.records.store.last().await {
            Ok(last) => last,
            Err(error) => return tracing::error!("no traces are sent: {error}"),
        };
        while stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
            teller.look().await;
        }
        teller.look().await;
    }
}

struct Teller<'a> {
    events: &'a dyn Events,
    sink: &'a dyn TraceSink,
    maker: SpanMaker,
    told_to: u64,
    /// Whether the last request failed: said once, and not every second.
    is_refused: bool,
}

impl Teller<'_> {
    async fn look(&mut self) {
        loop {
            match self.next_spans().await {
                Ok(Some(spans)) => self.send(&spans).await,
                Ok(None) => return,
                Err(error) => return tracing::warn!("events cannot be read for traces: {error}"),
            }
        }
    }

    /// `None` when nothing new has happened.
    async fn next_spans(&mut self) -> Result<Option<Vec<Span>>, StoreError> {
        let events = self.events.events(self.told_to, EVENTS_PER_LOOK_MAX).await?;
        let Some(last) = events.last() else { return Ok(None) };
        self.told_to = last.number;
        Ok(Some(events.iter().flat_map(|event| self.maker.follow(event)).collect()))
    }

    async fn send(&mut self, spans: &[Span]) {
        for batch in spans.chunks(SPANS_PER_REQUEST_MAX) {
            match self.sink.export(batch).await {
                Ok(()) => self.is_refused = false,
                Err(error) if !self.is_refused => {
                    self.is_refused = true;
                    tracing::warn!("{error}; they are lost, and the next ones are tried");
                }
                Err(_) => {}
            }
        }
    }
}
