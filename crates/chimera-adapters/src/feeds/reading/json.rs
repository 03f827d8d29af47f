//! JSON Feed as people write it.

use chimera_core::{perception::json_items, ports::feed_parser::ParsedItem};
use serde_json::{Map, Value};

pub(super) struct JsonFeed {
    pub title: Option<String>,
    pub author: Option<String>,
    pub items: Vec<ParsedItem>,
}

/// `None` when it is no JSON Feed.
pub(super) fn read(text: &str) -> Option<JsonFeed> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(feed)) => whole(&feed),
        Ok(_) => None,
        Err(_) => recovered(text),
    }
}

fn whole(feed: &Map<String, Value>) -> Option<JsonFeed> {
    let items = feed.get("items")?.as_array()?;
    if !says_so(feed.get("version")) && !items.iter().any(is_item) {
        return None;
    }
    let title = feed.get("title").and_then(Value::as_str).map(str::to_owned);
    let author = ["authors", "author"].iter().find_map(|name| json_items::author_of(feed.get(*name)?)).map(|name| name.into_data());
    Some(JsonFeed { title, author, items: items.iter().filter_map(Value::as_object).map(json_items::entry).collect() })
}

fn says_so(version: Option<&Value>) -> bool {
    version.and_then(Value::as_str).is_some_and(|version| version.contains("jsonfeed.org"))
}

/// Of JSON that says of itself nothing, what has the fields of an item.
fn is_item(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some_and(|field| !field.is_null());
    (has("content_html") || has("content_text") || has("title")) && (has("id") || has("url") || has("date_published"))
}

/// Of a document that is damaged, the items that are not: those before the damage, and those after it that can be told from it.
fn recovered(text: &str) -> Option<JsonFeed> {
    if !text.trim_start().starts_with('{') || !text.contains("jsonfeed.org") {
        return None;
    }
    let list = &text[text.find("\"items\"")?..];
    let mut rest = &list[list.find('[')? + 1..];
    let mut items = Vec::new();
    while let Some(start) = rest.find('{') {
        let mut values = serde_json::Deserializer::from_str(&rest[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                items.extend(value.as_object().filter(|_| is_item(&value)).map(json_items::entry));
                rest = &rest[start + values.byte_offset()..];
            }
            _ => {
                // Not read again: what it holds is of an item that is lost.
                let next = rest[start..].find("},").map(|end| start + end + 1);
                let Some(next) = next else { break };
                rest = &rest[next..];
            }
        }
    }
    (!items.is_empty()).then_some(JsonFeed { title: None, author: None, items })
}
