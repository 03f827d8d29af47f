//! Text that a tool or a person outside wrote, on its way to a record: made harmless to look at, or not taken.

use url::Url;

const URL_CHARS_MAX: usize = 2_048;

/// In one line, without what cannot be seen or turns the reading around, cut to so many characters.
pub fn one_line(raw: &str, chars_max: usize) -> String {
    let seen: String = raw.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !is_hidden(*c)).collect();
    let words: Vec<&str> = seen.split(' ').filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    if line.chars().count() <= chars_max {
        return line;
    }
    line.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

/// The address of a web page in its parsed form, which holds neither white space nor controls.
pub fn web_address(raw: &str) -> Option<String> {
    let url = Url::parse(raw).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.to_string()).filter(|url| url.len() <= URL_CHARS_MAX)
}

/// Controls, and characters that hide text or change its direction.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
        || matches!(c, '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_what_it_holds() {
        for (raw, expected) in [
            ("Your post is live! 🎉\n\tSee it.", "Your post is live! 🎉 See it."),
            ("\u{1b}[2Jgone\u{202e}", "[2Jgone"),
            ("a\u{200b}b\u{feff}", "ab"),
            ("", ""),
            ("1234567890", "1234567890"),
            ("12345678901", "123456789…"),
        ] {
            assert_eq!(one_line(raw, if raw.len() < 12 { 10 } else { 200 }), expected, "{raw:?}");
        }
    }

    #[test]
    fn only_addresses_of_web_pages_are_taken() {
        for (raw, expected) in [
            ("https://social.example/17", Some("https://social.example/17")),
            ("https://social.example/a b", Some("https://social.example/a%20b")),
            ("javascript:alert(1)", None),
            ("file:///etc/passwd", None),
            ("social.example/17", None),
            ("", None),
        ] {
            assert_eq!(web_address(raw).as_deref(), expected, "{raw:?}");
        }
        assert_eq!(web_address(&format!("https://social.example/{}", "a".repeat(URL_CHARS_MAX))), None);
    }
}
