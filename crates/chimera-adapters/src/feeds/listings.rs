//! Sites that have an API instead of a feed, or a feed with noise in it: Hacker News and Reddit.

use chimera_core::domain::Untrusted;
use chimera_core::ports::feed_parser::ParsedItem;
use chrono::DateTime;
use serde_json::Value;

/// The addresses behind `hackernews:…` and `reddit:…`; `None` when `given` is neither or names nothing there.
pub(super) fn address(given: &str) -> Option<String> {
    match given.split_once(':')? {
        ("hackernews", "front") => Some("https://hn.algolia.com/api/v1/search?tags=front_page&hitsPerPage=100".to_owned()),
        ("hackernews", "new") => Some("https://hn.algolia.com/api/v1/search_by_date?tags=story&hitsPerPage=100".to_owned()),
        ("reddit", names) if is_subreddits(names) => Some(format!("https://www.reddit.com/r/{names}/new/.rss?limit=100")),
        _ => None,
    }
}

/// One, or several with `+` between them.
fn is_subreddits(names: &str) -> bool {
    let one = |name: &str| (2..=21).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    names.split('+').all(one)
}

pub(super) struct Listing {
    pub title: &'static str,
    pub items: Vec<ParsedItem>,
}

/// `None` when it is neither Hacker News' search nor a listing of Reddit.
pub(super) fn parse(bytes: &[u8]) -> Option<Listing> {
    let answer: Value = serde_json::from_slice(bytes).ok()?;
    if let Some(hits) = answer.get("hits").and_then(Value::as_array) {
        return Some(Listing { title: "Hacker News", items: hits.iter().filter_map(hacker_news_story).collect() });
    }
    if answer.get("kind").and_then(Value::as_str) == Some("Listing") {
        let children = answer.pointer("/data/children")?.as_array()?;
        return Some(Listing { title: "Reddit", items: children.iter().filter_map(|child| reddit_post(child.get("data")?)).collect() });
    }
    None
}

fn hacker_news_story(hit: &Value) -> Option<ParsedItem> {
    let discussion = || Some(format!("https://news.ycombinator.com/item?id={}", text(hit, "objectID")?));
    Some(ParsedItem {
        title: Some(Untrusted::new(text(hit, "title")?)),
        summary: text(hit, "story_text").map(Untrusted::new),
        url: text(hit, "url").or_else(discussion).map(Untrusted::new),
        author: text(hit, "author").map(Untrusted::new),
        published_at: hit.get("created_at").and_then(Value::as_str).and_then(|time| time.parse().ok()),
    })
}

fn reddit_post(post: &Value) -> Option<ParsedItem> {
    Some(ParsedItem {
        title: Some(Untrusted::new(text(post, "title")?)),
        summary: text(post, "selftext").map(Untrusted::new),
        url: text(post, "permalink").map(|path| Untrusted::new(format!("https://www.reddit.com{path}"))),
        author: text(post, "author").map(|name| Untrusted::new(format!("/u/{name}"))),
        published_at: post.get("created_utc").and_then(Value::as_f64).and_then(|seconds| DateTime::from_timestamp(seconds as i64, 0)),
    })
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// Reddit ends every text of its feeds with who submitted it and two links, which are not what the post says.
pub(super) fn without_reddits_byline(text: &str) -> &str {
    const GAP_BYTES_MAX: usize = 40;
    let Some(at) = text.rfind("submitted by") else { return text };
    match text[at..].find("https://www.reddit.com/user/") {
        Some(gap) if gap <= GAP_BYTES_MAX => text[..at].trim_end().trim_end_matches("&#32;"),
        _ => text,
    }
}
