//! What `chimera feeds` serves, and where it comes from.

use super::listings;
use std::path::{Path, PathBuf};
use url::Url;

const CONTACT_CHARS_MAX: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedsConfig {
    pub news: Vec<NewsFeed>,
    pub market: Vec<MarketFeed>,
    /// Whom a server's owner may ask about our requests: an address of mail or of the web.
    pub contact: Option<String>,
}

/// Served as `news://{region}/{category}/latest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewsFeed {
    pub region: String,
    pub category: String,
    pub sources: Vec<FeedSource>,
}

/// Served as `market://crypto/{asset}/price`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarketFeed {
    pub asset: String,
    pub source: FeedSource,
    /// RFC 6901: where in the answer the number is; empty means that the answer is the number.
    pub price_pointer: String,
    pub currency: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FeedSource {
    Http(Url),
    File(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeedsConfigError {
    #[error("feed source {given:?} is not a URL; write https://… or file:path/to/feed.xml")]
    NotUrl { given: String },
    #[error("feed source {given:?} names nothing; write hackernews:front, hackernews:new, or reddit: and a subreddit")]
    UnknownListing { given: String },
    #[error("feeds.contact must have 1 to {CONTACT_CHARS_MAX} visible ASCII characters, such as a mail address")]
    BadContact,
    #[error("feed source {given:?} has the scheme {scheme:?}; only http, https and file can be fetched")]
    UnknownScheme { given: String, scheme: String },
    #[error("{field} {given:?} cannot stand in a resource address; use letters, digits, '-', '_' and '.'")]
    BadName { field: &'static str, given: String },
    #[error("{uri} is configured twice; put its sources into one entry")]
    Twice { uri: String },
    #[error("{uri} has no source; give it at least one URL")]
    NoSource { uri: String },
    #[error("price pointer {given:?} of {uri} must be empty or start with '/', as in \"/data/amount\"")]
    BadPointer { uri: String, given: String },
}

impl FeedSource {
    /// A web address, `file:` and a path, `hackernews:front`, `hackernews:new`, or `reddit:` and one or more subreddits with `+` between them.
    /// `file:` paths are relative to `base_dir`, the folder of the file that names them.
    pub fn parse(given: &str, base_dir: &Path) -> Result<Self, FeedsConfigError> {
        if let Some(rest) = given.strip_prefix("file:") {
            let path = rest.strip_prefix("//").unwrap_or(rest);
            if path.is_empty() {
                return Err(FeedsConfigError::NotUrl { given: given.to_owned() });
            }
            return Ok(Self::File(base_dir.join(path)));
        }
        let listing = listings::address(given);
        let url = Url::parse(listing.as_deref().unwrap_or(given)).map_err(|_| FeedsConfigError::NotUrl { given: scrubbed_text(given) })?;
        match url.scheme() {
            "hackernews" | "reddit" => Err(FeedsConfigError::UnknownListing { given: given.to_owned() }),
            "http" | "https" if url.has_host() => Ok(Self::Http(url)),
            scheme => Err(FeedsConfigError::UnknownScheme { given: scrubbed_text(given), scheme: scheme.to_owned() }),
        }
    }

    /// Safe to show: no user, password or query (keys hide in all three), and of a path the file's name alone.
    pub fn label(&self) -> String {
        match self {
            Self::Http(url) => {
                let mut shown = url.clone();
                // Neither can fail on a URL that has a host, and `parse` let no other through.
                let _ = shown.set_username("");
                let _ = shown.set_password(None);
                shown.set_query(None);
                shown.set_fragment(None);
                shown.into()
            }
            Self::File(path) => format!("file:{}", path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default()),
        }
    }
}

impl NewsFeed {
    pub fn uri(&self) -> String {
        format!("news://{}/{}/latest", self.region, self.category).to_ascii_lowercase()
    }
}

impl MarketFeed {
    pub fn uri(&self) -> String {
        format!("market://crypto/{}/price", self.asset).to_ascii_lowercase()
    }
}

impl FeedsConfig {
    pub fn check(&self) -> Result<(), FeedsConfigError> {
        let fits = |contact: &String| (1..=CONTACT_CHARS_MAX).contains(&contact.len()) && contact.bytes().all(|b| b.is_ascii_graphic());
        if !self.contact.iter().all(fits) {
            return Err(FeedsConfigError::BadContact);
        }
        let mut seen = std::collections::HashSet::new();
        for feed in &self.news {
            check_name("region", &feed.region)?;
            check_name("category", &feed.category)?;
            if feed.sources.is_empty() {
                return Err(FeedsConfigError::NoSource { uri: feed.uri() });
            }
        }
        for feed in &self.market {
            check_name("asset", &feed.asset)?;
            if !feed.price_pointer.is_empty() && !feed.price_pointer.starts_with('/') {
                return Err(FeedsConfigError::BadPointer { uri: feed.uri(), given: feed.price_pointer.clone() });
            }
        }
        let uris = self.news.iter().map(NewsFeed::uri).chain(self.market.iter().map(MarketFeed::uri));
        for uri in uris {
            if !seen.insert(uri.clone()) {
                return Err(FeedsConfigError::Twice { uri });
            }
        }
        Ok(())
    }
}

fn check_name(field: &'static str, given: &str) -> Result<(), FeedsConfigError> {
    let fits = !given.is_empty() && given.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if fits { Ok(()) } else { Err(FeedsConfigError::BadName { field, given: given.to_owned() }) }
}

/// What did not parse may still hold a password before its '@'.
fn scrubbed_text(given: &str) -> String {
    match given.rsplit_once('@') {
        Some((_, rest)) => format!("…@{rest}"),
        None => given.to_owned(),
    }
}
