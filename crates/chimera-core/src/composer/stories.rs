//! Which items tell of one story: those whose beginnings are alike.

use super::choice::cosine;
use crate::ports::embedder::Embedder;

/// Items tell of one story when their beginnings are so much alike.
const LIKENESS: f64 = 0.5;
const BEGINNING_CHARS: usize = 400;

/// The beginnings of texts as vectors.
pub(super) struct Beginnings(Vec<Vec<f32>>);

impl Beginnings {
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>, embedder: &dyn Embedder) -> Self {
        let begun: Vec<String> = texts.into_iter().map(|text| text.chars().take(BEGINNING_CHARS).collect()).collect();
        Self(embedder.embed(&begun.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// Whether two of these texts tell of one story.
    pub(super) fn are_alike(&self, one: usize, other: usize) -> bool {
        cosine(&self.0[one], &self.0[other]) >= LIKENESS
    }
}
