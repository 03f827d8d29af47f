//! Feeds inside fetched text: RSS, Atom and JSON Feed are parsed outside the core.

use crate::domain::Untrusted;
use chrono::{DateTime, Utc};

pub trait FeedParser: Send + Sync {
    /// The feed's items in the feed's own order; `None` when `text` is not a feed that can be read.
    fn parse(&self, text: &str) -> Option<Vec<ParsedItem>>;
}

/// One item as the feed gives it: still uncleaned, HTML and entities included, so data and never instruction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedItem {
    pub title: Option<Untrusted>,
    pub summary: Option<Untrusted>,
    pub url: Option<Untrusted>,
    pub author: Option<Untrusted>,
    pub published_at: Option<DateTime<Utc>>,
}
