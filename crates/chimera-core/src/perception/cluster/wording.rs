//! Which words stories use, and what the words of an item say about where it belongs.

use std::collections::HashMap;

/// A story is taken to have said so many words already, as often as everybody says them: until it has said more than that of its own, its
/// words tell little.
const PRIOR_WORDS: f32 = 10.0;
/// What is taken to have been said before anything was: no word is surprising at the beginning.
const PRIOR_ALL_WORDS: f32 = 5_000.0;
const PRIOR_EACH_WORD: f32 = 0.5;

#[derive(Default)]
pub(super) struct Wording {
    /// Of each stem, by story, how many items use it.
    uses: HashMap<u64, HashMap<usize, f32>>,
    stories: HashMap<usize, Said>,
    /// How many items of all stories, also forgotten ones, use a stem.
    everywhere: HashMap<u64, f32>,
    everywhere_total: f32,
}

/// What a story has said.
#[derive(Default)]
struct Said {
    stems: Vec<u64>,
    total: f32,
}

/// What the words of one item say for each story.
pub(super) struct Evidence<'a> {
    wording: &'a Wording,
    stem_count: f32,
    /// Of the stories that use any of the words: the sum over these.
    shared: HashMap<usize, f32>,
}

impl Evidence<'_> {
    /// The logarithm of how much likelier the item's words are in the story than anywhere, per word.
    pub(super) fn for_story(&self, story: usize) -> f32 {
        let total = self.wording.stories.get(&story).map_or(0.0, |said| said.total);
        let unseen = self.stem_count * (PRIOR_WORDS / (total + PRIOR_WORDS)).ln();
        (unseen + self.shared.get(&story).copied().unwrap_or(0.0)) / self.stem_count.max(1.0)
    }
}

impl Wording {
    pub(super) fn evidence(&self, stems: &[u64]) -> Evidence<'_> {
        let mut shared: HashMap<usize, f32> = HashMap::new();
        for stem in stems {
            let share = (self.everywhere.get(stem).copied().unwrap_or(0.0) + PRIOR_EACH_WORD) / (self.everywhere_total + PRIOR_ALL_WORDS);
            for (story, uses) in self.uses.get(stem).into_iter().flatten() {
                *shared.entry(*story).or_default() += (uses / (PRIOR_WORDS * share)).ln_1p();
            }
        }
        Evidence { wording: self, stem_count: stems.len() as f32, shared }
    }

    /// An item with these stems went into the story.
    pub(super) fn note(&mut self, story: usize, stems: &[u64]) {
        for stem in stems {
            self.add(story, *stem, 1.0);
            *self.everywhere.entry(*stem).or_default() += 1.0;
        }
        self.everywhere_total += stems.len() as f32;
    }

    /// What one story said is now part of the other.
    pub(super) fn hand_over(&mut self, from: usize, to: usize) {
        for (stem, uses) in self.take_out(from) {
            self.add(to, stem, uses);
        }
    }

    /// No item will join the story any more.
    pub(super) fn forget(&mut self, story: usize) {
        self.take_out(story);
    }

    fn add(&mut self, story: usize, stem: u64, uses: f32) {
        let said = self.stories.entry(story).or_default();
        said.total += uses;
        let before = self.uses.entry(stem).or_default().entry(story).or_insert_with(|| {
            said.stems.push(stem);
            0.0
        });
        *before += uses;
    }

    fn take_out(&mut self, story: usize) -> Vec<(u64, f32)> {
        let said = self.stories.remove(&story).unwrap_or_default();
        let mut taken = Vec::with_capacity(said.stems.len());
        for stem in said.stems {
            let Some(stories) = self.uses.get_mut(&stem) else { continue };
            taken.extend(stories.remove(&story).map(|uses| (stem, uses)));
            if stories.is_empty() {
                self.uses.remove(&stem);
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRIDGE: u64 = 1;
    const CLOSED: u64 = 2;
    const BAKERY: u64 = 3;

    #[test]
    fn a_word_that_only_one_story_uses_speaks_for_it_and_one_that_all_use_hardly() {
        let mut wording = Wording::default();
        for story in 0..20 {
            wording.note(story, &[CLOSED]);
        }
        wording.note(0, &[BRIDGE]);
        let rare = wording.evidence(&[BRIDGE]);
        let common = wording.evidence(&[CLOSED]);
        assert!(rare.for_story(0) > rare.for_story(1) + 1.0);
        assert!(rare.for_story(0) > common.for_story(0));
        assert!(rare.for_story(1) < 0.0, "its words are others");
    }

    #[test]
    fn what_a_story_said_goes_with_it_and_is_gone_when_it_is_forgotten() {
        let mut wording = Wording::default();
        wording.note(0, &[BRIDGE, CLOSED]);
        wording.note(1, &[BAKERY]);
        wording.hand_over(1, 0);
        assert!(wording.evidence(&[BAKERY]).for_story(0) > 0.0);
        assert_eq!(wording.stories.len(), 1);
        wording.forget(0);
        assert!(wording.uses.is_empty() && wording.stories.is_empty());
        assert!(wording.evidence(&[BRIDGE]).for_story(0) <= 0.0);
    }

    #[test]
    fn an_item_without_words_says_nothing() {
        let mut wording = Wording::default();
        wording.note(0, &[BRIDGE]);
        assert!(wording.evidence(&[]).for_story(0) <= 0.0);
    }
}
