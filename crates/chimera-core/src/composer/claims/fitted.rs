//! The small networks over the signs, as `scripts/fit/claims_signs.py` writes them: one over the signs alone, one with a reader's verdict.

use crate::perception::weighted_words::{take_f32, take_u32};
use std::sync::LazyLock;

static WEIGHTS: &[u8] = include_bytes!("fitted.bin");
const MAGIC: &[u8] = b"CGND";

pub(super) static ALONE: LazyLock<Network> = LazyLock::new(|| both().0);
pub(super) static WITH_READER: LazyLock<Network> = LazyLock::new(|| both().1);

fn both() -> (Network, Network) {
    parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them")
}

/// A step of hidden units over standardised signs, in several runs that are averaged.
pub(super) struct Network {
    means: Vec<f64>,
    scales: Vec<f64>,
    runs: Vec<Run>,
}

struct Run {
    /// A row of weights and a bias for each unit, and what the unit counts for.
    units: Vec<(Vec<f64>, f64, f64)>,
    bias: f64,
}

/// A sign farther from its mean says no more.
const STANDARD_MAX: f64 = 4.0;

impl Network {
    /// 0 to 1.
    pub(super) fn score(&self, signs: &[f64]) -> f64 {
        let standard: Vec<f64> = signs
            .iter()
            .zip(self.means.iter().zip(&self.scales))
            .map(|(value, (mean, scale))| ((value - mean) / scale).clamp(-STANDARD_MAX, STANDARD_MAX))
            .collect();
        let total: f64 = self.runs.iter().map(|run| run.logit(&standard)).sum();
        1.0 / (1.0 + (-total / self.runs.len() as f64).exp())
    }
}

impl Run {
    fn logit(&self, standard: &[f64]) -> f64 {
        let unit = |(weights, bias, counts): &(Vec<f64>, f64, f64)| {
            let sum: f64 = weights.iter().zip(standard).map(|(weight, value)| weight * value).sum();
            (sum + bias).tanh() * counts
        };
        self.units.iter().map(unit).sum::<f64>() + self.bias
    }
}

/// `CGND`, then twice: u32 signs, u32 units, u32 runs; the means and the scales of the signs; and for each run, each unit's weights, bias and
/// count, and the run's bias; all f32.
fn parse(bytes: &'static [u8]) -> Option<(Network, Network)> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let found = (network(&mut rest)?, network(&mut rest)?);
    rest.is_empty().then_some(found)
}

fn network(rest: &mut &'static [u8]) -> Option<Network> {
    let (signs, units, runs) = (take_u32(rest)?, take_u32(rest)?, take_u32(rest)?);
    let (means, scales) = (numbers(rest, signs)?, numbers(rest, signs)?);
    let unit = |rest: &mut &'static [u8]| Some((numbers(rest, signs)?, f64::from(take_f32(rest)?), f64::from(take_f32(rest)?)));
    let run = |rest: &mut &'static [u8]| {
        let units = (0..units).map(|_| unit(rest)).collect::<Option<_>>()?;
        Some(Run { units, bias: f64::from(take_f32(rest)?) })
    };
    let runs = (0..runs).map(|_| run(rest)).collect::<Option<_>>()?;
    Some(Network { means, scales, runs })
}

fn numbers(rest: &mut &'static [u8], count: u32) -> Option<Vec<f64>> {
    (0..count).map(|_| take_f32(rest).map(f64::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::signs::SIGNS, *};

    #[test]
    fn the_shipped_networks_are_of_the_signs_that_are_counted_and_damaged_ones_are_refused() {
        let (alone, with_reader) = parse(WEIGHTS).unwrap();
        assert_eq!((alone.means.len(), with_reader.means.len()), (SIGNS, SIGNS + 1));
        assert!(parse(&WEIGHTS[..WEIGHTS.len() - 1]).is_none() && parse(b"CGND").is_none() && parse(b"CWRD").is_none());
    }
}
