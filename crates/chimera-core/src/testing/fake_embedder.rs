//! Vectors without weights: texts that share words with a meaning point the same way, and nothing else does.

use crate::{
    perception::{
        vectors::normalise,
        words::{is_function_word, words},
    },
    ports::embedder::Embedder,
};
use std::f32::consts::FRAC_1_SQRT_2;

const DIMENSIONS: usize = 512;

#[derive(Debug, Clone, Copy, Default)]
pub struct WordEmbedder;

impl Embedder for WordEmbedder {
    fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        texts
            .iter()
            .map(|text| embed(text))
            .map(|vector| [vector.as_slice(), &vector].concat().iter().map(|value| value * FRAC_1_SQRT_2).collect())
            .collect()
    }

    fn embed_words(&self, words: &[&str]) -> Vec<Vec<f32>> {
        words.iter().map(|word| embed(word)).collect()
    }

    fn dimensions(&self) -> usize {
        2 * DIMENSIONS
    }

    fn version(&self) -> u32 {
        1
    }

    fn meaning_dimensions(&self) -> usize {
        DIMENSIONS
    }
}

fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    // As in real weights, "the" and "what" hardly turn a text.
    for word in words(text).map(str::to_lowercase).filter(|word| !is_function_word(word)) {
        let stem = word.bytes().take(5).fold(7_usize, |hash, byte| hash.wrapping_mul(131).wrapping_add(byte.into()));
        vector[stem % DIMENSIONS] += 1.0;
    }
    normalise(&mut vector);
    vector
}
