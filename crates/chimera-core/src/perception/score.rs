//! How likely it is that an item matters to a goal, as a probability. `docs/perception.md` has the reasoning and the figures.
//!
//! A cosine alone has no meaning: it is compared with the cosines that a bank of neutral items has to the same goal.
//! Narrow goals ("the Toyota recall") are also matched word by word, and an item is compared with what else is told that does not
//! matter to the goal: what resembles that more than the goal is about something else. As a field ("follow sports news") a goal is widened by
//! the texts nearest to it, since no single item resembles a whole field, and measured by what is usual in the item's own company.

use super::{
    background::{Background, compared_as},
    language::{Language, language_of},
    seen::{Others, Seen},
    vectors::{add, dot, normalise},
    words::{content_words, words},
};
use crate::ports::embedder::Embedder;
use std::collections::{BTreeMap, HashMap, HashSet};

mod field;
mod parts;
mod script;
mod subject;

use field::Field;
use parts::taken_apart;
pub use subject::Breadth;
use subject::{breadth_of, subject_of};

/// Of an item; a longer text adds chance matches and no meaning.
const ITEM_WORDS_MAX: usize = 60;
/// Of a goal; a goal of a whole page is known by its beginning.
const GOAL_WORDS_MAX: usize = 16;
/// How many neutral items widen a broad goal.
const WIDENING_ITEMS: usize = 20;
/// How many of a goal's words must be found for a full match.
const MATCHED_WORDS_MAX: usize = 4;
/// A name in a goal counts for more than a common noun.
const NAME_WEIGHT: f32 = 1.5;
/// "flood" and "floods" are the same word for us.
const SAME_STEM: f32 = 0.9;
const STEM_CHARS_MIN: usize = 4;

/// Fitted on public relevance judgements and news by desk, sources held out. See `docs/perception.md`.
mod fitted {
    pub(super) const STORY_BIAS: f64 = 1.293;
    pub(super) const STORY_MEANING_Z: f64 = 0.600;
    pub(super) const STORY_MATCH: f64 = 2.232;
    pub(super) const STORY_LOG_ITEM_WORDS: f64 = -0.128;
    pub(super) const STORY_NEIGHBOURS: f64 = -7.207;
    pub(super) const STORY_NEAREST: f64 = -5.065;
    /// Where little was told yet, neighbours are further away than they will be; they count as at least this near.
    pub(super) const NEIGHBOURS_MIN: f32 = 0.30;
    pub(super) const NEAREST_MIN: f32 = 0.40;
    pub(super) const FIELD_BIAS: f64 = -1.489;
    pub(super) const FIELD_MEANING_Z: f64 = 0.846;
    pub(super) const FIELD_WORDS_Z: f64 = 0.491;
    /// Nobody is surer than this that an item belongs to a story.
    pub(super) const LOG_ODDS: (f64, f64) = (-4.0, 9.0);
    /// Item lengths on which the constants were fitted; a shorter or longer one is taken as the nearest of these.
    pub(super) const ITEM_WORDS: (usize, usize) = (3, 24);
    /// Below the deviation of cosines to any goal on which they were fitted: no cosine becomes a certainty because few texts were compared.
    pub(super) const DEVIATION_MIN: f32 = 0.03;
}

/// A goal, ready to judge items.
pub struct Goal {
    text: String,
    language: Option<Language>,
    breadth: Breadth,
    meaning_dimensions: usize,
    /// What it says itself, and that widened by the neutral items nearest to it.
    own: Vec<f32>,
    wide: Vec<f32>,
    words: Vec<GoalWord>,
    /// What it leaves out.
    unwanted: Option<Box<Goal>>,
}

struct GoalWord {
    text: String,
    vector: Vec<f32>,
    weight: f32,
}

/// An item as scoring needs it.
#[derive(Clone, Copy)]
pub struct ScoredText<'a> {
    pub text: &'a str,
    /// From [`language_of`].
    pub language: Option<Language>,
    /// From [`Background::distinctive`].
    pub distinctive: &'a [f32],
}

impl<'a> ScoredText<'a> {
    pub fn new(text: &'a str, distinctive: &'a [f32]) -> Self {
        Self { text, language: language_of(text), distinctive }
    }

    fn compared_as(&self) -> Language {
        self.language.unwrap_or(Language::English)
    }
}

/// What items of a language are measured by.
enum Measures<'a> {
    Field(Field<'a>),
    /// Texts that do not matter to the goal.
    Story(Others<'a>),
}

type MeasuresByLanguage<'a> = BTreeMap<Language, Measures<'a>>;

/// What the probability is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Evidence {
    reading: Reading,
    /// 1 for languages that we know; else the share of the item's letters that are of a script that the goal uses.
    comparable: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Reading {
    /// How far the item is towards the goal, in what is usual of its company, of meaning and of words.
    Field { meaning_z: f64, words_z: f64 },
    Story {
        /// Cosine of meaning to the goal, in standard deviations of the others' cosines above their mean.
        meaning_z: f64,
        /// Mean cosine to the ten nearest texts that do not matter to the goal, and the largest.
        neighbours: f64,
        nearest: f64,
        /// How well the goal's words are found among the item's, 0 to 1.
        word_match: f64,
        /// Natural logarithm of how many content words the item has.
        log_item_words: f64,
    },
}

impl Goal {
    pub fn new(text: &str, embedder: &dyn Embedder, background: &Background) -> Self {
        let parts = taken_apart(text);
        let unwanted = parts.unwanted.map(|text| Box::new(Self::of_wanted(&text, embedder, background)));
        Self { unwanted, ..Self::of_wanted(&parts.wanted, embedder, background) }
    }

    fn of_wanted(text: &str, embedder: &dyn Embedder, background: &Background) -> Self {
        let language = language_of(text);
        let breadth = breadth_of(text, language);
        let subject_text = subject_of(text, language);
        let own = background.distinctive(text, &embedder.embed(&[&subject_text])[0]);
        let split = background.meaning_dimensions();
        let near = background.items(compared_as(text));
        let wide = [widened(&own, near, ..split), widened(&own, near, split..)].concat();
        let words = goal_words(&subject_text, embedder);
        Self { text: text.to_owned(), language, breadth, meaning_dimensions: split, own, wide, words, unwanted: None }
    }

    pub fn breadth(&self) -> Breadth {
        self.breadth
    }

    /// What an item must mean to matter, without what all texts share.
    fn meaning(&self) -> &[f32] {
        &self.own[..self.meaning_dimensions]
    }

    /// One probability an item, in order.
    pub fn score(&self, items: &[ScoredText<'_>], embedder: &dyn Embedder, seen: &Seen<'_>) -> Vec<f64> {
        self.score_in_reach(items, &vec![0.0; items.len()], embedder, seen)
    }

    /// The same, but an item that cannot reach what is needed of it gets some number below that: to see so takes one cosine, and most items
    /// of a window have nothing to do with a narrow goal. `needed`: one an item; 0 asks for the exact score.
    pub fn score_in_reach(&self, items: &[ScoredText<'_>], needed: &[f64], embedder: &dyn Embedder, seen: &Seen<'_>) -> Vec<f64> {
        let measures = self.measures(items, seen);
        let mut scores: Vec<f64> = items.iter().map(|item| self.score_max(item, &measures)).collect();
        let in_reach: Vec<usize> = (0..items.len()).filter(|place| scores[*place] >= needed[*place]).collect();
        let texts: Vec<ScoredText<'_>> = in_reach.iter().map(|place| items[*place]).collect();
        let left_out = self.unwanted.as_ref().map(|unwanted| unwanted.score(&texts, embedder, seen));
        for (number, (place, evidence)) in in_reach.into_iter().zip(self.weigh_by(&texts, embedder, &measures)).enumerate() {
            // Who only says what to leave out wants all the rest.
            let wanted = if self.words.is_empty() && left_out.is_some() { 1.0 } else { Self::told(evidence.as_ref()) };
            scores[place] = wanted * (1.0 - left_out.as_ref().map_or(0.0, |scores| scores[number]));
        }
        scores
    }

    fn told(evidence: Option<&Evidence>) -> f64 {
        evidence.map_or(0.0, probability)
    }

    /// What the item would score if every word of the goal were in it and nothing else were like it. A broad goal needs no more than
    /// two cosines anyway.
    fn score_max(&self, item: &ScoredText<'_>, measures: &MeasuresByLanguage<'_>) -> f64 {
        let reading = match &measures[&item.compared_as()] {
            Measures::Field(field) => as_field(field, item),
            Measures::Story(others) => Reading::Story {
                meaning_z: self.own_deviations(item, others),
                neighbours: f64::from(fitted::NEIGHBOURS_MIN),
                nearest: f64::from(fitted::NEAREST_MIN),
                word_match: 1.0,
                log_item_words: (fitted::ITEM_WORDS.0 as f64).ln(),
            },
        };
        probability(&Evidence { reading, comparable: 1.0 })
    }

    /// Of every language among the items.
    fn measures<'a>(&self, items: &[ScoredText<'_>], seen: &'a Seen<'_>) -> MeasuresByLanguage<'a> {
        let languages: HashSet<Language> = items.iter().map(ScoredText::compared_as).collect();
        let of = |language| {
            let company = seen.company(language);
            // A story is known by its words, which say little across languages.
            let measures = match (self.breadth, language) {
                (Breadth::Narrow, Language::English) => Measures::Story(company.against(self.meaning())),
                _ => Measures::Field(Field::new(&self.wide, &company, self.meaning_dimensions)),
            };
            (language, measures)
        };
        languages.into_iter().map(of).collect()
    }

    /// `None` for an item without words, or a goal without. What the goal leaves out does not count here.
    fn weigh_by(&self, items: &[ScoredText<'_>], embedder: &dyn Embedder, measures: &MeasuresByLanguage<'_>) -> Vec<Option<Evidence>> {
        let item_words: Vec<Vec<String>> = items.iter().map(|item| content_words_at_most(item.text)).collect();
        let vectors = word_vectors(&item_words, embedder);
        let weigh = |(item, words): (&ScoredText<'_>, &Vec<String>)| {
            if words.is_empty() || self.words.is_empty() {
                return None;
            }
            let reading = match &measures[&item.compared_as()] {
                Measures::Field(field) => as_field(field, item),
                Measures::Story(others) => {
                    let (neighbours, nearest) = others.nearest_to(&item.distinctive[..self.meaning_dimensions]);
                    Reading::Story {
                        meaning_z: self.own_deviations(item, others),
                        neighbours: f64::from(neighbours.max(fitted::NEIGHBOURS_MIN)),
                        nearest: f64::from(nearest.max(fitted::NEAREST_MIN)),
                        word_match: f64::from(self.word_match(words, &vectors)),
                        log_item_words: (words.len().clamp(fitted::ITEM_WORDS.0, fitted::ITEM_WORDS.1) as f64).ln(),
                    }
                }
            };
            Some(Evidence { reading, comparable: self.comparable(item) })
        };
        items.iter().zip(&item_words).map(weigh).collect()
    }

    fn own_deviations(&self, item: &ScoredText<'_>, others: &Others<'_>) -> f64 {
        deviations(dot(self.meaning(), &item.distinctive[..self.meaning_dimensions]), others.usual())
    }

    /// Texts of two languages that we know can be compared. Of any other, as far as they are written alike.
    fn comparable(&self, item: &ScoredText<'_>) -> f64 {
        if self.language.is_some() && item.language.is_some() { 1.0 } else { script::share_of_same(&self.text, item.text) }
    }

    /// Over the goal's words that are matched best: a goal in a whole sentence has words that no item repeats.
    fn word_match(&self, words: &[String], vectors: &HashMap<&str, Vec<f32>>) -> f32 {
        let mut matches: Vec<(f32, f32)> = self.words.iter().map(|word| (best_match(word, words, vectors), word.weight)).collect();
        matches.sort_by(|left, right| right.0.total_cmp(&left.0));
        matches.truncate(MATCHED_WORDS_MAX);
        let total_weight: f32 = matches.iter().map(|(_, weight)| weight).sum();
        matches.iter().map(|(likeness, weight)| likeness * weight).sum::<f32>() / total_weight
    }
}

fn as_field(field: &Field<'_>, item: &ScoredText<'_>) -> Reading {
    let (meaning_z, words_z) = field.deviations(item.distinctive);
    Reading::Field { meaning_z, words_z }
}

fn probability(evidence: &Evidence) -> f64 {
    let log_odds = match evidence.reading {
        Reading::Field { meaning_z, words_z } => fitted::FIELD_BIAS + fitted::FIELD_MEANING_Z * meaning_z + fitted::FIELD_WORDS_Z * words_z,
        Reading::Story { meaning_z, neighbours, nearest, word_match, log_item_words } => (fitted::STORY_BIAS
            + fitted::STORY_MEANING_Z * meaning_z
            + fitted::STORY_MATCH * word_match
            + fitted::STORY_LOG_ITEM_WORDS * log_item_words
            + fitted::STORY_NEIGHBOURS * neighbours
            + fitted::STORY_NEAREST * nearest)
            .clamp(fitted::LOG_ODDS.0, fitted::LOG_ODDS.1),
    };
    // The constants know nothing of pairs in different scripts, where a high cosine is an accident.
    evidence.comparable / (1.0 + (-log_odds).exp())
}

/// How far a cosine is above the usual ones.
fn deviations(cosine: f32, usual: (f32, f32)) -> f64 {
    f64::from((cosine - usual.0) / usual.1.max(fitted::DEVIATION_MIN))
}

/// Halfway between a part of the goal and that of the neutral items nearest to it.
fn widened(goal: &[f32], neutral: &[Vec<f32>], part: impl std::slice::SliceIndex<[f32], Output = [f32]> + Clone) -> Vec<f32> {
    let goal = &goal[part.clone()];
    let mut nearest: Vec<(f32, &[f32])> = neutral.iter().map(|item| &item[part.clone()]).map(|item| (dot(item, goal), item)).collect();
    nearest.sort_by(|left, right| right.0.total_cmp(&left.0));
    let mut near = vec![0.0; goal.len()];
    for (cosine, item) in nearest.into_iter().take(WIDENING_ITEMS) {
        let weight = cosine.max(0.0);
        for (total, value) in near.iter_mut().zip(item) {
            *total += weight * value;
        }
    }
    normalise(&mut near);
    add(&mut near, goal);
    normalise(&mut near);
    near
}

fn goal_words(subject: &str, embedder: &dyn Embedder) -> Vec<GoalWord> {
    let mut seen = HashSet::new();
    let written: Vec<(&str, String)> =
        words(subject).map(|word| (word, word.to_lowercase())).filter(|(_, word)| seen.insert(word.clone())).take(GOAL_WORDS_MAX).collect();
    let lower_case: Vec<&str> = written.iter().map(|(_, lower_case)| lower_case.as_str()).collect();
    let vectors = embedder.embed_words(&lower_case);
    let weight = |word: &str| if word.starts_with(char::is_uppercase) { NAME_WEIGHT } else { 1.0 };
    written.iter().zip(vectors).map(|((word, text), vector)| GoalWord { text: text.clone(), vector, weight: weight(word) }).collect()
}

fn content_words_at_most(text: &str) -> Vec<String> {
    let mut found = content_words(text);
    found.truncate(ITEM_WORDS_MAX);
    found
}

/// Every distinct word once: items of one subject share most of theirs.
fn word_vectors<'a>(items: &'a [Vec<String>], embedder: &dyn Embedder) -> HashMap<&'a str, Vec<f32>> {
    let distinct: HashSet<&str> = items.iter().flatten().map(String::as_str).collect();
    let distinct: Vec<&str> = distinct.into_iter().collect();
    let vectors = embedder.embed_words(&distinct);
    distinct.into_iter().zip(vectors).collect()
}

fn best_match(goal_word: &GoalWord, words: &[String], vectors: &HashMap<&str, Vec<f32>>) -> f32 {
    let likeness = |word: &String| {
        let cosine = vectors.get(word.as_str()).map_or(0.0, |vector| dot(&goal_word.vector, vector));
        if same_stem(&goal_word.text, word) { cosine.max(SAME_STEM) } else { cosine }
    };
    words.iter().map(likeness).fold(0.0, f32::max)
}

fn same_stem(left: &str, right: &str) -> bool {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    long.starts_with(short) && short.chars().count() >= STEM_CHARS_MIN
}

#[cfg(test)]
mod tests;
