//! The event log as it grows, as server-sent events: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
//!
//! The log is the queue. What was read of it stands in a ring, each event serialised once, and a listener holds nothing but the number of
//! the last event that it was sent: a slow one reads fewer and larger batches, and one that fell out of the ring is told to load the page
//! anew. Of those who wait, one at a time reads the log for all of them, so nothing is read while nobody listens; whoever reads stops
//! doing so before it writes to its own listener, who may be slow.

use crate::{Dashboard, Problem, api::request::Call};
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use chimera_core::{
    contracts::views::stories::EventRow,
    ports::{StoreError, events::EventKind},
};
use futures::{StreamExt, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Mutex as Turn, watch},
    time::{Instant, sleep, sleep_until},
};

/// Of an event about a person, in the store's word.
const REMOVED: &str = "removed";
const FRAMES_MAX: usize = 4096;
/// The store is asked so often for what other processes wrote.
const POLL_EVERY: Duration = Duration::from_millis(100);
const COMMENT_EVERY: Duration = Duration::from_secs(15);
const STREAMS_PER_PERSON_MAX: usize = 8;
const STREAMS_MAX: usize = 2000;
/// Then the browser comes back, and whoever may no longer look is found out.
const STREAM_MAX: Duration = Duration::from_secs(60 * 60);
/// What a full ring of listeners waits before it asks again.
const RETRY_AFTER_S: u64 = 30;
const BATCH_FRAMES_MAX: usize = 512;

/// Where to begin.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveQuery {
    /// The number of the last event that was seen; where it is left out, only what comes from now on is told.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    after: Option<u64>,
}

pub(crate) struct Live {
    ring: Mutex<Ring>,
    head: watch::Sender<u64>,
    /// Held by whoever reads the log for all.
    turn: Turn<()>,
    listeners: Mutex<HashMap<String, usize>>,
}

impl Default for Live {
    fn default() -> Self {
        Self { ring: Mutex::default(), head: watch::Sender::new(0), turn: Turn::default(), listeners: Mutex::default() }
    }
}

/// Every event above `floor` and up to `head`.
#[derive(Default)]
struct Ring {
    /// Whether the log was looked at yet.
    is_filled: bool,
    floor: u64,
    head: u64,
    frames: VecDeque<Frame>,
}

struct Frame {
    number: u64,
    bytes: Bytes,
    /// Who may no longer listen from this event on.
    removed: Option<String>,
}

/// What a listener is sent next.
struct Batch {
    bytes: Bytes,
    /// The number of the last event in it.
    position: u64,
    /// Its listener was removed: this is nothing for it any more.
    is_over: bool,
}

pub(crate) async fn listen(live: Arc<Live>, dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let after = match last_event_id(&call.headers) {
        Some(number) => Some(number),
        None => call.query::<LiveQuery>()?.after,
    };
    let place = live.take_place(call.visitor.name.as_str())?;
    live.catch_up(&dashboard).await?;
    let began_at = live.ring().head;
    let position = after.unwrap_or(began_at);
    let shutdown = dashboard.shutdown.clone();
    let name = call.visitor.name.to_string();
    let listener = Listener { live, dashboard, name, began_at, position, _place: place, until: Instant::now() + STREAM_MAX };
    // Browsers that were cut off wait so long before they come back, at least.
    let opening = stream::once(async { Ok::<_, std::convert::Infallible>(Bytes::from_static(b"retry: 1000\n\n")) });
    let batches = stream::unfold(listener, |mut listener| async { listener.next().await.map(|batch| (Ok(batch), listener)) });
    let body = Body::from_stream(opening.chain(batches).take_until(shutdown.cancelled_owned()));
    Ok(([(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")], body).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Option<u64> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}

struct Listener {
    live: Arc<Live>,
    dashboard: Arc<Dashboard>,
    /// Whose it is.
    name: String,
    /// The newest event then: what happened to somebody of this name before is not about whoever listens now.
    began_at: u64,
    /// The number of the last event that it was sent.
    position: u64,
    _place: Place,
    until: Instant,
}

impl Listener {
    /// What it has not been sent yet, as soon as there is something; a comment now and then, so that both ends know of each other.
    async fn next(&mut self) -> Option<Bytes> {
        let mut head = self.live.head.subscribe();
        let comment_at = Instant::now() + COMMENT_EVERY;
        loop {
            head.borrow_and_update();
            if let Some(batch) = self.live.ring().batch(self.position, &self.name, self.began_at) {
                self.position = batch.position;
                return if batch.is_over { None } else { Some(batch.bytes) };
            }
            tokio::select! {
                biased;
                () = sleep_until(self.until) => return None,
                () = sleep_until(comment_at) => return Some(Bytes::from_static(b": here\n\n")),
                _ = head.changed() => {}
                () = self.live.read_for_all(&self.dashboard) => {}
            }
        }
    }
}

impl Live {
    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until there is something new: waits for its turn to read, and reads.
    async fn read_for_all(&self, dashboard: &Dashboard) {
        let _turn = self.turn.lock().await;
        loop {
            match self.read_new(dashboard).await {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => tracing::warn!("the event log cannot be read: {error}"),
            }
            sleep(POLL_EVERY).await;
        }
    }

    /// Whoever reads for all does so all the time: only where nobody does, there may be something to read.
    async fn catch_up(&self, dashboard: &Dashboard) -> Result<(), StoreError> {
        match self.turn.try_lock() {
            Ok(_turn) => self.read_new(dashboard).await.map(drop),
            Err(_taken) => Ok(()),
        }
    }

    /// Whether there was something. Only whoever has the turn may call it.
    async fn read_new(&self, dashboard: &Dashboard) -> Result<bool, StoreError> {
        let last = dashboard.events.last().await?;
        let head = self.ring().begin_at(last);
        if last <= head {
            return Ok(false);
        }
        let events = dashboard.queries.events(head, FRAMES_MAX).await?;
        let Some(newest) = events.last().map(|event| event.number) else { return Ok(false) };
        self.ring().push(&events);
        self.head.send_replace(newest);
        Ok(true)
    }

    fn take_place(self: &Arc<Self>, name: &str) -> Result<Place, Problem> {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if listeners.values().sum::<usize>() >= STREAMS_MAX {
            let detail = format!("{STREAMS_MAX} streams are open, and no more are served.");
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_streams", detail, "Try again in a moment.");
            return Err(problem.with_retry_after(RETRY_AFTER_S));
        }
        let own = listeners.entry(name.to_owned()).or_default();
        if *own >= STREAMS_PER_PERSON_MAX {
            let detail = format!("{name} has {STREAMS_PER_PERSON_MAX} streams open, which is as many as one may have.");
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_streams", detail, "Close a tab, and try again.");
            return Err(problem.with_retry_after(RETRY_AFTER_S));
        }
        *own += 1;
        Ok(Place { live: self.clone(), name: name.to_owned() })
    }
}

/// One of the streams that somebody may have.
struct Place {
    live: Arc<Live>,
    name: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut listeners = self.live.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = listeners.get_mut(&self.name) {
            *own -= 1;
            if *own == 0 {
                listeners.remove(&self.name);
            }
        }
    }
}

impl Ring {
    /// Where to read on, with `last` as the number of the newest event. More than the ring holds is not read: whoever wanted it is reset.
    fn begin_at(&mut self, last: u64) -> u64 {
        let start = last.saturating_sub(FRAMES_MAX as u64);
        if !self.is_filled || start > self.head {
            *self = Self { is_filled: true, floor: start, head: start, frames: VecDeque::new() };
        }
        self.head
    }

    fn push(&mut self, events: &[EventRow]) {
        for event in events {
            let removed = (event.kind == EventKind::Person.name() && event.state == REMOVED).then(|| event.subject.clone());
            self.frames.push_back(Frame { number: event.number, bytes: frame(event), removed });
            self.head = event.number;
        }
        while self.frames.len() > FRAMES_MAX {
            self.floor = self.frames.pop_front().map_or(self.floor, |frame| frame.number);
        }
    }

    /// What comes after `position`, and the position after it; `None` where nothing does.
    fn batch(&self, position: u64, name: &str, began_at: u64) -> Option<Batch> {
        if position == self.head {
            return None;
        }
        if position < self.floor || position > self.head {
            let reset = format!("id: {0}\nevent: reset\ndata: {{\"last\":{0}}}\n\n", self.head);
            return Some(Batch { bytes: Bytes::from(reset), position: self.head, is_over: false });
        }
        let first = self.frames.partition_point(|frame| frame.number <= position);
        let frames: Vec<&Frame> = self.frames.iter().skip(first).take(BATCH_FRAMES_MAX).collect();
        let position = frames.last()?.number;
        let is_over = frames.iter().any(|frame| frame.number > began_at && frame.removed.as_deref() == Some(name));
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| frame.bytes.iter().copied()).collect();
        Some(Batch { bytes: Bytes::from(bytes), position, is_over })
    }
}

/// A hint that something changed. It holds no content, so one stream fits every role.
fn frame(event: &EventRow) -> Bytes {
    let mut data = json!({
        "number": event.number, "kind": event.kind, "state": event.state, "subject": event.subject, "at": event.at,
    });
    let task_id = event.task_id.map(|id| id.to_string());
    for (name, id) in [("agent_id", &event.agent_id), ("campaign_id", &event.campaign_id), ("task_id", &task_id)] {
        if let Some(id) = id {
            data[name] = Value::from(id.as_str());
        }
    }
    Bytes::from(format!("id: {}\nevent: hint\ndata: {data}\n\n", event.number))
}
