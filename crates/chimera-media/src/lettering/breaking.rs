//! Where a text may end a line, and where it may be cut: at the opportunities of UAX #14, in Japanese and Chinese rather between
//! phrases, and never inside of what a reader takes for one letter.

use super::scripts::{is_cjk, is_hiragana};
use std::ops::Range;
use unicode_linebreak::linebreaks;
use unicode_segmentation::UnicodeSegmentation;

/// A part of a line that stays together: a word, or a phrase of Japanese. Without the space behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    pub whole: Range<usize>,
    /// Where it may be broken when a line has no room for it; as fine as the script allows.
    pub parts: Vec<Range<usize>>,
}

pub fn phrases(text: &str) -> Vec<Phrase> {
    let is_japanese = text.chars().any(is_hiragana);
    let mut found: Vec<Phrase> = Vec::new();
    for part in opportunities(text) {
        let joins = is_japanese
            && found.last().is_some_and(|last| last.whole.end == part.start && stays(&text[last.whole.clone()], &text[part.clone()]));
        match found.last_mut().filter(|_| joins) {
            Some(last) => {
                last.whole.end = part.end;
                match last.parts.last_mut().filter(|before| hangs_on(&text[(*before).clone()], &text[part.clone()])) {
                    Some(before) => before.end = part.end,
                    None => last.parts.push(part),
                }
            }
            None => found.push(Phrase { whole: part.clone(), parts: vec![part] }),
        }
    }
    found
}

/// Between two opportunities, without spaces.
fn opportunities(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut found = Vec::new();
    for (end, _) in linebreaks(text) {
        let words = text[start..end].trim_end();
        // A figure and its unit stay together.
        let splits_figure = words.ends_with(|c: char| c.is_ascii_digit()) && text[end..].starts_with(is_cjk);
        if splits_figure {
            continue;
        }
        if !words.is_empty() {
            found.push(start..start + words.len());
        }
        start = end;
    }
    found
}

/// A Japanese phrase ends with small words in hiragana, or with a mark; what follows in other signs begins the next.
fn stays(before: &str, after: &str) -> bool {
    let (Some(last), Some(next)) = (before.chars().next_back(), after.chars().next()) else { return false };
    let opens = matches!(next, '「' | '『' | '（' | '【' | '《' | '“');
    let closed = matches!(last, '。' | '、' | '！' | '？' | '，' | '：' | '；');
    !opens && !closed && is_cjk(last) && is_cjk(next) && (is_hiragana(next) || !is_hiragana(last))
}

/// A line of Japanese rather begins with a word than with the kana behind it, and does not part a word in katakana.
fn hangs_on(before: &str, after: &str) -> bool {
    const CHARS_MAX: usize = 7;
    let is_katakana = |letter: char| matches!(letter, '\u{30a1}'..='\u{30ff}');
    let (last, next) = (before.chars().next_back(), after.chars().next());
    let hangs = next.is_some_and(is_hiragana) || (last.is_some_and(is_katakana) && next.is_some_and(is_katakana));
    hangs && before.chars().count() + after.chars().count() <= CHARS_MAX
}

/// What is read at one glance, in the order of the text; what a film shows one after another.
pub fn pieces(text: &str) -> Vec<Range<usize>> {
    /// Of characters without spaces between them.
    const GLANCE_CHARS_MAX: usize = 4;
    let mut found: Vec<Range<usize>> = Vec::new();
    for phrase in phrases(text) {
        let joins = found.last().is_some_and(|last| {
            let together = &text[last.start..phrase.whole.end];
            last.end == phrase.whole.start && (!together.contains(is_cjk) || together.chars().count() <= GLANCE_CHARS_MAX)
        });
        match found.last_mut().filter(|_| joins) {
            Some(last) => last.end = phrase.whole.end,
            None => found.push(phrase.whole),
        }
    }
    found
}

/// At most `chars_max` characters: whole words and an ellipsis. A word without end is cut between two letters.
pub fn cut(text: &str, chars_max: usize) -> String {
    /// An address may be longer, and left out whole it would leave next to nothing.
    const WORD_CHARS_MAX: usize = 40;
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let room = chars_max.saturating_sub(1);
    let fits = |end: &usize| text[..*end].chars().count() <= room;
    let at_word = opportunities(text).into_iter().map(|part| part.end).filter(|end| !text[..*end].ends_with('-')).take_while(fits).last();
    let at_letter = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len()).take_while(fits).last().unwrap_or_default();
    let end = at_word.filter(|end| text[*end..at_letter.max(*end)].chars().count() <= WORD_CHARS_MAX).unwrap_or(at_letter);
    let kept = text[..end].trim_end_matches([',', ';', ':', ' ', '、', '，', '،', '؛', '፣', '፤', '…']);
    if chars_max == 0 { String::new() } else { format!("{kept}…") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_word_and_never_inside_a_letter() {
        for (text, chars_max, expected) in [
            ("many words here", 15, "many words here"),
            ("many words here", 14, "many words…"),
            ("many words, here", 13, "many words…"),
            ("many words here", 4, "man…"),
            ("a well-known name", 10, "a…"),
            ("図書館が開館しました", 6, "図書館が開…"),
            ("مكتبة جديدة في المدينة", 15, "مكتبة جديدة في…"),
            ("नमस्ते दुनिया", 8, "नमस्ते…"),
            ("क्षेत्र", 5, "क्षे…"),
            ("👩🏽‍🚀👩🏽‍🚀", 7, "👩🏽‍🚀…"),
            ("word", 0, ""),
        ] {
            assert_eq!(cut(text, chars_max), expected, "{text} at {chars_max}");
        }
    }

    #[test]
    fn japanese_parts_behind_its_small_words_and_chinese_anywhere_but_before_a_mark() {
        let of = |text: &'static str| phrases(text).into_iter().map(|phrase| &text[phrase.whole]).collect::<Vec<_>>();
        assert_eq!(
            of("東京の新しい図書館が「月曜日」に開館しました。"),
            ["東京の", "新しい", "図書館が", "「月曜日」に", "開館しました。"]
        );
        assert_eq!(of("ガラス張りの40分のバス"), ["ガラス張りの", "40分の", "バス"]);
        assert_eq!(of("新图书馆，40公里。"), ["新", "图", "书", "馆，", "40公", "里。"]);
        assert_eq!(of("Two words, well-known"), ["Two", "words,", "well-", "known"]);
    }

    #[test]
    fn a_japanese_phrase_without_room_is_broken_before_a_word() {
        let text = "自転車用レーンを";
        let parts: Vec<&str> = phrases(text).remove(0).parts.into_iter().map(|part| &text[part]).collect();
        assert_eq!(parts, ["自", "転", "車", "用", "レーンを"]);
    }

    #[test]
    fn a_film_shows_words_and_in_han_characters_a_few_at_once() {
        let of = |text: &'static str| pieces(text).into_iter().map(|part| &text[part]).collect::<Vec<_>>();
        assert_eq!(of("Two well-known words"), ["Two", "well-known", "words"]);
        assert_eq!(of("新图书馆周一开馆。"), ["新图书馆", "周一开", "馆。"]);
        assert_eq!(of("مكتبة جديدة"), ["مكتبة", "جديدة"]);
    }
}
