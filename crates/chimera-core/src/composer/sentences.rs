//! From the text of an item to sentences that can stand in a post by themselves.

mod orders;

pub use orders::{is_order, without_orders};

use crate::{
    domain::{
        hidden::{Lines, first_hidden},
        platform::entities::entities,
    },
    policy::wording::stems,
};
use unicode_segmentation::UnicodeSegmentation;

/// A sentence shorter than this says too little; a longer one is a paragraph somebody forgot to end.
const SENTENCE_CHARS_MIN: usize = 20;
const SENTENCE_CHARS_MAX: usize = 600;
/// Scripts without spaces say more in a character.
const DENSE_SENTENCE_CHARS_MIN: usize = 6;
const SENTENCE_WORDS_MIN: usize = 4;

/// The sentences of a text, in order. Abbreviations and initials do not end one.
pub fn split(text: &str) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for piece in text.split_sentence_bounds() {
        match sentences.last_mut().filter(|last| goes_on(last)) {
            Some(last) => last.push_str(piece),
            None => sentences.push(piece.to_owned()),
        }
    }
    sentences
        .iter()
        .map(|sentence| sentence.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

fn goes_on(sentence: &str) -> bool {
    const ABBREVIATIONS: [&str; 30] = [
        "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "inc", "ltd", "corp", "co", "vs", "no", "gen", "sen", "rep", "gov", "jan",
        "feb", "mar", "apr", "aug", "sept", "oct", "nov", "dec", "approx", "e.g", "i.e",
    ];
    let Some(before) = sentence.trim_end().strip_suffix('.') else { return false };
    let last = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    let is_initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase);
    let is_dotted = last.contains('.') && last.split('.').all(|part| part.chars().count() == 1);
    is_initial || is_dotted || ABBREVIATIONS.contains(&last.to_lowercase().as_str())
}

/// Whether a sentence may be quoted at all: long enough to say something, complete, neither the furniture of a web page nor an order to whoever
/// writes about it, and inert.
pub fn is_usable(sentence: &str) -> bool {
    let chars = sentence.chars().count();
    let is_dense = sentence.chars().filter(|c| is_dense_script(*c)).count() * 2 > chars;
    let says_something = if is_dense {
        chars >= DENSE_SENTENCE_CHARS_MIN
    } else {
        chars >= SENTENCE_CHARS_MIN && sentence.unicode_words().count() >= SENTENCE_WORDS_MIN
    };
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    says_something
        && chars <= SENTENCE_CHARS_MAX
        && letters * 2 > chars
        && !sentence.ends_with(['…', ':'])
        && !sentence.ends_with("...")
        && !is_furniture(sentence)
        && !is_order(sentence)
        && is_inert(sentence)
}

/// Whether nothing in it can notify, link or tag, or hide: such a sentence is not quoted, since a quotation that was altered is none.
pub fn is_inert(sentence: &str) -> bool {
    entities(sentence).is_empty() && first_hidden(sentence, Lines::One).is_none()
}

/// How well a sentence stands alone, 0 to 1.
pub fn standing(sentence: &str) -> f64 {
    let first = sentence.unicode_words().next().unwrap_or("").to_lowercase();
    let mut value: f64 = 1.0;
    if LEANING.contains(&first.as_str()) {
        value *= 0.6;
    }
    if sentence.unicode_words().any(|word| matches!(word, "I" | "I'm" | "I’m" | "my" | "My" | "we" | "We" | "our" | "Our" | "me" | "us"))
    {
        value *= 0.6;
    }
    if sentence.ends_with('?') {
        value *= 0.7;
    }
    if !sentence.ends_with(['.', '!', '?', '。', '！', '？', '"', '”', '’', ')']) {
        value *= 0.9;
    }
    if quotes_are_open(sentence) {
        value *= 0.5;
    }
    // A post wants a sentence that is read in one go, and more than a headline.
    value
        * match sentence.chars().count() {
            0..50 => 0.85,
            50..=240 => 1.0,
            _ => 0.8,
        }
}

/// Words that lean on a sentence we did not take.
const LEANING: [&str; 30] = [
    "he",
    "she",
    "it",
    "they",
    "this",
    "that",
    "these",
    "those",
    "but",
    "and",
    "or",
    "so",
    "however",
    "also",
    "meanwhile",
    "then",
    "yet",
    "instead",
    "moreover",
    "furthermore",
    "additionally",
    "still",
    "his",
    "her",
    "their",
    "its",
    "such",
    "there",
    "because",
    "which",
];

fn quotes_are_open(sentence: &str) -> bool {
    let count = |c: char| sentence.matches(c).count();
    !count('"').is_multiple_of(2) || count('“') != count('”') || count('(') != count(')') || count('[') != count(']')
}

fn is_furniture(sentence: &str) -> bool {
    const PHRASES: [&str; 24] = [
        "click here",
        "read more",
        "subscribe",
        "sign up",
        "newsletter",
        "cookie",
        "all rights reserved",
        "continue reading",
        "advertisement",
        "photo:",
        "image:",
        "getty images",
        "follow us",
        "share this",
        "terms of service",
        "privacy policy",
        "log in",
        "copyright",
        "minute read",
        "appeared first on",
        "view comments",
        "sponsored",
        "javascript",
        "your browser",
    ];
    let lowered = sentence.to_lowercase();
    PHRASES.iter().any(|phrase| lowered.contains(phrase))
}

/// Whether the words call for a plain voice: nobody jokes about loss.
pub fn is_grave(text: &str) -> bool {
    const GRAVE: &str = "die died dead death deaths killed killing kill injured injuries wounded victims murder shooting attack bombing war \
        earthquake flood wildfire hurricane crash collapse disaster tragedy terror hostage abuse rape suicide funeral mourning layoffs famine \
        refugee genocide casualties massacre outbreak";
    let words = stems(text);
    stems(GRAVE).iter().any(|grave| words.contains(grave))
}

fn is_dense_script(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7af | 0x0e00..=0x0e7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_and_initials_do_not_end_a_sentence() {
        let sentences = split("Dr. Abebe met the U.S. team on Monday. They built a kiln! Was it hot? J. R. Smith thinks so.");

        assert_eq!(sentences, ["Dr. Abebe met the U.S. team on Monday.", "They built a kiln!", "Was it hot?", "J. R. Smith thinks so."]);
    }

    #[test]
    fn what_cannot_be_quoted_is_left_out() {
        for sentence in
            ["", "Too short.", "Read more about our newsletter here today.", "12 34 56 78 90 12 34 56 78", "The story goes on and on and…"]
        {
            assert!(!is_usable(sentence), "{sentence:?}");
        }
        for sentence in ["The city opened forty kilometres of bike lanes.", "東京で新しい橋が開通した。"] {
            assert!(is_usable(sentence), "{sentence:?}");
        }
    }

    #[test]
    fn a_sentence_that_leans_on_another_stands_worse() {
        assert!(standing("The bridge opens on Monday.") > standing("It opens on Monday."));
        assert!(standing("The bridge opens on Monday.") > standing("I think the bridge opens on Monday."));
        assert!(standing("He said \"yes.\"") > standing("He said \"yes."));
    }
}
