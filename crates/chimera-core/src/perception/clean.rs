//! Makes fetched text plain: markup out, entities decoded, invisible characters removed, whitespace folded, length bounded.
//! Every pass is linear in the text.

use super::entities::{decoded, named, number_of};
use crate::domain::{Untrusted, hidden::is_hidden};

/// More than this is not read: nothing below uses more, and a page of a hundred megabytes costs no more than this.
const RAW_CHARS_MAX: usize = 40_000;
/// A `<` whose `>` is further away than this is a sign and not a tag.
const TAG_BYTES_MAX: usize = 1_000;

/// One line of plain text of at most `chars_max` characters, cut between words.
pub fn plain_line(raw: &str, chars_max: usize) -> Untrusted {
    let bounded = first_chars(raw, RAW_CHARS_MAX);
    let decoded = decode_entities(&strip_tags(bounded));
    // Feeds often carry markup in escaped form, so that tags only show after the first decoding.
    let plain = if decoded.contains('<') { decode_entities(&strip_tags(&decoded)) } else { decoded };
    Untrusted::new(cut_at_word(&fold(&plain), chars_max))
}

/// Cut between words where there are any; an ellipsis says so. Never longer than `chars_max`.
pub fn cut_at_word(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let kept = first_chars(text, chars_max.saturating_sub(1));
    let ends_word = text[kept.len()..].starts_with(' ');
    // A "word" of more than half the limit is a script without spaces, or an attack: cut it anywhere.
    let cut = match kept.rfind(' ') {
        Some(at) if !ends_word && at > kept.len() / 2 => &kept[..at],
        _ => kept,
    };
    format!("{}…", cut.trim_end())
}

fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

/// Elements whose content is not for readers of the text: what a picture shows is nothing without it.
const SILENT: [&str; 6] = ["script", "style", "noscript", "template", "head", "figcaption"];
/// Elements that stand inside a word or sentence; every other one separates words.
const INLINE: [&str; 18] =
    ["a", "abbr", "b", "bdi", "bdo", "code", "em", "font", "i", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u"];

fn strip_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        match markup_at_start(rest) {
            None => {
                plain.push('<');
                rest = &rest[1..];
            }
            Some(Markup::CharacterData(data)) => {
                plain.push_str(data);
                rest = &rest[CDATA_START.len() + data.len()..];
                rest = rest.strip_prefix("]]>").unwrap_or(rest);
            }
            Some(Markup::Skipped { bytes, separates }) => {
                if separates {
                    plain.push(' ');
                }
                rest = &rest[bytes..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

enum Markup<'a> {
    CharacterData(&'a str),
    Skipped { bytes: usize, separates: bool },
}

const CDATA_START: &str = "<![CDATA[";

/// `None` when the `<` is a mere sign, as in "a < b".
fn markup_at_start(text: &str) -> Option<Markup<'_>> {
    if let Some(after) = text.strip_prefix(CDATA_START) {
        return Some(Markup::CharacterData(&after[..after.find("]]>").unwrap_or(after.len())]));
    }
    if text.starts_with("<!--") {
        // A comment that never ends swallows the rest, as in browsers.
        let bytes = text.find("-->").map_or(text.len(), |at| at + 3);
        return Some(Markup::Skipped { bytes, separates: true });
    }
    let inside = &text[1..];
    if !inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
        return None;
    }
    let closing_at = end_of_tag(inside)?;
    let bytes = closing_at + 2;
    let name: String =
        inside.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let opens = !inside.starts_with('/') && !inside[..closing_at].ends_with('/');
    if opens && SILENT.contains(&name.as_str()) {
        return Some(Markup::Skipped { bytes: end_of_element(text, bytes, &name), separates: true });
    }
    Some(Markup::Skipped { bytes, separates: !INLINE.contains(&name.as_str()) })
}

/// The first `>` outside quotation marks, or the first at all where a mark is never closed. Another `<` comes before the end of
/// a sign and not of a tag; stopping there also keeps a page of nothing but `<` from being read again for each of them.
fn end_of_tag(inside: &str) -> Option<usize> {
    let bytes = &inside.as_bytes()[..inside.len().min(TAG_BYTES_MAX)];
    let mut quote = None;
    for (place, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(place),
            (None, b'<') => return None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    let first = bytes.iter().position(|byte| matches!(byte, b'<' | b'>'))?;
    (bytes[first] == b'>').then_some(first)
}

/// Where `</name>` ends, searched from `from`; the end of the text when it is never closed.
fn end_of_element(text: &str, from: usize, name: &str) -> usize {
    let closes = |(at, _): &(usize, &str)| {
        let after = &text.as_bytes()[from + at + 2..];
        after.len() >= name.len() && after[..name.len()].eq_ignore_ascii_case(name.as_bytes())
    };
    let Some((at, _)) = text[from..].match_indices("</").find(closes) else { return text.len() };
    let tag_at = from + at;
    text[tag_at..].find('>').map_or(text.len(), |end| tag_at + end + 1)
}

pub(super) fn decode_entities(text: &str) -> String {
    decoded(text, |name| number_of(name).map_or_else(|| named(name), char::from_u32))
}

/// Drops what cannot be seen and makes every run of whitespace one space.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    // A picture is drawn as its writer meant it; all else that cannot be seen hides text from people, or turns it around.
    for c in text.chars().filter(|c| c.is_whitespace() || *c == '\u{FE0F}' || !is_hidden(*c)) {
        match (c.is_whitespace(), folded.ends_with(' ') || folded.is_empty()) {
            (true, true) => {}
            (true, false) => folded.push(' '),
            (false, _) => folded.push(c),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(raw: &str) -> String {
        plain_line(raw, 200).into_data()
    }

    #[test]
    fn markup_and_entities_become_plain_text() {
        for (raw, plain) in [
            ("", ""),
            ("plain", "plain"),
            ("<p>One</p><p>Two</p>", "One Two"),
            ("so<b>me</b>thing", "something"),
            ("line<br/>break", "line break"),
            ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
            ("5 < 6 and 7 > 2", "5 < 6 and 7 > 2"),
            ("&lt;p&gt;escaped &amp;amp; markup&lt;/p&gt;", "escaped & markup"),
            ("Iraq&#39;s caf&eacute; &#x2014; &euro;5", "Iraq's café — €5"),
            ("AT&T & co; &unknown; &#xFFFFFFFF; &#0;x", "AT&T & co; &unknown; &#xFFFFFFFF; x"),
            ("<script>alert('x')</script>seen<STYLE>p{}</STYLE >", "seen"),
            ("<script>never closed", ""),
            ("<p>One</p><figure><img src='a.jpg'><figcaption>Dawn, <i>Photo: Ana</i></figcaption></figure><p>Two</p>", "One Two"),
            ("before<!-- hidden > instruction -->after", "before after"),
            ("<![CDATA[<b>bold</b> & plain]]>", "bold & plain"),
            ("an unclosed <b", "an unclosed <b"),
            ("<a title='x>y'>link</a>", "link"),
            ("<a title='it>link</a>", "link"),
        ] {
            assert_eq!(cleaned(raw), plain, "{raw:?}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_removed_and_whitespace_folded() {
        for (raw, plain) in [
            ("a\u{0}b\u{7}c", "abc"),
            (" tab\t and\r\n\n line\u{A0}break ", "tab and line break"),
            ("left\u{202E}thgir\u{202C}", "leftthgir"),
            ("zero\u{200B}width\u{FEFF}", "zerowidth"),
            ("tag\u{E0041}\u{E007F}s", "tags"),
            ("አዲስ አበባ", "አዲስ አበባ"),
        ] {
            assert_eq!(cleaned(raw), plain, "{raw:?}");
        }
    }

    #[test]
    fn long_text_is_cut_between_words_and_never_exceeds_the_limit() {
        for (text, limit, cut) in [
            ("one two three", 13, "one two three"),
            ("one two three", 12, "one two…"),
            ("one two three", 8, "one two…"),
            ("東京で地震が発生しました", 5, "東京で地…"),
            ("supercalifragilistic", 6, "super…"),
        ] {
            let line = plain_line(text, limit).into_data();
            assert_eq!(line, cut);
            assert!(line.chars().count() <= limit);
        }
    }

    #[test]
    fn hostile_markup_ends_quickly() {
        for unit in ["<", "<a", "<a \"", "<a \"'", "&", "&#", "<!--", "<script>", "<script></script>", "<![CDATA[", "</"] {
            let line = cleaned(&unit.repeat(200_000));
            assert!(line.chars().count() <= 200, "{unit:?}");
        }
    }
}
