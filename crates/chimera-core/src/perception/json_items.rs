//! Items and prices in JSON, under the names that feeds, social platforms and market sources use for them.

use super::{
    dates::read_date,
    items::ITEMS_PER_RESOURCE_MAX,
    price::{Price, read_price},
};
use crate::{domain::Untrusted, ports::feed_parser::ParsedItem};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

pub enum JsonForm {
    Entries(Vec<ParsedItem>),
    Price(Price),
}

/// `None` when it is not JSON; nesting that is too deep is not JSON to us.
pub fn read_json(text: &str) -> Option<JsonForm> {
    // The parser stops at 128 levels, and what is read here is three levels deep.
    let value: Value = serde_json::from_str(text).ok()?;
    Some(match value {
        Value::Array(values) => JsonForm::Entries(entries(&values)),
        Value::Object(object) => read_object(&object),
        Value::String(text) => JsonForm::Entries(vec![ParsedItem { summary: Some(Untrusted::new(text)), ..ParsedItem::default() }]),
        Value::Null | Value::Bool(_) | Value::Number(_) => JsonForm::Entries(Vec::new()),
    })
}

/// Where servers put their lists. `items` is also JSON Feed's name.
const LISTS: [&str; 9] = ["items", "entries", "articles", "posts", "statuses", "stories", "mentions", "results", "data"];
const TITLES: [&str; 3] = ["title", "headline", "name"];
const TEXTS: [&str; 8] = ["text", "summary", "content", "content_text", "content_html", "description", "body", "full_text"];
const LINKS: [&str; 4] = ["url", "link", "external_url", "uri"];
const TIMES: [&str; 8] = ["published_at", "created_at", "date", "date_published", "published", "pubDate", "updated_at", "timestamp"];
const AUTHORS: [&str; 5] = ["author", "creator", "user", "account", "authors"];
const AUTHOR_NAMES: [&str; 5] = ["name", "username", "screen_name", "acct", "handle"];

fn read_object(object: &Map<String, Value>) -> JsonForm {
    if let Some(price) = read_price(object) {
        return JsonForm::Price(price);
    }
    match LISTS.iter().find_map(|name| object.get(*name)?.as_array()) {
        Some(values) => JsonForm::Entries(entries(values)),
        None => JsonForm::Entries(vec![entry(object)]),
    }
}

fn entries(values: &[Value]) -> Vec<ParsedItem> {
    let readable = values.iter().filter_map(|value| match value {
        Value::Object(object) => Some(entry(object)),
        Value::String(text) => Some(ParsedItem { summary: Some(Untrusted::new(text)), ..ParsedItem::default() }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    });
    readable.take(ITEMS_PER_RESOURCE_MAX).collect()
}

pub fn entry(object: &Map<String, Value>) -> ParsedItem {
    let text_of = |names: &[&str]| names.iter().find_map(|name| object.get(*name)?.as_str().filter(|text| !text.trim().is_empty()));
    ParsedItem {
        title: text_of(&TITLES).map(Untrusted::new),
        summary: text_of(&TEXTS).map(Untrusted::new),
        url: text_of(&LINKS).map(Untrusted::new),
        author: AUTHORS.iter().find_map(|name| author_of(object.get(*name)?)),
        published_at: TIMES.iter().find_map(|name| read_time(object.get(*name)?)),
    }
}

/// A name, an object with a name, or a list that starts with either.
pub fn author_of(value: &Value) -> Option<Untrusted> {
    let first = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    match first {
        Value::String(name) => Some(Untrusted::new(name)),
        Value::Object(object) => AUTHOR_NAMES.iter().find_map(|name| object.get(*name)?.as_str()).map(Untrusted::new),
        _ => None,
    }
}

/// A date in whatever form, or seconds or milliseconds since 1970.
pub fn read_time(value: &Value) -> Option<DateTime<Utc>> {
    match value {
        Value::String(text) => read_date(text),
        Value::Number(number) => {
            let number = number.as_f64()?;
            // Seconds reach this only in the year 5138.
            let milliseconds = if number.abs() < 1e11 { number * 1000.0 } else { number };
            DateTime::from_timestamp_millis(milliseconds as i64)
        }
        _ => None,
    }
}
