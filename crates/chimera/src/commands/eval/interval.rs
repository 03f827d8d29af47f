//! How far a figure would wander with other rows of the same kind.

const RESAMPLES: usize = 1_000;

/// The middle 95% of what `measure` gives for as many rows, drawn from these with putting back. The same for the same rows.
pub(super) fn interval<Row: Copy>(rows: &[Row], measure: impl Fn(&[Row]) -> f64) -> [f64; 2] {
    let mut draws = Draws(11);
    let mut resample = |_: usize| {
        let drawn: Vec<Row> = (0..rows.len()).map(|_| rows[draws.below(rows.len())]).collect();
        measure(&drawn)
    };
    // A sample without any positive row has no figure.
    let mut found: Vec<f64> = (0..RESAMPLES).map(&mut resample).filter(|figure| figure.is_finite()).collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found.get((found.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    [at(0.025), at(0.975)]
}

/// Splitmix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_about_two_standard_errors_either_way() {
        let rows: Vec<f64> = (0..400).map(|number| f64::from(number % 2)).collect();
        let [low, high] = interval(&rows, |rows| rows.iter().sum::<f64>() / rows.len() as f64);
        // The standard error is 0.5 / sqrt(400).
        assert!((low - 0.45).abs() < 0.01 && (high - 0.55).abs() < 0.01, "{low} {high}");
    }
}
