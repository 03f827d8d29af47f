//! What was told lately, whatever it is about: the company in which an item is judged. A fresh installation has the neutral items.

use super::{
    background::{Background, compared_as},
    language::Language,
    vectors::{dot, spread},
};

/// Of what was told lately; more changes little and costs time with every item.
const ITEMS_MAX: usize = 2_000;
/// Texts that are this many deviations nearer to a goal than usual may matter to it, so they are no background.
const FAR_DEVIATIONS: f32 = 2.0;
/// The same by what is usual of neutral items: where most of what is told matters to the goal, that is the usual, and must not be held
/// against itself.
const FAR_NEUTRAL_DEVIATIONS: f32 = 3.0;
/// How many neighbours tell what else an item may be about.
const NEIGHBOURS: usize = 10;
/// At or above this cosine of meaning two texts are the same.
pub(super) const SAME_COSINE_MIN: f32 = 0.999;

/// The neutral items and the last texts, without what all texts of their language share.
pub struct Seen<'a> {
    background: &'a Background,
    /// The oldest is overwritten first.
    lately: Vec<(Language, Vec<f32>)>,
    next: usize,
}

impl<'a> Seen<'a> {
    pub fn new(background: &'a Background) -> Self {
        Self { background, lately: Vec::new(), next: 0 }
    }

    /// Remembers a text by its vector from [`Background::distinctive`].
    pub fn remember(&mut self, text: &str, distinctive: &[f32]) {
        let remembered = (compared_as(text), distinctive.to_vec());
        if self.lately.len() < ITEMS_MAX {
            self.lately.push(remembered);
            return;
        }
        self.lately[self.next] = remembered;
        self.next = (self.next + 1) % ITEMS_MAX;
    }

    pub(super) fn company(&self, language: Language) -> Company<'_> {
        let neutral = self.background.items(language);
        let lately = self.lately.iter().filter(|(of, _)| *of == language).map(|(_, distinctive)| distinctive.as_slice());
        Company { texts: neutral.iter().map(Vec::as_slice).chain(lately).collect(), neutral: neutral.len() }
    }
}

/// All texts of a language, the neutral ones first.
pub(super) struct Company<'a> {
    pub(super) texts: Vec<&'a [f32]>,
    pub(super) neutral: usize,
}

impl<'a> Company<'a> {
    /// Those that do not matter to a goal.
    pub(super) fn against(&self, goal_meaning: &[f32]) -> Others<'a> {
        let meanings: Vec<&[f32]> = self.texts.iter().map(|text| &text[..goal_meaning.len()]).collect();
        let cosines: Vec<f32> = meanings.iter().map(|meaning| dot(meaning, goal_meaning)).collect();
        let bound = |cosines: &[f32], deviations: f32| {
            let (mean, deviation) = spread(cosines);
            mean + deviations * deviation
        };
        let far_max = bound(&cosines, FAR_DEVIATIONS).min(bound(&cosines[..self.neutral], FAR_NEUTRAL_DEVIATIONS));
        let (far_cosines, meanings): (Vec<f32>, Vec<&[f32]>) =
            cosines.into_iter().zip(meanings).filter(|(cosine, _)| *cosine <= far_max).unzip();
        Others { usual: spread(&far_cosines), meanings }
    }
}

/// Texts that do not matter to a goal.
pub(super) struct Others<'a> {
    usual: (f32, f32),
    meanings: Vec<&'a [f32]>,
}

impl Others<'_> {
    /// Mean and deviation of their cosines to the goal.
    pub(super) fn usual(&self) -> (f32, f32) {
        self.usual
    }

    /// Mean cosine of the nearest of them to an item, and the largest; the item itself does not count.
    pub(super) fn nearest_to(&self, meaning: &[f32]) -> (f32, f32) {
        let mut nearest = [-1.0_f32; NEIGHBOURS];
        for other in &self.meanings {
            let cosine = dot(other, meaning);
            if cosine > nearest[NEIGHBOURS - 1] && cosine < SAME_COSINE_MIN {
                let place = nearest.partition_point(|known| *known >= cosine);
                nearest[place..].rotate_right(1);
                nearest[place] = cosine;
            }
        }
        (nearest.iter().sum::<f32>() / NEIGHBOURS as f32, nearest[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::embedder::Embedder, testing::fake_embedder::WordEmbedder};

    #[test]
    fn what_resembles_other_texts_has_near_neighbours_and_is_not_its_own() {
        let background = Background::new(&WordEmbedder);
        let distinctive = |text: &str| background.distinctive(text, &WordEmbedder.embed(&[text])[0]);
        let mut seen = Seen::new(&background);
        let goal = distinctive("Toyota recall");
        let item = distinctive("ferry timetable changes at the harbour");
        let size = WordEmbedder.meaning_dimensions();
        let before = seen.company(Language::English).against(&goal[..size]).nearest_to(&item[..size]);
        seen.remember("ferry timetable changes at the harbour", &item);
        assert_eq!(seen.company(Language::English).against(&goal[..size]).nearest_to(&item[..size]), before);
        seen.remember("new ferry timetable at the harbour", &distinctive("new ferry timetable at the harbour"));
        assert!(seen.company(Language::English).against(&goal[..size]).nearest_to(&item[..size]).1 > before.1);
    }

    #[test]
    fn what_matters_to_the_goal_is_no_background_even_where_hardly_anything_else_is_told() {
        let background = Background::new(&WordEmbedder);
        let distinctive = |text: &str| background.distinctive(text, &WordEmbedder.embed(&[text])[0]);
        let mut seen = Seen::new(&background);
        let goal = distinctive("Toyota recall");
        let size = WordEmbedder.meaning_dimensions();
        let fresh = seen.company(Language::English).against(&goal[..size]).usual();
        for number in 0..ITEMS_MAX {
            let text = format!("Toyota recall letter {number} to the owners");
            seen.remember(&text, &distinctive(&text));
        }
        let item = distinctive("Toyota recall reaches the last owners");
        let others = seen.company(Language::English).against(&goal[..size]);
        assert_eq!(others.usual(), fresh);
        assert!(others.nearest_to(&item[..size]).1 < 0.5);
    }
}
