//! Stories and trends: rows of `text` in the order in which they came; `cluster` is the true story, for trends `ts` the time and
//! `event` the true event.

use super::{
    Evaluated, embed_all,
    interval::interval,
    metrics,
    tellings::{self, ToldRow, event_of},
    text_field,
};
use anyhow::{Context as _, Result};
use chimera_core::{
    perception::{
        cluster::{Place, Stories},
        emerging::Emerging,
    },
    ports::embedder::Embedder,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const STORY_ITEMS_MIN: usize = 3;
const WINDOW_SECONDS: i64 = 4 * 3_600;

fn places(rows: &[Value], embedder: &dyn Embedder) -> Result<Vec<Place>> {
    let texts = rows.iter().enumerate().map(|(number, row)| text_field(row, number, "text")).collect::<Result<Vec<&str>>>()?;
    Ok(texts.iter().zip(embed_all(&texts, embedder)).map(|(text, vector)| Place::new(text, &vector)).collect())
}

pub(super) fn stream(rows: &[Value], embedder: &dyn Embedder) -> Result<Evaluated> {
    let mut stories = Stories::default();
    let mut handles = Vec::new();
    let mut on_arrival = Vec::new();
    for (number, place) in places(rows, embedder)?.iter().enumerate() {
        // Its rows have no time: all of it is one moment.
        let handle = stories.place(place, 0, || number.to_string());
        on_arrival.push(stories.id_of(handle).to_owned());
        handles.push(handle);
    }
    let merged: Vec<&str> = handles.iter().map(|handle| stories.id_of(*handle)).collect();
    let told: Vec<&str> = on_arrival.iter().map(String::as_str).collect();
    let truth: Vec<String> = rows.iter().map(|row| row["cluster"].to_string()).collect();
    let truth: Vec<&str> = truth.iter().map(String::as_str).collect();
    let both: Vec<(&str, &str)> = truth.iter().copied().zip(told.iter().copied()).collect();
    let measured = |found: &[&str]| {
        json!({"nmi": metrics::mutual_information(&truth, found), "ari": metrics::adjusted_rand(&truth, found),
            "clusters_of_3": metrics::clusters_of(found, STORY_ITEMS_MIN)})
    };
    let metrics = json!({"task": "stream", "rows": rows.len(), "true_clusters_of_3": metrics::clusters_of(&truth, STORY_ITEMS_MIN),
        "on_arrival": measured(&told), "after_merging": measured(&merged),
        "intervals": {"nmi": interval(&both, |both| agreement(both, metrics::mutual_information)), "ari": interval(&both, |both| agreement(both, metrics::adjusted_rand))}});
    Ok(Evaluated { metrics, predictions: told.iter().map(|id| json!({"cluster_id": id})).collect() })
}

fn agreement<'a>(both: &[(&'a str, &'a str)], measure: fn(&[&'a str], &[&'a str]) -> f64) -> f64 {
    let (truth, found): (Vec<&str>, Vec<&str>) = both.iter().copied().unzip();
    measure(&truth, &found)
}

pub(super) fn trends(rows: &[Value], embedder: &dyn Embedder) -> Result<Evaluated> {
    let mut emerging = Emerging::default();
    let mut said = Vec::with_capacity(rows.len());
    for (number, (row, place)) in rows.iter().zip(places(rows, embedder)?).enumerate() {
        let at = row["ts"].as_i64().with_context(|| format!("row {}: `ts` must be whole seconds", number + 1))?;
        said.push((at, emerging.take_in(&place, at)));
    }
    let predictions = said.iter().map(|(_, told)| json!({"cluster_id": told.story.to_string(), "flagged_at": told.flagged_at})).collect();
    let told: Vec<(i64, usize, bool)> =
        said.iter().map(|(at, told)| (at / WINDOW_SECONDS, told.story, told.flagged_at.is_some())).collect();
    let mut metrics = trend_metrics(rows, &told);
    let told_rows = rows.iter().zip(&said).map(|(row, (at, told))| ToldRow {
        at: *at,
        event: row["event"].as_str(),
        story: told.story,
        flagged_at: told.flagged_at,
    });
    metrics["tellings"] = tellings::measured(&told_rows.collect::<Vec<_>>());
    Ok(Evaluated { metrics, predictions })
}

/// `told`: window, story and whether it was flagged, of each row.
fn trend_metrics(rows: &[Value], told: &[(i64, usize, bool)]) -> Value {
    let events: Vec<Option<&str>> = rows.iter().map(|row| row["event"].as_str()).collect();
    let mut event_windows: BTreeMap<&str, BTreeMap<i64, usize>> = BTreeMap::new();
    let mut flagged: BTreeMap<usize, Vec<Option<&str>>> = BTreeMap::new();
    let mut flagged_windows: BTreeMap<(i64, usize), Vec<Option<&str>>> = BTreeMap::new();
    for (event, (window, story, is_flagged)) in events.iter().zip(told) {
        if let Some(event) = event {
            *event_windows.entry(event).or_default().entry(*window).or_default() += 1;
        }
        if *is_flagged {
            flagged.entry(*story).or_default().push(*event);
            flagged_windows.entry((*window, *story)).or_default().push(*event);
        }
    }
    let mut detected: BTreeMap<&str, i64> = BTreeMap::new();
    for ((window, _), members) in &flagged_windows {
        if let Some(event) = event_of(members) {
            detected.entry(event).or_insert(*window);
        }
    }
    let onset = |windows: &BTreeMap<i64, usize>| windows.iter().find(|(_, items)| **items >= STORY_ITEMS_MIN).map(|(window, _)| *window);
    let delays: BTreeMap<&str, i64> =
        event_windows.iter().filter_map(|(event, windows)| Some((*event, detected.get(event)? - onset(windows)?))).collect();
    let mut flags: BTreeMap<&str, usize> = BTreeMap::new();
    for event in flagged.values().filter_map(|members| event_of(members)) {
        *flags.entry(event).or_default() += 1;
    }
    let precision = flags.values().sum::<usize>() as f64 / flagged.len().max(1) as f64;
    json!({"task": "trends", "rows": rows.len(), "events": event_windows.len(), "detected": detected.len(), "delay_windows_max": delays.values().max(),
        "flags": flagged.len(), "flag_precision": precision, "flags_an_event_max": flags.values().max(), "delay_windows": delays})
}
