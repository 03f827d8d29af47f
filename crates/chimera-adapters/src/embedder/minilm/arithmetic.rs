//! Functions of many numbers at once, written so that the compiler can use the machine's vectors: no branches, no calls, sums side by side.

use std::f32::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E};

const LANES: usize = 8;

pub(super) fn sum(values: &[f32]) -> f32 {
    sum_of(values, |value| value)
}

#[inline(always)]
fn sum_of(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for block in blocks {
        for lane in 0..LANES {
            sums[lane] += of(block[lane]);
        }
    }
    sums.iter().sum::<f32>() + rest.iter().map(|value| of(*value)).sum::<f32>()
}

/// To mean 0 and deviation 1, then as the layer has learnt.
pub(super) fn normalise(row: &mut [f32], scale: &[f32], shift: &[f32]) {
    const EPSILON: f32 = 1e-12;
    let count = row.len() as f32;
    let mean = sum(row) / count;
    let variance = sum_of(row, |value| (value - mean) * (value - mean)) / count;
    let factor = 1.0 / (variance + EPSILON).sqrt();
    for (value, (scale, shift)) in row.iter_mut().zip(scale.iter().zip(shift)) {
        *value = (*value - mean) * factor * scale + shift;
    }
}

/// To shares of 1 by their exponentials.
pub(super) fn soften(row: &mut [f32]) {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|value| *value = exp(*value - largest));
    let total = sum(row);
    row.iter_mut().for_each(|value| *value /= total);
}

/// x·Φ(x) of each.
pub(super) fn gelu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= normal_share(*value));
}

/// Share of the normal distribution below `x`: formula 7.1.26 of Abramowitz and Stegun, off by less than 2e-7.
#[inline(always)]
fn normal_share(x: f32) -> f32 {
    let size = x.abs() * FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series = t * (0.254_829_6 + t * (-0.284_496_72 + t * (1.421_413_8 + t * (-1.453_152_1 + t * 1.061_405_4))));
    let beyond = 0.5 * series * exp(-size * size);
    if x >= 0.0 { 1.0 - beyond } else { beyond }
}

/// e^x from e^-87 on; below that it stays at about 1e-38. Off by less than three parts in ten million near zero, and by one more for every
/// unit away from it, where a product of f32 has fewer bits left behind the point.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Added to a small number, its last bits are that number's whole part.
    const WHOLE: f32 = 12_582_912.0;
    let doublings = (x * LOG2_E).clamp(-126.0, 126.0);
    let shifted = doublings + WHOLE;
    let rest = (doublings - (shifted - WHOLE)) * LN_2;
    let small =
        1.0 + rest * (1.0 + rest * (1.0 / 2.0 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0))))));
    f32::from_bits(small.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_activation_agrees_with_known_values() {
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_25), (2.5, 2.484_475_8), (-3.0, -0.004_049_694), (9.0, 9.0), (-9.0, 0.0)]
        {
            let mut values = [x];
            gelu(&mut values);
            assert!((values[0] - expected).abs() < 2e-6, "{x}: {}", values[0]);
        }
    }

    #[test]
    fn exponentials_are_those_of_the_standard_library() {
        for step in -8_600..=8_600_i16 {
            let x = f32::from(step) / 100.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 3e-7 + 1e-7 * x.abs(), "{x}: {} {}", exp(x), x.exp());
        }
        assert!(exp(-1_000.0) < 1e-37);
    }

    #[test]
    fn softened_numbers_are_shares_and_normalised_ones_are_centred() {
        let mut row: Vec<f32> = (0..37_u8).map(|number| f32::from(number) / 10.0).collect();
        normalise(&mut row, &[2.0; 37], &[1.0; 37]);
        assert!((sum(&row) / 37.0 - 1.0).abs() < 1e-5);
        assert!((row.iter().map(|value| (value - 1.0).powi(2)).sum::<f32>() / 37.0 - 4.0).abs() < 1e-4);
        soften(&mut row);
        assert!((sum(&row) - 1.0).abs() < 1e-5 && row.is_sorted());
    }
}
