//! The classifiers of texts: sensitive topics, questions about being a machine, texts that instruct, offence, likeness.

use super::{Evaluated, embed_all, interval::interval, is_positive, metrics, text_field};
use anyhow::{Context as _, Result};
use chimera_core::{
    perception::{
        clean::plain_line,
        injection::instructs,
        items::TEXT_CHARS_MAX,
        likeness::likeness,
        sensitivity::{Sensitivity, sensitivity},
        toxicity::{is_toxic, toxicity},
        unseen::unseen,
    },
    policy::{crisis::help_for, disclosure::asks_if_machine, sensitive::Topic},
    ports::embedder::Embedder,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn texts(rows: &[Value]) -> Result<Vec<&str>> {
    rows.iter().enumerate().map(|(number, row)| text_field(row, number, "text")).collect()
}

pub(super) fn sensitive(rows: &[Value], embedder: &dyn Embedder) -> Result<Evaluated> {
    let texts = texts(rows)?;
    let found: Vec<Sensitivity> = texts.iter().zip(embed_all(&texts, embedder)).map(|(text, vector)| sensitivity(text, &vector)).collect();
    let category = |found: &Sensitivity| if found.is_sensitive() { category(found.nearest) } else { "other" };
    let pairs: Vec<(f64, bool)> = found.iter().zip(rows).map(|(found, row)| (found.score, is_positive(row, "sensitive"))).collect();
    let right_category = found.iter().zip(rows).filter(|(found, row)| row["cat"] == category(found)).count();
    let predictions =
        found.iter().map(|found| json!({"sensitive": found.is_sensitive(), "category": category(found), "score": found.score, "judged": found.is_judged})).collect();
    let (precision, recall, f1) = metrics::at_threshold(&pairs, 0.5);
    let metrics = json!({"task": "sensitive", "rows": rows.len(), "f1": f1, "precision": precision, "recall": recall,
        "false_positive_rate": false_positive_rate(&pairs), "recall_at_5%_false_positives": metrics::recall_at(&pairs, 0.05),
        "recall_at_10%_false_positives": metrics::recall_at(&pairs, 0.10), "category_accuracy": right_category as f64 / rows.len() as f64,
        "intervals": {"recall_at_5%_false_positives": interval(&pairs, |pairs| metrics::recall_at(pairs, 0.05)),
            "recall_at_10%_false_positives": interval(&pairs, |pairs| metrics::recall_at(pairs, 0.10))}});
    Ok(Evaluated { metrics, predictions })
}

fn category(topic: Topic) -> &'static str {
    match topic {
        Topic::Politics => "politics",
        Topic::HealthAdvice => "health",
        Topic::FinancialAdvice => "finance",
        Topic::LegalClaims => "legal",
    }
}

pub(super) fn disclosure(rows: &[Value]) -> Result<Evaluated> {
    let asks: Vec<bool> = texts(rows)?.into_iter().map(asks_if_machine).collect();
    let pairs: Vec<(f64, bool)> = asks.iter().zip(rows).map(|(asks, row)| (score(*asks), is_positive(row, "label"))).collect();
    // To tell it once too often is no harm, so rows that people found ambiguous are counted apart.
    let clear: Vec<(f64, bool)> = pairs.iter().zip(rows).filter(|(_, row)| row["label3"] != "amb").map(|(pair, _)| *pair).collect();
    let (precision, recall, f1) = metrics::at_threshold(&clear, 0.5);
    let metrics = json!({"task": "disclosure", "rows": rows.len(), "f1": f1, "precision": precision, "recall": recall,
        "false_positive_rate": false_positive_rate(&clear), "f1_with_ambiguous": metrics::at_threshold(&pairs, 0.5).2,
        "intervals": {"f1": interval(&clear, f1_of), "recall": interval(&clear, |pairs| metrics::at_threshold(pairs, 0.5).1)}});
    Ok(Evaluated { metrics, predictions: asks.iter().map(|asks| json!({"asks": asks, "score": score(*asks)})).collect() })
}

pub(super) fn crisis(rows: &[Value]) -> Result<Evaluated> {
    let found: Vec<bool> = texts(rows)?.into_iter().map(|text| help_for(text).is_some()).collect();
    let pairs: Vec<(f64, bool)> = found.iter().zip(rows).map(|(found, row)| (score(*found), is_positive(row, "label"))).collect();
    let (precision, recall, f1) = metrics::at_threshold(&pairs, 0.5);
    let metrics = json!({"task": "crisis", "rows": rows.len(), "f1": f1, "precision": precision, "recall": recall,
        "false_positive_rate": false_positive_rate(&pairs),
        "intervals": {"recall": interval(&pairs, |pairs| metrics::at_threshold(pairs, 0.5).1)}});
    Ok(Evaluated { metrics, predictions: found.iter().map(|found| json!({"crisis": found})).collect() })
}

pub(super) fn injection(rows: &[Value]) -> Result<Evaluated> {
    // As an item of a feed is judged: by what readers see of it, and by what they do not.
    let flagged: Vec<bool> =
        texts(rows)?.into_iter().map(|text| instructs(&plain_line(text, TEXT_CHARS_MAX)) || instructs(&unseen(text))).collect();
    let pairs: Vec<(f64, bool)> = flagged.iter().zip(rows).map(|(flagged, row)| (score(*flagged), is_positive(row, "label"))).collect();
    let (precision, recall, f1) = metrics::at_threshold(&pairs, 0.5);
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (row, flagged) in rows.iter().zip(&flagged) {
        let sign = if is_positive(row, "label") { "attack" } else { "harmless" };
        let counts = kinds.entry(format!("{}, {sign}", row["kind"].as_str().unwrap_or("any"))).or_default();
        counts.0 += usize::from(*flagged);
        counts.1 += 1;
    }
    let kinds: BTreeMap<&String, Value> = kinds.iter().map(|(kind, (found, of))| (kind, json!({"flagged": found, "of": of}))).collect();
    let metrics = json!({"task": "injection", "rows": rows.len(), "f1": f1, "precision": precision, "recall": recall,
        "false_positive_rate": false_positive_rate(&pairs), "kinds": kinds, "intervals": {"f1": interval(&pairs, f1_of)}});
    Ok(Evaluated { metrics, predictions: flagged.iter().map(|flagged| json!({"injection": flagged, "score": score(*flagged)})).collect() })
}

pub(super) fn offence(rows: &[Value], embedder: &dyn Embedder) -> Result<Evaluated> {
    let texts = texts(rows)?;
    let scores: Vec<f64> = texts.iter().zip(embed_all(&texts, embedder)).map(|(text, vector)| toxicity(text, &vector)).collect();
    let said: Vec<(bool, bool)> = scores.iter().zip(rows).map(|(score, row)| (is_toxic(*score), is_positive(row, "label"))).collect();
    let pairs: Vec<(f64, bool)> = scores.iter().zip(&said).map(|(score, (_, label))| (*score, *label)).collect();
    let metrics = json!({"task": "toxicity", "rows": rows.len(), "macro_f1": metrics::macro_f1(&said), "auc": metrics::auc(&pairs),
        "intervals": {"macro_f1": interval(&said, metrics::macro_f1), "auc": interval(&pairs, metrics::auc)}});
    let predictions = scores.iter().map(|score| json!({"toxic": is_toxic(*score), "score": score})).collect();
    Ok(Evaluated { metrics, predictions })
}

pub(super) fn similarity(rows: &[Value], embedder: &dyn Embedder) -> Result<Evaluated> {
    let mut texts = Vec::with_capacity(rows.len() * 2);
    let mut gold = Vec::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        texts.extend([text_field(row, number, "a")?, text_field(row, number, "b")?]);
        gold.push(row["score"].as_f64().with_context(|| format!("row {}: `score` must be a number", number + 1))?);
    }
    let vectors = embed_all(&texts, embedder);
    let pairs = vectors.as_chunks::<2>().0.iter();
    let scores: Vec<f64> = pairs.map(|[left, right]| likeness(left, right, embedder.meaning_dimensions())).collect();
    let both: Vec<(f64, f64)> = scores.iter().copied().zip(gold.iter().copied()).collect();
    let spearman = |both: &[(f64, f64)]| {
        let (scores, gold): (Vec<f64>, Vec<f64>) = both.iter().copied().unzip();
        metrics::spearman(&scores, &gold)
    };
    let metrics = json!({"task": "similarity", "rows": rows.len(), "spearman": spearman(&both), "pearson": metrics::pearson(&scores, &gold),
        "intervals": {"spearman": interval(&both, spearman)}});
    Ok(Evaluated { metrics, predictions: scores.iter().map(|score| json!({"score": score})).collect() })
}

fn f1_of(pairs: &[(f64, bool)]) -> f64 {
    metrics::at_threshold(pairs, 0.5).2
}

fn score(said: bool) -> f64 {
    if said { 1.0 } else { 0.0 }
}

fn false_positive_rate(pairs: &[(f64, bool)]) -> f64 {
    let negatives = pairs.iter().filter(|(_, positive)| !*positive).count();
    let alarms = pairs.iter().filter(|(score, positive)| *score >= 0.5 && !*positive).count();
    alarms as f64 / negatives.max(1) as f64
}
