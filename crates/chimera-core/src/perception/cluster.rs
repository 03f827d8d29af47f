//! Puts items into stories in one pass: the nearest story if it is near enough, a new one otherwise; stories that have come close
//! to each other become one. Meaning (the embedding) and wording (the words themselves) are compared side by side,
//! because a name that the embedding hardly knows is what makes two items one story.

use super::{
    vectors::{add, dot, normalise},
    words::content_words,
};

/// An item joins the nearest story at or above this cosine.
const JOIN_COSINE_MIN: f32 = 0.35;
/// Stories are the same one when their centres are at least this near,
const MERGE_CENTRES_COSINE_MIN: f32 = 0.38;
/// and their items, each with each, are this near on average. Centres alone mislead: those of any two large stories are near.
const MERGE_ITEMS_COSINE_MIN: f32 = 0.20;
/// Looking for stories to merge compares all with all, so it is done once in so many items.
const MERGE_EVERY_ITEMS: usize = 500;
/// How much of the cosine comes from the words themselves.
const WORDING_SHARE: f32 = 0.09;
const WORDING_DIMENSIONS: usize = 256;
/// Places that a word marks: several, so that two words seldom look alike by chance.
const MARKS_PER_WORD: u32 = 4;
/// Longer words are compared by their beginning: "floods" and "flooding" are the same.
const STEM_CHARS: usize = 6;
/// At or above this cosine of wording two items say the same thing.
const NEAR_DUPLICATE_COSINE_MIN: f32 = 0.8;

/// Where an item stands, for clustering.
#[derive(Debug, Clone, PartialEq)]
pub struct Place(Vec<f32>);

impl Place {
    /// `vector` as the embedder gives it.
    pub fn new(text: &str, vector: &[f32]) -> Self {
        let meaning = vector.iter().map(|value| value * (1.0 - WORDING_SHARE).sqrt());
        Self(meaning.chain(wording(text).into_iter().map(|value| value * WORDING_SHARE.sqrt())).collect())
    }

    /// Whether the two say the same thing in nearly the same words.
    pub fn repeats(&self, other: &Self) -> bool {
        let wording_at = self.0.len().saturating_sub(WORDING_DIMENSIONS);
        dot(&self.0[wording_at..], &other.0[wording_at..]) >= NEAR_DUPLICATE_COSINE_MIN * WORDING_SHARE
    }
}

/// Content words, hashed into a short vector of unit length.
fn wording(text: &str) -> Vec<f32> {
    let mut marks = vec![0.0; WORDING_DIMENSIONS];
    let mut stems: Vec<String> = content_words(text).iter().map(|word| word.chars().take(STEM_CHARS).collect()).collect();
    stems.sort_unstable();
    stems.dedup();
    for stem in stems {
        let hash = fnv(stem.as_bytes());
        for mark in 0..MARKS_PER_WORD {
            let bits = hash.rotate_left(mark * 16);
            let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
            marks[(bits & 0xFF) as usize] += sign;
        }
    }
    normalise(&mut marks);
    marks
}

/// FNV-1a, finished so that every bit depends on every byte. The same in every process, which the standard hasher is not.
fn fnv(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

/// Stories and where they stand.
#[derive(Default)]
pub struct Stories {
    stories: Vec<Story>,
    placed_since_merge: usize,
    merges: usize,
}

struct Story {
    id: String,
    sum: Vec<f32>,
    centre: Vec<f32>,
    items: usize,
    /// Length of the mean of its items' places: the nearer they are to each other, the longer.
    tightness: f32,
    /// Whether it may no longer become one with another such story.
    kept_apart: bool,
    /// The story that this one became part of.
    merged_into: Option<usize>,
}

impl Stories {
    /// Puts an item that belongs to a story already back into it.
    pub fn restore(&mut self, story_id: &str, place: &Place) {
        let found = self.stories.iter().position(|story| story.id == story_id);
        let story = found.unwrap_or_else(|| self.open(story_id.to_owned(), place.0.len()));
        self.stories[story].take_in(place);
    }

    /// Finds the story of a new item, or opens one with the id that `new_id` gives. Answers a handle for [`Self::id_of`]:
    /// a story may still merge into another.
    pub fn place(&mut self, place: &Place, new_id: impl FnOnce() -> String) -> usize {
        let cosines = self.alive().into_iter().map(|story| (dot(&self.stories[story].centre, &place.0), story));
        let nearest = cosines.max_by(|left, right| left.0.total_cmp(&right.0));
        let story = match nearest {
            Some((cosine, index)) if cosine >= JOIN_COSINE_MIN => index,
            _ => self.open(new_id(), place.0.len()),
        };
        self.stories[story].take_in(place);
        self.placed_since_merge += 1;
        if self.placed_since_merge >= MERGE_EVERY_ITEMS {
            self.merge();
        }
        story
    }

    /// Makes one of stories that have come close; the one that is older here keeps its id. Call it after the last item.
    pub fn merge(&mut self) {
        self.placed_since_merge = 0;
        let alive = self.alive();
        let mut close: Vec<ClosePair> =
            alive.iter().enumerate().flat_map(|(place, older)| self.close_to(*older, &alive[place + 1..])).collect();
        // The closest pair first, so that the outcome does not depend on where stories happen to stand in the list.
        while let Some(pair) = close.iter().max_by(|left, right| left.items_cosine.total_cmp(&right.items_cosine)).cloned() {
            let sum = std::mem::take(&mut self.stories[pair.younger].sum);
            add(&mut self.stories[pair.older].sum, &sum);
            self.stories[pair.older].items += self.stories[pair.younger].items;
            self.stories[pair.older].recentre();
            self.stories[pair.older].kept_apart |= self.stories[pair.younger].kept_apart;
            self.stories[pair.younger].merged_into = Some(pair.older);
            self.merges += 1;
            close.retain(|other| !other.touches(pair.older) && !other.touches(pair.younger));
            close.extend(self.close_to(pair.older, &self.alive()));
        }
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

    /// From now on the story does not merge with another one that is kept apart.
    pub fn keep_apart(&mut self, handle: usize) {
        let story = self.current(handle);
        self.stories[story].kept_apart = true;
    }

    pub fn centres_cosine(&self, left: usize, right: usize) -> f32 {
        dot(&self.stories[left].centre, &self.stories[right].centre)
    }

    /// The id under which a restored story goes on.
    pub fn current_id<'a>(&'a self, story_id: &'a str) -> &'a str {
        self.stories.iter().position(|story| story.id == story_id).map_or(story_id, |story| self.id_of(story))
    }

    fn open(&mut self, id: String, dimensions: usize) -> usize {
        self.stories.push(Story {
            id,
            sum: vec![0.0; dimensions],
            centre: Vec::new(),
            items: 0,
            tightness: 0.0,
            kept_apart: false,
            merged_into: None,
        });
        self.stories.len() - 1
    }

    fn alive(&self) -> Vec<usize> {
        (0..self.stories.len()).filter(|story| self.stories[*story].merged_into.is_none()).collect()
    }

    fn close_to(&self, story: usize, others: &[usize]) -> Vec<ClosePair> {
        let pair = |other: &usize| {
            let (one, two) = (&self.stories[story], &self.stories[*other]);
            let centres_cosine = dot(&one.centre, &two.centre);
            let items_cosine = centres_cosine * one.tightness * two.tightness;
            let may = !(one.kept_apart && two.kept_apart);
            let same = may && centres_cosine >= MERGE_CENTRES_COSINE_MIN && items_cosine >= MERGE_ITEMS_COSINE_MIN;
            same.then(|| ClosePair { items_cosine, older: story.min(*other), younger: story.max(*other) })
        };
        others.iter().filter(|other| **other != story).filter_map(pair).collect()
    }
}

/// Two stories that are to become one.
#[derive(Clone)]
struct ClosePair {
    items_cosine: f32,
    older: usize,
    younger: usize,
}

impl ClosePair {
    fn touches(&self, story: usize) -> bool {
        self.older == story || self.younger == story
    }
}

impl Story {
    fn take_in(&mut self, place: &Place) {
        add(&mut self.sum, &place.0);
        self.items += 1;
        self.recentre();
    }

    fn recentre(&mut self) {
        self.centre.clone_from(&self.sum);
        normalise(&mut self.centre);
        self.tightness = dot(&self.sum, &self.sum).sqrt() / self.items as f32;
    }
}

#[cfg(test)]
mod tests;
