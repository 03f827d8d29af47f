//! A goal read as a field ("sport", "what is new in banking?"), in the company in which items come.
//!
//! How near texts are to such a goal differs from goal to goal, from language to language and from window to window; what is near for one is far for
//! the next. So an item is measured by what was seen so far in its language: the neutral items and the last of the window. Those of them that are
//! nearest to the goal say what the field looks like here, the others what is usual.

use crate::perception::{
    seen::{Company, SAME_COSINE_MIN},
    vectors::{add, dot, normalise},
};

/// Of all texts seen, this share is taken for the field, and no fewer than this many.
const NEAR_SHARE: f32 = 0.05;
const NEAR_MIN: usize = 10;
/// What a deviation of meaning counts beside one of words, where only the order matters.
const MEANING_WEIGHT: f32 = 2.0;
/// Where the window is of one kind, what is usual in it is still no further than this from what is usual of neutral items, in their deviations;
/// so a window full of what the goal asks for is not held against itself.
const SHIFT_MAX: f32 = 0.5;
const STRETCH_MAX: f32 = 1.5;
/// No cosine becomes a certainty because few texts were compared, or only such as are all alike.
const DEVIATION_MIN: f32 = 0.02;
/// As many of a normal distribution are more than one deviation below its middle.
const ONE_BELOW: f32 = 0.16;

pub(super) struct Field<'a> {
    split: usize,
    goal: Vec<f32>,
    near: Vec<&'a [f32]>,
    near_sum: Vec<f32>,
    rest: Vec<f32>,
    /// Towards the field and away from the rest.
    direction: Vec<f32>,
    usual: [Usual; 2],
}

/// The middle and the lower deviation: what matters to the goal is above, and moves neither much.
#[derive(Clone, Copy)]
struct Usual {
    middle: f32,
    deviation: f32,
}

impl<'a> Field<'a> {
    /// `goal`: widened by the neutral items nearest to it. `split`: where the words begin in a vector.
    pub(super) fn new(goal: &[f32], company: &Company<'a>, split: usize) -> Self {
        let texts = &company.texts;
        let deviations = parts(split).map(|part| {
            let cosines: Vec<f32> = texts.iter().map(|text| dot(part.of(text), part.of(goal))).collect();
            let usual = Usual::of(&cosines, company.neutral);
            cosines.into_iter().map(|cosine| usual.deviations(cosine)).collect::<Vec<f32>>()
        });
        let [meaning, words] = deviations;
        let nearness: Vec<f32> = meaning.iter().zip(&words).map(|(meaning, words)| MEANING_WEIGHT * meaning + words).collect();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by(|left, right| nearness[*right].total_cmp(&nearness[*left]));
        let near_count = ((texts.len() as f32 * NEAR_SHARE) as usize).max(NEAR_MIN).min(texts.len());
        let sum = |places: &[usize]| {
            let mut sum = vec![0.0; goal.len()];
            places.iter().for_each(|place| add(&mut sum, texts[*place]));
            sum
        };
        let near_sum = sum(&order[..near_count]);
        let mut rest = sum(&order[near_count..]);
        rest.iter_mut().for_each(|value| *value /= (texts.len() - near_count).max(1) as f32);
        let near = order[..near_count].iter().map(|place| texts[*place]).collect();
        let direction = direction(goal, &near_sum, &rest, split);
        let usual = parts(split).map(|part| {
            let cosines: Vec<f32> = texts.iter().map(|text| dot(part.of(text), part.of(&direction))).collect();
            Usual::of(&cosines, company.neutral)
        });
        Self { split, goal: goal.to_vec(), near, near_sum, rest, direction, usual }
    }

    /// How far an item is towards the field, of meaning and of words. It does not count among the texts that say what the field looks like.
    pub(super) fn deviations(&self, item: &[f32]) -> (f64, f64) {
        let [meaning, words] = parts(self.split);
        let own = self.near.iter().find(|near| dot(meaning.of(near), meaning.of(item)) >= SAME_COSINE_MIN);
        let without = own.map(|own| {
            let others: Vec<f32> = self.near_sum.iter().zip(*own).map(|(sum, own)| sum - own).collect();
            direction(&self.goal, &others, &self.rest, self.split)
        });
        let direction = without.as_ref().unwrap_or(&self.direction);
        let of = |part: Part, usual: Usual| f64::from(usual.deviations(dot(part.of(item), part.of(direction))));
        (of(meaning, self.usual[0]), of(words, self.usual[1]))
    }
}

impl Usual {
    /// The first `neutral` of the cosines are those of neutral items.
    fn of(cosines: &[f32], neutral: usize) -> Self {
        let (all, neutral) = (Self::unbounded(cosines), Self::unbounded(&cosines[..neutral]));
        let shift = SHIFT_MAX * neutral.deviation;
        Self {
            middle: all.middle.clamp(neutral.middle - shift, neutral.middle + shift),
            deviation: all.deviation.clamp(neutral.deviation / STRETCH_MAX, neutral.deviation * STRETCH_MAX),
        }
    }

    fn unbounded(cosines: &[f32]) -> Self {
        let mut sorted = cosines.to_vec();
        sorted.sort_by(f32::total_cmp);
        let at = |share: f32| sorted.get((sorted.len() as f32 * share) as usize).copied().unwrap_or_default();
        let middle = at(0.5);
        Self { middle, deviation: (middle - at(ONE_BELOW)).max(DEVIATION_MIN) }
    }

    fn deviations(self, cosine: f32) -> f32 {
        (cosine - self.middle) / self.deviation
    }
}

/// One of the two parts of a vector.
#[derive(Clone, Copy)]
enum Part {
    Meaning(usize),
    Words(usize),
}

impl Part {
    fn of(self, vector: &[f32]) -> &[f32] {
        match self {
            Self::Meaning(split) => &vector[..split],
            Self::Words(split) => &vector[split..],
        }
    }
}

fn parts(split: usize) -> [Part; 2] {
    [Part::Meaning(split), Part::Words(split)]
}

/// Halfway between the goal and the texts near it, less what the rest share.
fn direction(goal: &[f32], near_sum: &[f32], rest: &[f32], split: usize) -> Vec<f32> {
    let towards = parts(split).map(|part| {
        let mut near = part.of(near_sum).to_vec();
        normalise(&mut near);
        add(&mut near, part.of(goal));
        normalise(&mut near);
        near
    });
    towards.concat().iter().zip(rest).map(|(towards, rest)| towards - rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parts of three dimensions each; the first is what the goal asks for.
    const GOAL: [f32; 6] = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

    fn text(nearness: f32) -> Vec<f32> {
        let other = (1.0 - nearness * nearness).sqrt();
        vec![nearness, other, 0.0, nearness, 0.0, other]
    }

    fn texts(count: usize, around: f32) -> Vec<Vec<f32>> {
        (0..count).map(|number| text(around + 0.1 * ((number % 11) as f32 / 5.0 - 1.0))).collect()
    }

    fn deviation_of(item: &[f32], neutral: &[Vec<f32>], window: &[Vec<f32>]) -> f64 {
        let company = Company { texts: neutral.iter().chain(window).map(Vec::as_slice).collect(), neutral: neutral.len() };
        Field::new(&GOAL, &company, 3).deviations(item).0
    }

    #[test]
    fn what_is_nearer_than_usual_here_is_above_zero_and_the_usual_is_not() {
        let (neutral, window) = (texts(120, 0.0), texts(120, 0.1));
        assert!(deviation_of(&text(0.7), &neutral, &window) > 3.0);
        assert!(deviation_of(&text(0.0), &neutral, &window) < 1.0);
    }

    #[test]
    fn a_window_of_one_kind_is_not_held_against_itself() {
        let neutral = texts(120, 0.0);
        let item = text(0.6);
        let (alone, full) = (deviation_of(&item, &neutral, &[]), deviation_of(&item, &neutral, &texts(2_000, 0.6)));
        assert!(full > 2.0 && full > alone / 3.0, "{alone}, {full}");
    }

    #[test]
    fn an_item_of_the_window_is_measured_as_one_that_is_not_in_it() {
        let (neutral, item) = (texts(120, 0.0), text(0.3));
        let (outside, inside) = (deviation_of(&item, &neutral, &[]), deviation_of(&item, &neutral, std::slice::from_ref(&item)));
        assert!((outside - inside).abs() < 0.3, "{outside}, {inside}");
    }
}
