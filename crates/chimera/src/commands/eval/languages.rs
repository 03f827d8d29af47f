//! Languages: rows of `text` and `lang`, a code of two letters; any code but ours means a language that is none of ours.

use super::{Evaluated, text_field};
use anyhow::Result;
use chimera_core::perception::language::{Language, language_of};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Told of a text that is in none of our languages.
const OTHER: &str = "other";

pub(super) fn evaluate(rows: &[Value]) -> Result<Evaluated> {
    let mut found = Vec::with_capacity(rows.len());
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (number, row) in rows.iter().enumerate() {
        let said = language_of(text_field(row, number, "text")?).map_or(OTHER, Language::code);
        let written = text_field(row, number, "lang")?;
        let written = if Language::ALL.iter().any(|language| language.code() == written) { written } else { OTHER };
        let (right, of) = counts.entry(written).or_default();
        *right += usize::from(said == written);
        *of += 1;
        found.push(json!({"lang": said}));
    }
    let right: usize = counts.values().map(|(right, _)| right).sum();
    let languages: BTreeMap<&str, Value> =
        counts.iter().map(|(language, (right, of))| (*language, json!({"right": right, "of": of}))).collect();
    let metrics = json!({"task": "language", "rows": rows.len(), "accuracy": right as f64 / rows.len() as f64, "languages": languages});
    Ok(Evaluated { metrics, predictions: found })
}
