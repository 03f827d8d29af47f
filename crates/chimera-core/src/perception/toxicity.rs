//! Whether a text offends: words that offenders use, weighed, and how near its meaning is to insults rather than to kind words.
//!
//! The words and their weights come from a published classifier (`alt-profanity-check`, MIT); the direction from kind words to insults, from
//! forty sentences written for this purpose. The constants that weigh these are fitted; see `docs/perception.md`.

use super::{
    vectors::dot,
    weighted_words::{WeightedWords, take_f32, take_u32},
};
use std::sync::LazyLock;

static WEIGHTS: &[u8] = include_bytes!("toxicity.bin");
static MODEL: LazyLock<Model> = LazyLock::new(|| Model::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them"));
const MAGIC: &[u8] = b"CTOX";
const TOXIC_MIN: f64 = 0.5;

/// 0 to 1; `vector` is the text's, from the embedder.
pub fn toxicity(text: &str, vector: &[f32]) -> f64 {
    MODEL.score(text, vector)
}

pub fn is_toxic(toxicity: f64) -> bool {
    toxicity >= TOXIC_MIN
}

struct Model {
    words: WeightedWords,
    direction: Vec<f32>,
    bias: f32,
}

impl Model {
    /// `CTOX`, u32 words, u32 dimensions, f32 scale of weights, f32 bias, f32 steps of rarity; the words; then the direction, f32 each.
    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let (word_count, dimensions) = (take_u32(&mut rest)?, take_u32(&mut rest)?);
        let (scale, bias, rarity_steps) = (take_f32(&mut rest)?, take_f32(&mut rest)?, take_f32(&mut rest)?);
        let words = WeightedWords::parse(&mut rest, word_count, scale, rarity_steps)?;
        let direction: Vec<f32> = (0..dimensions).map(|_| take_f32(&mut rest)).collect::<Option<_>>()?;
        rest.is_empty().then_some(Self { words, direction, bias })
    }

    fn score(&self, text: &str, vector: &[f32]) -> f64 {
        // Another embedder's vectors have another meaning.
        let meaning = if vector.len() == self.direction.len() { dot(vector, &self.direction) } else { 0.0 };
        1.0 / (1.0 + f64::from(-(self.bias + self.words.weigh(text) + meaning)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insults_score_above_kind_words_without_any_vector() {
        let kind = toxicity("Thank you all, what a lovely concert last night", &[]);
        assert!(toxicity("You are a stupid idiot and a moron, shut up", &[]) > kind + 0.2);
        assert!(!is_toxic(kind));
        assert!((0.0..=1.0).contains(&toxicity("", &[])));
    }

    #[test]
    fn damaged_weights_are_refused() {
        for bytes in [&b""[..], b"CTOX", b"OTHER", &WEIGHTS[..WEIGHTS.len() - 1]] {
            assert!(Model::parse(bytes.to_vec().leak()).is_none());
        }
    }
}
