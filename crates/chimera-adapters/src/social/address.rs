//! Which resource a URI names. One grammar for all platforms: what differs is only what each can answer.

use super::config::is_number;
use chimera_core::domain::percent;

pub(super) const MASTODON: &str = "mastodon";
pub(super) const BLUESKY: &str = "bluesky";
/// X, by the name that its resources and the rest of Chimera have for it.
pub(super) const TWITTER: &str = "twitter";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Mastodon(MastodonAddress),
    Bluesky(BlueskyAddress),
    Twitter(TwitterAddress),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MastodonAddress {
    /// `mastodon://timelines/public`
    Public,
    /// `mastodon://timelines/local`
    Local,
    /// `mastodon://tags/{tag}`
    Tag(String),
    /// `mastodon://mentions/recent`
    Mentions,
    /// `mastodon://posts/{post_id}`
    Post(String),
    /// `mastodon://posts/{post_id}/engagement`
    Engagement(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlueskyAddress {
    /// `bluesky://authors/{handle}/posts`
    Author(String),
    /// `bluesky://search/{words}`
    Search(String),
    /// `bluesky://mentions/recent`
    Mentions,
    /// `bluesky://posts/{post_id}`
    Post(String),
    /// `bluesky://posts/{post_id}/engagement`
    Engagement(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TwitterAddress {
    /// `twitter://mentions/recent`
    Mentions,
    /// `twitter://posts/{post_id}`
    Post(String),
    /// `twitter://posts/{post_id}/engagement`
    Engagement(String),
}

const PART_BYTES_MAX: usize = 512;

impl Address {
    pub(super) fn platform(&self) -> &'static str {
        match self {
            Self::Mastodon(_) => MASTODON,
            Self::Bluesky(_) => BLUESKY,
            Self::Twitter(_) => TWITTER,
        }
    }

    /// Parts are percent-encoded where they hold more than letters, digits, '-', '_', '.' and '~'. `None` when there is no such resource.
    pub fn parse(uri: &str) -> Option<Self> {
        let (scheme, rest) = uri.split_once("://")?;
        let parts: Vec<String> = rest.split('/').map(percent::decoded).collect::<Option<_>>()?;
        if parts.iter().any(|part| part.is_empty() || part.len() > PART_BYTES_MAX) {
            return None;
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match scheme.to_ascii_lowercase().as_str() {
            MASTODON => mastodon(&parts).map(Self::Mastodon),
            BLUESKY => bluesky(&parts).map(Self::Bluesky),
            TWITTER => twitter(&parts).map(Self::Twitter),
            _ => None,
        }
    }
}

fn mastodon(parts: &[&str]) -> Option<MastodonAddress> {
    match parts {
        ["timelines", "public"] => Some(MastodonAddress::Public),
        ["timelines", "local"] => Some(MastodonAddress::Local),
        ["tags", tag] => {
            Some(MastodonAddress::Tag(tag.trim_start_matches('#').to_owned())).filter(|_| !tag.trim_start_matches('#').is_empty())
        }
        ["mentions", "recent"] => Some(MastodonAddress::Mentions),
        ["posts", id] if is_status_id(id) => Some(MastodonAddress::Post((*id).to_owned())),
        ["posts", id, "engagement"] if is_status_id(id) => Some(MastodonAddress::Engagement((*id).to_owned())),
        _ => None,
    }
}

/// Numbers on Mastodon itself; other servers with its API have letters in theirs.
fn is_status_id(id: &str) -> bool {
    id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn bluesky(parts: &[&str]) -> Option<BlueskyAddress> {
    match parts {
        ["authors", handle, "posts"] => Some(BlueskyAddress::Author((*handle).to_owned())),
        ["search", words] => Some(BlueskyAddress::Search((*words).to_owned())),
        ["mentions", "recent"] => Some(BlueskyAddress::Mentions),
        ["posts", id] if id.starts_with("at://") => Some(BlueskyAddress::Post((*id).to_owned())),
        ["posts", id, "engagement"] if id.starts_with("at://") => Some(BlueskyAddress::Engagement((*id).to_owned())),
        _ => None,
    }
}

fn twitter(parts: &[&str]) -> Option<TwitterAddress> {
    match parts {
        ["mentions", "recent"] => Some(TwitterAddress::Mentions),
        ["posts", id] if is_number(id) => Some(TwitterAddress::Post((*id).to_owned())),
        ["posts", id, "engagement"] if is_number(id) => Some(TwitterAddress::Engagement((*id).to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_has_its_address() {
        let text = str::to_owned;
        let table = [
            ("mastodon://timelines/public", Address::Mastodon(MastodonAddress::Public)),
            ("mastodon://timelines/local", Address::Mastodon(MastodonAddress::Local)),
            ("mastodon://tags/%23Caf%C3%A9", Address::Mastodon(MastodonAddress::Tag(text("Café")))),
            ("MASTODON://mentions/recent", Address::Mastodon(MastodonAddress::Mentions)),
            ("mastodon://posts/1137", Address::Mastodon(MastodonAddress::Post(text("1137")))),
            ("mastodon://posts/1137/engagement", Address::Mastodon(MastodonAddress::Engagement(text("1137")))),
            ("bluesky://authors/a.bsky.social/posts", Address::Bluesky(BlueskyAddress::Author(text("a.bsky.social")))),
            ("bluesky://search/solid%20state%2Fbattery", Address::Bluesky(BlueskyAddress::Search(text("solid state/battery")))),
            ("bluesky://mentions/recent", Address::Bluesky(BlueskyAddress::Mentions)),
            (
                "bluesky://posts/at%3A%2F%2Fdid%3Aplc%3Aa%2Fapp.bsky.feed.post%2F3k/engagement",
                Address::Bluesky(BlueskyAddress::Engagement(text("at://did:plc:a/app.bsky.feed.post/3k"))),
            ),
            ("twitter://mentions/recent", Address::Twitter(TwitterAddress::Mentions)),
            (
                "bluesky://posts/at%3A%2F%2Fdid%3Aplc%3Aa%2Fapp.bsky.feed.post%2F3k",
                Address::Bluesky(BlueskyAddress::Post(text("at://did:plc:a/app.bsky.feed.post/3k"))),
            ),
            ("twitter://posts/1346889436626259968", Address::Twitter(TwitterAddress::Post(text("1346889436626259968")))),
            ("twitter://posts/1346889436626259968/engagement", Address::Twitter(TwitterAddress::Engagement(text("1346889436626259968")))),
        ];
        for (uri, expected) in table {
            assert_eq!(Address::parse(uri), Some(expected), "{uri}");
        }
    }

    #[test]
    fn malformed_addresses_name_nothing() {
        let long = format!("bluesky://search/{}", "a".repeat(PART_BYTES_MAX + 1));
        let table = [
            "",
            "mastodon",
            "mastodon://",
            "mastodon://timelines",
            "mastodon://timelines/private",
            "mastodon://timelines/public/",
            "mastodon://tags/",
            "mastodon://tags/%23",
            "mastodon://tags/%2",
            "mastodon://tags/%GG",
            "mastodon://tags/%FF",
            "mastodon://posts/..%2Fa/engagement",
            "mastodon://posts/..%2Fa",
            "bluesky://posts/3k",
            "bluesky://posts/3k/engagement",
            "twitter://posts/abc",
            "twitter://posts/abc/engagement",
            "twitter://posts/12345678901234567890/engagement",
            "x://mentions/recent",
            &long,
        ];
        for uri in table {
            assert_eq!(Address::parse(uri), None, "{uri}");
        }
    }
}
