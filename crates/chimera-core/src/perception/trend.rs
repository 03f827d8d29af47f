//! Which stories are trends, how strong each is, and where it stands in its life.

use super::cluster::Place;
use crate::{
    contracts::trend_alert::TrendPhase,
    domain::{Author, WebUrl},
};
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};

/// One voice counts for at most this many items, however often it repeats itself.
const ITEMS_PER_VOICE_MAX: usize = 2;

/// A story fades from at least so many items in half a window: that fewer are followed by none is chance.
const FADING_FROM_MIN: usize = 4;

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
    pub phase: TrendPhase,
}

/// The window that trends are looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub start: DateTime<Utc>,
    pub end: DateTime<Utc>,
}

/// The trends among `current`, the items of the window, strongest first; `before` are the relevant items of the window before, for the pace.
pub fn trends(current: &[StoryItem<'_>], before: &[StoryItem<'_>], window: Window, rule: TrendRule) -> Vec<StoryTrend> {
    let (current_places, before_places) = (by_story(current), by_story(before));
    let trend = |(story_id, places): (&str, Vec<usize>)| {
        let counted = counted_items(current, places);
        let voices: HashSet<&str> = counted.iter().map(|place| current[*place].voice.as_str()).collect();
        if counted.len() < rule.items_min || voices.len() < rule.voices_min {
            return None;
        }
        let counted_before = counted_items(before, before_places.get(story_id).cloned().unwrap_or_default());
        let relevance = counted.iter().map(|place| current[*place].relevance).sum::<f64>() / counted.len() as f64;
        let signal = Signal { items: counted.len(), voices: voices.len(), items_before: counted_before.len(), relevance };
        let times = counted.iter().map(|place| current[*place].at).chain(counted_before.iter().map(|place| before[*place].at));
        let phase = phase(times, window);
        Some(StoryTrend { story_id: story_id.to_owned(), counted, signal_strength: signal.strength(), phase })
    };
    let mut found: Vec<StoryTrend> = current_places.into_iter().filter_map(trend).collect();
    // Equal strengths go by id, so that the answer does not depend on the order of a hash map.
    found.sort_by(|left, right| right.signal_strength.total_cmp(&left.signal_strength).then_with(|| left.story_id.cmp(&right.story_id)));
    found
}

/// The story with the most items that count, and of such the one with the most voices, whether or not it is a trend; and how many voices.
pub fn strongest(current: &[StoryItem<'_>]) -> Option<(Vec<usize>, usize)> {
    let stories = by_story(current).into_iter().map(|(story_id, places)| {
        let counted = counted_items(current, places);
        let voices = counted.iter().map(|place| current[*place].voice.as_str()).collect::<HashSet<&str>>().len();
        (story_id, counted, voices)
    });
    // Of equals one by its id, so that the answer does not depend on the order of a hash map.
    let strongest = stories.max_by(|left, right| (left.1.len(), left.2, left.0).cmp(&(right.1.len(), right.2, right.0)));
    strongest.map(|(_, counted, voices)| (counted, voices))
}

fn by_story<'a>(items: &[StoryItem<'a>]) -> HashMap<&'a str, Vec<usize>> {
    let mut stories: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, item) in items.iter().enumerate() {
        stories.entry(item.story_id).or_default().push(place);
    }
    stories
}

/// Where a story stands, from when its items came: in the second half of the window, in the first, and in the two halves of the window before.
fn phase(times: impl Iterator<Item = DateTime<Utc>>, window: Window) -> TrendPhase {
    let half = (window.end - window.start) / 2;
    let mut halves = [0_usize; 4];
    for at in times {
        let place = [window.end - half, window.start, window.start - half].iter().position(|start| at >= *start).unwrap_or(3);
        halves[place] += 1;
    }
    let [now, just_before, ..] = halves;
    let busiest = halves.into_iter().max().unwrap_or(0);
    if busiest >= FADING_FROM_MIN && now * 2 < busiest {
        TrendPhase::Fading
    } else if now > just_before {
        TrendPhase::Rising
    } else {
        TrendPhase::Peak
    }
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
