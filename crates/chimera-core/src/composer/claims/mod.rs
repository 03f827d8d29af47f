//! How far a claim is supported by a source, as a number: signs that can be counted, and what a reader of both makes of them, weighed by a
//! network that is fitted on people's judgements. `docs/quality.md` has what it was fitted on and what it reaches.

mod fitted;
mod signs;
mod source;
mod words;

pub(super) use words::{is_ordinary, rarity};

use crate::ports::embedder::Embedder;
use fitted::{ALONE, WITH_READER};
use signs::WordMeanings;
use source::SourceText;

/// A source that claims are held against.
pub struct Grounded<'e> {
    source: SourceText,
    meanings: WordMeanings,
    embedder: &'e dyn Embedder,
}

/// How far a claim is supported, 0 to 1: half is as likely as not, on the rows of the fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Supported {
    pub share: f64,
    /// Whether a reader was asked.
    pub was_read: bool,
}

impl<'e> Grounded<'e> {
    pub fn new(source: &str, embedder: &'e dyn Embedder) -> Self {
        let source = SourceText::new(source);
        let meanings = WordMeanings::of(&source, embedder);
        Self { source, meanings, embedder }
    }

    /// The signs that can be counted, and the reader's verdict where the embedder comes with one.
    pub fn supports(&self, claim: &str) -> Supported {
        let signs = self.signs(claim);
        let Some(reader) = self.embedder.claim_reader() else {
            return Supported { share: ALONE.score(&signs), was_read: false };
        };
        let verdict = reader.read(&[(claim, &self.source.window(claim))]).first().copied().unwrap_or_default();
        Supported { share: WITH_READER.score(&[&signs[..], &[verdict]].concat()), was_read: true }
    }

    /// What the fit sees of a claim.
    pub fn signs(&self, claim: &str) -> Vec<f64> {
        signs::signs(claim, &self.source, &self.meanings, self.embedder).to_vec()
    }

    /// What a reader sees beside a claim.
    pub fn window(&self, claim: &str) -> String {
        self.source.window(claim)
    }
}
