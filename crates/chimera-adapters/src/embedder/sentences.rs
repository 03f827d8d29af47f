//! The embedding of the program: what a text means as a whole, by the language model, beside the sum of its words. What was embedded
//! lately is kept, since a window is looked at again and again.

use super::{kept::Kept, minilm::MiniLm, static_words::StaticEmbedder};
use crate::locking::locked;
use chimera_core::{
    perception::{background::neutral_items, language::Language},
    ports::{claim_reader::ClaimReader, embedder::Embedder},
};
use std::{
    collections::HashMap,
    f32::consts::FRAC_1_SQRT_2,
    sync::{Arc, LazyLock, Mutex},
};

/// The neutral items' vectors, made once: the first text needs all of them. One f32 scale a line, then the rows, i8.
static BACKGROUND: &[u8] = include_bytes!("../../data/background-minilm.bin");
/// To be raised with the weights, and with anything else that changes vectors.
const VERSION: u32 = 2;
/// Of texts and their vectors: some ten thousand.
const KEPT_BYTES_MAX: usize = 32 << 20;
/// Of claims and passages with what was read in them.
const READ_BYTES_MAX: usize = 4 << 20;
/// What a map holds beside its keys and values, about.
const ENTRY_BYTES: usize = 64;

/// Nothing is unpacked before the first text comes: most commands never embed one. To be shared: each has its own copy.
pub struct SentenceEmbedder {
    meaning: MiniLm,
    words: StaticEmbedder,
    /// The neutral items, which are never let go.
    background: LazyLock<HashMap<&'static str, Vec<f32>>>,
    /// Whole vectors.
    kept: Mutex<Kept<String, Arc<[f32]>>>,
    /// What was read lately, by claim and passage: a draft is looked at again and again.
    read: Mutex<Kept<(String, String), f64>>,
}

impl Default for SentenceEmbedder {
    fn default() -> Self {
        Self {
            meaning: MiniLm::default(),
            words: StaticEmbedder::default(),
            background: LazyLock::new(background),
            kept: Mutex::new(Kept::within(KEPT_BYTES_MAX)),
            read: Mutex::new(Kept::within(READ_BYTES_MAX)),
        }
    }
}

impl SentenceEmbedder {
    /// Of texts that are not kept: both parts side by side.
    fn make(&self, texts: &[&str]) -> Vec<Arc<[f32]>> {
        let mut meanings: Vec<Option<Vec<f32>>> = texts.iter().map(|text| self.background.get(text).cloned()).collect();
        let missing: Vec<usize> = (0..texts.len()).filter(|place| meanings[*place].is_none()).collect();
        let vectors = self.meaning.embed(&missing.iter().map(|place| texts[*place]).collect::<Vec<&str>>());
        for (place, vector) in missing.into_iter().zip(vectors) {
            meanings[place] = Some(vector);
        }
        let parts = meanings.into_iter().flatten().zip(self.words.embed(texts));
        parts.map(|(meaning, words)| meaning.into_iter().chain(words).map(|value| value * FRAC_1_SQRT_2).collect()).collect()
    }
}

impl ClaimReader for SentenceEmbedder {
    fn read(&self, pairs: &[(&str, &str)]) -> Vec<f64> {
        let read = |(claim, passage): &(&str, &str)| {
            let key = ((*claim).to_owned(), (*passage).to_owned());
            if let Some(known) = locked(&self.read).find(&key) {
                return known;
            }
            let found = self.meaning.read(claim, passage);
            locked(&self.read).keep(key, found, claim.len() + passage.len() + ENTRY_BYTES);
            found
        };
        pairs.iter().map(read).collect()
    }
}

impl Embedder for SentenceEmbedder {
    fn claim_reader(&self) -> Option<&dyn ClaimReader> {
        Some(self)
    }

    fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut found: Vec<Option<Arc<[f32]>>> = {
            let mut kept = locked(&self.kept);
            texts.iter().map(|text| kept.find(*text)).collect()
        };
        let missing: Vec<usize> = (0..texts.len()).filter(|place| found[*place].is_none()).collect();
        let made = self.make(&missing.iter().map(|place| texts[*place]).collect::<Vec<&str>>());
        let mut kept = locked(&self.kept);
        for (place, vector) in missing.into_iter().zip(made) {
            let bytes = texts[place].len() + size_of_val(&vector[..]) + ENTRY_BYTES;
            kept.keep(texts[place].to_owned(), vector.clone(), bytes);
            found[place] = Some(vector);
        }
        found.into_iter().flatten().map(|vector| vector.to_vec()).collect()
    }

    fn embed_words(&self, words: &[&str]) -> Vec<Vec<f32>> {
        self.words.embed(words)
    }

    fn dimensions(&self) -> usize {
        MiniLm::DIMENSIONS + StaticEmbedder::DIMENSIONS
    }

    fn version(&self) -> u32 {
        VERSION
    }

    fn meaning_dimensions(&self) -> usize {
        MiniLm::DIMENSIONS
    }
}

/// Empty, and so slower, if the file does not fit the items; a test holds the two together.
fn background() -> HashMap<&'static str, Vec<f32>> {
    let lines = lines();
    let (scales, rows) = BACKGROUND.split_at_checked(lines.len() * 4).unwrap_or_default();
    let scales = scales.as_chunks::<4>().0.iter().map(|scale| f32::from_le_bytes(*scale));
    let rows = rows.chunks_exact(MiniLm::DIMENSIONS);
    let vector = |(scale, row): (f32, &[u8])| row.iter().map(|value| f32::from(value.cast_signed()) * scale).collect();
    lines.into_iter().zip(scales.zip(rows).map(vector)).collect()
}

/// The neutral items, language by language.
fn lines() -> Vec<&'static str> {
    Language::ALL.into_iter().flat_map(neutral_items).collect()
}

#[cfg(test)]
mod tests;
