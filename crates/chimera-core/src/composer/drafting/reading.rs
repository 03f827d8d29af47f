//! The sources as a reader of claims has them.

use super::Desk;
use crate::composer::{claims::Grounded, confidence::Origin};
use std::cell::OnceCell;

/// Taken apart when the first claim comes.
#[derive(Default)]
pub(super) struct Reading<'a>(OnceCell<Vec<Grounded<'a>>>);

impl Desk<'_> {
    /// How far one of the sources supports a claim in a model's own words; `None` where nobody can read both.
    pub(super) fn supported(&self, claim: &str) -> Option<f64> {
        let embedder = self.brief.embedder;
        if self.origin == Origin::Extractive || embedder.claim_reader().is_none() {
            return None;
        }
        let taken_apart = || self.items(0..self.brief.sources.len()).iter().map(|item| Grounded::new(item, embedder)).collect();
        let sources = self.reading.0.get_or_init(taken_apart);
        sources.iter().map(|source| source.supports(claim).share).reduce(f64::max)
    }
}
