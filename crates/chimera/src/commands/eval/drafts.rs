//! Drafts: rows of `goal`, `soul` (the text of a SOUL.md), `sources` (title, text, url, published_at), `platform`, `now` and `text`, which is
//! judged as a model's draft by the code that judges one in production. A row without `text` is written by the embedded composer.

use super::{Evaluated, text_field};
use crate::clock::SystemClock;
use anyhow::{Context as _, Result, anyhow};
use chimera_core::{
    composer::{Assignment, Brief, Composed, Feedback, Memory, Source, assess, compose_post},
    domain::{Platform, Soul, Untrusted, WebUrl},
    perception::background::Background,
    policy::content::Directive,
    ports::{clock::Clock, embedder::Embedder},
};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

pub(super) fn evaluate(rows: &[Value], embedder: &dyn Embedder) -> Result<Evaluated> {
    let background = Background::new(embedder);
    let judged: Vec<Judged> =
        rows.iter().enumerate().map(|(number, row)| judged(row, number, embedder, &background)).collect::<Result<_>>()?;
    let sure = judged.iter().filter_map(|judged| judged.confidence);
    let mean = sure.clone().sum::<f64>() / sure.clone().count().max(1) as f64;
    let offered = sure.filter(|confidence| *confidence >= 0.7).count();
    let metrics = json!({"task": "drafts", "rows": rows.len(), "mean_confidence": mean, "at_0.70_or_more": offered});
    Ok(Evaluated { metrics, predictions: judged.into_iter().map(|judged| judged.told).collect() })
}

/// What is no part of a text's worth, and lowers it.
const LOWERING: [&str; 3] = ["faultless", "directives", "safety"];

struct Judged {
    /// `None` where nothing could be written.
    confidence: Option<f64>,
    told: Value,
}

fn judged(row: &Value, number: usize, embedder: &dyn Embedder, background: &Background) -> Result<Judged> {
    let soul = Soul::parse(text_field(row, number, "soul")?).map_err(|error| anyhow!("row {}: the SOUL: {error}", number + 1))?;
    let platform: Option<Platform> = row["platform"].as_str().map(str::parse).transpose().with_context(|| format!("row {}", number + 1))?;
    let directives: Vec<Directive> = soul.directives.iter().map(|directive| Directive::read(directive)).collect();
    let sources = sources(row, number)?;
    let brief = Brief {
        now: time_in(row, "now").unwrap_or_else(|| SystemClock.now()),
        seed: "eval",
        soul: &soul,
        goal: text_field(row, number, "goal")?,
        directives: &directives,
        sources: &sources,
        platform,
        assignment: Assignment::default(),
        memory: &Memory::default(),
        feedback: &Feedback::default(),
        embedder,
        background,
    };
    let written = match row["text"].as_str() {
        Some(text) => assess(&brief, None, text, "a row").map(|assessed| (assessed.composed, assessed.violations)),
        None => compose_post(&brief).map(|composed| (composed, Vec::new())),
    };
    Ok(match written {
        Ok((composed, violations)) => Judged { confidence: Some(composed.confidence), told: told(&composed, &violations) },
        Err(unmeetable) => Judged { confidence: None, told: json!({"refused": unmeetable.to_string()}) },
    })
}

fn told(composed: &Composed, violations: &[String]) -> Value {
    let checks = &composed.checks;
    let mut parts: Map<String, Value> = checks.factors().iter().map(|factor| (factor.name.to_owned(), json!(factor.value))).collect();
    // A fault counts once, however many there are; voice, safety and directives are beside it.
    let is_lowered = checks.factors().iter().any(|factor| LOWERING.contains(&factor.name) && factor.value < 1.0);
    parts.insert("read".to_owned(), json!(checks.read));
    parts.insert("flags".to_owned(), json!(u8::from(is_lowered)));
    json!({"confidence": composed.confidence, "parts": parts, "violations": violations, "text": composed.text, "trace": composed.trace})
}

fn sources(row: &Value, number: usize) -> Result<Vec<Source>> {
    let rows = row["sources"].as_array().with_context(|| format!("row {}: `sources` must be a list of title and text", number + 1))?;
    rows.iter()
        .map(|source| {
            Ok(Source {
                resource_uri: "eval://drafts".to_owned(),
                title: Untrusted::new(text_field(source, number, "title")?),
                text: Untrusted::new(text_field(source, number, "text")?),
                url: source["url"].as_str().and_then(WebUrl::parse),
                author: None,
                published_at: time_in(source, "published_at"),
            })
        })
        .collect()
}

fn time_in(row: &Value, field: &str) -> Option<DateTime<Utc>> {
    row[field].as_str().and_then(|time| DateTime::parse_from_rfc3339(time).ok()).map(|time| time.to_utc())
}
