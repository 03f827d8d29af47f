//! Has what the required resources hold, all of them or none: from memory where they were read lately, else by reading them. Tells the comment
//! from the background.

use super::{ContentGenerator, store_failed};
use crate::{
    composer::{Comment, Source, without_orders},
    contracts::{
        ErrorCode, SkillFailure,
        content_generator::{ContentGeneratorInput, ContentTaskType},
    },
    domain::Untrusted,
    perception::{
        injection::instructs,
        items::{Found, read_items},
        price::price_line,
        remembering::{as_read, to_remember},
    },
    ports::{StoreError, perception::NewItem},
};
use chrono::TimeDelta;
use futures::future::join_all;
use regex::Regex;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// What a task has to work with.
pub(super) struct Gathered {
    pub(super) sources: Vec<Source>,
    pub(super) comment: Option<Comment>,
    resource_uris: Vec<String>,
    /// Resources that were not read anew, and how long ago they were.
    known: Vec<(String, TimeDelta)>,
    /// Items that try to instruct whoever reads them.
    flagged: usize,
}

/// More items than this change no post and cost time.
const SOURCES_MAX: usize = 200;

impl Gathered {
    pub(super) fn trace(&self) -> Vec<String> {
        if self.resource_uris.is_empty() {
            return vec!["sources: none required; written from the goal and the SOUL, with lower confidence".to_owned()];
        }
        let mut lines = vec![format!("sources: {} items from {}", self.sources.len(), self.resource_uris.join(", "))];
        if !self.known.is_empty() {
            let known: Vec<String> = self.known.iter().map(|(uri, age)| format!("{uri} (read {} s ago)", age.num_seconds())).collect();
            lines.push(format!("from memory: {}", known.join(", ")));
        }
        if self.flagged > 0 {
            lines.push(format!("left out: {} items that try to give instructions", self.flagged));
        }
        lines
    }
}

/// What a resource holds.
struct Held {
    /// Each with whether it instructs.
    sources: Vec<(Source, bool)>,
    /// Of the reading that it was remembered from.
    age: Option<TimeDelta>,
}

enum NotHeld {
    /// For strangers.
    Unavailable(String),
    Store(StoreError),
}

/// Whether what was read lately may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Freshness {
    Lately,
    /// A comment is answered as it is now.
    Now,
}

impl ContentGenerator {
    /// `resource_unavailable` when any of them cannot be had: nothing is written from less than what was asked.
    pub(super) async fn gather(&self, input: &ContentGeneratorInput) -> Result<Gathered, SkillFailure> {
        let resource_uris = required(input);
        let is_reply = input.task_type == ContentTaskType::ReplyComment;
        let freshness = if is_reply { Freshness::Now } else { Freshness::Lately };
        let all_held = join_all(resource_uris.iter().map(|uri| self.held_by(uri, freshness))).await;
        let mut failures: Vec<Value> = Vec::new();
        let mut items: Vec<(Source, bool)> = Vec::new();
        let mut known = Vec::new();
        for (uri, held) in resource_uris.iter().zip(all_held) {
            match held {
                Ok(held) => {
                    items.extend(held.sources);
                    known.extend(held.age.map(|age| (uri.clone(), age)));
                }
                Err(NotHeld::Unavailable(message)) => {
                    failures.push(json!({ "resource_uri": uri, "error_code": ErrorCode::ResourceUnavailable, "message": message }))
                }
                Err(NotHeld::Store(error)) => return Err(store_failed(&error)),
            }
        }
        if let Some(first) = failures.first() {
            let message = format!("{} could not be read: {}", first["resource_uri"], first["message"].as_str().unwrap_or_default());
            return Err(SkillFailure::new(ErrorCode::ResourceUnavailable, message).with("resource_errors", &failures));
        }
        let comment = is_reply.then(|| self.take_comment(&mut items, &input.context.goal_description));
        let count = items.len();
        let mut sources: Vec<Source> =
            items.into_iter().filter(|(_, instructs)| !instructs).filter_map(|(source, _)| informing(source)).collect();
        let flagged = count - sources.len();
        sources.truncate(SOURCES_MAX);
        Ok(Gathered { sources, comment, resource_uris, known, flagged })
    }

    async fn held_by(&self, uri: &str, freshness: Freshness) -> Result<Held, NotHeld> {
        let now = self.ports.clock.now();
        if freshness == Freshness::Lately
            && let Some(kept) = self.ports.readings.last(uri, now - self.settings.known_for).await.map_err(NotHeld::Store)?
        {
            let sources = kept.items.into_iter().map(from_memory).collect();
            return Ok(Held { sources, age: Some(now - kept.read_at) });
        }
        let read = self.ports.resources.read(uri, self.settings.read_within).await;
        let parts = read.map_err(|error| NotHeld::Unavailable(error.to_string()))?;
        let found = read_items(&parts, self.ports.feeds.as_ref()).map_err(|error| NotHeld::Unavailable(error.to_string()))?;
        if freshness == Freshness::Lately {
            self.keep_reading(uri, &found).await.map_err(NotHeld::Store)?;
        }
        Ok(Held { sources: found.into_iter().map(|found| from_reading(uri, found)).collect(), age: None })
    }

    /// So that another attempt does not read the world again. Prices are perception's to remember, which knows what they were.
    async fn keep_reading(&self, uri: &str, found: &[Found]) -> Result<(), StoreError> {
        if found.iter().any(|found| matches!(found, Found::Price(_))) {
            return Ok(());
        }
        let now = self.ports.clock.now();
        let items = to_remember(found.to_vec(), uri, now, &[]);
        let stored = self.ports.perception.remember(&items).await?;
        self.ports.readings.keep(&as_read([uri], &items, &stored, now)).await
    }

    /// The first item is what is answered; the rest is what may be answered with.
    fn take_comment(&self, items: &mut Vec<(Source, bool)>, goal: &str) -> Comment {
        if items.is_empty() {
            let text = Untrusted::new(comment_in(goal));
            let instructs = instructs(&text);
            return Comment { text, author: None, instructs };
        }
        let (source, instructs) = items.remove(0);
        let text = if source.text.is_empty() { source.title } else { source.text };
        Comment { text, author: source.author, instructs }
    }
}

/// Without repeats.
fn required(input: &ContentGeneratorInput) -> Vec<String> {
    let mut uris: Vec<String> = Vec::new();
    for uri in input.context.required_resources.iter().flatten() {
        if !uris.contains(uri) {
            uris.push(uri.clone());
        }
    }
    uris
}

fn from_reading(uri: &str, found: Found) -> (Source, bool) {
    match found {
        Found::Item(item) => {
            let (title, text, url, author, published_at) = (item.title, item.text, item.url, item.author, item.published_at);
            let source = Source { resource_uri: uri.to_owned(), title, text, url, author, published_at };
            (source, item.instructs)
        }
        Found::Price(price) => (Source { resource_uri: uri.to_owned(), text: price_line(&price, None), ..Source::default() }, false),
    }
}

/// The same as from the reading itself: an item is stored with all of its cleaned text.
fn from_memory(item: NewItem) -> (Source, bool) {
    let (title, text, url, author, published_at) = (item.title, item.text, item.url, item.author, item.published_at);
    let source = Source { resource_uri: item.resource_uri, title, text, url, author, published_at };
    (source, item.flagged)
}

/// The source without what it orders whoever writes; `None` when it tells nothing else, for then it is none.
fn informing(source: Source) -> Option<Source> {
    let text = Untrusted::new(without_orders(source.text.as_data())?);
    let title = Untrusted::new(without_orders(source.title.as_data()).unwrap_or_default());
    (!text.is_empty() || !title.is_empty()).then_some(Source { title, text, ..source })
}

/// The comment inside "Reply to this comment: …", or the goal itself.
fn comment_in(goal: &str) -> &str {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?is)^\s*(?:please\s+)?(?:reply|respond|answer)\b[^:"“\n]{0,120}[:"“]\s*(.+)$"#)
            .expect("a fixed pattern, compiled by tests")
    });
    let inner = LEAD.captures(goal).and_then(|found| found.get(1)).map_or(goal, |comment| comment.as_str());
    inner.trim().trim_matches(['"', '“', '”'])
}
