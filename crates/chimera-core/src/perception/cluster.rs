//! Puts items into stories in one pass. An item joins the story that its meaning (the embedding), its words and the story's recent items
//! speak for most, or opens a new one; young stories that have come close to each other become one. Words are looked at besides the
//! embedding, because a name that the embedding hardly knows is what makes two items one story. A story is bounded in time: once it is no longer
//! young an item must be near to its latest items too, and after a silence it is over. Else a theme that never ends gathers every event in it.

mod story;
mod wording;

use super::{vectors::dot, words::content_words};
use crate::ports::perception::JoinedStories;
use std::collections::HashMap;
use story::Story;
use wording::Wording;

/// An item joins a story whose claim on it, see [`Stories::place`], is at least this large.
const JOIN_CLAIM_MIN: f32 = 0.32;
/// What the words say, in the unit of the cosine.
const WORDING_WEIGHT: f32 = 0.07;
/// What the story's recent items say.
const RECENT_WEIGHT: f32 = 0.027;
/// A story that has been silent for long is as good as one with this share of an item.
const RECENT_ITEMS_MIN: f32 = 0.05;
/// Stories are the same one when their centres are at least this near,
const MERGE_CENTRES_COSINE_MIN: f32 = 0.45;
/// and their items, each with each, are this near on average. Centres alone mislead: those of any two large stories are near.
const MERGE_ITEMS_COSINE_MIN: f32 = 0.32;
/// A new item is compared with so many stories, or half as many again: those that got an item last. So an item costs the same however
/// long the stream is.
const AWAKE_STORIES_MAX: usize = 1_000;
/// Longer words are compared by their beginning: "floods" and "flooding" are the same.
const STEM_CHARS: usize = 6;
/// Of a long text the beginning tells what it is about.
const TELLING_STEMS_MAX: usize = 24;
/// At or above this cosine of wording two items say the same thing.
const NEAR_DUPLICATE_COSINE_MIN: f32 = 0.8;

/// Where an item stands, for clustering.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    vector: Vec<f32>,
    /// Of its content words, hashed, in order, without repeats.
    stems: Vec<u64>,
}

impl Place {
    /// `vector` as the embedder gives it.
    pub fn new(text: &str, vector: &[f32]) -> Self {
        let mut stems: Vec<u64> = Vec::new();
        for word in content_words(text) {
            let stem: String = word.chars().take(STEM_CHARS).collect();
            let hash = fnv(stem.as_bytes());
            if !stems.contains(&hash) {
                stems.push(hash);
            }
        }
        Self { vector: vector.to_vec(), stems }
    }

    /// Whether the two say the same thing in nearly the same words.
    pub fn repeats(&self, other: &Self) -> bool {
        let shared = self.stems.iter().filter(|stem| other.stems.contains(stem)).count() as f32;
        let lengths = ((self.stems.len() * other.stems.len()) as f32).sqrt();
        shared > 0.0 && shared >= NEAR_DUPLICATE_COSINE_MIN * lengths
    }

    pub(super) fn vector(&self) -> &[f32] {
        &self.vector
    }

    fn telling_stems(&self) -> &[u64] {
        &self.stems[..self.stems.len().min(TELLING_STEMS_MAX)]
    }
}

/// FNV-1a. The same in every process, which the standard hasher is not.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Stories and where they stand.
#[derive(Default)]
pub struct Stories {
    stories: Vec<Story>,
    by_id: HashMap<String, usize>,
    /// Those that a new item may join, or that may merge.
    awake: Vec<usize>,
    wording: Wording,
    items: usize,
    merges: usize,
    /// Of stories that were both known before.
    joins: Vec<JoinedStories>,
}

impl Stories {
    /// Puts an item that belongs to a story already back into it.
    pub fn restore(&mut self, story_id: &str, place: &Place, at: i64) {
        let known = self.by_id.get(story_id).map(|story| self.current(*story));
        let story = known.unwrap_or_else(|| self.open(story_id.to_owned(), place.vector.len(), at));
        self.take_in(story, place, at);
        self.stories[story].known_items += 1;
    }

    /// Finds the story of a new item that came `at`, in seconds, or opens one with the id that `new_id` gives. Answers a handle for
    /// [`Self::id_of`]: a story may still merge into another.
    ///
    /// A story's claim on an item is the cosine of the item and the story's centre, and what its words and its recent items add to that.
    pub fn place(&mut self, place: &Place, at: i64, new_id: impl FnOnce() -> String) -> usize {
        let wording = self.wording.evidence(place.telling_stems());
        let claim = |story: usize| {
            let candidate = &self.stories[story];
            let recent = candidate.recent_items_at(self.items) + RECENT_ITEMS_MIN;
            dot(&candidate.centre, &place.vector) + WORDING_WEIGHT * wording.for_story(story) + RECENT_WEIGHT * recent.ln()
        };
        let open = self.awake.iter().filter(|story| !self.stories[**story].is_over(at));
        let mut claims: Vec<(f32, usize)> =
            open.map(|story| (claim(*story), *story)).filter(|(claim, _)| *claim >= JOIN_CLAIM_MIN).collect();
        // Equal claims go by age, so that the order of the list does not decide.
        claims.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        let strongest = claims.iter().find(|(_, story)| self.stories[*story].goes_on_with(&place.vector, at));
        let story = match strongest {
            Some((_, story)) => *story,
            None => self.open(new_id(), place.vector.len(), at),
        };
        self.take_in(story, place, at);
        self.merge_with_close_ones(story, at);
        self.let_old_ones_sleep();
        story
    }

    /// The id of the story that an item went into, after whatever merged.
    pub fn id_of(&self, handle: usize) -> &str {
        &self.stories[self.current(handle)].id
    }

    /// The handle under which a story goes on.
    pub fn current(&self, handle: usize) -> usize {
        let mut current = handle;
        while let Some(next) = self.stories[current].merged_into {
            current = next;
        }
        current
    }

    /// How often stories have become one, so that whoever keeps handles knows when to look.
    pub fn merges(&self) -> usize {
        self.merges
    }

    /// Which stories have become one, of those that have items that were put back; sizes count such items alone.
    pub fn joins(&self) -> &[JoinedStories] {
        &self.joins
    }

    /// From now on the story does not merge with another one that is kept apart.
    pub fn keep_apart(&mut self, handle: usize) {
        let story = self.current(handle);
        self.stories[story].kept_apart = true;
    }

    /// How near two stories are to each other, by the cosine of their centres; `None` where one was over before the other began.
    pub fn centres_cosine(&self, left: usize, right: usize) -> Option<f32> {
        let (left, right) = (&self.stories[left], &self.stories[right]);
        (!left.is_over_before(right) && !right.is_over_before(left)).then(|| dot(&left.centre, &right.centre))
    }

    /// The same by ids; `None` also where there is no such story.
    pub fn centres_cosine_of(&self, left_id: &str, right_id: &str) -> Option<f32> {
        let story = |id: &str| self.by_id.get(id).map(|story| self.current(*story));
        self.centres_cosine(story(left_id)?, story(right_id)?)
    }

    /// The id under which a restored story goes on.
    pub fn current_id<'a>(&'a self, story_id: &'a str) -> &'a str {
        self.by_id.get(story_id).map_or(story_id, |story| self.id_of(*story))
    }

    fn open(&mut self, id: String, dimensions: usize, at: i64) -> usize {
        let story = self.stories.len();
        self.by_id.insert(id.clone(), story);
        self.awake.push(story);
        self.stories.push(Story::new(id, dimensions, self.items, at));
        story
    }

    fn take_in(&mut self, story: usize, place: &Place, at: i64) {
        self.stories[story].take_in(&place.vector, self.items, at);
        self.wording.note(story, place.telling_stems());
        self.items += 1;
    }

    /// Makes one of the story and those that it has come close to. The one with the most items keeps its id: fewest items change theirs.
    fn merge_with_close_ones(&mut self, story: usize, at: i64) {
        let mut grown = story;
        while let Some(other) = self.closest_same(grown, at) {
            let (older, younger) = (grown.min(other), grown.max(other));
            let (kept, gone) = if self.stories[younger].items > self.stories[older].items { (younger, older) } else { (older, younger) };
            self.note_join(kept, gone);
            let part = self.stories[gone].merge_into(kept);
            self.stories[kept].take_over(part);
            self.wording.hand_over(gone, kept);
            self.awake.retain(|awake| *awake != gone);
            self.merges += 1;
            grown = kept;
        }
    }

    fn note_join(&mut self, kept: usize, gone: usize) {
        let (kept, gone) = (&self.stories[kept], &self.stories[gone]);
        if kept.known_items > 0 && gone.known_items > 0 {
            self.joins.push(JoinedStories {
                kept: kept.id.clone(),
                kept_items: kept.known_items as u64,
                gone: gone.id.clone(),
                gone_items: gone.known_items as u64,
            });
        }
    }

    /// The story that tells the same as this one, the closest if there are several.
    fn closest_same(&self, story: usize, at: i64) -> Option<usize> {
        let one = &self.stories[story];
        if !one.is_young(at) {
            return None;
        }
        let items_cosine = |other: usize| {
            let two = &self.stories[other];
            let centres_cosine = dot(&one.centre, &two.centre);
            let items_cosine = centres_cosine * one.tightness * two.tightness;
            let may = two.is_young(at) && !(one.kept_apart && two.kept_apart);
            let same = may && centres_cosine >= MERGE_CENTRES_COSINE_MIN && items_cosine >= MERGE_ITEMS_COSINE_MIN;
            same.then_some((items_cosine, other))
        };
        let close = self.awake.iter().filter(|other| **other != story).filter_map(|other| items_cosine(*other));
        close.max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1))).map(|(_, other)| other)
    }

    fn let_old_ones_sleep(&mut self) {
        if self.awake.len() * 2 <= AWAKE_STORIES_MAX * 3 {
            return;
        }
        self.awake.sort_unstable_by_key(|story| std::cmp::Reverse(self.stories[*story].last_item));
        for story in self.awake.split_off(AWAKE_STORIES_MAX) {
            self.wording.forget(story);
            self.stories[story].fall_asleep();
        }
    }
}

#[cfg(test)]
mod tests;
