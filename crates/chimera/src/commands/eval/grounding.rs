//! Grounding: rows of `source` and `claim`, `label` 1 where the source bears the claim out.

use super::{Evaluated, interval::interval, is_positive, metrics, text_field};
use anyhow::Result;
use chimera_core::{composer::claims::Grounded, ports::embedder::Embedder};
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread::{available_parallelism, scope},
};

pub(super) fn evaluate(rows: &[Value], embedder: &dyn Embedder) -> Result<Evaluated> {
    let texts: Vec<(&str, &str)> = rows
        .iter()
        .enumerate()
        .map(|(number, row)| Ok((text_field(row, number, "source")?, text_field(row, number, "claim")?)))
        .collect::<Result<_>>()?;
    let scores = scores(&texts, embedder);
    let pairs: Vec<(f64, bool)> = scores.iter().zip(rows).map(|(score, row)| (*score, is_positive(row, "label"))).collect();
    let (precision, recall, f1) = metrics::at_threshold(&pairs, 0.5);
    let metrics = json!({"task": "grounding", "rows": rows.len(), "auc": metrics::auc(&pairs), "f1_at_0.5": f1, "precision_at_0.5": precision,
        "recall_at_0.5": recall, "ece": metrics::calibration_error(&pairs), "intervals": {"auc": interval(&pairs, metrics::auc)}});
    Ok(Evaluated { metrics, predictions: scores.iter().map(|score| json!({"supported": score})).collect() })
}

/// A row depends on itself alone, so that every core can take the next one.
fn scores(texts: &[(&str, &str)], embedder: &dyn Embedder) -> Vec<f64> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((source, claim)) = texts.get(place) else { return done };
            done.push((place, Grounded::new(source, embedder).supports(claim).share));
        }
    };
    let mut scores = vec![0.0; texts.len()];
    scope(|scope| {
        let workers: Vec<_> = (0..available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        for (place, score) in workers.into_iter().flat_map(|worker| worker.join().expect("arithmetic on texts")) {
            scores[place] = score;
        }
    });
    scores
}
