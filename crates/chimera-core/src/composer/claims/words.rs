//! Words as the claim check sees them.

use crate::{composer::small_words::plain_number, perception::words::is_function_word, policy::wording::stem};
use unicode_segmentation::UnicodeSegmentation;

pub(super) struct Word {
    pub(super) stem: String,
    pub(super) lowered: String,
    pub(super) is_content: bool,
    pub(super) is_name: bool,
    pub(super) is_number: bool,
    pub(super) is_negation: bool,
}

/// The words of one sentence. Its first is a name only where a second follows it.
pub(super) fn words(sentence: &str) -> Vec<Word> {
    let raw: Vec<&str> = sentence.unicode_words().collect();
    let is_large = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let made = raw.iter().enumerate().map(|(place, word)| {
        let lowered = word.to_lowercase().replace('’', "'");
        let is_number = word.chars().any(char::is_numeric);
        let is_small = is_function_word(&lowered);
        let is_named = is_large(word) && !is_small && lowered != "i";
        let stem = if is_number { plain_number(&lowered).into_owned() } else { stem(word) };
        Word {
            is_content: !is_small && !is_negation(&lowered),
            is_name: is_named && !is_number && (place > 0 || raw.get(1).is_some_and(|next| is_large(next))),
            is_negation: is_negation(&lowered),
            is_number,
            stem,
            lowered,
        }
    });
    made.collect()
}

fn is_negation(lowered: &str) -> bool {
    const NEGATIONS: [&str; 14] =
        ["not", "never", "no", "none", "nobody", "nothing", "neither", "nor", "without", "hardly", "nowhere", "cannot", "denied", "denies"];
    NEGATIONS.contains(&lowered) || lowered.ends_with("n't")
}

/// How rare a word is, 0 to 1, by a table over the hashes of stems: what two words share costs little.
pub(in crate::composer) fn rarity(stem: &str) -> f64 {
    static TABLE: &[u8] = include_bytes!("words.bin");
    f64::from(TABLE[hash(stem) as usize % TABLE.len()]) / 255.0
}

/// Whether a word is one that is written small within a sentence, and so names nobody: a set of 11,000 stems that takes a name for one of them in less
/// than one of a hundred cases.
pub(in crate::composer) fn is_ordinary(word: &str) -> bool {
    static BITS: &[u8] = include_bytes!("ordinary.bin");
    let (hash, count) = (hash(&stem(word)), BITS.len() as u64 * 8);
    let is_set = |place: u64| BITS[(place / 8) as usize] >> (place % 8) & 1 == 1;
    is_set(hash % count) && is_set((hash >> 40) % count)
}

fn hash(stem: &str) -> u64 {
    stem.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_words_are_told_from_names_and_common_ones_from_rare_ones() {
        assert!(["worth", "eleven", "tickets", "readers"].iter().all(|word| is_ordinary(word)));
        assert!(!["nairobi", "tuesday", "london", "bekele"].iter().any(|word| is_ordinary(word)));
        assert!(rarity("peopl") < rarity("otter"));
    }
}
