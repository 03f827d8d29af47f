//! Feeds as they are in the wild, to items.

mod decoding;
mod fields;
mod json;
mod markup;
mod names;
mod xml;

use super::listings;
use chimera_core::{
    domain::Untrusted,
    ports::feed_parser::{FeedParser, ParsedItem},
};
use url::Url;

/// Newest feeds hold tens of items; a feed of thousands is an archive, and its tail is not news.
const ITEMS_PER_FEED_MAX: usize = 500;
/// Longer fields are cut: titles and bylines are lines, not articles.
const LINE_CHARS_MAX: usize = 500;
const SUMMARY_CHARS_MAX: usize = 8_000;
const URL_CHARS_MAX: usize = 2_048;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFeed {
    pub title: Option<String>,
    pub items: Vec<ParsedItem>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    #[error("it is empty")]
    Empty,
    #[error("it is not RSS, Atom or JSON Feed")]
    NotAFeed,
    #[error("it is a feed that ends before its first item")]
    CutShort,
}

/// What a server says of a document, beside sending it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sent<'a> {
    /// Where it came from: links may be relative to it.
    pub address: Option<&'a Url>,
    pub charset: Option<&'a str>,
}

/// `bytes` as they were fetched.
pub fn parse_feed(bytes: &[u8], sent: Sent<'_>) -> Result<ParsedFeed, FeedError> {
    let text = decoding::decode(bytes, sent.charset);
    parse_text(&text, sent.address)
}

fn parse_text(text: &str, address: Option<&Url>) -> Result<ParsedFeed, FeedError> {
    let text = text.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace() || c == '\0');
    if text.is_empty() {
        return Err(FeedError::Empty);
    }
    if text.starts_with('{') {
        return from_json(text);
    }
    let document = xml::read(text, address, ITEMS_PER_FEED_MAX).ok_or(FeedError::NotAFeed)?.map_err(|_cut| FeedError::CutShort)?;
    let author = document.author;
    let items = document.entries.into_iter().map(|entry| {
        cut_to_limits(ParsedItem {
            title: entry.title.take().map(Untrusted::new),
            summary: entry.summary.take().map(|text| Untrusted::new(listings::without_reddits_byline(&text))),
            url: entry.link.take().map(Untrusted::new),
            author: entry.author.take().or_else(|| author.clone()).map(Untrusted::new),
            published_at: entry.date.take(),
        })
    });
    Ok(ParsedFeed { title: document.title.and_then(|title| line(&title)), items: items.collect() })
}

fn from_json(text: &str) -> Result<ParsedFeed, FeedError> {
    if let Some(listing) = listings::parse(text.as_bytes()) {
        let items = listing.items.into_iter().take(ITEMS_PER_FEED_MAX).map(cut_to_limits).collect();
        return Ok(ParsedFeed { title: Some(listing.title.to_owned()), items });
    }
    let feed = json::read(text).ok_or(FeedError::NotAFeed)?;
    let items = feed.items.into_iter().take(ITEMS_PER_FEED_MAX).map(|mut item| {
        item.author = item.author.or_else(|| feed.author.clone().map(Untrusted::new));
        cut_to_limits(item)
    });
    Ok(ParsedFeed { title: feed.title.as_deref().and_then(line), items: items.collect() })
}

/// Feeds inside text that some other upstream server gave us.
#[derive(Debug, Clone, Copy, Default)]
pub struct FeedTextParser;

impl FeedParser for FeedTextParser {
    fn parse(&self, text: &str) -> Option<Vec<ParsedItem>> {
        parse_text(text, None).ok().map(|feed| feed.items)
    }
}

fn cut_to_limits(item: ParsedItem) -> ParsedItem {
    let shortened = |text: Untrusted, chars_max| cut(text.as_data(), chars_max).map(Untrusted::new);
    ParsedItem {
        title: item.title.and_then(|text| shortened(text, LINE_CHARS_MAX)),
        summary: item.summary.and_then(|text| shortened(text, SUMMARY_CHARS_MAX)),
        url: item.url.filter(|href| is_web_url(href.as_data())),
        author: item.author.and_then(|text| shortened(text, LINE_CHARS_MAX)),
        published_at: item.published_at,
    }
}

fn is_web_url(href: &str) -> bool {
    href.len() <= URL_CHARS_MAX && (href.starts_with("https://") || href.starts_with("http://"))
}

fn line(text: &str) -> Option<String> {
    cut(text, LINE_CHARS_MAX)
}

/// `None` when nothing is left.
fn cut(text: &str, chars_max: usize) -> Option<String> {
    let cut: String = text.trim().chars().take(chars_max).collect();
    if cut.is_empty() { None } else { Some(decoding::repaired(cut)) }
}
