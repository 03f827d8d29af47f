//! Relevance: rows of `goal` and `text`, `label` 1 where the text matters to the goal.

use super::{Evaluated, is_positive, metrics, text_field};
use anyhow::Result;
use chimera_core::{
    perception::{
        clean::plain_line,
        items::TEXT_CHARS_MAX,
        score::{Background, Goal, ScoredText},
        seen::Seen,
    },
    ports::embedder::Embedder,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// From which score on an item counts as relevant by default.
const THRESHOLD: f64 = 0.75;

pub(super) fn evaluate(rows: &[Value], embedder: &dyn Embedder) -> Result<Evaluated> {
    let background = Background::new(embedder);
    let mut goals = BTreeMap::new();
    let mut seen = Seen::new(&background);
    let mut texts_seen = HashSet::new();
    let mut scores = Vec::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        let goal_text = text_field(row, number, "goal")?;
        let goal = goals.entry(goal_text).or_insert_with(|| Goal::new(goal_text, embedder, &background));
        let text = plain_line(text_field(row, number, "text")?, TEXT_CHARS_MAX).into_data();
        let distinctive = background.distinctive(&embedder.embed(&[&text])[0]);
        scores.push(goal.score(&[ScoredText { text: &text, distinctive: &distinctive }], embedder, &seen)[0]);
        if texts_seen.insert(text) {
            seen.remember(&distinctive);
        }
    }
    let pairs: Vec<(f64, bool)> = scores.iter().zip(rows).map(|(score, row)| (*score, is_positive(row, "label"))).collect();
    // Near misses are the negatives that decide; where rows do not tell them apart, all of them are taken.
    let hard: Vec<(f64, bool)> = pairs.iter().zip(rows).filter(|(_, row)| row["kind"] != "rand_neg").map(|(pair, _)| *pair).collect();
    let (precision, recall, f1) = metrics::at_threshold(&pairs, THRESHOLD);
    let metrics = json!({"task": "relevance", "rows": rows.len(), "auc": metrics::auc(&pairs), "auc_hard": metrics::auc(&hard),
        "f1_at_0.75": f1, "precision_at_0.75": precision, "recall_at_0.75": recall, "ece": metrics::calibration_error(&pairs)});
    Ok(Evaluated { metrics, predictions: scores.iter().map(|score| json!({"score": score})).collect() })
}
