//! Which stories are emerging, item by item: a story that gathers enough items within one window, near to each other, is told of once, and
//! so is an event that has broken into several stories.

use super::{
    cluster::{Place, Stories},
    vectors::{add, dot},
};
use std::collections::HashMap;

/// Items within a window that make a story emerge.
const ITEMS_MIN: usize = 5;
/// They tell of one event only if they are this near to each other on average: a subject that is always talked about has as many.
const ITEMS_COSINE_MIN: f32 = 0.30;
/// A story whose centre is this near to one that has emerged tells of the same event.
const SAME_EVENT_COSINE_MIN: f32 = 0.55;

/// Whether two stories tell of the same event, by the cosine of their centres.
pub fn is_same_event(centres_cosine: f32) -> bool {
    centres_cosine >= SAME_EVENT_COSINE_MIN
}

/// What is known of an item when it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Stays the same for all items of an event once it has emerged.
    pub story: usize,
    /// When the item arrived that made the story emerge.
    pub flagged_at: Option<i64>,
}

struct Arrival {
    at: i64,
    vector: Vec<f32>,
}

/// Takes items in the order in which they come.
pub struct Emerging {
    window_seconds: i64,
    stories: Stories,
    merges_seen: usize,
    /// Of each story that has not emerged: its items of the last window.
    arrivals: HashMap<usize, Vec<Arrival>>,
    emerged: HashMap<usize, Told>,
}

impl Emerging {
    pub fn new(window_seconds: i64) -> Self {
        Self { window_seconds, stories: Stories::default(), merges_seen: 0, arrivals: HashMap::new(), emerged: HashMap::new() }
    }

    pub fn take_in(&mut self, place: &Place, at: i64) -> Told {
        let handle = self.stories.place(place, String::new);
        let oldest = at - self.window_seconds;
        self.follow_merges(oldest);
        let story = self.stories.current(handle);
        if let Some(told) = self.emerged.get(&story) {
            return *told;
        }
        let arrivals = self.arrivals.entry(story).or_default();
        arrivals.retain(|arrival| arrival.at > oldest);
        arrivals.push(Arrival { at, vector: place.vector().to_vec() });
        if arrivals.len() < ITEMS_MIN || mean_cosine(arrivals) < ITEMS_COSINE_MIN {
            return Told { story, flagged_at: None };
        }
        let told = self.same_event(story).unwrap_or(Told { story, flagged_at: Some(at) });
        self.arrivals.remove(&story);
        self.emerged.insert(story, told);
        self.stories.keep_apart(story);
        told
    }

    /// The emerged story nearest to this one, if it is near enough. Equal ones go by age, so that no hash decides.
    fn same_event(&self, story: usize) -> Option<Told> {
        let nearness = self.emerged.iter().map(|(other, told)| (self.stories.centres_cosine(story, *other), *told));
        let near = nearness.filter(|(cosine, _)| is_same_event(*cosine));
        near.max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.story.cmp(&left.1.story))).map(|(_, told)| told)
    }

    /// What was known of a story that has become part of another is known of that other.
    fn follow_merges(&mut self, oldest: i64) {
        if self.stories.merges() == self.merges_seen {
            return;
        }
        self.merges_seen = self.stories.merges();
        for (story, mut arrivals) in std::mem::take(&mut self.arrivals) {
            arrivals.retain(|arrival| arrival.at > oldest);
            self.arrivals.entry(self.stories.current(story)).or_default().extend(arrivals);
        }
        let mut emerged: Vec<(usize, Told)> = std::mem::take(&mut self.emerged).into_iter().collect();
        emerged.sort_unstable_by_key(|(story, _)| *story);
        for (story, told) in emerged {
            self.emerged.entry(self.stories.current(story)).or_insert(told);
        }
        self.arrivals.retain(|story, arrivals| !arrivals.is_empty() && !self.emerged.contains_key(story));
    }
}

/// Of each two of them; there are at least two.
fn mean_cosine(arrivals: &[Arrival]) -> f32 {
    let mut sum = vec![0.0; arrivals[0].vector.len()];
    arrivals.iter().for_each(|arrival| add(&mut sum, &arrival.vector));
    let with_themselves: f32 = arrivals.iter().map(|arrival| dot(&arrival.vector, &arrival.vector)).sum();
    let count = arrivals.len() as f32;
    (dot(&sum, &sum) - with_themselves) / (count * (count - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::embedder::Embedder, testing::fake_embedder::WordEmbedder};

    const WINDOW: i64 = 100;

    fn told(texts: &[(i64, &str)]) -> Vec<Told> {
        let mut emerging = Emerging::new(WINDOW);
        let place = |text: &str| Place::new(text, &WordEmbedder.embed(&[text])[0]);
        texts.iter().map(|(at, text)| emerging.take_in(&place(text), *at)).collect()
    }

    #[test]
    fn a_story_is_told_of_from_the_item_on_that_makes_it_large_enough() {
        let item = "flood closes the river bridge";
        let told = told(&[(1, item), (2, item), (3, "new oven at the bakery"), (4, item), (5, item), (6, item), (7, item)]);
        let flags: Vec<Option<i64>> = told.iter().map(|told| told.flagged_at).collect();
        assert_eq!(flags, [None, None, None, None, None, Some(6), Some(6)]);
        assert_eq!(told[5].story, told[6].story);
        assert_ne!(told[2].story, told[0].story);
    }

    #[test]
    fn a_slow_story_does_not_emerge() {
        let item = "flood closes the river bridge";
        let slow: Vec<(i64, &str)> = (0..20).map(|number| (number * WINDOW / 3, item)).collect();
        assert!(told(&slow).iter().all(|told| told.flagged_at.is_none()));
    }

    #[test]
    fn items_that_share_a_word_and_little_else_do_not_emerge() {
        let mut emerging = Emerging::new(WINDOW);
        for number in 0..8 {
            let mut vector = vec![0.0; 8];
            vector[number] = 1.0;
            let told = emerging.take_in(&Place::new("zarquon", &vector), number as i64);
            assert_eq!(told, Told { story: 0, flagged_at: None });
        }
    }
}
