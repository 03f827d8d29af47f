//! Feeds in files, beside what another reader found in them.

use super::{Evaluated, text_field};
use crate::wiring::saved_feed;
use anyhow::{Context as _, Result};
use chimera_core::{domain::Untrusted, perception::clean::plain_line, ports::feed_parser::ParsedItem};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// As much of a title as tells it from others.
const TITLE_CHARS_MAX: usize = 60;

/// `beside` is the file of rows: files are named from where it lies.
pub(super) fn evaluate(rows: &[Value], beside: &Path) -> Result<Evaluated> {
    let (mut read, mut wanted, mut found, mut in_order) = (0, 0, 0, 0);
    let mut predictions = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let file = beside.parent().unwrap_or(Path::new("")).join(PathBuf::from(text_field(row, number, "file")?));
        let bytes = fs::read(&file).with_context(|| format!("row {}: cannot read {}", number + 1, file.display()))?;
        let theirs = row["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
        let parsed = saved_feed(&bytes);
        read += usize::from(parsed.is_ok());
        wanted += theirs.len();
        let prediction = match &parsed {
            Ok(items) => {
                let ours = known(items);
                found += theirs.iter().filter(|entry| is_known(entry, &ours)).count();
                in_order += theirs.len().min(items.len());
                json!({ "items": items.iter().map(shown).collect::<Vec<_>>() })
            }
            Err(error) => json!({ "error": error }),
        };
        predictions.push(prediction);
    }
    let share = |part: usize| if wanted == 0 { 1.0 } else { part as f64 / wanted as f64 };
    let metrics = json!({"task": "feeds", "rows": rows.len(), "files_read": read, "entries": wanted, "share_read": share(in_order),
        "share_with_title_or_link": share(found)});
    Ok(Evaluated { metrics, predictions })
}

fn shown(item: &ParsedItem) -> Value {
    let text = |field: &Option<Untrusted>| field.as_ref().map(|text| text.as_data().to_owned());
    json!({"title": text(&item.title), "link": text(&item.url), "author": text(&item.author), "published": item.published_at})
}

/// Links and titles, each as a plain line.
fn known(items: &[ParsedItem]) -> BTreeSet<String> {
    let texts = items.iter().flat_map(|item| [&item.title, &item.url]).flatten();
    texts.map(|text| plain(text.as_data())).collect()
}

/// One without a title and a link that could be compared is there if its feed is.
fn is_known(entry: &Value, ours: &BTreeSet<String>) -> bool {
    let link = entry["link"].as_str().filter(|link| link.starts_with("http"));
    let given: Vec<String> = [entry["title"].as_str(), link].into_iter().flatten().map(plain).filter(|text| !text.is_empty()).collect();
    given.is_empty() || given.iter().any(|text| ours.contains(text))
}

fn plain(text: &str) -> String {
    plain_line(text, TITLE_CHARS_MAX).into_data().chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase()
}
