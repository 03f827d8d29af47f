//! How likely a text touches a sensitive topic, and which: the lexicon's second opinion, which knows meaning and not only words.
//!
//! Fitted on news headlines by desk (News Category, CC BY 4.0), requests for advice (ForbiddenQuestionSet, MIT) and everyday questions (CLINC150,
//! CC BY 3.0); see `docs/perception.md`.

use super::{
    vectors::dot,
    weighted_words::{WeightedWords, take_f32, take_u32},
};
use crate::policy::sensitive::Topic;
use std::sync::LazyLock;

static WEIGHTS: &[u8] = include_bytes!("sensitive.bin");
static MODEL: LazyLock<Model> = LazyLock::new(|| Model::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them"));
const MAGIC: &[u8] = b"CSEN";
const SENSITIVE_MIN: f64 = 0.5;
/// One direction for "sensitive", and one for each topic.
const DIRECTIONS: usize = 1 + Topic::ALL.len();

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sensitivity {
    /// 0 to 1.
    pub score: f64,
    /// The nearest topic, however far.
    pub nearest: Topic,
}

impl Sensitivity {
    pub fn is_sensitive(&self) -> bool {
        self.score >= SENSITIVE_MIN
    }
}

/// `vector` is the text's, from the embedder; with another embedder's only the words count.
pub fn sensitivity(text: &str, vector: &[f32]) -> Sensitivity {
    MODEL.judge(text, vector)
}

struct Model {
    words: WeightedWords,
    steepness: f32,
    threshold: f32,
    biases: Vec<f32>,
    directions: Vec<Vec<f32>>,
}

impl Model {
    /// `CSEN`, u32 words, u32 dimensions, f32 scale of weights, f32 steps of rarity, f32 steepness, f32 threshold; the words; five biases; five
    /// directions, f32 each.
    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let (word_count, dimensions) = (take_u32(&mut rest)?, take_u32(&mut rest)?);
        let (scale, rarity_steps) = (take_f32(&mut rest)?, take_f32(&mut rest)?);
        let (steepness, threshold) = (take_f32(&mut rest)?, take_f32(&mut rest)?);
        let words = WeightedWords::parse(&mut rest, word_count, scale, rarity_steps)?;
        let mut numbers = |count: u32| (0..count).map(|_| take_f32(&mut rest)).collect::<Option<Vec<f32>>>();
        let biases = numbers(DIRECTIONS as u32)?;
        let directions = (0..DIRECTIONS).map(|_| numbers(dimensions)).collect::<Option<_>>()?;
        rest.is_empty().then_some(Self { words, steepness, threshold, biases, directions })
    }

    fn judge(&self, text: &str, vector: &[f32]) -> Sensitivity {
        let along = |which: usize| {
            let direction = &self.directions[which];
            self.biases[which] + if vector.len() == direction.len() { dot(vector, direction) } else { 0.0 }
        };
        let strength = along(0) + self.words.weigh(text);
        let score = 1.0 / (1.0 + f64::from(-self.steepness * (strength - self.threshold)).exp());
        let topics = [Topic::Politics, Topic::HealthAdvice, Topic::FinancialAdvice, Topic::LegalClaims];
        let nearest = (0..topics.len()).max_by(|left, right| along(left + 1).total_cmp(&along(right + 1))).unwrap_or(0);
        Sensitivity { score, nearest: topics[nearest] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_alone_already_tell_politics_from_baking() {
        let baking = sensitivity("Ten easy cakes to bake with the children", &[]);
        let politics = sensitivity("Senate republicans block the president's health care bill", &[]);
        assert!(politics.score > baking.score, "{politics:?} {baking:?}");
    }

    #[test]
    fn damaged_weights_are_refused() {
        for bytes in [&b""[..], b"CSEN", b"OTHER", &WEIGHTS[..WEIGHTS.len() - 1]] {
            assert!(Model::parse(bytes.to_vec().leak()).is_none());
        }
    }
}
