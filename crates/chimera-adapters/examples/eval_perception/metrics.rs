//! The usual measures, from their definitions.

use std::collections::HashMap;

/// Chance that a positive is scored above a negative; ties count half.
pub(crate) fn auc(pairs: &[(f64, bool)]) -> f64 {
    let mut sorted: Vec<&(f64, bool)> = pairs.iter().collect();
    sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
    let (mut wins, mut negatives_below, mut positives) = (0.0, 0.0, 0.0);
    for ties in sorted.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
        let tied_positives = ties.iter().filter(|(_, positive)| *positive).count() as f64;
        let tied_negatives = ties.len() as f64 - tied_positives;
        wins += tied_positives * (negatives_below + tied_negatives / 2.0);
        negatives_below += tied_negatives;
        positives += tied_positives;
    }
    wins / (positives * negatives_below)
}

/// Precision, recall and F1 of "score at least `threshold`".
pub(crate) fn at_threshold(pairs: &[(f64, bool)], threshold: f64) -> (f64, f64, f64) {
    let count =
        |said: bool, is: bool| pairs.iter().filter(|(score, positive)| (*score >= threshold) == said && *positive == is).count() as f64;
    let (hits, false_alarms, misses) = (count(true, true), count(true, false), count(false, true));
    (hits / (hits + false_alarms), hits / (hits + misses), 2.0 * hits / (2.0 * hits + false_alarms + misses))
}

/// Mean distance between what was said and what came true, over ten equal bins.
pub(crate) fn calibration_error(pairs: &[(f64, bool)]) -> f64 {
    let mut bins = [(0.0, 0.0, 0.0); 10];
    for (score, positive) in pairs {
        let bin = &mut bins[((score * 10.0) as usize).min(9)];
        bin.0 += score;
        bin.1 += f64::from(*positive);
        bin.2 += 1.0;
    }
    bins.iter().map(|(said, true_count, _)| (said - true_count).abs()).sum::<f64>() / pairs.len() as f64
}

/// Normalised by the arithmetic mean of the two entropies.
pub(crate) fn mutual_information(truth: &[&str], found: &[&str]) -> f64 {
    let total = truth.len() as f64;
    let (rows, columns, cells) = contingency(truth, found);
    let entropy = |counts: &HashMap<&str, f64>| -counts.values().map(|count| count / total * (count / total).ln()).sum::<f64>();
    let mutual: f64 = cells.iter().map(|((row, column), count)| count / total * (total * count / (rows[row] * columns[column])).ln()).sum();
    mutual / ((entropy(&rows) + entropy(&columns)) / 2.0)
}

pub(crate) fn adjusted_rand(truth: &[&str], found: &[&str]) -> f64 {
    let (rows, columns, cells) = contingency(truth, found);
    let pairs = |count: &f64| count * (count - 1.0) / 2.0;
    let (in_rows, in_columns): (f64, f64) = (rows.values().map(pairs).sum(), columns.values().map(pairs).sum());
    let together: f64 = cells.values().map(pairs).sum();
    let expected = in_rows * in_columns / pairs(&(truth.len() as f64));
    (together - expected) / ((in_rows + in_columns) / 2.0 - expected)
}

pub(crate) fn clusters_of(labels: &[&str], items_min: usize) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for label in labels {
        *counts.entry(label).or_default() += 1;
    }
    counts.values().filter(|count| **count >= items_min).count()
}

type Counts<'a> = HashMap<&'a str, f64>;

fn contingency<'a>(truth: &[&'a str], found: &[&'a str]) -> (Counts<'a>, Counts<'a>, HashMap<(&'a str, &'a str), f64>) {
    let (mut rows, mut columns, mut cells) = (HashMap::new(), HashMap::new(), HashMap::new());
    for (row, column) in truth.iter().zip(found) {
        *rows.entry(*row).or_default() += 1.0;
        *columns.entry(*column).or_default() += 1.0;
        *cells.entry((*row, *column)).or_default() += 1.0;
    }
    (rows, columns, cells)
}
