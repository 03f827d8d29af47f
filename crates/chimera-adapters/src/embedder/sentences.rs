//! The embedding of the program: what a text means as a whole, by the language model, beside the sum of its words. What was embedded
//! lately is kept, since a window is looked at again and again.

use super::{minilm::MiniLm, static_words::StaticEmbedder};
use crate::locking::locked;
use chimera_core::{
    perception::{background::neutral_items, language::Language},
    ports::{claim_reader::ClaimReader, embedder::Embedder},
};
use std::{
    collections::HashMap,
    f32::consts::FRAC_1_SQRT_2,
    sync::{LazyLock, Mutex},
};

/// The neutral items' vectors, made once: the first text needs all of them. One f32 scale a line, then the rows, i8.
static BACKGROUND: &[u8] = include_bytes!("../../data/background-minilm.bin");
/// To be raised with the weights, and with anything else that changes vectors.
const VERSION: u32 = 2;
/// About thirty megabytes.
const KEPT_MAX: usize = 20_000;
/// A few megabytes.
const READ_MAX: usize = 4_000;

/// Nothing is unpacked before the first text comes: most commands never embed one. To be shared: each has its own copy.
pub struct SentenceEmbedder {
    meaning: MiniLm,
    words: StaticEmbedder,
    kept: LazyLock<Mutex<HashMap<String, Vec<f32>>>>,
    /// What was read lately, by claim and passage: a draft is looked at again and again.
    read: Mutex<HashMap<(String, String), f64>>,
}

impl Default for SentenceEmbedder {
    fn default() -> Self {
        Self {
            meaning: MiniLm::default(),
            words: StaticEmbedder::default(),
            kept: LazyLock::new(|| Mutex::new(background())),
            read: Mutex::default(),
        }
    }
}

impl SentenceEmbedder {
    fn meanings(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut found: Vec<Option<Vec<f32>>> = {
            let kept = locked(&self.kept);
            texts.iter().map(|text| kept.get(*text).cloned()).collect()
        };
        let missing: Vec<usize> = (0..texts.len()).filter(|place| found[*place].is_none()).collect();
        let vectors = self.meaning.embed(&missing.iter().map(|place| texts[*place]).collect::<Vec<&str>>());
        let mut kept = locked(&self.kept);
        if kept.len() + missing.len() > KEPT_MAX {
            kept.clear();
        }
        for (place, vector) in missing.into_iter().zip(vectors) {
            kept.insert(texts[place].to_owned(), vector.clone());
            found[place] = Some(vector);
        }
        found.into_iter().flatten().collect()
    }
}

impl ClaimReader for SentenceEmbedder {
    fn read(&self, pairs: &[(&str, &str)]) -> Vec<f64> {
        let read = |(claim, passage): &(&str, &str)| {
            let key = ((*claim).to_owned(), (*passage).to_owned());
            if let Some(known) = locked(&self.read).get(&key) {
                return *known;
            }
            let found = self.meaning.read(claim, passage);
            let mut kept = locked(&self.read);
            if kept.len() >= READ_MAX {
                kept.clear();
            }
            kept.insert(key, found);
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
        let parts = self.meanings(texts).into_iter().zip(self.words.embed(texts));
        parts.map(|(meaning, words)| meaning.into_iter().chain(words).map(|value| value * FRAC_1_SQRT_2).collect()).collect()
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
fn background() -> HashMap<String, Vec<f32>> {
    let lines = lines();
    let (scales, rows) = BACKGROUND.split_at_checked(lines.len() * 4).unwrap_or_default();
    let scales = scales.as_chunks::<4>().0.iter().map(|scale| f32::from_le_bytes(*scale));
    let rows = rows.chunks_exact(MiniLm::DIMENSIONS);
    let vector = |(scale, row): (f32, &[u8])| row.iter().map(|value| f32::from(value.cast_signed()) * scale).collect();
    lines.into_iter().map(str::to_owned).zip(scales.zip(rows).map(vector)).collect()
}

/// The neutral items, language by language.
fn lines() -> Vec<&'static str> {
    Language::ALL.into_iter().flat_map(neutral_items).collect()
}

#[cfg(test)]
mod tests;
