//! The language model that is part of the binary: MiniLM (6 layers, 384 dimensions, int8 weights), on the processor, in plain Rust. It was made for
//! English; twelve more languages have word pieces of their own, with vectors that lead the same network to where it puts their translation.

mod arithmetic;
mod forward;
mod reader;
mod weights;
mod word_piece;

use crate::locking::locked;
use chimera_core::perception::language::{Language, language_of};
use std::{
    sync::{Mutex, OnceLock},
    thread::{available_parallelism, scope},
};
use weights::Weights;
use word_piece::Vocabulary;

static NETWORK: &[u8] = include_bytes!("../../../data/minilm-int8.bin");
static LANGUAGES: &[u8] = include_bytes!("../../../data/languages-int8.bin");

/// Pieces in one pass through the network: enough to keep the arithmetic busy, few enough to stay near the processor.
const PIECES_PER_PASS_MAX: usize = 384;
/// Fewer than this are not worth a pass of their own in another thread.
const PIECES_PER_PASS_MIN: usize = 96;

/// Vectors of whole sentences. The weights are unpacked when the first text comes.
#[derive(Default)]
pub(super) struct MiniLm(OnceLock<Weights>, reader::Reader);

impl MiniLm {
    pub(super) const DIMENSIONS: usize = 384;

    /// One vector a text, in order, of unit length; the zero vector for a text without words. Many texts at once are several times faster
    /// than one by one, and use every core.
    pub(super) fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        if texts.is_empty() {
            return Vec::new(); // without unpacking anything
        }
        let weights = self.weights();
        let mut pieces: Vec<(usize, Vec<u32>)> =
            texts.iter().map(|text| weights.pieces.ids(text, vocabulary_of(text), weights.positions_max)).enumerate().collect();
        pieces.retain(|(_, pieces)| !pieces.is_empty());
        let threads = available_parallelism().map_or(1, usize::from);
        let passes = passes(&pieces, threads);
        let mut vectors = vec![vec![0.0; Self::DIMENSIONS]; texts.len()];
        if passes.len() < 2 || threads < 2 {
            passes.into_iter().for_each(|pass| run(weights, pass, |place, vector| vectors[place] = vector));
            return vectors;
        }
        let to_do = Mutex::new(passes.into_iter());
        let next = || locked(&to_do).next();
        let work = || {
            let mut done = Vec::new();
            while let Some(pass) = next() {
                run(weights, pass, |place, vector| done.push((place, vector)));
            }
            done
        };
        scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let done = others.into_iter().map(|other| other.join().expect("arithmetic on the weights that a test runs"));
            for (place, vector) in std::iter::once(own).chain(done).flatten() {
                vectors[place] = vector;
            }
        });
        vectors
    }

    /// How far a passage bears a claim out, as [`chimera_core::ports::claim_reader::ClaimReader`] says it.
    pub(super) fn read(&self, claim: &str, passage: &str) -> f64 {
        self.1.read(self.weights(), claim, passage)
    }

    fn weights(&self) -> &Weights {
        self.0.get_or_init(|| Weights::parse(NETWORK, LANGUAGES).expect("the weights are part of the binary, and a test reads them"))
    }
}

/// What is in a language that nobody taught the network is split as English, as well as that goes.
fn vocabulary_of(text: &str) -> Vocabulary {
    match language_of(text) {
        None | Some(Language::English) => Vocabulary::English,
        Some(_) => Vocabulary::Whole,
    }
}

fn run(weights: &Weights, pass: &[(usize, Vec<u32>)], mut take: impl FnMut(usize, Vec<f32>)) {
    let batch: Vec<&[u32]> = pass.iter().map(|(_, pieces)| pieces.as_slice()).collect();
    for ((place, _), vector) in pass.iter().zip(forward::encode(weights, &batch)) {
        take(*place, vector);
    }
}

/// Cuts the texts into passes of about the same size, so that no thread waits long for another.
fn passes(texts: &[(usize, Vec<u32>)], threads: usize) -> Vec<&[(usize, Vec<u32>)]> {
    let total: usize = texts.iter().map(|(_, pieces)| pieces.len()).sum();
    let per_pass = total.div_ceil(threads).clamp(PIECES_PER_PASS_MIN, PIECES_PER_PASS_MAX);
    let mut passes = Vec::new();
    let (mut start, mut count) = (0, 0);
    for (number, (_, pieces)) in texts.iter().enumerate() {
        count += pieces.len();
        if count >= per_pass || number + 1 == texts.len() {
            passes.push(&texts[start..=number]);
            (start, count) = (number + 1, 0);
        }
    }
    passes
}

#[cfg(test)]
mod tests;
