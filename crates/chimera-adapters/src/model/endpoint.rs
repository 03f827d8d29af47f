//! One model server: asks with deadlines, waits and tries again where that cannot cost twice, and leaves it alone when it keeps failing.

use super::{
    breaker::{Admission, Breaker},
    rate_limits::{exhausted_for, retry_after},
    reading::{EventError, Heard, ReadEvent},
    schema_support::{SchemaSupport, names_schema},
};
use crate::{
    http_client::{one_line, reason},
    locking::locked,
};
use chimera_core::ports::{
    clock::Clock,
    text_model::{ModelError, Prompt},
};
use futures::StreamExt;
use reqwest::{
    RequestBuilder, Response, StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;
use sse_stream::SseStream;
use std::{
    fmt,
    io::Cursor,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::Url;
use zeroize::Zeroizing;

/// Where a model is, and what opens it.
#[derive(Clone)]
pub struct ModelPlace {
    pub url: Url,
    /// As the server calls it.
    pub model: String,
    pub key: Option<Zeroizing<String>>,
}

impl fmt::Debug for ModelPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.key.is_some() { "masked" } else { "none" };
        f.debug_struct("ModelPlace").field("host", &self.url.host_str()).field("model", &self.model).field("key", &key).finish()
    }
}

#[derive(Debug, Clone, Copy)]
pub struct ModelLimits {
    pub connect_within: Duration,
    /// Until the first word and between two words.
    pub silence_max: Duration,
    /// The whole call, waits and retries included.
    pub answer_within: Duration,
    pub retries_max: u32,
    pub backoff_first: Duration,
    /// A longer wait that a server asks for is not waited for: the caller is told.
    pub wait_max: Duration,
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self {
            connect_within: Duration::from_secs(5),
            // Several drafts are asked for at once, and a server on the operator's own machine writes one after another.
            silence_max: Duration::from_secs(180),
            answer_within: Duration::from_secs(240),
            retries_max: 2,
            backoff_first: Duration::from_millis(500),
            wait_max: Duration::from_secs(10),
        }
    }
}

/// A post has a few thousand bytes; its events have some hundred for each word.
const ANSWER_BYTES_MAX: usize = 4 << 20;
const REFUSAL_BYTES_MAX: usize = 64 << 10;
/// Anthropic's "overloaded".
const OVERLOADED: u16 = 529;

pub struct Endpoint {
    client: reqwest::Client,
    /// Without a slash at its end.
    base: String,
    headers: HeaderMap,
    key: Option<Zeroizing<String>>,
    name: String,
    limits: ModelLimits,
    breaker: Mutex<Breaker>,
    schema_support: SchemaSupport,
    clock: Arc<dyn Clock>,
}

/// Why one try ended, and whether another may help.
enum Failure {
    /// The server did nothing: asking again costs nothing. It may have said how long to wait.
    Retry {
        error: ModelError,
        wait: Option<Duration>,
    },
    End(ModelError),
}

impl Endpoint {
    pub fn new(
        provider: &str,
        place: ModelPlace,
        headers: Vec<(HeaderName, String)>,
        limits: ModelLimits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, reqwest::Error> {
        let client = crate::http_client::builder()
            .connect_timeout(limits.connect_within)
            // A redirect could carry the key to somebody else.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let sensitive = |value: String| {
            let mut value = HeaderValue::from_str(&value).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        Ok(Self {
            client,
            base: place.url.as_str().trim_end_matches('/').to_owned(),
            headers: headers.into_iter().filter_map(|(name, value)| Some((name, sensitive(value)?))).collect(),
            name: format!("{provider} {}", place.model),
            key: place.key,
            limits,
            breaker: Mutex::default(),
            schema_support: SchemaSupport::default(),
            clock,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks for an answer of the prompt's schema, and where the server refuses just that, once more without. A refusal comes before anything is
    /// written, so it costs nothing.
    pub async fn ask_in_form(
        &self,
        path: &str,
        prompt: &Prompt,
        request: &(dyn Fn(bool) -> Value + Sync),
        read_event: ReadEvent,
    ) -> Result<Heard, ModelError> {
        let with_schema = prompt.answer_schema.is_some() && self.schema_support.is_expected();
        match self.ask(path, &request(with_schema), read_event).await {
            Err(ModelError::Refused { reason, .. }) if with_schema && names_schema(&reason) => {
                tracing::info!(model = %self.name, "{} takes no schema for its answers, and is asked without from now on: {reason}", self.name);
                self.schema_support.note_refusal();
                self.ask(path, &request(false), read_event).await
            }
            answer => answer,
        }
    }

    /// Posts `body` and reads the events of the answer.
    pub async fn ask(&self, path: &str, body: &Value, read_event: ReadEvent) -> Result<Heard, ModelError> {
        let deadline = Instant::now() + self.limits.answer_within;
        let mut tries = 0;
        loop {
            self.admit()?;
            let request = self.client.post(format!("{}{path}", self.base)).headers(self.headers.clone()).json(body);
            match self.try_once(request, read_event, deadline).await {
                Ok(heard) => return Ok(heard),
                Err(Failure::End(error)) => return Err(error),
                Err(Failure::Retry { error, wait }) => {
                    let wait = wait.unwrap_or_else(|| self.backoff(tries));
                    let is_worth_it = wait <= self.limits.wait_max && Instant::now() + wait < deadline;
                    if tries >= self.limits.retries_max || !is_worth_it {
                        return Err(error);
                    }
                    tries += 1;
                    tracing::debug!(model = %self.name, "{error}; trying again in {} ms", wait.as_millis());
                    sleep(wait).await;
                }
            }
        }
    }

    /// Whether `path` answers with success.
    pub async fn look(&self, path: &str) -> Result<(), ModelError> {
        let request = self.client.get(format!("{}{path}", self.base)).headers(self.headers.clone()).timeout(self.limits.wait_max);
        let response = request.send().await.map_err(|error| self.unavailable(reason(error)))?;
        if response.status().is_success() {
            return Ok(());
        }
        Err(match self.refused(response).await {
            Failure::Retry { error, .. } | Failure::End(error) => error,
        })
    }

    fn admit(&self) -> Result<(), ModelError> {
        match self.breaker().admit(Instant::now()) {
            Admission::Go => Ok(()),
            Admission::LeftAlone => Err(self.unavailable("it failed several times in a row and is left alone for a while".to_owned())),
            Admission::Limited(retry_after) => Err(ModelError::RateLimited { model: self.name.clone(), retry_after }),
        }
    }

    async fn try_once(&self, request: RequestBuilder, read_event: ReadEvent, deadline: Instant) -> Result<Heard, Failure> {
        let silence = deadline.min(Instant::now() + self.limits.silence_max);
        let response = match timeout_at(silence, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_connect() => {
                self.breaker().failed(Instant::now());
                return Err(Failure::Retry { error: self.unavailable(reason(error)), wait: None });
            }
            Ok(Err(error)) => return Err(Failure::End(self.lost(reason(error)))),
            Err(_elapsed) => return Err(Failure::End(self.lost("it took too long to begin".to_owned()))),
        };
        if let Some(wait) = exhausted_for(response.headers(), self.clock.now()) {
            self.breaker().limited(Instant::now() + wait);
        }
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        let heard = timeout_at(deadline, self.hear(response, read_event)).await;
        let heard = heard.unwrap_or_else(|_elapsed| Err(self.lost("it took too long to end".to_owned())));
        if heard.is_ok() {
            self.breaker().answered();
        }
        heard.map_err(Failure::End)
    }

    async fn hear(&self, response: Response, read_event: ReadEvent) -> Result<Heard, ModelError> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("text/event-stream") {
            return Err(self.nonsense(format!("it is {:?} and no stream of events", one_line(kind))));
        }
        let mut bytes = 0_usize;
        let chunks = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(|error| std::io::Error::other(reason(error)))?;
            bytes = bytes.saturating_add(chunk.len());
            if bytes > ANSWER_BYTES_MAX {
                return Err(std::io::Error::other(format!("it has more than {ANSWER_BYTES_MAX} bytes")));
            }
            Ok(Cursor::new(chunk.to_vec()))
        });
        let mut events = std::pin::pin!(SseStream::from_bytes_stream(chunks));
        let mut heard = Heard::default();
        while !heard.is_over {
            let event = match timeout(self.limits.silence_max, events.next()).await {
                Ok(Some(Ok(event))) => event,
                // What comes after the end of the text is numbers, which can be guessed.
                _ if heard.is_whole => break,
                Ok(Some(Err(error))) => return Err(self.lost(one_line(&error.to_string()))),
                Ok(None) => return Err(self.lost("it ended in the middle".to_owned())),
                Err(_elapsed) => return Err(self.lost("it fell silent".to_owned())),
            };
            let Some(data) = event.data.filter(|data| !data.is_empty()) else { continue };
            match read_event(&mut heard, &data) {
                Ok(()) => {}
                Err(EventError::GaveUp(why)) => return Err(self.lost(self.masked(&why))),
                Err(EventError::Declined(why)) => {
                    self.breaker().answered();
                    return Err(self.nonsense(format!("the model declined to write it ({})", one_line(&why))));
                }
                Err(EventError::Unreadable(problem)) => return Err(self.nonsense(one_line(&problem))),
            }
        }
        Ok(heard)
    }

    async fn refused(&self, response: Response) -> Failure {
        let status = response.status();
        let asked_to_wait = retry_after(response.headers(), self.clock.now());
        let said = self.said(response).await;
        let told = if said.is_empty() { status.to_string() } else { format!("{status}: {said}") };
        if status == StatusCode::TOO_MANY_REQUESTS {
            let retry_after = asked_to_wait.unwrap_or(self.limits.backoff_first);
            if asked_to_wait.is_some() {
                self.breaker().limited(Instant::now() + retry_after);
            }
            let wait = asked_to_wait.map(|wait| wait + self.jitter(self.limits.backoff_first));
            return Failure::Retry { error: ModelError::RateLimited { model: self.name.clone(), retry_after }, wait };
        }
        // Some servers fail where they should refuse what they do not know; asking for the same again would fail again.
        let is_broken = status.is_server_error() && !names_schema(&said);
        if is_broken || status.as_u16() == OVERLOADED || status == StatusCode::REQUEST_TIMEOUT {
            self.breaker().failed(Instant::now());
            return Failure::Retry { error: self.unavailable(told), wait: asked_to_wait };
        }
        self.breaker().answered();
        let advice = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "; check CHIMERA_MODEL_KEY",
            StatusCode::NOT_FOUND => "; check model.base_url and model.name",
            _ => "",
        };
        Failure::End(ModelError::Refused { model: self.name.clone(), reason: format!("{told}{advice}") })
    }

    /// The reason in the body of a refusal, where there is one.
    async fn said(&self, mut response: Response) -> String {
        let mut bytes = Vec::new();
        while let Ok(Ok(Some(chunk))) = timeout(self.limits.silence_max, response.chunk()).await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > REFUSAL_BYTES_MAX {
                break;
            }
        }
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let message = ["/error/message", "/message", "/error"].iter().find_map(|place| body.pointer(place)?.as_str());
        self.masked(message.unwrap_or_default())
    }

    /// Servers quote what they were sent.
    fn masked(&self, text: &str) -> String {
        one_line(&match &self.key {
            Some(key) if !key.is_empty() => text.replace(key.as_str(), "…"),
            _ => text.to_owned(),
        })
    }

    /// Twice as long each time, and half of it by chance: callers that failed together must not come back together.
    fn backoff(&self, tries: u32) -> Duration {
        let whole = self.limits.backoff_first.saturating_mul(1 << tries.min(10)).min(self.limits.wait_max);
        whole / 2 + self.jitter(whole / 2)
    }

    fn jitter(&self, most: Duration) -> Duration {
        let chance = getrandom::u32().unwrap_or(u32::MAX / 2);
        most.mul_f64(f64::from(chance) / f64::from(u32::MAX))
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        locked(&self.breaker)
    }

    fn unavailable(&self, reason: String) -> ModelError {
        ModelError::Unavailable { model: self.name.clone(), reason }
    }

    fn lost(&self, reason: String) -> ModelError {
        self.breaker().failed(Instant::now());
        ModelError::Lost { model: self.name.clone(), reason }
    }

    fn nonsense(&self, problem: String) -> ModelError {
        ModelError::Nonsense { model: self.name.clone(), problem }
    }
}
