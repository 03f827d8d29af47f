//! How alike two texts are in meaning.

use super::vectors::dot;

/// 0 to 1, from two vectors of the same embedder: the cosine of what they mean.
pub fn likeness(left: &[f32], right: &[f32], meaning_dimensions: usize) -> f64 {
    let (left, right) = (&left[..meaning_dimensions], &right[..meaning_dimensions]);
    let lengths = (dot(left, left) * dot(right, right)).sqrt();
    if lengths < f32::EPSILON {
        return 0.0;
    }
    f64::from(dot(left, right) / lengths).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_looks_at_meaning_alone() {
        assert!((likeness(&[0.6, 0.0, 0.8], &[0.6, 0.0, -0.8], 2) - 1.0).abs() < 1e-6);
        assert!(likeness(&[0.0, 0.0, 1.0], &[0.6, 0.0, 0.8], 2) < 1e-6);
    }
}
