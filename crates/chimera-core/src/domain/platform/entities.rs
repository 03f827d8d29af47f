//! What platforms make of plain text: links, bare domains, mentions, hashtags and cashtags, which they call entities. Whoever gets one into a
//! text can notify, link or tag. Where platforms differ, what any of them would make one of is one here.

mod bare_domains;

use regex::Regex;
use std::{ops::Range, sync::LazyLock};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    Link,
    /// `example.com`, and what is meant to be read as one: `example[.]com`.
    Domain,
    Mention,
    Hashtag,
    Cashtag,
}

impl EntityKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "a link",
            Self::Domain => "the name of a site",
            Self::Mention => "a mention",
            Self::Hashtag => "a hashtag",
            Self::Cashtag => "a cashtag",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity<'t> {
    pub kind: EntityKind,
    /// As it is written.
    pub text: &'t str,
}

impl Entity<'_> {
    /// The same for two that do the same: letters in one case, an address without what leads to the same place.
    pub fn key(&self) -> String {
        let lowered = self.text.to_lowercase();
        match self.kind {
            EntityKind::Link | EntityKind::Domain => {
                let bare = lowered
                    .split_once("://")
                    .filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
                    .map_or(lowered.as_str(), |(_, rest)| rest);
                let bare = bare.strip_prefix("www.").unwrap_or(bare);
                format!("site {}", bare.strip_suffix('/').unwrap_or(bare))
            }
            EntityKind::Mention | EntityKind::Hashtag | EntityKind::Cashtag => lowered,
        }
    }
}

/// All of them, in order.
pub fn entities(text: &str) -> Vec<Entity<'_>> {
    let mut found: Vec<(EntityKind, Range<usize>)> = Vec::new();
    // What is inside of a link is the link, what is inside of a mention the mention.
    for (kind, pattern) in [
        (EntityKind::Link, &*LINK),
        (EntityKind::Mention, &*MENTION),
        (EntityKind::Hashtag, &*HASHTAG),
        (EntityKind::Cashtag, &*CASHTAG),
        (EntityKind::Domain, &*DISGUISED),
    ] {
        let places = pattern.captures_iter(text).filter_map(|captured| captured.name("it")).map(|it| it.range());
        let places = places.map(|range| range.start..range.start + ended(kind, &text[range]).len());
        add(&mut found, kind, places);
    }
    add(&mut found, EntityKind::Domain, bare_domains::places(text));
    found.sort_by_key(|(_, range)| range.start);
    found.into_iter().map(|(kind, range)| Entity { kind, text: &text[range] }).collect()
}

fn add(found: &mut Vec<(EntityKind, Range<usize>)>, kind: EntityKind, places: impl Iterator<Item = Range<usize>>) {
    for range in places {
        if !found.iter().any(|(_, known)| range.start < known.end && known.start < range.end) {
            found.push((kind, range));
        }
    }
}

/// Closing punctuation belongs to the sentence.
fn ended(kind: EntityKind, text: &str) -> &str {
    match kind {
        EntityKind::Link => text.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"', '”', '’', '»', ')', ']', '>', '…']),
        EntityKind::Mention => text.trim_end_matches(['.', '-', '@', '＠', '﹫']),
        EntityKind::Hashtag | EntityKind::Cashtag | EntityKind::Domain => text,
    }
}

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a fixed pattern, compiled by tests"));
    };
}

// Any scheme with slashes, and those that do without.
pattern!(
    LINK,
    r"(?i)(?P<it>[a-z][a-z0-9+.-]*:(?://|\\\\)\S*|\bwww\.\w\S*|\b(?:mailto|javascript|vbscript|magnet|tel|sms):\S+|\bdata:[a-z]+/\S*)"
);
pattern!(MENTION, r"(?P<it>[@＠﹫]\w[\w.@＠﹫-]*)");
// Inside of a word (`C#`, `A$AP`) they are letters like others, and a number (`#1`, `$5`) is no tag.
pattern!(HASHTAG, r"(?:^|[^\w&])(?P<it>[#＃﹟]\w*[\w--[\d]]\w*)");
pattern!(CASHTAG, r"(?:^|\W)(?P<it>[$＄﹩][\w--[\d_]]\w*)");
pattern!(DISGUISED, r"(?i)(?P<it>\w[\w-]*\s?[\[({]\s?(?:\.|dot)\s?[\])}]\s?\w[\w-]*)");

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(EntityKind, &str)> {
        entities(text).into_iter().map(|entity| (entity.kind, entity.text)).collect()
    }

    #[test]
    fn whatever_can_notify_link_or_tag_is_found() {
        use EntityKind::{Cashtag, Domain, Hashtag, Link, Mention};
        for (text, kind, it) in [
            ("see https://evil.example/a?b, they say", Link, "https://evil.example/a?b"),
            ("see HXXPS://evil.example.", Link, "HXXPS://evil.example"),
            ("(www.evil.example)", Link, "www.evil.example"),
            ("javascript:alert(1)//x", Link, "javascript:alert(1)//x"),
            ("write to mailto:a@b.example now", Link, "mailto:a@b.example"),
            ("tg://join?x", Link, "tg://join?x"),
            ("thanks @evil.", Mention, "@evil"),
            ("thanks ＠evil", Mention, "＠evil"),
            ("by @bea@far.example, today", Mention, "@bea@far.example"),
            ("write to ada@evil.example.", Mention, "@evil.example"),
            ("now #scam2", Hashtag, "#scam2"),
            ("now (#Scam)", Hashtag, "#Scam"),
            ("now ＃詐欺", Hashtag, "＃詐欺"),
            ("buy $EVIL", Cashtag, "$EVIL"),
            ("buy ＄evil!", Cashtag, "＄evil"),
            ("on evil.com today", Domain, "evil.com"),
            ("on Evil.COM.", Domain, "Evil.COM"),
            ("on t.me/x", Domain, "t.me"),
            ("on evil.example", Domain, "evil.example"),
            ("on evil.newest", Domain, "evil.newest"),
            ("on еvil.com", Domain, "еvil.com"),
            ("on evil．com", Domain, "evil．com"),
            ("見よevil。com", Domain, "見よevil。com"),
            ("on почта.рф", Domain, "почта.рф"),
            ("on a.b.evil.co.uk, say", Domain, "a.b.evil.co.uk"),
            ("it ended.It began", Domain, "ended.It"),
            ("on evil.com.Then", Domain, "evil.com"),
            ("on evil[.]com", Domain, "evil[.]com"),
            ("on evil (dot) com", Domain, "evil (dot) com"),
            ("on xn--80ak6aa92e.com", Domain, "xn--80ak6aa92e.com"),
        ] {
            assert_eq!(found(text), [(kind, it)], "{text}");
        }
        assert_eq!(found("@a #b $c d.com https://e.example").len(), 5);
    }

    #[test]
    fn prose_that_only_looks_like_it_is_prose() {
        for text in [
            "",
            "Node.js and Vue.js were rewritten, package.json included.",
            "It rose 3.5 percent to 1.2m on No.10 at 5.30 p.m. in the U.S. and the U.K., e.g. today.",
            "J.R.R. Tolkien, Ph.D., met St.Louis fans.",
            "Monday.The city slept, and C# and F# programs ran.",
            "It costs $5, US$5m or A$AP's $1.50; ranked #1 of #2.",
            "The dot com years. One @ a time, 5 # or 7 $ each.",
            "東京で新しい橋が開通した。中国も喜んだ。",
            "и т.д. и т.п.",
            "either/or, and/or, 24/7, km/h: said so",
            "The data: two of three. Note: mail today.",
            "Well...and then…",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn two_that_lead_to_one_place_have_one_key() {
        let key = |text: &str| entities(text)[0].key();
        assert_eq!(key("https://www.Brand.example/"), key("brand.example"));
        assert_eq!(key("@Brand"), key("@brand"));
        assert_ne!(key("https://brand.example/a"), key("brand.example"));
        assert_ne!(key("#brand"), key("@brand"));
    }

    #[test]
    fn a_flood_of_marks_ends_quickly() {
        for unit in ["@", "#", "a.", "a.b.", "http://", "$a", "[.]", "a(.)", "@a@", "www."] {
            entities(&unit.repeat(20_000));
        }
    }
}
