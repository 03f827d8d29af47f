//! From the text of a resource to items: which form it has, and what each item says.

use super::{
    clean::plain_line,
    injection::{instructs, instructs_together},
    json_items::{JsonForm, read_json},
    price::Price,
    unseen::unseen,
};
use crate::{
    domain::{Author, Untrusted, WebUrl},
    ports::{
        feed_parser::{FeedParser, ParsedItem},
        resources::ResourceText,
    },
};
use chrono::{DateTime, Utc};

/// Of one resource, in one call; what comes after is left for the next.
pub const ITEMS_PER_RESOURCE_MAX: usize = 200;
pub const TITLE_CHARS_MAX: usize = 300;
pub const TEXT_CHARS_MAX: usize = 2_000;
/// More than a name has, so that what is cut is none.
const AUTHOR_CHARS_MAX: usize = 200;

/// What a resource holds, cleaned.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Item(FoundItem),
    Price(Price),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundItem {
    /// Never empty.
    pub title: Untrusted,
    /// What it says beyond the title; may be empty.
    pub text: Untrusted,
    pub url: Option<WebUrl>,
    pub author: Option<Author>,
    pub published_at: Option<DateTime<Utc>>,
    /// Whether it tries to instruct whoever reads it for a task: in what people see, in what they do not, or together with its neighbour.
    pub instructs: bool,
}

impl FoundItem {
    /// Title and text as one, which is what is judged, hashed and quoted.
    pub fn whole(&self) -> Untrusted {
        whole(self.title.as_data(), self.text.as_data())
    }
}

pub fn whole(title: &str, text: &str) -> Untrusted {
    // Many feeds repeat the title, or its beginning, as the start of the text.
    let title_start = title.trim_end_matches('…').trim_end();
    match (text.is_empty(), text.starts_with(title_start)) {
        (true, _) => Untrusted::new(title),
        (false, true) => Untrusted::new(text),
        (false, false) if title.ends_with(['.', '!', '?', '…', ':']) => Untrusted::new(format!("{title} {text}")),
        (false, false) => Untrusted::new(format!("{title}. {text}")),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableResource {
    #[error("the resource says it is JSON and cannot be read as such")]
    NotJson,
    #[error("the resource says it is a feed and cannot be read as one")]
    NotFeed,
}

/// Everything in the parts of one resource. An item without any words is left out.
pub fn read_items(parts: &[ResourceText], feeds: &dyn FeedParser) -> Result<Vec<Found>, UnreadableResource> {
    let mut found = Vec::new();
    for part in parts {
        found.extend(read_part(part, feeds)?);
        found.truncate(ITEMS_PER_RESOURCE_MAX);
    }
    mark_split_instructions(&mut found);
    Ok(found)
}

/// An instruction may begin in one item and end in the next. One that stands in one item alone must not take its neighbours out of sight.
fn mark_split_instructions(found: &mut [Found]) {
    for place in 1..found.len() {
        if let [Found::Item(first), Found::Item(second)] = &mut found[place - 1..=place]
            && !first.instructs
            && !second.instructs
            && instructs_together(&first.whole(), &second.whole())
        {
            first.instructs = true;
            second.instructs = true;
        }
    }
}

fn read_part(part: &ResourceText, feeds: &dyn FeedParser) -> Result<Vec<Found>, UnreadableResource> {
    let text = part.text.as_data().trim_start_matches('\u{FEFF}').trim();
    let mime_type = part.mime_type.as_deref().unwrap_or("").to_ascii_lowercase();
    let says_json = mime_type.contains("json");
    let says_feed = mime_type.contains("rss") || mime_type.contains("atom");
    if says_json || text.starts_with(['{', '[']) {
        match read_json(text) {
            Some(form) => return Ok(json_found(form)),
            None if says_json => return Err(UnreadableResource::NotJson),
            None => {}
        }
    }
    if says_feed || text.starts_with('<') {
        match feeds.parse(text) {
            Some(entries) => return Ok(entries.into_iter().filter_map(found_item).map(Found::Item).collect()),
            None if says_feed => return Err(UnreadableResource::NotFeed),
            None => {}
        }
    }
    Ok(paragraphs(text))
}

fn json_found(form: JsonForm) -> Vec<Found> {
    match form {
        JsonForm::Price(price) => vec![Found::Price(price)],
        JsonForm::Entries(entries) => entries.into_iter().filter_map(found_item).map(Found::Item).collect(),
    }
}

/// One item a paragraph: paragraphs are separated by empty lines.
fn paragraphs(text: &str) -> Vec<Found> {
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut paragraph = String::new();
    let mut found = Vec::new();
    for line in unified.lines().chain([""]) {
        if !line.trim().is_empty() {
            paragraph.push_str(line);
            paragraph.push('\n');
            continue;
        }
        let entry = ParsedItem { summary: Some(Untrusted::new(std::mem::take(&mut paragraph))), ..ParsedItem::default() };
        found.extend(found_item(entry).map(Found::Item));
        if found.len() >= ITEMS_PER_RESOURCE_MAX {
            break;
        }
    }
    found
}

/// `None` when no words are left of it.
fn found_item(entry: ParsedItem) -> Option<FoundItem> {
    let (raw_title, raw_text) = (entry.title.unwrap_or_default(), entry.summary.unwrap_or_default());
    let text = plain_line(raw_text.as_data(), TEXT_CHARS_MAX);
    let title = match plain_line(raw_title.as_data(), TITLE_CHARS_MAX) {
        title if title.as_data().is_empty() => plain_line(text.as_data(), TITLE_CHARS_MAX),
        title => title,
    };
    if !title.as_data().chars().any(char::is_alphanumeric) {
        return None;
    }
    let text = if text == title { Untrusted::default() } else { text };
    let mut item = FoundItem {
        title,
        text,
        url: entry.url.and_then(|url| WebUrl::parse(url.as_data())),
        author: entry.author.and_then(|author| Author::parse(plain_line(author.as_data(), AUTHOR_CHARS_MAX).as_data())),
        published_at: entry.published_at,
        instructs: false,
    };
    let said_by = Untrusted::new(item.author.as_ref().map(Author::as_str).unwrap_or_default());
    item.instructs = instructs(&item.whole())
        || instructs_together(&item.title, &item.text)
        || instructs(&said_by)
        || [raw_title, raw_text].iter().any(|raw| instructs(&unseen(raw.as_data())));
    Some(item)
}

#[cfg(test)]
mod tests;
