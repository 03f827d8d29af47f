//! Characters that a reader does not see, or that turn, move or repaint what a reader sees. Text of others is shown to people with them
//! written out (`\u{202E}`), and nothing that is published holds one.

use std::borrow::Cow;

/// Control characters, direction marks, zero-width and tag characters, noncharacters, private use. A line break is one: where more than one
/// line is meant, the caller says so.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FDD0}'..='\u{FDEF}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{FFFE}'..='\u{FFFF}'
            | '\u{E000}'..='\u{F8FF}' | '\u{E0000}'..='\u{E0FFF}' | '\u{F0000}'..='\u{10FFFF}')
        || (u32::from(c) & 0xFFFE) == 0xFFFE
}

/// The first character of `text` that hides something, with its place. Joiners inside a picture or inside a word of a script that needs them
/// hide nothing, and neither does a line break where `lines` are meant.
pub fn first_hidden(text: &str, lines: Lines) -> Option<(usize, char)> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    (0..chars.len()).find(|place| hides(&chars, *place, lines)).map(|place| chars[place])
}

/// Whether a text may have more than one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    One,
    Many,
}

/// As people may see it: every hidden character written out, line breaks kept.
pub fn visible(text: &str) -> Cow<'_, str> {
    shown(text, Lines::Many)
}

/// The same on one line: a line break is written out too, so that nobody else's text begins a line of ours.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    shown(text, Lines::One)
}

/// The beginning of a text on one line, for lists: runs of white space and control characters are one space, what hides is written out, and
/// what is longer ends with `…`.
pub fn excerpt(text: &str, chars_max: usize) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = visible_line(&plain).split_whitespace().collect::<Vec<_>>().join(" ");
    if plain.chars().count() <= chars_max {
        return plain;
    }
    let kept: String = plain.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{kept}…")
}

fn shown(text: &str, lines: Lines) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && !(c == '\n' && lines == Lines::Many)) {
        return Cow::Borrowed(text);
    }
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut shown = String::with_capacity(text.len() + 16);
    for (place, (_, c)) in chars.iter().enumerate() {
        match c {
            c if !hides(&chars, place, lines) => shown.push(*c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c => shown.push_str(&format!("\\u{{{:X}}}", u32::from(*c))),
        }
    }
    Cow::Owned(shown)
}

fn hides(chars: &[(usize, char)], place: usize, lines: Lines) -> bool {
    let c = chars[place].1;
    let before = place.checked_sub(1).and_then(|before| chars.get(before)).map(|(_, c)| *c);
    let after = chars.get(place + 1).map(|(_, c)| *c);
    match c {
        '\n' => lines == Lines::One,
        '\u{200D}' => !(joins_letters(before, after) || before.is_some_and(ends_picture) && after.is_some_and(is_picture)),
        '\u{200C}' => !joins_letters(before, after),
        // How a picture or a keycap is drawn.
        '\u{FE0E}' | '\u{FE0F}' => !before.is_some_and(|c| is_picture(c) || c.is_ascii_digit() || matches!(c, '#' | '*')),
        c => is_hidden(c),
    }
}

/// Scripts whose letters change shape beside each other, so that a writer says where they shall not, or shall.
fn joins_letters(before: Option<char>, after: Option<char>) -> bool {
    let is_joining = |c: char| {
        matches!(u32::from(c),
            0x0620..=0x06FF | 0x0700..=0x08FF | 0x0900..=0x0DFF | 0x0F00..=0x109F | 0x1780..=0x17D3 | 0x1820..=0x18AA | 0xA840..=0xABFF
            | 0xFB50..=0xFDCF | 0xFDF0..=0xFDFF | 0xFE70..=0xFEFC)
            && !is_hidden(c)
    };
    before.is_some_and(is_joining) && after.is_some_and(is_joining)
}

fn is_picture(c: char) -> bool {
    matches!(u32::from(c), 0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x27BF | 0x2900..=0x297F | 0x2B00..=0x2BFF | 0x3030 | 0x303D | 0x3297 | 0x3299 | 0x1F000..=0x1FAFF)
}

/// A picture, or what says how the one before it is drawn.
fn ends_picture(c: char) -> bool {
    is_picture(c) || c == '\u{FE0F}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_turns_or_repaints_is_written_out() {
        for (text, shown) in [
            ("plain é 東京 አዲስ", "plain é 東京 አዲስ"),
            ("\u{1b}[2J\u{1b}]0;title\u{7}", "\\u{1B}[2J\\u{1B}]0;title\\u{7}"),
            ("a\u{9b}31m", "a\\u{9B}31m"),
            ("left\u{202E}thgir\u{202C}", "left\\u{202E}thgir\\u{202C}"),
            ("\u{2066}x\u{2069}\u{200E}", "\\u{2066}x\\u{2069}\\u{200E}"),
            ("zero\u{200B}width\u{FEFF}\u{2060}", "zero\\u{200B}width\\u{FEFF}\\u{2060}"),
            ("tag\u{E0041}\u{E007F}", "tag\\u{E0041}\\u{E007F}"),
            ("over\rwritten\u{8}\u{7f}", "over\\rwritten\\u{8}\\u{7F}"),
            ("two\nlines\tof", "two\nlines\\tof"),
            ("sep\u{2028}arated\u{85}", "sep\\u{2028}arated\\u{85}"),
            ("joined a\u{200D}b c\u{200C}d", "joined a\\u{200D}b c\\u{200C}d"),
            ("\u{FDD0}\u{1FFFE}\u{E001}", "\\u{FDD0}\\u{1FFFE}\\u{E001}"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
            assert_eq!(first_hidden(text, Lines::Many).is_none(), text == shown, "{text:?}");
        }
        assert_eq!(visible_line("one\nline\r\n"), "one\\nline\\r\\n");
        assert_eq!(first_hidden("one\ntwo", Lines::One), Some((3, '\n')));
    }

    #[test]
    fn joiners_stay_where_a_script_or_a_picture_needs_them() {
        for text in [
            "می\u{200C}خواهم",
            "क\u{94D}\u{200D}ष",
            "👩\u{200D}👩\u{200D}👧",
            "❤\u{FE0F}\u{200D}🔥",
            "1\u{FE0F}\u{20E3}",
            "👍🏽",
            "שלום",
            "مرحبا",
        ] {
            assert_eq!(visible_line(text), text, "{text:?}");
        }
        for text in ["\u{200D}", "👩\u{200D}", "\u{200C}می", "a\u{FE0F}", "👩\u{200D}a"] {
            assert_ne!(visible_line(text), text, "{text:?}");
        }
    }
}
