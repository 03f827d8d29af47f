//! How good the tellings of a stream are: which events were told of, how often and how late. `bench/trends/baselines.py` counts the same way.

use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// An event with fewer rows than this is nothing that could have been told.
const EVENT_ROWS_MIN: usize = 5;
/// A telling is of an event that at least so many, and half, of its story's rows tell of: those that came until a day after it was told.
const ROWS_OF_EVENT_MIN: usize = 3;
const DAY_SECONDS: i64 = 24 * 3_600;

/// A row, and what was said of it.
pub(super) struct ToldRow<'a> {
    pub(super) at: i64,
    pub(super) event: Option<&'a str>,
    pub(super) story: usize,
    pub(super) flagged_at: Option<i64>,
}

pub(super) fn measured(rows: &[ToldRow<'_>]) -> Value {
    let mut events: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let mut stories: BTreeMap<usize, Vec<&ToldRow<'_>>> = BTreeMap::new();
    for row in rows {
        stories.entry(row.story).or_default().push(row);
        if let Some(event) = row.event {
            events.entry(event).or_default().push(row.at);
        }
    }
    let tellings: Vec<(i64, Option<&str>)> = stories
        .values()
        .filter_map(|story| {
            let told_at = story.iter().find_map(|row| row.flagged_at)?;
            let rows: Vec<Option<&str>> = story.iter().filter(|row| row.at <= told_at + DAY_SECONDS).map(|row| row.event).collect();
            Some((told_at, event_of(&rows)))
        })
        .collect();
    let right = tellings.iter().filter(|(_, event)| event.is_some()).count();
    events.retain(|_, times| times.len() >= EVENT_ROWS_MIN);
    let told_of = |event: &str| -> Vec<i64> { tellings.iter().filter(|(_, of)| *of == Some(event)).map(|(at, _)| *at).collect() };
    let found: Vec<(&Vec<i64>, Vec<i64>)> =
        events.iter().map(|(event, times)| (times, told_of(event))).filter(|(_, told)| !told.is_empty()).collect();
    let mut delays: Vec<i64> = found.iter().filter_map(|(times, told)| Some(told.iter().min()? - times[ROWS_OF_EVENT_MIN - 1])).collect();
    delays.sort_unstable();
    json!({
        "events": events.len(),
        "found": found.len(),
        "count": tellings.len(),
        "precision": right as f64 / tellings.len().max(1) as f64,
        "an_event": found.iter().map(|(_, told)| told.len()).sum::<usize>() as f64 / found.len().max(1) as f64,
        "delay_seconds_median": delays.get(delays.len() / 2),
        "largest_story": stories.values().map(Vec::len).max(),
    })
}

/// The event that enough of the rows, and at least half, tell of.
pub(super) fn event_of<'a>(rows: &[Option<&'a str>]) -> Option<&'a str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for event in rows.iter().flatten() {
        *counts.entry(event).or_default() += 1;
    }
    let (event, count) = counts.into_iter().max_by_key(|(event, count)| (*count, *event))?;
    (count >= ROWS_OF_EVENT_MIN && count * 2 >= rows.len()).then_some(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(at: i64, event: Option<&'static str>, story: usize, flagged_at: Option<i64>) -> ToldRow<'static> {
        ToldRow { at, event, story, flagged_at }
    }

    #[test]
    fn tellings_are_counted_by_the_event_that_most_of_their_rows_tell_of() {
        let mut rows: Vec<ToldRow<'_>> = (0..5).map(|at| row(at, Some("flood"), 1, (at >= 3).then_some(3))).collect();
        rows.extend((10..14).map(|at| row(at, None, 2, Some(10))));
        rows.extend((20..25).map(|at| row(at, Some("strike"), 3, None)));

        let measured = measured(&rows);

        assert_eq!((&measured["events"], &measured["found"], &measured["count"]), (&json!(2), &json!(1), &json!(2)));
        assert_eq!((&measured["precision"], &measured["an_event"]), (&json!(0.5), &json!(1.0)));
        assert_eq!((&measured["delay_seconds_median"], &measured["largest_story"]), (&json!(1), &json!(5)));
    }
}
