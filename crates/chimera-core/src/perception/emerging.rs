//! Which stories are emerging, item by item. A story emerges when enough of its items of the last day, which say different things, are
//! near to each other: the fewer they are the nearer, and the more other items there are the more it takes; or when a few come within hours. It is
//! told of once, and so is an event that has broken into several stories.

use super::{
    cluster::{Place, Stories},
    vectors::{add, dot},
};
use std::collections::{HashMap, VecDeque};

/// Items older than this no longer make a story emerge.
const EMERGING_SECONDS: i64 = 24 * 3_600;
/// Items that make a story emerge, at least,
const ITEMS_MIN: usize = 3;
/// and for each root of the number of items that came in that time: where much is said, as much is said by chance.
const ITEMS_MIN_PER_ROOT: f32 = 0.25;
/// They tell of one event only if they are this near to each other on average: a subject that is always talked about has as many.
const ITEMS_COSINE_MIN: f32 = 0.40;
/// For each item, shared among them, they are to be nearer.
const FEW_ITEMS_COSINE: f32 = 0.30;
/// So many items within hours make a story emerge too, if they are this near to each other.
const FAST_ITEMS_MIN: usize = 5;
const FAST_SECONDS: i64 = 4 * 3_600;
const FAST_COSINE_MIN: f32 = 0.30;
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
    place: Place,
}

/// Takes items in the order in which they come.
#[derive(Default)]
pub struct Emerging {
    stories: Stories,
    merges_seen: usize,
    /// When the items came that still count, of whatever story.
    times: VecDeque<i64>,
    /// Of each story that has not emerged: its items that still count, without those that repeat another.
    arrivals: HashMap<usize, Vec<Arrival>>,
    emerged: HashMap<usize, Told>,
}

impl Emerging {
    /// `at` in seconds.
    pub fn take_in(&mut self, place: &Place, at: i64) -> Told {
        let handle = self.stories.place(place, at, String::new);
        let oldest = at - EMERGING_SECONDS;
        self.times.push_back(at);
        while self.times.front().is_some_and(|time| *time <= oldest) {
            self.times.pop_front();
        }
        self.follow_merges(oldest);
        let story = self.stories.current(handle);
        if let Some(told) = self.emerged.get(&story) {
            return *told;
        }
        let arrivals = self.arrivals.entry(story).or_default();
        arrivals.retain(|arrival| arrival.at > oldest);
        if arrivals.iter().any(|arrival| arrival.place.repeats(place)) {
            return Told { story, flagged_at: None };
        }
        arrivals.push(Arrival { at, place: place.clone() });
        if !emerges(arrivals, self.times.len(), at) {
            return Told { story, flagged_at: None };
        }
        let told = self.same_event(story).unwrap_or(Told { story, flagged_at: Some(at) });
        self.arrivals.remove(&story);
        self.emerged.insert(story, told);
        self.stories.keep_apart(story);
        told
    }

    /// The emerged story nearest to this one, if it is near enough and was not over before: what came of an event weeks ago hides nothing. Equal ones go by age, so that no hash decides.
    fn same_event(&self, story: usize) -> Option<Told> {
        let nearness = self.emerged.iter().filter_map(|(other, told)| Some((self.stories.centres_cosine(story, *other)?, *told)));
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
        self.arrivals.values_mut().for_each(|arrivals| arrivals.sort_by_key(|arrival| arrival.at));
        let mut emerged: Vec<(usize, Told)> = std::mem::take(&mut self.emerged).into_iter().collect();
        emerged.sort_unstable_by_key(|(story, _)| *story);
        for (story, told) in emerged {
            self.emerged.entry(self.stories.current(story)).or_insert(told);
        }
        self.arrivals.retain(|story, arrivals| !arrivals.is_empty() && !self.emerged.contains_key(story));
    }
}

/// Whether these items of a story, in the order in which they came, make it emerge among `all_items` of the same time.
fn emerges(arrivals: &[Arrival], all_items: usize, at: i64) -> bool {
    let count = arrivals.len();
    let enough = ITEMS_MIN_PER_ROOT * (all_items as f32).sqrt();
    if count >= ITEMS_MIN && count as f32 >= enough && mean_cosine(arrivals) >= ITEMS_COSINE_MIN + FEW_ITEMS_COSINE / count as f32 {
        return true;
    }
    let fast = &arrivals[arrivals.partition_point(|arrival| arrival.at <= at - FAST_SECONDS)..];
    fast.len() >= FAST_ITEMS_MIN && mean_cosine(fast) >= FAST_COSINE_MIN
}

/// Of each two of them; there are at least two.
fn mean_cosine(arrivals: &[Arrival]) -> f32 {
    let vectors = || arrivals.iter().map(|arrival| arrival.place.vector());
    let mut sum = vec![0.0; arrivals[0].place.vector().len()];
    vectors().for_each(|vector| add(&mut sum, vector));
    let with_themselves: f32 = vectors().map(|vector| dot(vector, vector)).sum();
    let count = arrivals.len() as f32;
    (dot(&sum, &sum) - with_themselves) / (count * (count - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::embedder::Embedder, testing::fake_embedder::WordEmbedder};

    const HOUR: i64 = 3_600;
    const FLOOD: [&str; 6] = [
        "flood closes the river bridge",
        "flood closes the river bridge, two schools and a road",
        "river bridge closes after the flood, mayor warns of more rain",
        "mayor visits the river bridge that the flood closes",
        "flood: army repairs the river bridge",
        "river flood takes the bridge, closes roads",
    ];

    /// When each was told, in hours; the texts come at these hours.
    fn told(texts: &[(i64, &str)]) -> Vec<Option<i64>> {
        let mut emerging = Emerging::default();
        let place = |text: &str| Place::new(text, &WordEmbedder.embed(&[text])[0]);
        let told = texts.iter().map(|(hour, text)| emerging.take_in(&place(text), hour * HOUR));
        told.map(|told| told.flagged_at.map(|at| at / HOUR)).collect()
    }

    #[test]
    fn a_story_is_told_of_from_the_item_on_that_makes_it_large_enough() {
        let told = told(&[(1, FLOOD[0]), (9, "new oven at the bakery"), (12, FLOOD[1]), (20, FLOOD[2]), (21, FLOOD[3])]);
        assert_eq!(told, [None, None, None, Some(20), Some(20)]);
    }

    #[test]
    fn an_event_is_told_once_and_what_is_like_it_weeks_later_again() {
        let mut texts: Vec<(i64, &str)> = FLOOD.iter().enumerate().map(|(number, text)| (number as i64, *text)).collect();
        texts.extend(FLOOD.iter().enumerate().map(|(number, text)| (14 * 24 + number as i64, *text)));
        let told: std::collections::BTreeSet<i64> = told(&texts).into_iter().flatten().collect();
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn a_slow_story_does_not_emerge() {
        let slow: Vec<(i64, &str)> = FLOOD.iter().enumerate().map(|(number, text)| (number as i64 * 20, *text)).collect();
        assert!(told(&slow).iter().all(Option::is_none));
    }

    #[test]
    fn what_says_the_same_again_does_not_make_a_story_emerge() {
        let copies: Vec<(i64, &str)> = (0..20).map(|hour| (hour, FLOOD[hour as usize % 2])).collect();
        assert!(told(&copies).iter().all(Option::is_none));
    }

    #[test]
    fn where_much_is_said_more_items_are_needed() {
        let noise: Vec<String> = (0..600).map(|number| format!("a{number}x b{number}x c{number}x d{number}x")).collect();
        let mut texts: Vec<(i64, &str)> = noise.iter().map(|text| (0, text.as_str())).collect();
        texts.extend(FLOOD.iter().enumerate().map(|(number, text)| (number as i64 * 5, *text)));
        let told = told(&texts);
        assert!(told[600..605].iter().all(Option::is_none), "{:?}", &told[600..]);
    }

    #[test]
    fn items_that_share_a_word_and_little_else_do_not_emerge() {
        let mut emerging = Emerging::default();
        for number in 0..8 {
            let mut vector = vec![0.0; 8];
            vector[number] = 1.0;
            let text = format!("zarquon word{number} other{number}");
            let told = emerging.take_in(&Place::new(&text, &vector), number as i64);
            assert_eq!(told.flagged_at, None);
        }
    }
}
