//! Text to vectors of meaning.

use super::claim_reader::ClaimReader;

/// Deterministic: the same text gives the same vector in every process with the same weights.
///
/// A vector has two parts of equal weight: what the text means as a whole, and then the sum of its words. The first understands
/// sentences, the second knows names better; together they see more than either.
pub trait Embedder: Send + Sync {
    /// One vector a text, in order, of unit length; a text without any known piece gives the zero vector.
    fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>>;
    /// The second part alone, at unit length, for single words and where speed matters more.
    fn embed_words(&self, words: &[&str]) -> Vec<Vec<f32>>;
    fn dimensions(&self) -> usize;
    /// Another number whenever the same text gets another vector, so that vectors that were kept are known to be stale.
    fn version(&self) -> u32;
    /// How many of the dimensions are the first part.
    fn meaning_dimensions(&self) -> usize;
    /// What reads a claim beside a passage with the same weights, where there is one.
    fn claim_reader(&self) -> Option<&dyn ClaimReader> {
        None
    }
}
