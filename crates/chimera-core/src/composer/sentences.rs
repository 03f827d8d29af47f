//! From the text of an item to sentences that can stand in a post by themselves.

mod orders;
mod splitting;

pub use orders::{is_order, without_orders};
pub use splitting::split;

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

/// Whether a sentence may be quoted at all: long enough to say something, complete, no order to whoever writes about it, and inert.
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
        && !is_order(sentence)
        && is_inert(sentence)
}

/// Whether nothing in it can notify, link or tag, or hide: such a sentence is not quoted, since a quotation that was altered is none.
pub fn is_inert(sentence: &str) -> bool {
    entities(sentence).is_empty() && first_hidden(sentence, Lines::One).is_none()
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
    fn what_cannot_be_quoted_is_left_out() {
        for sentence in ["", "Too short.", "12 34 56 78 90 12 34 56 78", "The story goes on and on and…"] {
            assert!(!is_usable(sentence), "{sentence:?}");
        }
        for sentence in ["The city opened forty kilometres of bike lanes.", "東京で新しい橋が開通した。"] {
            assert!(is_usable(sentence), "{sentence:?}");
        }
    }
}
