//! One request to a platform: deadline, size limit, no redirects, rate limits obeyed, and failures told without secrets.

use super::{config::Secret, errors::SocialError};
use crate::http_client;
use chimera_core::ports::clock::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use futures::StreamExt;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// When a platform says "too many" and not until when.
const PAUSE_DEFAULT: TimeDelta = TimeDelta::minutes(1);
/// No header makes us silent for longer: it may be wrong, and a day is the longest period that any of them counts.
const PAUSE_MAX: TimeDelta = TimeDelta::hours(24);

/// What a lost answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeating {
    /// Reading, and writing that the platform recognises when it comes again.
    Safe,
    /// Done a second time it would have its effect a second time.
    Unsafe,
}

/// What is asked.
pub(super) struct Call<'a> {
    pub method: Method,
    /// Below the platform's address.
    pub path: &'a [&'a str],
    pub query: &'a [(&'a str, &'a str)],
    pub bearer: Option<&'a str>,
    pub headers: &'a [(&'static str, &'a str)],
    pub body: Body,
    pub repeating: Repeating,
    /// What the platform counts together: when it says "too many" here, we are silent here.
    pub counted_as: &'static str,
}

pub(super) enum Body {
    None,
    Json(Value),
    Bytes { content_type: String, bytes: Vec<u8> },
}

impl<'a> Call<'a> {
    pub(super) fn get(path: &'a [&'a str], query: &'a [(&'a str, &'a str)], counted_as: &'static str) -> Self {
        Self { method: Method::GET, path, query, bearer: None, headers: &[], body: Body::None, repeating: Repeating::Safe, counted_as }
    }

    pub(super) fn post(path: &'a [&'a str], body: Body, counted_as: &'static str) -> Self {
        Self { method: Method::POST, path, query: &[], bearer: None, headers: &[], body, repeating: Repeating::Safe, counted_as }
    }

    pub(super) fn bearer(mut self, token: Option<&'a str>) -> Self {
        self.bearer = token;
        self
    }
}

/// An answer that came: a success, or a refusal with a reason.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: StatusCode,
    pub body: Value,
}

pub(super) struct Api {
    platform: &'static str,
    base: Url,
    client: Client,
    clock: Arc<dyn Clock>,
    /// Taken out of whatever the platform says, together with the token of the call.
    secret: Option<Secret>,
    deadline: Duration,
    silent_until: Mutex<HashMap<&'static str, DateTime<Utc>>>,
}

impl Api {
    pub(super) fn new(
        platform: &'static str,
        base: Url,
        secret: Option<Secret>,
        clock: Arc<dyn Clock>,
        deadline: Duration,
    ) -> Result<Self, reqwest::Error> {
        // A redirect could carry the token to a stranger.
        let client = http_client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
        Ok(Self { platform, base, client, clock, secret, deadline, silent_until: Mutex::default() })
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// The answer, whatever its status, unless the platform is out of reach, out of order, or has had enough.
    pub(super) async fn ask(&self, call: Call<'_>) -> Result<Answer, SocialError> {
        self.may_speak(call.counted_as)?;
        let (counted_as, repeating, bearer) = (call.counted_as, call.repeating, call.bearer);
        let response = self.request(call).send().await.map_err(|error| self.lost(error, repeating))?;
        let status = response.status();
        self.heed_limits(counted_as, status, response.headers())?;
        if status.is_redirection() {
            let reason = "it redirects, which is not followed: check the address in the configuration".to_owned();
            return Err(SocialError::Refused { platform: self.platform, status: status.as_u16(), reason });
        }
        let body = self.read_body(response, repeating).await?;
        let body = serde_json::from_slice(&body);
        if status.is_server_error() {
            return Err(self.unclear(format!("answered {}", status.as_u16()), repeating));
        }
        match body {
            Ok(body) if status.is_success() => Ok(Answer { status, body }),
            Ok(body) => Ok(Answer { status, body: self.without_secrets(body, bearer) }),
            Err(_) if status.is_success() && repeating == Repeating::Unsafe => {
                Err(self.unclear("answered something that is not JSON".to_owned(), repeating))
            }
            Err(_) if status.is_success() => Err(SocialError::Unexpected { platform: self.platform }),
            // Refusals by a proxy in front are pages; the status says enough.
            Err(_) => Ok(Answer { status, body: Value::Null }),
        }
    }

    /// The answer's body, or the refusal as an error; `secret` is the one that the platform would complain about.
    pub(super) fn accepted(&self, answer: Answer, secret: &'static str) -> Result<Value, SocialError> {
        let platform = self.platform;
        match answer.status {
            status if status.is_success() => Ok(answer.body),
            StatusCode::UNAUTHORIZED => Err(SocialError::Unauthorized { platform, secret }),
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(SocialError::NotFound { platform }),
            status => {
                let reason = reason(&answer.body).unwrap_or_else(|| "it gave no reason".to_owned());
                Err(SocialError::Refused { platform, status: status.as_u16(), reason })
            }
        }
    }

    /// Without a query.
    pub(super) fn address(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        // An address with a host always has path segments, and the configuration takes no other.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    fn request(&self, call: Call<'_>) -> reqwest::RequestBuilder {
        let mut url = self.address(call.path);
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(call.query);
        }
        let mut request = self.client.request(call.method, url).timeout(self.deadline);
        if let Some(token) = call.bearer {
            request = request.bearer_auth(token);
        }
        for (name, value) in call.headers {
            request = request.header(*name, *value);
        }
        match call.body {
            Body::None => request,
            Body::Json(value) => request.json(&value),
            Body::Bytes { content_type, bytes } => request.header(reqwest::header::CONTENT_TYPE, content_type).body(bytes),
        }
    }

    fn may_speak(&self, counted_as: &'static str) -> Result<(), SocialError> {
        let silent_until = self.silent_until.lock().expect("nothing panics while holding the times").get(counted_as).copied();
        match silent_until {
            Some(retry_at) if self.clock.now() < retry_at => Err(SocialError::RateLimited { platform: self.platform, retry_at }),
            _ => Ok(()),
        }
    }

    /// Remembers when the platform wants to hear from us again: it has just refused, or said that this was the last one.
    fn heed_limits(&self, counted_as: &'static str, status: StatusCode, headers: &HeaderMap) -> Result<(), SocialError> {
        let now = self.clock.now();
        let refused = status == StatusCode::TOO_MANY_REQUESTS;
        let reset = exhausted_until(headers, now).or_else(|| refused.then(|| later(headers, now)).flatten());
        let until = match reset {
            Some(until) => until.clamp(now + TimeDelta::seconds(1), now + PAUSE_MAX),
            None if refused => now + PAUSE_DEFAULT,
            None => return Ok(()),
        };
        self.silent_until.lock().expect("nothing panics while holding the times").insert(counted_as, until);
        if refused { Err(SocialError::RateLimited { platform: self.platform, retry_at: until }) } else { Ok(()) }
    }

    async fn read_body(&self, response: Response, repeating: Repeating) -> Result<Vec<u8>, SocialError> {
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| self.lost(error, repeating))?;
            if body.len() + chunk.len() > ANSWER_BYTES_MAX {
                return Err(self.unclear(format!("answered more than {ANSWER_BYTES_MAX} bytes"), repeating));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn lost(&self, error: reqwest::Error, repeating: Repeating) -> SocialError {
        if error.is_connect() || error.is_builder() {
            return SocialError::Unavailable { platform: self.platform, reason: "cannot be reached".to_owned() };
        }
        let reason = match error.is_timeout() {
            true => format!("did not answer within {} ms", self.deadline.as_millis()),
            false => "broke off its answer".to_owned(),
        };
        self.unclear(reason, repeating)
    }

    fn unclear(&self, reason: String, repeating: Repeating) -> SocialError {
        match repeating {
            Repeating::Safe => SocialError::Unavailable { platform: self.platform, reason },
            Repeating::Unsafe => SocialError::OutcomeUnknown { platform: self.platform, reason },
        }
    }

    /// A refusal may repeat what it refuses.
    fn without_secrets(&self, body: Value, bearer: Option<&str>) -> Value {
        let secrets = self.secret.iter().map(Secret::expose).chain(bearer);
        match serde_json::to_string(&body) {
            Ok(text) if secrets.clone().any(|secret| text.contains(secret)) => scrubbed(body, &secrets.collect::<Vec<_>>()),
            _ => body,
        }
    }
}

fn scrubbed(value: Value, secrets: &[&str]) -> Value {
    match value {
        Value::String(text) => Value::String(secrets.iter().fold(text, |text, secret| text.replace(secret, "…"))),
        Value::Array(values) => values.into_iter().map(|value| scrubbed(value, secrets)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, scrubbed(value, secrets))).collect(),
        other => other,
    }
}

/// What the three platforms call "how many are left" and "until when".
const COUNTERS: [(&str, &str); 4] = [
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
    ("x-rate-limit-remaining", "x-rate-limit-reset"),
    ("x-user-limit-24hour-remaining", "x-user-limit-24hour-reset"),
];

/// The latest end of a period of which nothing is left.
fn exhausted_until(headers: &HeaderMap, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let none_left = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|text| text.trim() == "0");
    let ends = COUNTERS.iter().filter(|(left, _)| none_left(left)).filter_map(|(_, reset)| moment(headers, reset, now));
    ends.max()
}

/// Any time at all that a refusal names.
fn later(headers: &HeaderMap, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let resets = COUNTERS.iter().filter_map(|(_, reset)| moment(headers, reset, now));
    moment(headers, RETRY_AFTER.as_str(), now).or_else(|| resets.max())
}

/// RFC 3339 (Mastodon), seconds since 1970 (Bluesky, X), an HTTP date, or seconds from now (Retry-After).
fn moment(headers: &HeaderMap, name: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    const SECONDS_FROM_NOW_MAX: i64 = 100_000_000;
    let text = headers.get(name)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<i64>() {
        return if seconds < SECONDS_FROM_NOW_MAX {
            now.checked_add_signed(TimeDelta::try_seconds(seconds)?)
        } else {
            DateTime::from_timestamp(seconds, 0)
        };
    }
    let dated = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
    dated.ok().map(|time| time.with_timezone(&Utc))
}

/// The sentence that a platform gives with a refusal.
fn reason(body: &Value) -> Option<String> {
    let places = ["/message", "/detail", "/error_description", "/error", "/errors/0/detail", "/errors/0/message", "/title"];
    let text = places.iter().find_map(|place| body.pointer(place)?.as_str().filter(|text| !text.is_empty()))?;
    Some(http_client::one_line(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    type Pairs = &'static [(&'static str, &'static str)];

    fn headers(pairs: Pairs) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn each_platforms_way_to_say_until_when_is_understood() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let in_ten = now + TimeDelta::seconds(10);
        let table: [(Pairs, Option<DateTime<Utc>>); 8] = [
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "2027-01-15T08:00:10.000000Z")], Some(in_ten)),
            (&[("ratelimit-remaining", "0"), ("ratelimit-reset", "1800000010")], Some(in_ten)),
            (&[("x-rate-limit-remaining", "0"), ("x-rate-limit-reset", "1800000010")], Some(in_ten)),
            (
                &[
                    ("x-rate-limit-remaining", "0"),
                    ("x-rate-limit-reset", "1800000001"),
                    ("x-user-limit-24hour-remaining", "0"),
                    ("x-user-limit-24hour-reset", "1800000010"),
                ],
                Some(in_ten),
            ),
            (&[("x-rate-limit-remaining", "5"), ("x-rate-limit-reset", "1800000010")], None),
            (&[("ratelimit-remaining", "0"), ("ratelimit-reset", "soon")], None),
            (&[("ratelimit-remaining", "0"), ("ratelimit-reset", "9223372036854775807")], None),
            (&[], None),
        ];
        for (given, expected) in table {
            assert_eq!(exhausted_until(&headers(given), now), expected, "{given:?}");
        }
        let waits: [Pairs; 2] = [&[("retry-after", "10")], &[("retry-after", "Fri, 15 Jan 2027 08:00:10 GMT")]];
        for given in waits {
            assert_eq!(later(&headers(given), now), Some(in_ten), "{given:?}");
        }
        assert_eq!(later(&headers(&[("retry-after", "-9223372036854775808")]), now), None);
    }

    #[test]
    fn the_reason_is_found_where_each_platform_puts_it() {
        let table = [
            (serde_json::json!({"error": "Validation failed"}), Some("Validation failed")),
            (serde_json::json!({"error": "InvalidRequest", "message": "too long"}), Some("too long")),
            (serde_json::json!({"title": "Forbidden", "detail": "not allowed"}), Some("not allowed")),
            (serde_json::json!({"errors": [{"message": "bad\nid"}], "title": "Invalid Request"}), Some("bad id")),
            (serde_json::json!({}), None),
            (Value::Null, None),
        ];
        for (body, expected) in table {
            assert_eq!(reason(&body).as_deref(), expected, "{body}");
        }
    }
}
