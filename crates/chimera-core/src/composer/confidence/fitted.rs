//! What a model's post is worth to an editor, of parts that can be counted, each 0 to 1 and more being better. `scripts/fit/confidence.py` fitted the
//! weights on the grades of `bench/drafts` (322 posts on the 44 articles that could be had, rows with sha256 d9d759fb…0786d1c0); none is below 0, so
//! that no part gets better by getting worse.

use super::{Checks, Factor};
use crate::composer::worth::Worth;

/// Read as supported so far, on the mean of its claims, a text is as good as any: beyond it, readings tell dull from lively and not false from true.
const SUPPORTED_ENOUGH: f64 = 0.3;
/// With so many of its words from what may be said, a text says it.
const SAID_ENOUGH: f64 = 0.75;
/// The goal's own words: a few are to the point, half a text of them is the goal said again.
const OF_GOAL: (f64, f64) = (0.15, 0.5);
/// Fewer words tell nothing; more tell no more.
const WORDS: (f64, f64) = (6.0, 60.0);
const SENTENCES_ENOUGH: f64 = 3.0;
const LOUD_MAX: f64 = 4.0;
/// Stock phrases, persons spoken of, broken places.
const ENOUGH: f64 = 2.0;

const WEIGHTS: [f64; 10] = [2.550, 1.340, 1.068, 1.670, 3.797, 1.401, 2.786, 1.047, 0.961, 2.498];
const THRESHOLD: f64 = -15.336;

pub(super) fn parts(checks: &Checks, worth: &Worth) -> [Factor; 10] {
    let supported = checks.read.map_or(1.0, |(_, mean)| mean / SUPPORTED_ENOUGH);
    let part = |name, value: f64| Factor { name, value: value.clamp(0.0, 1.0) };
    [
        part("supported", supported),
        part("said", checks.said_share / SAID_ENOUGH),
        part("to_the_point", checks.relevance),
        part("beside_the_goal", 1.0 - ((worth.of_goal - OF_GOAL.0) / (OF_GOAL.1 - OF_GOAL.0)).clamp(0.0, 1.0)),
        part("tells", (worth.words.max(1.0) / WORDS.0).ln() / (WORDS.1 / WORDS.0).ln()),
        part("flows", (worth.sentences - 1.0) / (SENTENCES_ENOUGH - 1.0)),
        part("quiet", 1.0 - (worth.loud + 2.0 * worth.jokes_at_graves) / LOUD_MAX),
        part("plain", 1.0 - worth.stock / ENOUGH),
        part("speaks", worth.addresses / ENOUGH),
        part("whole", 1.0 - worth.broken / ENOUGH),
    ]
}

/// How likely an editor is to publish it untouched or after a small edit (a grade of 3 or more), as far as the parts tell.
pub(super) fn worth(parts: &[Factor; 10]) -> f64 {
    let sum: f64 = WEIGHTS.iter().zip(parts).map(|(weight, part)| weight * part.value).sum();
    1.0 / (1.0 + (-(sum + THRESHOLD)).exp())
}
