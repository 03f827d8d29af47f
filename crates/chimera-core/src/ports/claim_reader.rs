//! Reads a claim beside what a source says.

/// Deterministic: the same claim and passage give the same number in every process with the same weights.
pub trait ClaimReader: Send + Sync {
    /// For each claim and the passage beside it, how far the passage bears the claim out: above 0 rather than not. 0 for what it cannot read.
    fn read(&self, pairs: &[(&str, &str)]) -> Vec<f64>;
}
