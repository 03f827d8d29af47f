//! The platforms that agents write for, and how each of them measures a text. One table; `counting` does the arithmetic.

mod counting;
pub mod entities;
mod media;

pub use media::{MediaRules, PixelSize};

use std::{fmt, str::FromStr};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Platform {
    Twitter,
    Bluesky,
    Threads,
    Mastodon,
    Instagram,
    Tiktok,
    Linkedin,
}

/// What a text may be on one platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// In the platform's own unit.
    pub length_max: usize,
    pub counting: Counting,
    pub bytes_max: Option<usize>,
    pub hashtags_max: Option<usize>,
    /// How many hashtags and sentences read well there: our choice, not the platform's.
    pub hashtags_wanted: usize,
    pub sentences_wanted: usize,
}

/// How a platform counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Twitter's weights: 1 for Latin and its neighbours, 2 for the rest, 2 for an emoji however long, 23 for a link.
    TwitterWeighted,
    /// What a reader sees as one character.
    Graphemes,
    /// Graphemes, and 23 for a link.
    GraphemesWithLinks,
    /// Code points, and an emoji as many as it has UTF-8 bytes.
    CharactersWithEmojiBytes,
    /// UTF-16 code units: two for an emoji or a rare ideograph.
    Utf16,
    /// Code points.
    Characters,
}

/// The limits where no platform is named.
pub const NO_PLATFORM: Limits = plain(2_200, Counting::Characters, 3, 4);

impl Platform {
    pub const ALL: [Self; 7] = [Self::Twitter, Self::Bluesky, Self::Threads, Self::Mastodon, Self::Instagram, Self::Tiktok, Self::Linkedin];

    pub fn name(self) -> &'static str {
        match self {
            Self::Twitter => "twitter",
            Self::Bluesky => "bluesky",
            Self::Threads => "threads",
            Self::Mastodon => "mastodon",
            Self::Instagram => "instagram",
            Self::Tiktok => "tiktok",
            Self::Linkedin => "linkedin",
        }
    }

    pub fn limits(self) -> Limits {
        match self {
            Self::Twitter => plain(280, Counting::TwitterWeighted, 2, 2),
            Self::Bluesky => Limits { bytes_max: Some(3_000), ..plain(300, Counting::Graphemes, 2, 2) },
            Self::Threads => plain(500, Counting::CharactersWithEmojiBytes, 1, 2),
            Self::Mastodon => plain(500, Counting::GraphemesWithLinks, 3, 2),
            Self::Instagram => Limits { hashtags_max: Some(30), ..plain(2_200, Counting::Utf16, 5, 3) },
            Self::Tiktok => plain(2_200, Counting::Utf16, 4, 2),
            Self::Linkedin => plain(3_000, Counting::Utf16, 3, 4),
        }
    }
}

const fn plain(length_max: usize, counting: Counting, hashtags_wanted: usize, sentences_wanted: usize) -> Limits {
    Limits { length_max, counting, bytes_max: None, hashtags_max: None, hashtags_wanted, sentences_wanted }
}

impl Limits {
    pub fn of(platform: Option<Platform>) -> Self {
        platform.map_or(NO_PLATFORM, Platform::limits)
    }

    /// The length of `text` as the platform counts it.
    pub fn length(&self, text: &str) -> usize {
        counting::length(self.counting, text)
    }

    pub fn allows(&self, text: &str) -> bool {
        self.length(text) <= self.length_max
            && self.bytes_max.is_none_or(|bytes_max| text.len() <= bytes_max)
            && self.hashtags_max.is_none_or(|hashtags_max| hashtags(text).count() <= hashtags_max)
    }
}

/// Words that begin with `#` and have a letter in them, without the `#`. They end, as on every platform, with the first character that
/// belongs to no word.
pub fn hashtags(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .filter_map(|word| word.trim_start_matches(['(', '"', '\'', '[']).strip_prefix('#'))
        .map(|tag| tag.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().trim_end_matches('_'))
        .filter(|tag| tag.chars().any(char::is_alphabetic))
}

/// `http` and `https` links of a text, in order.
pub fn links(text: &str) -> Vec<&str> {
    counting::links(text).into_iter().map(|range| &text[range]).collect()
}

/// Whether a reader would see `grapheme` as a picture.
pub fn is_emoji(grapheme: &str) -> bool {
    counting::is_emoji(grapheme)
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a known platform: use one of {}", Platform::ALL.map(Platform::name).join(", "))]
pub struct UnknownPlatform {
    pub name: String,
}

const QUOTED_CHARS_MAX: usize = 64;

impl FromStr for Platform {
    type Err = UnknownPlatform;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownPlatform { name: text.chars().take(QUOTED_CHARS_MAX).collect() };
        Self::ALL.into_iter().find(|platform| platform.name() == text).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests;
