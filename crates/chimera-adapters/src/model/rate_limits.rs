//! How long a server asks us to wait, in the headers that vendors use for it.

use chrono::{DateTime, Utc};
use reqwest::header::HeaderMap;
use std::time::Duration;

/// Nobody waits longer than this for a model; a header that says so is a mistake or a trick.
const WAIT_MAX: Duration = Duration::from_secs(24 * 3600);

/// `Retry-After`, in seconds or as a date, or the finer `retry-after-ms`.
pub fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let millis = text(headers, "retry-after-ms").and_then(|text| text.parse::<f64>().ok()).and_then(|ms| seconds(ms / 1_000.0));
    let given = || {
        let text = text(headers, "retry-after")?;
        text.parse::<f64>().ok().and_then(seconds).or_else(|| until(DateTime::parse_from_rfc2822(text).ok()?.to_utc(), now))
    };
    millis.or_else(given).map(|wait| wait.min(WAIT_MAX))
}

/// The wait until the first exhausted allowance is filled again; `None` while there is something left of each.
pub fn exhausted_for(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let of = |prefix: &str, what: &str, is_suffixed: bool| {
        let name = |part: &str| if is_suffixed { format!("{prefix}-{what}-{part}") } else { format!("{prefix}-{part}-{what}") };
        (text(headers, &name("remaining"))?.parse::<u64>().ok()? == 0)
            .then(|| text(headers, &name("reset")).and_then(|at| moment(at, now)))?
    };
    let vendors = [("x-ratelimit", false), ("anthropic-ratelimit", true)];
    let waits = vendors.into_iter().flat_map(|(prefix, is_suffixed)| {
        ["requests", "tokens", "input-tokens", "output-tokens"].into_iter().filter_map(move |what| of(prefix, what, is_suffixed))
    });
    waits.max().map(|wait| wait.min(WAIT_MAX))
}

/// `6m0s`, `1.5s`, `20ms`, or a moment in RFC 3339.
fn moment(text: &str, now: DateTime<Utc>) -> Option<Duration> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return until(at.to_utc(), now);
    }
    let mut total = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let amount: f64 = rest[..digits].parse().ok()?;
        let unit_end = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |end| digits + end);
        total += amount
            * match &rest[digits..unit_end] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3_600.0,
                _ => return None,
            };
        rest = &rest[unit_end..];
    }
    seconds(total)
}

fn until(at: DateTime<Utc>, now: DateTime<Utc>) -> Option<Duration> {
    Some((at - now).to_std().unwrap_or_default())
}

fn seconds(value: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(value).ok()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())).collect()
    }

    fn now() -> DateTime<Utc> {
        "2026-11-15T08:00:00Z".parse().unwrap()
    }

    #[test]
    fn every_form_of_retry_after_is_read_and_nonsense_is_not() {
        for (pairs, seconds) in [
            (&[("retry-after", "7")][..], Some(7.0)),
            (&[("retry-after", "1.5")], Some(1.5)),
            (&[("retry-after", "Sun, 15 Nov 2026 08:00:30 GMT")], Some(30.0)),
            (&[("retry-after", "Sun, 15 Nov 2026 07:00:00 GMT")], Some(0.0)),
            (&[("retry-after", "60"), ("retry-after-ms", "250")], Some(0.25)),
            (&[("retry-after", "999999999")], Some(86_400.0)),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "NaN")], None),
            (&[], None),
        ] {
            assert_eq!(retry_after(&headers(pairs), now()), seconds.map(Duration::from_secs_f64), "{pairs:?}");
        }
    }

    #[test]
    fn an_exhausted_allowance_says_when_it_is_filled_again() {
        for (pairs, seconds) in [
            (&[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s")][..], Some(360.0)),
            (&[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "20ms")], Some(0.02)),
            (&[("x-ratelimit-remaining-requests", "12"), ("x-ratelimit-reset-requests", "6m0s")], None),
            (
                &[("anthropic-ratelimit-input-tokens-remaining", "0"), ("anthropic-ratelimit-input-tokens-reset", "2026-11-15T08:00:05Z")],
                Some(5.0),
            ),
            (&[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "later")], None),
            (&[("x-ratelimit-remaining-requests", "0")], None),
            (&[], None),
        ] {
            assert_eq!(exhausted_for(&headers(pairs), now()), seconds.map(Duration::from_secs_f64), "{pairs:?}");
        }
    }
}
