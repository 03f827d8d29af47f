//! The embedding that needs no model: the mean of a text's word-piece vectors (WordLlama, 256 dimensions, int8 rows).
//! About ten microseconds a headline, in any thread, the same on every machine.

use super::{word_pieces::piece_ids, word_table::WordTable};
use std::sync::OnceLock;

static WEIGHTS: &[u8] = include_bytes!("../../data/wordllama-256.bin");

/// What comes after is not read: the beginning of a text says what it is about, and time stays bounded.
const TEXT_CHARS_MAX: usize = 4_000;

/// Static word vectors, part of the binary. They are unpacked when the first text comes.
#[derive(Default)]
pub(super) struct StaticEmbedder(OnceLock<WordTable>);

impl StaticEmbedder {
    pub(super) const DIMENSIONS: usize = 256;

    /// One vector a text, in order, of unit length; a text without any known piece gives the zero vector.
    pub(super) fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        texts.iter().map(|text| self.embed_text(text)).collect()
    }

    fn table(&self) -> &WordTable {
        self.0.get_or_init(|| {
            let table = WordTable::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them");
            assert_eq!(table.dimensions(), Self::DIMENSIONS);
            table
        })
    }

    fn embed_text(&self, text: &str) -> Vec<f32> {
        let table = self.table();
        let end = text.char_indices().nth(TEXT_CHARS_MAX).map_or(text.len(), |(at, _)| at);
        let mut vector = vec![0.0; Self::DIMENSIONS];
        for id in piece_ids(&text[..end], table) {
            table.add_row(id, &mut vector);
        }
        // The mean and the sum point the same way, so the count need not be divided out.
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > f32::EPSILON {
            vector.iter_mut().for_each(|value| *value /= length);
        }
        vector
    }
}

#[cfg(test)]
mod tests;
