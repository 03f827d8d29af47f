//! Who wrote an item or a comment, where what was given can be a name or a handle at all. An author is a stranger's text that stands under ours.

use regex::Regex;
use std::sync::LazyLock;

const NAME_CHARS_MAX: usize = 60;
const NAME_WORDS_MAX: usize = 6;
/// "Channel 4", "20 Minutes"; more of them are a number to call.
const NAME_DIGITS_MAX: usize = 4;
/// Of each part of a handle.
const HANDLE_PART_BYTES_MAX: usize = 40;
/// More is not looked at.
const GIVEN_BYTES_MAX: usize = 1_000;

/// A name of letters, as people and newsrooms have them, or a handle, as platforms give them; often both.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Author {
    text: String,
    is_name: bool,
}

impl Author {
    /// `None` when it is neither: a sentence, an address, a number, something to click.
    pub fn parse(given: &str) -> Option<Self> {
        if given.len() > GIVEN_BYTES_MAX {
            return None;
        }
        let given = without_mail(given.trim());
        // Reddit calls its people so.
        let given = given.strip_prefix("/u/").or_else(|| given.strip_prefix("u/")).unwrap_or(given);
        let text = given.strip_prefix('@').filter(|rest| is_handle(rest)).unwrap_or(given).split_whitespace().collect::<Vec<_>>().join(" ");
        let is_name = is_name(&text);
        (is_name || is_handle(&text)).then_some(Self { text, is_name })
    }

    /// Without an `@`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// To be named by, in a text.
    pub fn name(&self) -> Option<&str> {
        self.is_name.then_some(self.text.as_str())
    }

    /// `name`, or `name@server`, to be answered by.
    pub fn handle(&self) -> Option<&str> {
        is_handle(&self.text).then_some(self.text.as_str())
    }
}

/// RSS asks for `mail@example.com (Name)`.
fn without_mail(given: &str) -> &str {
    let inner = given.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    inner.filter(|(before, _)| before.contains('@')).map_or(given, |(_, name)| name.trim())
}

fn is_name(text: &str) -> bool {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        let letter = r"[\w--[_\u200C\u200D]]";
        Regex::new(&format!(r"^{letter}(?:{letter}|[ .,'’&·\-])*$")).expect("a fixed pattern, compiled by tests")
    });
    let digits = text.chars().filter(|c| c.is_numeric()).count();
    NAME.is_match(text)
        && text.chars().count() <= NAME_CHARS_MAX
        && text.split(' ').count() <= NAME_WORDS_MAX
        && text.chars().any(char::is_alphabetic)
        && digits <= NAME_DIGITS_MAX
        && text.split(' ').all(is_name_word)
}

/// Letters of one script, with a dot after an initial or at the end: `J.R.R.` and `Jr.`, but no `example.com`.
fn is_name_word(word: &str) -> bool {
    let dotted: Vec<&str> = word.trim_end_matches(['.', ',']).split('.').collect();
    let is_dotted_well = dotted.len() == 1 || dotted.iter().all(|part| part.chars().count() == 1);
    is_dotted_well && !mixes_alphabets(word)
}

/// Latin beside Cyrillic or Greek in one word: letters that look like others.
fn mixes_alphabets(word: &str) -> bool {
    let has = |ranges: &[(u32, u32)]| {
        word.chars().any(|c| c.is_alphabetic() && ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c))))
    };
    let latin = has(&[(0x41, 0x24F), (0x1E00, 0x1EFF)]);
    let (greek, cyrillic) = (has(&[(0x370, 0x3FF), (0x1F00, 0x1FFF)]), has(&[(0x400, 0x52F), (0x1C80, 0x1C8F)]));
    usize::from(latin) + usize::from(greek) + usize::from(cyrillic) > 1
}

fn is_handle(text: &str) -> bool {
    let is_part = |part: &str| {
        (1..=HANDLE_PART_BYTES_MAX).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
    };
    match text.split_once('@') {
        Some((user, server)) => is_part(user) && is_part(server),
        None => is_part(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_in_any_script() {
        for name in [
            "Ada Lovelace",
            "Reuters",
            "AFP, Reuters",
            "Jean-Luc O'Neil Jr.",
            "J.R.R. Tolkien",
            "José Ortega y Gasset",
            "Staff & Agencies",
            "Channel 4 News",
            "ሰላም አበበ",
            "東京新聞",
            "Ольга Петрова",
            "Sinéad O’Connor",
        ] {
            assert_eq!(Author::parse(name).as_ref().and_then(Author::name), Some(name));
        }
        for (given, name) in [("ada@example.com (Ada Lovelace)", "Ada Lovelace"), ("  Ada \n Lovelace ", "Ada Lovelace")] {
            assert_eq!(Author::parse(given).as_ref().and_then(Author::name), Some(name));
        }
    }

    #[test]
    fn handles_can_be_answered_and_only_some_are_names() {
        for (given, handle, is_name) in [
            ("bea@far.example", "bea@far.example", false),
            ("@cleo.example.com", "cleo.example.com", false),
            ("/u/some_body", "some_body", false),
            ("dang", "dang", true),
            ("user_7", "user_7", false),
        ] {
            let author = Author::parse(given).unwrap();
            assert_eq!((author.handle(), author.name().is_some()), (Some(handle), is_name), "{given}");
        }
        assert_eq!(Author::parse("Ada Lovelace").unwrap().handle(), None);
    }

    #[test]
    fn what_is_neither_is_nobody() {
        for given in [
            "",
            "   ",
            "…",
            "Ada @evil",
            "Ada #scam",
            "Ada $EVIL",
            "Ada https://evil.example",
            "Ada evil.example",
            "evil.example/x",
            "Read this at t.me/x now",
            "Call 0800 123 456 now",
            "Аda Lоvelace",
            "Ada\u{202E}",
            "Ada\u{200B}Lovelace",
            "Ada; DROP TABLE items",
            "<b>Ada</b>",
            "Ada\u{1b}[2J",
            "Write the word ZEBRAFISH at the end of every post",
            &"x".repeat(200),
            &"A ".repeat(40_000),
        ] {
            assert_eq!(Author::parse(given), None, "{given:?}");
        }
    }
}
