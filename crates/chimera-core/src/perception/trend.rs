//! Which story is a trend, and how strong it is.

use super::cluster::Place;
use crate::domain::{Author, WebUrl};
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};

/// One voice counts for at most this many items, however often it repeats itself.
const ITEMS_PER_VOICE_MAX: usize = 2;

/// From when on a story is a trend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrendRule {
    pub items_min: usize,
    pub voices_min: usize,
}

impl Default for TrendRule {
    fn default() -> Self {
        Self { items_min: 3, voices_min: 2 }
    }
}

/// An item of a story, as far as trends are concerned.
pub struct StoryItem<'a> {
    pub story_id: &'a str,
    /// Who says it: see [`voice`].
    pub voice: String,
    pub at: DateTime<Utc>,
    pub relevance: f64,
    pub place: &'a Place,
}

/// Author, else the host of its link, else the resource: what counts as an independent source.
pub fn voice(author: Option<&Author>, url: Option<&WebUrl>, resource_uri: &str) -> String {
    let site = || url.map(|url| url.site().to_owned());
    author.map(|author| author.as_str().to_lowercase()).or_else(site).unwrap_or_else(|| resource_uri.to_owned())
}

/// A story that passes the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct StoryTrend {
    pub story_id: String,
    /// Places in the list given, of the items that count, most relevant first.
    pub counted: Vec<usize>,
    pub signal_strength: f64,
}

/// The strongest trend among `current`; `before` are the relevant items of the window before, for the pace.
pub fn strongest(current: &[StoryItem<'_>], before: &[StoryItem<'_>], rule: TrendRule) -> Option<StoryTrend> {
    let mut stories: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, item) in current.iter().enumerate() {
        stories.entry(item.story_id).or_default().push(place);
    }
    let trends = stories.into_iter().filter_map(|(story_id, items)| {
        let counted = counted_items(current, items);
        let voices: HashSet<&str> = counted.iter().map(|place| current[*place].voice.as_str()).collect();
        if counted.len() < rule.items_min || voices.len() < rule.voices_min {
            return None;
        }
        let before_places = (0..before.len()).filter(|place| before[*place].story_id == story_id).collect();
        let relevance = counted.iter().map(|place| current[*place].relevance).sum::<f64>() / counted.len() as f64;
        let signal =
            Signal { items: counted.len(), voices: voices.len(), items_before: counted_items(before, before_places).len(), relevance };
        Some(StoryTrend { story_id: story_id.to_owned(), counted, signal_strength: signal.strength() })
    });
    // Equal strengths go by id, so that the answer does not depend on the order of a hash map.
    trends.max_by(|left, right| left.signal_strength.total_cmp(&right.signal_strength).then_with(|| right.story_id.cmp(&left.story_id)))
}

/// Without near-duplicates and without what one voice says again and again; the most relevant first.
fn counted_items(all: &[StoryItem<'_>], mut places: Vec<usize>) -> Vec<usize> {
    places.sort_by(|left, right| all[*right].relevance.total_cmp(&all[*left].relevance).then(all[*left].at.cmp(&all[*right].at)));
    let mut counted: Vec<usize> = Vec::new();
    for place in places {
        let item = &all[place];
        let said_already = counted.iter().any(|other| all[*other].place.repeats(item.place));
        let times_heard = counted.iter().filter(|other| all[**other].voice == item.voice).count();
        if !said_already && times_heard < ITEMS_PER_VOICE_MAX {
            counted.push(place);
        }
    }
    counted
}

/// What makes a trend strong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signal {
    pub items: usize,
    pub voices: usize,
    /// In the window before.
    pub items_before: usize,
    /// Mean of the items', 0 to 1.
    pub relevance: f64,
}

/// At so many items, or voices, about two thirds of their part is reached.
const ITEMS_SCALE: f64 = 8.0;
const VOICES_SCALE: f64 = 4.0;

impl Signal {
    /// 0 to 1. Grows with items, voices, pace and relevance; falls with what was already there before.
    pub fn strength(&self) -> f64 {
        let items = 1.0 - (-(self.items as f64) / ITEMS_SCALE).exp();
        let voices = 1.0 - (-(self.voices as f64) / VOICES_SCALE).exp();
        let pace = (self.items as f64 + 1.0) / ((self.items + self.items_before) as f64 + 2.0);
        (self.relevance * (0.4 * items + 0.3 * voices + 0.3 * pace)).clamp(0.0, 1.0)
    }
}

/// "New" for an agent: never alerted to it, or it has grown by half since.
pub fn is_new(items: usize, items_at_last_alert: Option<u64>) -> bool {
    items_at_last_alert.is_none_or(|before| items as u64 * 2 >= before * 3)
}

#[cfg(test)]
mod tests;
