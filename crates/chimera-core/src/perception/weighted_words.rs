//! Words with weights, as a file of ours holds them: the part of a classifier that looks at words alone.

use std::collections::HashMap;

/// How much of a text is looked at.
const READ_CHARS_MAX: usize = 2_000;

pub(super) struct WeightedWords(HashMap<&'static str, Word>);

struct Word {
    /// How seldom it is.
    rarity: f32,
    weight: f32,
}

impl WeightedWords {
    /// For each word: u8 length, text, u8 rarity in `rarity_steps`, i8 weight in `scale`. Moves `rest` behind them.
    pub(super) fn parse(rest: &mut &'static [u8], count: u32, scale: f32, rarity_steps: f32) -> Option<Self> {
        let mut words = HashMap::new();
        for _ in 0..count {
            let (length, after) = rest.split_first()?;
            let (text, after) = after.split_at_checked((*length).into())?;
            let ([rarity, weight], after) = after.split_first_chunk::<2>()?;
            let word = Word { rarity: f32::from(*rarity) / rarity_steps, weight: f32::from(weight.cast_signed()) * scale };
            words.insert(std::str::from_utf8(text).ok()?, word);
            *rest = after;
        }
        Some(Self(words))
    }

    /// The words' weights, by how often and how seldom they are; 0 for a text without any of them.
    pub(super) fn weigh(&self, text: &str) -> f32 {
        let lowered: String = text.chars().take(READ_CHARS_MAX).flat_map(char::to_lowercase).collect();
        let mut counts: HashMap<&str, f32> = HashMap::new();
        for word in lowered.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| self.0.contains_key(word)) {
            *counts.entry(word).or_default() += 1.0;
        }
        let mut known: Vec<(&str, f32, f32)> =
            counts.iter().filter_map(|(word, count)| self.0.get(word).map(|known| (*word, count * known.rarity, known.weight))).collect();
        // The order of a hash map must not decide the last digit.
        known.sort_unstable_by_key(|(word, _, _)| *word);
        let length = known.iter().map(|(_, amount, _)| amount * amount).sum::<f32>().sqrt().max(f32::EPSILON);
        known.iter().map(|(_, amount, weight)| amount * weight).sum::<f32>() / length
    }
}

/// Little-endian numbers from the beginning of `rest`.
pub(crate) fn take_u32(rest: &mut &'static [u8]) -> Option<u32> {
    take_four(rest).map(u32::from_le_bytes)
}

pub(crate) fn take_f32(rest: &mut &'static [u8]) -> Option<f32> {
    take_four(rest).map(f32::from_le_bytes)
}

fn take_four(rest: &mut &'static [u8]) -> Option<[u8; 4]> {
    let (taken, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(*taken)
}
