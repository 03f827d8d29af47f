//! Relevance: rows of `goal` and `text`, `label` 1 where the text matters to the goal.

use super::{Evaluated, embed_all, interval::interval, is_positive, metrics, text_field};
use anyhow::Result;
use chimera_core::{
    perception::{
        background::Background,
        clean::plain_line,
        items::TEXT_CHARS_MAX,
        score::{Goal, ScoredText},
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
    let texts = rows.iter().enumerate().map(|(number, row)| cleaned(row, number)).collect::<Result<Vec<String>>>()?;
    let vectors = embed_all(&texts.iter().map(String::as_str).collect::<Vec<&str>>(), embedder);
    for (number, (row, (text, vector))) in rows.iter().zip(texts.iter().zip(vectors)).enumerate() {
        let goal_text = text_field(row, number, "goal")?;
        let goal = goals.entry(goal_text).or_insert_with(|| Goal::new(goal_text, embedder, &background));
        let distinctive = background.distinctive(text, &vector);
        scores.push(goal.score(&[ScoredText::new(text, &distinctive)], embedder, &seen)[0]);
        if texts_seen.insert(text) {
            seen.remember(text, &distinctive);
        }
    }
    let pairs: Vec<(f64, bool)> = scores.iter().zip(rows).map(|(score, row)| (*score, is_positive(row, "label"))).collect();
    // Near misses are the negatives that decide; where rows do not tell them apart, all of them are taken.
    let hard: Vec<(f64, bool)> = pairs.iter().zip(rows).filter(|(_, row)| row["kind"] != "rand_neg").map(|(pair, _)| *pair).collect();
    let (precision, recall, f1) = metrics::at_threshold(&pairs, THRESHOLD);
    let metrics = json!({"task": "relevance", "rows": rows.len(), "auc": metrics::auc(&pairs), "auc_hard": metrics::auc(&hard),
        "f1_at_0.75": f1, "precision_at_0.75": precision, "recall_at_0.75": recall, "ece": metrics::calibration_error(&pairs),
        "intervals": {"auc": interval(&pairs, metrics::auc), "auc_hard": interval(&hard, metrics::auc),
            "f1_at_0.75": interval(&pairs, |pairs| metrics::at_threshold(pairs, THRESHOLD).2), "ece": interval(&pairs, metrics::calibration_error)}});
    Ok(Evaluated { metrics, predictions: scores.iter().map(|score| json!({"score": score})).collect() })
}

fn cleaned(row: &Value, number: usize) -> Result<String> {
    Ok(plain_line(text_field(row, number, "text")?, TEXT_CHARS_MAX).into_data())
}
