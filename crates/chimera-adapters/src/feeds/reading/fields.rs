//! The fields of an item: by which names they go, and what stands in them.

use super::markup::{Tag, Token, Tokens, text_of};
use base64::{Engine, engine::general_purpose::STANDARD};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Title(u8),
    Link,
    /// An id that may be an address.
    Guid,
    Summary(u8),
    Date(u8),
    Author(u8),
    /// Holds a title, a link or a date of something else.
    OfOthers,
}

impl Field {
    /// By its name with the prefix that is usual for its namespace.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "title" => Self::Title(0),
            "dc:title" => Self::Title(1),
            "media:title" | "itunes:title" => Self::Title(2),
            "link" => Self::Link,
            "guid" | "id" => Self::Guid,
            "description" | "summary" | "abstract" => Self::Summary(0),
            "dc:description" | "dcterms:abstract" | "itunes:summary" => Self::Summary(1),
            "content" | "content:encoded" | "fullitem" | "body" | "xhtml:body" | "xhtml:div" => Self::Summary(2),
            "media:description" | "itunes:subtitle" => Self::Summary(3),
            "published" | "pubdate" | "issued" | "dcterms:issued" => Self::Date(0),
            "dc:date" | "dcterms:created" | "created" | "date" => Self::Date(1),
            "updated" | "modified" | "dcterms:modified" | "lastmodified" => Self::Date(2),
            "author" | "dc:creator" | "creator" => Self::Author(0),
            "dc:author" | "itunes:author" | "dcterms:creator" | "managingeditor" => Self::Author(1),
            "dc:publisher" | "publisher" => Self::Author(2),
            "source" | "image" | "textinput" | "contributor" | "itunes:owner" | "enclosure" | "items" => Self::OfOthers,
            _ => return None,
        })
    }

    /// Such a field holds no other fields: one that begins before it has ended shows that its end is missing.
    pub fn is_line(self) -> bool {
        matches!(self, Self::Title(_) | Self::Link | Self::Guid | Self::Date(_))
    }
}

/// Text with entities decoded; where there are tags in it, the markup as it stands.
pub(super) fn content_of(tag: &Tag<'_>, inside: &str) -> String {
    let text = text_of(inside).unwrap_or_else(|| inside.to_owned());
    let is_packed = |kind: String| kind.contains('/') && !kind.starts_with("text/") && !kind.ends_with("xml") && !kind.contains("html");
    let is_base64 = tag.attribute("mode").is_some_and(|mode| mode == "base64")
        || tag.attribute("type").is_some_and(is_packed) && tag.attribute("mode").is_none();
    let packed = || STANDARD.decode(text.split_whitespace().collect::<String>()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    if is_base64 { packed().unwrap_or_default() } else { text }
}

/// Atom's in an attribute, by what they relate to; RSS' as text.
pub(super) fn link_of(tag: &Tag<'_>, inside: &str) -> Option<(u8, String)> {
    let Some(href) = tag.attribute("href") else {
        let text = text_of(inside)?.trim().to_owned();
        return (!text.is_empty()).then_some((0, text));
    };
    let rel = tag.attribute("rel").unwrap_or_default().to_ascii_lowercase();
    match rel.rsplit('/').next().unwrap_or_default() {
        "" | "alternate" => Some((0, href)),
        "self" | "enclosure" | "hub" | "edit" | "replies" | "license" | "next" | "previous" | "first" | "last" | "service.edit"
        | "service.post" | "service.feed" => None,
        _ => Some((2, href)),
    }
}

/// A name, `mail (name)`, or elements of which one is the name.
pub(super) fn author_of(inside: &str) -> String {
    match text_of(inside) {
        Some(text) => text,
        None => child_text(inside, "name").or_else(|| child_text(inside, "email")).unwrap_or_default(),
    }
}

fn child_text(inside: &str, wanted: &str) -> Option<String> {
    let mut from = None;
    for placed in Tokens::new(inside) {
        match (placed.token, from) {
            (Token::Start(tag), None) if is_local(tag.name, wanted) && !tag.is_empty => from = Some(placed.end),
            (Token::End(name), Some(from)) if is_local(name, wanted) => {
                return text_of(&inside[from..placed.start]).filter(|text| !text.trim().is_empty());
            }
            _ => {}
        }
    }
    None
}

fn is_local(written: &str, wanted: &str) -> bool {
    written.rsplit(':').next().is_some_and(|local| local.eq_ignore_ascii_case(wanted))
}
