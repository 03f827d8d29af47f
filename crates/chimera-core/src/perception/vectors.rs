//! The little arithmetic that scoring and clustering share.

pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    // Eight sums side by side: the compiler can then use the machine's vectors, which one running sum forbids.
    let mut sums = [0.0_f32; 8];
    let (left_blocks, left_rest) = left.as_chunks::<8>();
    let (right_blocks, right_rest) = right.as_chunks::<8>();
    for (a, b) in left_blocks.iter().zip(right_blocks) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

pub fn add(sum: &mut [f32], vector: &[f32]) {
    for (total, value) in sum.iter_mut().zip(vector) {
        *total += value;
    }
}

/// To unit length; the zero vector stays as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > f32::EPSILON {
        for value in vector {
            *value /= length;
        }
    }
}

/// Mean and standard deviation.
pub fn spread(values: &[f32]) -> (f32, f32) {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
    (mean, variance.sqrt())
}
