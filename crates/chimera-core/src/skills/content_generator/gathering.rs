//! Reads the required resources, all of them or none, and tells the comment from the background.

use super::ContentGenerator;
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
    },
    ports::resources::ResourceText,
};
use futures::future::join_all;
use regex::Regex;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// What a task has to work with.
pub(super) struct Gathered {
    pub(super) sources: Vec<Source>,
    pub(super) comment: Option<Comment>,
    resource_uris: Vec<String>,
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
        if self.flagged > 0 {
            lines.push(format!("left out: {} items that try to give instructions", self.flagged));
        }
        lines
    }
}

impl ContentGenerator {
    /// `resource_unavailable` when any of them cannot be read: nothing is written from less than what was asked.
    pub(super) async fn gather(&self, input: &ContentGeneratorInput) -> Result<Gathered, SkillFailure> {
        let mut uris: Vec<String> = Vec::new();
        for uri in input.context.required_resources.iter().flatten() {
            if !uris.contains(uri) {
                uris.push(uri.clone());
            }
        }
        let reads = join_all(uris.iter().map(|uri| self.ports.resources.read(uri, self.settings.read_within))).await;
        let mut failures: Vec<Value> = Vec::new();
        let mut items: Vec<(Source, bool)> = Vec::new();
        for (uri, read) in uris.iter().zip(reads) {
            let found = read.map_err(|error| error.to_string()).and_then(|parts| self.read_sources(uri, &parts));
            match found {
                Ok(found) => items.extend(found),
                Err(message) => {
                    failures.push(json!({ "resource_uri": uri, "error_code": ErrorCode::ResourceUnavailable, "message": message }))
                }
            }
        }
        if let Some(first) = failures.first() {
            let message = format!("{} could not be read: {}", first["resource_uri"], first["message"].as_str().unwrap_or_default());
            return Err(SkillFailure::new(ErrorCode::ResourceUnavailable, message).with("resource_errors", &failures));
        }
        let comment =
            (input.task_type == ContentTaskType::ReplyComment).then(|| self.take_comment(&mut items, &input.context.goal_description));
        let count = items.len();
        let mut sources: Vec<Source> =
            items.into_iter().filter(|(_, instructs)| !instructs).filter_map(|(source, _)| informing(source)).collect();
        let flagged = count - sources.len();
        sources.truncate(SOURCES_MAX);
        Ok(Gathered { sources, comment, resource_uris: uris, flagged })
    }

    fn read_sources(&self, uri: &str, parts: &[ResourceText]) -> Result<Vec<(Source, bool)>, String> {
        let found = read_items(parts, self.ports.feeds.as_ref()).map_err(|error| error.to_string())?;
        let sources = found.into_iter().map(|found| match found {
            Found::Item(item) => {
                let source =
                    Source { resource_uri: uri.to_owned(), title: item.title, text: item.text, url: item.url, author: item.author };
                (source, item.instructs)
            }
            Found::Price(price) => (Source { resource_uri: uri.to_owned(), text: price_line(&price, None), ..Source::default() }, false),
        });
        Ok(sources.collect())
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
