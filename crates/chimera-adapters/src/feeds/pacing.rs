//! Politeness: how often a source is asked, how many requests a server gets at once, and how long it is left alone when it asks for that.

use reqwest::header::{CACHE_CONTROL, HeaderMap, RETRY_AFTER};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Url;

const REQUESTS_PER_SERVER_MAX: usize = 4;
/// A request that takes longer no longer counts.
pub(super) const TURN_MAX: Duration = Duration::from_secs(2);
/// A source that says how long its answer is good is believed for this long.
const FRESH_MAX: Duration = Duration::from_secs(15 * 60);
/// When a server asks to be left alone and not for how long.
const REST_DEFAULT: Duration = Duration::from_secs(60);
const REST_MAX: Duration = Duration::from_secs(60 * 60);

/// The server wants to be left alone for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server asks to be left alone for {seconds} s more")]
pub(super) struct LeftAlone {
    pub seconds: u64,
}

/// One entry for each configured server at most, so it needs no limit of its own.
#[derive(Default)]
pub(super) struct Pacing {
    servers: Mutex<HashMap<String, Arc<Server>>>,
}

struct Server {
    slots: Arc<Semaphore>,
    rests_until: Mutex<Option<Instant>>,
}

impl Server {
    fn is_awake(&self, now: Instant) -> Result<(), LeftAlone> {
        let rests_until = *self.rests_until.lock().expect("nothing panics while holding the time");
        match rests_until.map(|until| until.saturating_duration_since(now)) {
            Some(left) if !left.is_zero() => Err(LeftAlone { seconds: left.as_secs().max(1) }),
            _ => Ok(()),
        }
    }
}

impl Pacing {
    /// Waits until the server has room for one more request, which it has until the permit is dropped.
    pub(super) async fn turn(&self, url: &Url) -> Result<OwnedSemaphorePermit, LeftAlone> {
        let server = self.server(url);
        let permit = server.slots.clone().acquire_owned().await.expect("these slots are never closed");
        server.is_awake(Instant::now()).map(|()| permit)
    }

    /// After a refusal for too many requests: nobody asks this server until its time is over.
    pub(super) fn rest(&self, url: &Url, headers: &HeaderMap) -> LeftAlone {
        let given = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let rest = given.map_or(REST_DEFAULT, Duration::from_secs).clamp(Duration::from_secs(1), REST_MAX);
        *self.server(url).rests_until.lock().expect("nothing panics while holding the time") = Some(Instant::now() + rest);
        LeftAlone { seconds: rest.as_secs() }
    }

    fn server(&self, url: &Url) -> Arc<Server> {
        let name = format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default());
        let new = || Arc::new(Server { slots: Arc::new(Semaphore::new(REQUESTS_PER_SERVER_MAX)), rests_until: Mutex::default() });
        self.servers.lock().expect("nothing panics while holding the servers").entry(name).or_insert_with(new).clone()
    }
}

/// How long an answer is given again before the source is asked anew: the interval, longer if the source says so, and up to a quarter more
/// by chance, so that sources that were read together are not asked together for ever.
pub(super) fn fresh_for(interval: Duration, headers: &HeaderMap) -> Duration {
    let said = headers.get(CACHE_CONTROL).and_then(|value| max_age(value.to_str().ok()?)).unwrap_or_default();
    interval.max(said.min(FRESH_MAX)).mul_f64(1.0 + chance() / 4.0)
}

fn max_age(cache_control: &str) -> Option<Duration> {
    let seconds = cache_control.split(',').find_map(|part| part.trim().strip_prefix("max-age="))?;
    Some(Duration::from_secs(seconds.trim_matches('"').parse().ok()?))
}

/// From 0 to 1.
fn chance() -> f64 {
    // Without randomness there is no jitter, which is no reason to fail.
    f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn headers(name: reqwest::header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn an_answer_is_fresh_for_the_interval_or_as_long_as_its_source_says() {
        let interval = Duration::from_secs(30);
        for (given, seconds) in [
            ("", 30),
            ("no-store", 30),
            ("public, max-age=120", 120),
            ("max-age=5", 30),
            ("max-age=99999999", 900),
            ("max-age=-1", 30),
            ("max-age=\"60\"", 60),
        ] {
            let fresh = fresh_for(interval, &headers(CACHE_CONTROL, given)).as_secs_f64();
            let least = f64::from(seconds);
            assert!((least..=least * 1.25 + 0.001).contains(&fresh), "{given}: {fresh}");
        }
        assert_eq!(fresh_for(Duration::ZERO, &HeaderMap::new()), Duration::ZERO);
    }

    #[tokio::test]
    async fn a_server_that_asks_for_it_is_left_alone_and_others_are_not() {
        let pacing = Pacing::default();
        let (tired, other) = (Url::parse("https://a.example/x").unwrap(), Url::parse("https://b.example/x").unwrap());
        let before = Instant::now();

        assert_eq!(pacing.rest(&tired, &headers(RETRY_AFTER, "1000")), LeftAlone { seconds: 1_000 });

        assert!(pacing.turn(&tired.join("/y").unwrap()).await.is_err());
        assert!(pacing.turn(&other).await.is_ok());
        let server = pacing.server(&tired);
        assert_eq!(server.is_awake(before + Duration::from_secs(1_000)).unwrap_err(), LeftAlone { seconds: 1 });
        assert!(server.is_awake(Instant::now() + Duration::from_secs(1_000)).is_ok());
        for (given, seconds) in [("soon", 60), ("0", 1), ("999999999", 3_600)] {
            assert_eq!(pacing.rest(&tired, &headers(RETRY_AFTER, given)), LeftAlone { seconds }, "{given}");
        }
    }

    #[tokio::test]
    async fn a_server_gets_few_requests_at_once() {
        let pacing = Pacing::default();
        let url = Url::parse("https://a.example/x").unwrap();
        let mut under_way = Vec::new();
        for _ in 0..REQUESTS_PER_SERVER_MAX {
            under_way.push(pacing.turn(&url).await.unwrap());
        }
        let mut next = Box::pin(pacing.turn(&url));

        assert!(futures::poll!(next.as_mut()).is_pending());
        under_way.pop();
        assert!(next.await.is_ok());
    }
}
