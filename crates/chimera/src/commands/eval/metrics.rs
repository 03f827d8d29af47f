//! The usual measures, from their definitions.

use std::collections::HashMap;

/// Chance that a positive is scored above a negative; ties count half.
pub(super) fn auc(pairs: &[(f64, bool)]) -> f64 {
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
pub(super) fn at_threshold(pairs: &[(f64, bool)], threshold: f64) -> (f64, f64, f64) {
    let count =
        |said: bool, is: bool| pairs.iter().filter(|(score, positive)| (*score >= threshold) == said && *positive == is).count() as f64;
    let (hits, false_alarms, misses) = (count(true, true), count(true, false), count(false, true));
    (hits / (hits + false_alarms), hits / (hits + misses), 2.0 * hits / (2.0 * hits + false_alarms + misses))
}

/// Mean distance between what was said and what came true, over ten equal bins.
pub(super) fn calibration_error(pairs: &[(f64, bool)]) -> f64 {
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
pub(super) fn mutual_information(truth: &[&str], found: &[&str]) -> f64 {
    let total = truth.len() as f64;
    let (rows, columns, cells) = contingency(truth, found);
    let entropy = |counts: &HashMap<&str, f64>| -counts.values().map(|count| count / total * (count / total).ln()).sum::<f64>();
    let mutual: f64 = cells.iter().map(|((row, column), count)| count / total * (total * count / (rows[row] * columns[column])).ln()).sum();
    mutual / ((entropy(&rows) + entropy(&columns)) / 2.0)
}

pub(super) fn adjusted_rand(truth: &[&str], found: &[&str]) -> f64 {
    let (rows, columns, cells) = contingency(truth, found);
    let pairs = |count: &f64| count * (count - 1.0) / 2.0;
    let (in_rows, in_columns): (f64, f64) = (rows.values().map(pairs).sum(), columns.values().map(pairs).sum());
    let together: f64 = cells.values().map(pairs).sum();
    let expected = in_rows * in_columns / pairs(&(truth.len() as f64));
    (together - expected) / ((in_rows + in_columns) / 2.0 - expected)
}

pub(super) fn clusters_of(labels: &[&str], items_min: usize) -> usize {
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

/// Highest share of the positives found while at most `false_positive_max` of the negatives are taken for one.
pub(super) fn recall_at(pairs: &[(f64, bool)], false_positive_max: f64) -> f64 {
    let mut sorted: Vec<&(f64, bool)> = pairs.iter().collect();
    sorted.sort_by(|left, right| right.0.total_cmp(&left.0));
    let positives = pairs.iter().filter(|(_, positive)| *positive).count() as f64;
    let negatives = pairs.len() as f64 - positives;
    let (mut found, mut false_alarms, mut best) = (0.0, 0.0, 0.0);
    for ties in sorted.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
        found += ties.iter().filter(|(_, positive)| *positive).count() as f64;
        false_alarms += ties.iter().filter(|(_, positive)| !*positive).count() as f64;
        if false_alarms <= false_positive_max * negatives {
            best = found / positives;
        }
    }
    best
}

/// Mean of the F1 of both answers.
pub(super) fn macro_f1(said: &[(bool, bool)]) -> f64 {
    let f1 = |wanted: bool| {
        let hits = said.iter().filter(|(answer, truth)| *answer == wanted && *truth == wanted).count() as f64;
        let errors = said.iter().filter(|(answer, truth)| answer != truth).count() as f64;
        2.0 * hits / (2.0 * hits + errors)
    };
    f64::midpoint(f1(true), f1(false))
}

/// Correlation of the ranks; ties share their mean rank.
pub(super) fn spearman(left: &[f64], right: &[f64]) -> f64 {
    pearson(&ranks(left), &ranks(right))
}

pub(super) fn pearson(left: &[f64], right: &[f64]) -> f64 {
    let count = left.len() as f64;
    let (left_mean, right_mean) = (left.iter().sum::<f64>() / count, right.iter().sum::<f64>() / count);
    let together: f64 = left.iter().zip(right).map(|(a, b)| (a - left_mean) * (b - right_mean)).sum();
    let spread = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>().sqrt();
    together / (spread(left, left_mean) * spread(right, right_mean))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|left, right| values[*left].total_cmp(&values[*right]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for ties in order.chunk_by(|left, right| values[*left].total_cmp(&values[*right]).is_eq()) {
        let rank = before as f64 + (ties.len() as f64 - 1.0) / 2.0;
        for place in ties {
            ranks[*place] = rank;
        }
        before += ties.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn measures_agree_with_hand_worked_cases() {
        let pairs = [(0.9, true), (0.8, false), (0.7, true), (0.1, false)];
        near(auc(&pairs), 0.75);
        near(recall_at(&pairs, 0.0), 0.5);
        near(recall_at(&pairs, 0.5), 1.0);
        near(at_threshold(&pairs, 0.75).2, 0.5);
        near(macro_f1(&[(true, true), (true, false), (false, false), (false, false)]), (2.0 / 3.0 + 0.8) / 2.0);
        near(spearman(&[1.0, 2.0, 3.0], &[10.0, 30.0, 20.0]), 0.5);
        near(spearman(&[1.0, 1.0, 2.0], &[5.0, 5.0, 9.0]), 1.0);
        near(pearson(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]), 1.0);
    }

    #[test]
    fn the_same_grouping_under_other_names_is_perfect_agreement() {
        let (truth, found) = (["a", "a", "b", "c", "c"], ["x", "x", "y", "z", "z"]);
        near(mutual_information(&truth, &found), 1.0);
        near(adjusted_rand(&truth, &found), 1.0);
        assert_eq!(clusters_of(&truth, 2), 2);
    }
}
