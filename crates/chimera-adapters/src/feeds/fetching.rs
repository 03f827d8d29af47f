//! Fetching a feed's bytes: deadline, size limit, redirects, and the cache that lets a server answer "not modified" or not be asked at all.

use super::config::FeedSource;
use super::pacing::{LeftAlone, Pacing, TURN_MAX, fresh_for};
use crate::network_guard::{LeadsIntoPrivateNetwork, PublicOnly, leads_to_private_host, names_private_host};
use futures::StreamExt;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER,
};
use reqwest::{Client, Response, StatusCode};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use url::Url;

#[derive(Debug, Clone)]
pub(super) struct FetchLimits {
    pub deadline: Duration,
    pub body_bytes_max: usize,
    pub redirects_max: usize,
    /// A source is asked again no sooner.
    pub interval: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { deadline: Duration::from_secs(10), body_bytes_max: 4 * 1024 * 1024, redirects_max: 5, interval: Duration::from_secs(30) }
    }
}

/// Messages name no path, no credential and no address behind the configured one.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("no answer within {after_ms} ms")]
    TimedOut { after_ms: u128 },
    #[error("it is larger than {limit_bytes} bytes, or never ends")]
    TooLarge { limit_bytes: usize },
    #[error("the server answered {status}")]
    Status { status: u16 },
    #[error(transparent)]
    LeftAlone(#[from] LeftAlone),
    #[error("more than {limit} redirects")]
    TooManyRedirects { limit: usize },
    #[error("it redirects into a private network, which is refused")]
    PrivateRedirect,
    #[error("it redirects to something that is not http or https")]
    BadRedirect,
    #[error("the server cannot be reached")]
    Unreachable(#[source] reqwest::Error),
    #[error("the answer broke off or could not be decoded")]
    BrokenOff(#[source] reqwest::Error),
    #[error("the file cannot be read")]
    File(#[source] std::io::Error),
    #[error("it is not a regular file")]
    NotAFile,
}

#[derive(Debug, Clone)]
pub(super) struct Fetched {
    pub body: Arc<[u8]>,
    pub content_type: Option<String>,
    /// When its source gave it, or said that it is still so.
    pub at: Instant,
}

pub(super) struct Fetcher {
    limits: FetchLimits,
    /// For what the operator configured: any address.
    open: Client,
    /// For where a stranger redirects to: public addresses alone.
    guarded: Client,
    /// One entry for each configured source at most, so it needs no limit of its own.
    cache: Mutex<HashMap<Url, Cached>>,
    pacing: Pacing,
}

#[derive(Clone)]
struct Cached {
    etag: Option<HeaderValue>,
    last_modified: Option<HeaderValue>,
    fetched: Fetched,
    fresh_until: Instant,
}

impl Cached {
    fn is_fresh(&self) -> bool {
        Instant::now() < self.fresh_until
    }
}

impl Fetcher {
    /// `contact` is told to every server: some want to know whom to ask about a reader.
    pub(super) fn new(limits: FetchLimits, contact: Option<&str>) -> Result<Self, reqwest::Error> {
        let reader = concat!("chimera/", env!("CARGO_PKG_VERSION"), " (feed reader");
        let user_agent = contact.map_or_else(|| format!("{reader})"), |contact| format!("{reader}; {contact})"));
        let plain = || crate::http_client::builder().redirect(reqwest::redirect::Policy::none()).user_agent(user_agent.as_str());
        let (open, guarded) = (plain().build()?, plain().dns_resolver(PublicOnly).build()?);
        Ok(Self { open, guarded, limits, cache: Mutex::default(), pacing: Pacing::default() })
    }

    /// Lets a name that stands for a public host lead to a server of the test.
    #[cfg(test)]
    pub(super) fn resolving(mut self, name: &str, address: std::net::SocketAddr) -> Self {
        let client = crate::http_client::builder().redirect(reqwest::redirect::Policy::none()).resolve(name, address);
        self.open = client.build().expect("a client without extras can be built");
        self
    }

    pub(super) async fn fetch(&self, source: &FeedSource) -> Result<Fetched, FetchError> {
        let work = async {
            match source {
                FeedSource::Http(url) => self.fetch_http(url).await,
                FeedSource::File(path) => self.read_file(path).await,
            }
        };
        tokio::time::timeout(self.limits.deadline, work)
            .await
            .unwrap_or(Err(FetchError::TimedOut { after_ms: self.limits.deadline.as_millis() }))
    }

    async fn fetch_http(&self, configured: &Url) -> Result<Fetched, FetchError> {
        if let Some(cached) = self.cached(configured).filter(Cached::is_fresh) {
            return Ok(cached.fetched);
        }
        let turn = self.pacing.turn(configured).await;
        let cached = self.cached(configured);
        match (turn, cached) {
            // Somebody else fetched it while we waited, or the server wants to be left alone.
            (_, Some(cached)) if cached.is_fresh() => Ok(cached.fetched),
            (Err(_), Some(cached)) => Ok(cached.fetched),
            (Err(left_alone), None) => Err(left_alone.into()),
            (Ok(turn), cached) => {
                let mut asking = Box::pin(self.ask(configured, cached));
                match tokio::time::timeout(TURN_MAX, &mut asking).await {
                    Ok(outcome) => outcome,
                    // A slow answer must not keep the other sources of its server waiting.
                    Err(_) => {
                        drop(turn);
                        asking.await
                    }
                }
            }
        }
    }

    async fn ask(&self, configured: &Url, cached: Option<Cached>) -> Result<Fetched, FetchError> {
        let mut url = configured.clone();
        for hop in 0..=self.limits.redirects_max {
            let client = if hop == 0 { &self.open } else { self.client_for_redirect(configured, &url).await? };
            let response = self.request(client, &url, cached.as_ref()).await?;
            if response.status() == StatusCode::NOT_MODIFIED
                && let Some(cached) = cached
            {
                return Ok(self.still_so(configured, cached, response.headers()));
            }
            if wants_rest(&response) {
                let left_alone = self.pacing.rest(configured, response.headers());
                return cached.map(|cached| cached.fetched).ok_or(left_alone.into());
            }
            if !response.status().is_redirection() || response.status() == StatusCode::NOT_MODIFIED {
                return self.keep(configured, response).await;
            }
            url = redirect_target(&url, &response)?;
        }
        Err(FetchError::TooManyRedirects { limit: self.limits.redirects_max })
    }

    /// An operator who configures a private host trusts what it leads to; a public one is trusted with its own host and public ones.
    async fn client_for_redirect(&self, configured: &Url, target: &Url) -> Result<&Client, FetchError> {
        if target.host() == configured.host() || leads_to_private_host(configured).await {
            return Ok(&self.open);
        }
        if names_private_host(target) { Err(FetchError::PrivateRedirect) } else { Ok(&self.guarded) }
    }

    async fn request(&self, client: &Client, url: &Url, cached: Option<&Cached>) -> Result<Response, FetchError> {
        let accept = "application/atom+xml, application/rss+xml, application/feed+json, application/json, application/xml;q=0.9, */*;q=0.5";
        let mut request = client.get(url.clone()).header(ACCEPT, accept);
        if let Some(cached) = cached {
            if let Some(etag) = &cached.etag {
                request = request.header(IF_NONE_MATCH, etag);
            }
            if let Some(last_modified) = &cached.last_modified {
                request = request.header(IF_MODIFIED_SINCE, last_modified);
            }
        }
        request.send().await.map_err(unreachable)
    }

    async fn keep(&self, configured: &Url, response: Response) -> Result<Fetched, FetchError> {
        if !response.status().is_success() {
            return Err(FetchError::Status { status: response.status().as_u16() });
        }
        let header = |name| response.headers().get(name).cloned();
        let (etag, last_modified) = (header(ETAG), header(LAST_MODIFIED));
        let content_type = header(CONTENT_TYPE).and_then(|value| value.to_str().ok().map(str::to_owned));
        let fresh_for = fresh_for(self.limits.interval, response.headers());
        let body = self.read_body(response).await?;
        let fetched = Fetched { body: body.into(), content_type, at: Instant::now() };
        self.remember(configured, Cached { etag, last_modified, fresh_until: fetched.at + fresh_for, fetched: fetched.clone() });
        Ok(fetched)
    }

    fn still_so(&self, configured: &Url, mut cached: Cached, headers: &HeaderMap) -> Fetched {
        cached.fetched.at = Instant::now();
        cached.fresh_until = cached.fetched.at + fresh_for(self.limits.interval, headers);
        let fetched = cached.fetched.clone();
        self.remember(configured, cached);
        fetched
    }

    fn remember(&self, configured: &Url, cached: Cached) {
        self.cache.lock().expect("nothing panics while holding the cache").insert(configured.clone(), cached);
    }

    /// Counts bytes after decompression: a small gzip must not become a large body.
    async fn read_body(&self, response: Response) -> Result<Vec<u8>, FetchError> {
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| FetchError::BrokenOff(error.without_url()))?;
            if body.len() + chunk.len() > self.limits.body_bytes_max {
                return Err(FetchError::TooLarge { limit_bytes: self.limits.body_bytes_max });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    async fn read_file(&self, path: &Path) -> Result<Fetched, FetchError> {
        // Opening a pipe would block a thread until somebody writes to it.
        let about = tokio::fs::metadata(path).await.map_err(FetchError::File)?;
        if !about.is_file() {
            return Err(FetchError::NotAFile);
        }
        let file = tokio::fs::File::open(path).await.map_err(FetchError::File)?;
        let limit_bytes = self.limits.body_bytes_max;
        let mut body = Vec::new();
        file.take(limit_bytes as u64 + 1).read_to_end(&mut body).await.map_err(FetchError::File)?;
        if body.len() > limit_bytes {
            return Err(FetchError::TooLarge { limit_bytes });
        }
        Ok(Fetched { body: body.into(), content_type: None, at: Instant::now() })
    }

    fn cached(&self, url: &Url) -> Option<Cached> {
        self.cache.lock().expect("nothing panics while holding the cache").get(url).cloned()
    }
}

fn wants_rest(response: &Response) -> bool {
    let status = response.status();
    status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE && response.headers().contains_key(RETRY_AFTER)
}

fn redirect_target(from: &Url, response: &Response) -> Result<Url, FetchError> {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).ok_or(FetchError::BadRedirect)?;
    let target = from.join(location).map_err(|_| FetchError::BadRedirect)?;
    if matches!(target.scheme(), "http" | "https") { Ok(target) } else { Err(FetchError::BadRedirect) }
}

fn unreachable(error: reqwest::Error) -> FetchError {
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        if inner.is::<LeadsIntoPrivateNetwork>() {
            return FetchError::PrivateRedirect;
        }
        cause = inner.source();
    }
    FetchError::Unreachable(error.without_url())
}
