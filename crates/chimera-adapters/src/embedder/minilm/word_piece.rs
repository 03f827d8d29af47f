//! Splits text as BERT's uncased tokenizer does: lower case, accents off, punctuation and ideographs by themselves, then the longest
//! pieces that the vocabulary knows.

use icu_normalizer::DecomposingNormalizerBorrowed;
use std::collections::HashMap;

/// A longer word is none that anybody wrote by hand.
const WORD_CHARS_MAX: usize = 100;
/// Letters without sense break into single ones, words of any language with Latin letters into about two or more: below three letters for two
/// pieces, over at least this many pieces, there is no word in the text.
const SENSELESS_PIECES_MIN: usize = 6;
/// Marks a piece that goes on within a word.
const CONTINUATION: &str = "##";

pub(super) struct WordPieces {
    /// Pieces that begin a word, and pieces that go on in one, without their mark.
    beginnings: HashMap<&'static str, u32>,
    continuations: HashMap<&'static str, u32>,
    /// From this id on, pieces of other languages than English.
    others_from: u32,
    unknown: u32,
    start: u32,
    end: u32,
}

/// Which pieces a text is split into. English keeps to those that the network was made with, and so to its vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    English,
    Whole,
}

impl WordPieces {
    /// `None` if one of the three special pieces is missing.
    pub(super) fn new(english: &[&'static str], others: &[&'static str]) -> Option<Self> {
        let count = english.len() + others.len();
        let (mut beginnings, mut continuations) = (HashMap::with_capacity(count), HashMap::with_capacity(count / 2));
        for (id, piece) in (0_u32..).zip(english.iter().chain(others)) {
            match piece.strip_prefix(CONTINUATION).filter(|rest| !rest.is_empty()) {
                Some(rest) => continuations.insert(rest, id),
                None => beginnings.insert(*piece, id),
            };
        }
        let (unknown, start, end) = (*beginnings.get("[UNK]")?, *beginnings.get("[CLS]")?, *beginnings.get("[SEP]")?);
        Some(Self { beginnings, continuations, others_from: u32::try_from(english.len()).ok()?, unknown, start, end })
    }

    /// At most `count_max` ids, the marks of beginning and end among them. A text without words has none, and so have letters without sense,
    /// whose vector would be near to whatever is technical.
    pub(super) fn ids(&self, text: &str, vocabulary: Vocabulary, count_max: usize) -> Vec<u32> {
        let ids_end = match vocabulary {
            Vocabulary::English => self.others_from,
            Vocabulary::Whole => u32::MAX,
        };
        let mut ids = vec![self.start];
        let mut latin = Tally::default();
        for word in words(text) {
            if ids.len() + 1 >= count_max {
                break;
            }
            self.split_word(&word, ids_end, &mut ids, &mut latin);
        }
        if ids.len() == 1 || latin.is_senseless() {
            return Vec::new();
        }
        ids.truncate(count_max - 1);
        ids.push(self.end);
        ids
    }

    fn split_word(&self, word: &str, ids_end: u32, ids: &mut Vec<u32>, latin: &mut Tally) {
        let begun_at = ids.len();
        let mut rest = word;
        let mut table = &self.beginnings;
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let longest = ends.into_iter().find_map(|end| table.get(&rest[..end]).filter(|id| **id < ids_end).map(|id| (*id, end)));
            let Some((id, end)) = longest.filter(|_| word.chars().count() <= WORD_CHARS_MAX) else {
                ids.truncate(begun_at);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
                latin.letters += end;
                latin.pieces += 1;
            }
            rest = &rest[end..];
            table = &self.continuations;
        }
    }
}

/// Pieces of Latin letters, and their letters.
#[derive(Default)]
struct Tally {
    letters: usize,
    pieces: usize,
}

impl Tally {
    fn is_senseless(&self) -> bool {
        self.pieces >= SENSELESS_PIECES_MIN && self.letters * 2 < self.pieces * 3
    }
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let lower_case = text.chars().flat_map(char::to_lowercase);
    for c in DecomposingNormalizerBorrowed::new_nfd().normalize_iter(lower_case) {
        if c.is_whitespace() {
            words.extend(taken(&mut word));
        } else if stands_alone(c) {
            words.extend(taken(&mut word));
            words.push(c.to_string());
        } else if !c.is_control() && !is_accent(c) && c != '\u{FFFD}' {
            word.push(c);
        }
    }
    words.extend(taken(&mut word));
    words
}

fn taken(word: &mut String) -> Option<String> {
    (!word.is_empty()).then(|| std::mem::take(word))
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20DC}' | '\u{FE20}'..='\u{FE2F}')
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

fn stands_alone(c: char) -> bool {
    c.is_ascii_punctuation() || is_punctuation(c) || is_ideograph(c)
}

fn is_punctuation(c: char) -> bool {
    matches!(c, '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}'
        | '\u{2053}'..='\u{205E}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}' | '\u{30FB}'
        | '\u{FF01}'..='\u{FF03}' | '\u{FF05}'..='\u{FF0A}' | '\u{FF0C}'..='\u{FF0F}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}' | '\u{FF20}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2CEAF}' | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_plain_lower_case_and_marks_stand_alone() {
        assert_eq!(words("Café: don’t\tPANIC (日本)"), ["cafe", ":", "don", "’", "t", "panic", "(", "日", "本", ")"]);
    }

    #[test]
    fn letters_without_sense_are_no_text() {
        let pieces = WordPieces::new(&["[UNK]", "[CLS]", "[SEP]", "q", "##w", "##x", "flood", "##ing"], &[]).unwrap();
        let ids = |text| pieces.ids(text, Vocabulary::English, 20);
        assert!(ids("qwx qxw").is_empty());
        assert_eq!(ids("qwx flooding"), [1, 3, 4, 5, 6, 7, 2]);
        assert_eq!(ids("qw"), [1, 3, 4, 2]);
    }

    #[test]
    fn the_longest_known_pieces_win_and_unknown_words_become_one_mark() {
        let pieces = WordPieces::new(&["[UNK]", "[CLS]", "[SEP]", "flood", "##ing", "##s", "##in"], &[]).unwrap();
        let ids = |text, count_max| pieces.ids(text, Vocabulary::English, count_max);
        assert_eq!(ids("Flooding floods quartz", 10), [1, 3, 4, 3, 5, 0, 2]);
        assert_eq!(ids("flood flood flood flood", 4), [1, 3, 3, 2]);
        assert!(ids(" \u{200B}", 10).is_empty());
        assert!(WordPieces::new(&["[UNK]"], &[]).is_none());
    }

    #[test]
    fn pieces_of_other_languages_are_not_for_english() {
        let pieces = WordPieces::new(&["[UNK]", "[CLS]", "[SEP]", "in", "##und", "##ation"], &["inundacion", "##es"]).unwrap();
        assert_eq!(pieces.ids("inundaciones", Vocabulary::Whole, 10), [1, 6, 7, 2]);
        assert_eq!(pieces.ids("inundation", Vocabulary::Whole, 10), [1, 3, 4, 5, 2]);
        assert_eq!(pieces.ids("inundaciones", Vocabulary::English, 10), [1, 0, 2]);
    }
}
