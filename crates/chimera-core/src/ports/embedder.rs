//! Text to vectors of meaning.

/// Deterministic: the same text gives the same vector in every process with the same weights.
pub trait Embedder: Send + Sync {
    /// One vector a text, in order, of unit length; a text without any known piece gives the zero vector.
    fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>>;
    fn dimensions(&self) -> usize;
}
