//! The JSON documents that are the text of our resources.

use super::config::{FeedSource, MarketFeed, NewsFeed};
use super::fetching::{FetchError, Fetched, Fetcher};
use super::reading::{FeedError, ParsedFeed, Sent, parse_feed};
use chimera_core::domain::Untrusted;
use chimera_core::ports::feed_parser::ParsedItem;
use chrono::{DateTime, SecondsFormat, Utc};
use futures::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The newest of all sources together.
pub(super) const NEWS_ITEMS_MAX: usize = 200;
/// A feed may carry whole articles; a summary is enough to judge one.
const SUMMARY_CHARS_MAX: usize = 2_000;

#[derive(Debug, thiserror::Error)]
pub(super) enum DocumentError {
    /// Each source's failure, in the order of the configuration.
    #[error("no source could be read: {}", failures.iter().map(SourceFailure::to_string).collect::<Vec<_>>().join("; "))]
    AllSourcesFailed { failures: Vec<SourceFailure> },
}

#[derive(Debug, thiserror::Error)]
#[error("{source_label}: {cause}")]
pub(super) struct SourceFailure {
    source_label: String,
    cause: SourceError,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("{error}{}", content_type.as_ref().map(|given| format!(" (it was sent as {given:?})")).unwrap_or_default())]
    Feed { error: FeedError, content_type: Option<String> },
    #[error("the answer is not JSON")]
    NotJson,
    #[error("the answer has nothing at {pointer:?}")]
    NoPrice { pointer: String },
    #[error("what the answer has at {pointer:?} is not a positive number")]
    NotAPrice { pointer: String },
}

/// Items of every source that can be read, newest first; items without a time come last.
pub(super) async fn news(fetcher: &Fetcher, feed: &NewsFeed) -> Result<Value, DocumentError> {
    let read = join_all(feed.sources.iter().map(|source| read_feed(fetcher, source))).await;
    let mut items = Vec::new();
    let mut failures = Vec::new();
    for (source, outcome) in feed.sources.iter().zip(read) {
        match outcome {
            Ok(parsed) => {
                let name = parsed.title.unwrap_or_else(|| source.label());
                items.extend(parsed.items.into_iter().map(|item| (name.clone(), item)));
            }
            Err(cause) => failures.push(SourceFailure { source_label: source.label(), cause }),
        }
    }
    if failures.len() == feed.sources.len() {
        return Err(DocumentError::AllSourcesFailed { failures });
    }
    items.sort_by_key(|(_, item)| std::cmp::Reverse(item.published_at));
    items.truncate(NEWS_ITEMS_MAX);
    let mut document = json!({ "items": items.into_iter().map(|(source, item)| item_json(source, item)).collect::<Vec<_>>() });
    if !failures.is_empty() {
        document["errors"] = failures.iter().map(|one| json!({ "source": one.source_label, "message": one.cause.to_string() })).collect();
    }
    Ok(document)
}

pub(super) async fn price(fetcher: &Fetcher, feed: &MarketFeed, now: DateTime<Utc>) -> Result<Value, DocumentError> {
    match read_price(fetcher, feed).await {
        Ok((price, at)) => Ok(json!({
            "asset": feed.asset.to_ascii_uppercase(),
            "price": price,
            "currency": feed.currency,
            // What was fetched some seconds ago is as old as that.
            "at": rfc3339(now - Duration::from_secs(at.elapsed().as_secs())),
        })),
        Err(cause) => Err(DocumentError::AllSourcesFailed { failures: vec![SourceFailure { source_label: feed.source.label(), cause }] }),
    }
}

async fn read_feed(fetcher: &Fetcher, source: &FeedSource) -> Result<ParsedFeed, SourceError> {
    let Fetched { body, content_type, .. } = fetcher.fetch(source).await?;
    let address = match source {
        FeedSource::Http(url) => Some(url),
        FeedSource::File(_) => None,
    };
    let charset = content_type.as_deref().and_then(charset_of);
    parse_feed(&body, Sent { address, charset }).map_err(|error| SourceError::Feed { error, content_type: content_type.clone() })
}

/// Of `application/rss+xml; charset="utf-8"`.
fn charset_of(content_type: &str) -> Option<&str> {
    let parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, value) = parameters.into_iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches(['"', '\'']))
}

async fn read_price(fetcher: &Fetcher, feed: &MarketFeed) -> Result<(f64, Instant), SourceError> {
    let pointer = || feed.price_pointer.clone();
    let fetched = fetcher.fetch(&feed.source).await?;
    let answer: Value = serde_json::from_slice(&fetched.body).map_err(|_| SourceError::NotJson)?;
    let found = answer.pointer(&feed.price_pointer).ok_or_else(|| SourceError::NoPrice { pointer: pointer() })?;
    let price = match found {
        Value::Number(number) => number.as_f64(),
        // Many price servers send decimals as strings; `parse` also takes "inf" and "NaN", which the check below refuses.
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let price = price.filter(|price: &f64| price.is_finite() && *price > 0.0);
    price.map(|price| (price, fetched.at)).ok_or_else(|| SourceError::NotAPrice { pointer: pointer() })
}

/// Fields without a value are omitted.
fn item_json(source: String, item: ParsedItem) -> Value {
    let given = |field: Option<Untrusted>| field.map(Untrusted::into_data);
    let summary = given(item.summary).map(|text| text.chars().take(SUMMARY_CHARS_MAX).collect::<String>());
    let fields = [
        ("title", given(item.title)),
        ("summary", summary),
        ("url", given(item.url)),
        ("author", given(item.author)),
        ("published_at", item.published_at.map(rfc3339)),
        ("source", Some(source)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::String(value?)))).collect::<serde_json::Map<_, _>>().into()
}

fn rfc3339(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
