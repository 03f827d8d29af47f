//! What a raw text holds that no reader sees: comments, descriptions of pictures and links, and tag characters, which spell ASCII invisibly.
//! None of it is kept; it is only judged, since whoever hides an instruction there wants a machine to find it.

use super::clean::{decode_entities, plain_line};
use crate::domain::Untrusted;
use regex::Regex;
use std::sync::LazyLock;

const RAW_CHARS_MAX: usize = 40_000;
const UNSEEN_CHARS_MAX: usize = 2_000;
/// The flags of England, Scotland and Wales are spelled with six of them.
const TAGS_MIN: usize = 8;

/// Empty for most texts.
pub fn unseen(raw: &str) -> Untrusted {
    static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?is)<!--(.*?)(?:-->|$)|\b(?:alt|title|aria-label|aria-description|content|placeholder|data-[a-z-]{1,30})\s*=\s*(?:"([^"]*)"|'([^']*)')"#,
        )
        .expect("a fixed pattern, compiled by tests")
    });
    let raw = raw.char_indices().nth(RAW_CHARS_MAX).map_or(raw, |(at, _)| &raw[..at]);
    let mut found = String::new();
    if raw.contains(['<', '&']) {
        let decoded = decode_entities(raw);
        for passage in HIDDEN.captures_iter(&decoded) {
            if let Some(text) = passage.iter().skip(1).flatten().next().filter(|text| text.as_str().contains(char::is_alphabetic)) {
                found.push_str(text.as_str().trim());
                found.push_str(". ");
            }
        }
    }
    found.push_str(&tagged(raw));
    plain_line(&found, UNSEEN_CHARS_MAX)
}

fn tagged(raw: &str) -> String {
    let spelled: String = raw
        .chars()
        .filter_map(|c| u32::from(c).checked_sub(0xE0000).filter(|code| (0x20..0x7f).contains(code)))
        .filter_map(char::from_u32)
        .collect();
    if spelled.len() >= TAGS_MIN { spelled } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_descriptions_and_tags_are_brought_to_light() {
        let tags: String = "do this now".chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect();
        for (raw, hidden) in [
            ("plain text, 5 < 6", ""),
            ("<p>seen</p><!-- not seen -->", "not seen."),
            ("<!-- never closed", "never closed."),
            ("<img src='a.jpg' alt=\"a cat\"> <a title='a link'>x</a>", "a cat. a link."),
            ("&lt;!-- escaped --&gt;", "escaped."),
            (&format!("news{tags}"), "do this now"),
            ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", ""),
            ("", ""),
        ] {
            assert_eq!(unseen(raw).as_data(), hidden, "{raw:?}");
        }
    }

    #[test]
    fn hostile_markup_ends_quickly() {
        for unit in ["<!--", "alt=\"", "alt='\" ", "&lt;", "\u{E0041}"] {
            assert!(unseen(&unit.repeat(200_000)).as_data().chars().count() <= UNSEEN_CHARS_MAX);
        }
    }
}
