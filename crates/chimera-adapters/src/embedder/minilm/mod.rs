//! The language model that is part of the binary: MiniLM (6 layers, 384 dimensions, int8 weights), on the processor, in plain Rust.

mod forward;
mod weights;
mod word_piece;

use std::sync::OnceLock;
use weights::Weights;

static WEIGHTS: &[u8] = include_bytes!("../../../data/minilm-int8.bin");

/// Pieces in one pass through the network: enough to keep the arithmetic busy, few enough to stay near the processor.
const PIECES_PER_PASS: usize = 384;

/// Vectors of whole sentences. The weights are unpacked when the first text comes.
#[derive(Default)]
pub(super) struct MiniLm(OnceLock<Weights>);

impl MiniLm {
    pub(super) const DIMENSIONS: usize = 384;

    /// One vector a text, in order, of unit length; the zero vector for a text without words.
    pub(super) fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let weights = self.weights();
        let pieces: Vec<Vec<u32>> = texts.iter().map(|text| weights.pieces.ids(text, weights.positions_max)).collect();
        let mut vectors = vec![vec![0.0; Self::DIMENSIONS]; texts.len()];
        let places: Vec<usize> = (0..texts.len()).filter(|place| !pieces[*place].is_empty()).collect();
        for pass in passes(&places, &pieces) {
            let batch: Vec<Vec<u32>> = pass.iter().map(|place| pieces[*place].clone()).collect();
            for (place, vector) in pass.iter().zip(forward::encode(weights, &batch)) {
                vectors[*place] = vector;
            }
        }
        vectors
    }

    fn weights(&self) -> &Weights {
        self.0.get_or_init(|| Weights::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them"))
    }
}

fn passes<'a>(places: &'a [usize], pieces: &[Vec<u32>]) -> Vec<&'a [usize]> {
    let mut passes = Vec::new();
    let (mut start, mut count) = (0, 0);
    for (number, place) in places.iter().enumerate() {
        count += pieces[*place].len();
        if count >= PIECES_PER_PASS || number + 1 == places.len() {
            passes.push(&places[start..=number]);
            (start, count) = (number + 1, 0);
        }
    }
    passes
}

#[cfg(test)]
mod tests;
