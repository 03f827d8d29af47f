//! RSS, Atom and JSON Feed to items. DTD entities are never expanded by the XML reader, so entity bombs stay text.

use super::listings;
use chimera_core::domain::Untrusted;
use chimera_core::ports::feed_parser::{FeedParser, ParsedItem};
use feed_rs::model::{Entry, Person, Text};
use feed_rs::parser::ParseFeedError;

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

#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    #[error("it is empty")]
    Empty,
    #[error("it is not RSS, Atom or JSON Feed")]
    NotAFeed,
    #[error("it is a damaged feed")]
    Damaged(#[source] ParseFeedError),
}

/// `bytes` as they were fetched: XML names its own encoding.
pub fn parse_feed(bytes: &[u8]) -> Result<ParsedFeed, FeedError> {
    let first = bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace()).ok_or(FeedError::Empty)?;
    // The library takes the first '<' or '{' anywhere, and would look for a feed in the middle of prose.
    if !(first == b'<' || first == b'{' || first >= 0x80 || first == 0) {
        return Err(FeedError::NotAFeed);
    }
    let parser = feed_rs::parser::Builder::new().sanitize_content(false).build();
    let parsed = parser.parse(bytes);
    if parsed.is_err()
        && let Some(listing) = listings::parse(bytes)
    {
        let items = listing.items.into_iter().take(ITEMS_PER_FEED_MAX).map(cut_to_limits).collect();
        return Ok(ParsedFeed { title: Some(listing.title.to_owned()), items });
    }
    let feed = parsed.map_err(|error| match error {
        ParseFeedError::ParseError(feed_rs::parser::ParseErrorKind::NoFeedRoot) | ParseFeedError::JsonUnsupportedVersion(_) => {
            FeedError::NotAFeed
        }
        // JSON that is not a JSON Feed fails on a missing field; JSON cut short fails on its syntax.
        ParseFeedError::JsonSerde(ref json) if json.is_data() => FeedError::NotAFeed,
        other => FeedError::Damaged(other),
    })?;
    let feed_author = author_of(&feed.authors);
    let items = feed.entries.into_iter().take(ITEMS_PER_FEED_MAX).map(|entry| item_from(entry, feed_author.as_deref())).collect();
    Ok(ParsedFeed { title: feed.title.and_then(|text| line(&text)), items })
}

/// Feeds inside text that some other upstream server gave us.
#[derive(Debug, Clone, Copy, Default)]
pub struct FeedTextParser;

impl FeedParser for FeedTextParser {
    fn parse(&self, text: &str) -> Option<Vec<ParsedItem>> {
        parse_feed(text.as_bytes()).ok().map(|feed| feed.items)
    }
}

fn item_from(entry: Entry, feed_author: Option<&str>) -> ParsedItem {
    let summary = entry.summary.map(|text| text.content).or_else(|| entry.content.and_then(|content| content.body));
    let url = entry
        .links
        .iter()
        .filter(|link| matches!(link.rel.as_deref(), None | Some("alternate")))
        .chain(entry.links.iter())
        .map(|link| link.href.trim())
        .find(|href| is_web_url(href))
        .map(Untrusted::new);
    let author = author_of(&entry.authors);
    ParsedItem {
        title: entry.title.and_then(|text| line(&text)).map(Untrusted::new),
        summary: summary
            .map(|text| cut(listings::without_reddits_byline(&text), SUMMARY_CHARS_MAX))
            .and_then(non_blank)
            .map(Untrusted::new),
        url,
        author: author.or_else(|| feed_author.map(str::to_owned)).map(Untrusted::new),
        published_at: entry.published.or(entry.updated),
    }
}

fn cut_to_limits(item: ParsedItem) -> ParsedItem {
    ParsedItem {
        title: item.title.and_then(|text| shortened(&text, LINE_CHARS_MAX)),
        summary: item.summary.and_then(|text| shortened(&text, SUMMARY_CHARS_MAX)),
        url: item.url.filter(|href| is_web_url(href.as_data())),
        author: item.author.and_then(|text| shortened(&text, LINE_CHARS_MAX)),
        published_at: item.published_at,
    }
}

fn shortened(text: &Untrusted, chars_max: usize) -> Option<Untrusted> {
    non_blank(cut(text.as_data(), chars_max)).map(Untrusted::new)
}

fn author_of(people: &[Person]) -> Option<String> {
    people.iter().find_map(|person| non_blank(cut(person.name.as_deref()?, LINE_CHARS_MAX)))
}

fn is_web_url(href: &str) -> bool {
    href.len() <= URL_CHARS_MAX && (href.starts_with("https://") || href.starts_with("http://"))
}

fn line(text: &Text) -> Option<String> {
    non_blank(cut(&text.content, LINE_CHARS_MAX))
}

fn non_blank(text: String) -> Option<String> {
    let trimmed = text.trim();
    if trimmed.is_empty() { None } else { Some(trimmed.to_owned()) }
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}
