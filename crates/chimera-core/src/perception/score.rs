//! How likely it is that an item matters to a goal, as a probability. `docs/perception.md` has the reasoning and the figures.
//!
//! A cosine alone has no meaning: it is compared with the cosines that a bank of neutral items has to the same goal.
//! Narrow goals ("the Toyota recall") are also matched word by word; broad ones ("follow sports news") are widened by
//! the neutral items nearest to them, since no single item resembles a whole field.

use super::{
    vectors::{add, dot, normalise, spread},
    words::{content_words, is_function_word, words},
};
use crate::ports::embedder::Embedder;
use std::collections::{HashMap, HashSet};

mod script;

/// Neutral items over many subjects, written for this purpose.
const BACKGROUND_ITEMS: &str = include_str!("background.txt");
/// Of an item; a longer text adds chance matches and no meaning.
const ITEM_WORDS_MAX: usize = 60;
/// Of a goal; a goal of a whole page is known by its beginning.
const GOAL_WORDS_MAX: usize = 16;
/// How many neutral items widen a broad goal.
const WIDENING_ITEMS: usize = 20;
/// A goal that lists this many aspects is broad.
const BROAD_ASPECTS_MIN: usize = 4;
/// Words by which a goal asks for a field rather than a story.
const FIELD_WORDS: [&str; 7] = ["coverage", "developments", "headlines", "news", "stories", "trends", "updates"];
/// How many of a goal's words must be found for a full match.
const MATCHED_WORDS_MAX: usize = 4;
/// Words that say what to do about a subject, not what it is. Sorted, for the binary search.
const PURPOSE_WORDS: [&str; 28] = [
    "audience",
    "audiences",
    "awareness",
    "build",
    "campaign",
    "care",
    "cover",
    "discuss",
    "drive",
    "engage",
    "explain",
    "find",
    "followers",
    "grow",
    "help",
    "inform",
    "keep",
    "people",
    "post",
    "posts",
    "promote",
    "raise",
    "readers",
    "share",
    "talk",
    "tell",
    "watch",
    "write",
];
/// A name in a goal counts for more than a common noun.
const NAME_WEIGHT: f32 = 1.5;
/// "flood" and "floods" are the same word for us.
const SAME_STEM: f32 = 0.9;
const STEM_CHARS_MIN: usize = 4;

/// Fitted on public relevance judgements, goals held out. See `docs/perception.md`.
mod fitted {
    pub(super) const NARROW_BIAS: f64 = -2.701;
    pub(super) const NARROW_Z: f64 = 0.304;
    pub(super) const NARROW_MATCH: f64 = 5.684;
    pub(super) const NARROW_LOG_ITEM_WORDS: f64 = -0.677;
    pub(super) const BROAD_BIAS: f64 = -1.464;
    pub(super) const BROAD_Z: f64 = 1.902;
    /// Item lengths on which the constants were fitted; a shorter or longer one is taken as the nearest of these.
    pub(super) const ITEM_WORDS: (usize, usize) = (3, 24);
}

/// What is usual: vectors of the neutral items, and the part that all texts share.
pub struct Background {
    common: Vec<f32>,
    items: Vec<Vec<f32>>,
}

impl Background {
    /// Embeds the bank: make one for each embedder and share it.
    pub fn new(embedder: &dyn Embedder) -> Self {
        let lines: Vec<&str> = BACKGROUND_ITEMS.lines().collect();
        let vectors = embedder.embed(&lines);
        let mut common = vec![0.0; embedder.dimensions()];
        for vector in &vectors {
            add(&mut common, vector);
        }
        common.iter_mut().for_each(|value| *value /= vectors.len() as f32);
        let mut background = Self { common, items: Vec::new() };
        background.items = vectors.iter().map(|vector| background.distinctive(vector)).collect();
        background
    }

    /// The vector without the part that all texts share, at unit length: cosines then spread further apart.
    pub fn distinctive(&self, vector: &[f32]) -> Vec<f32> {
        let mut distinctive: Vec<f32> = vector.iter().zip(&self.common).map(|(value, common)| value - common).collect();
        // A text without any known piece has no direction, and must not get that of "unlike everything".
        if vector.iter().all(|value| value.abs() < f32::EPSILON) {
            distinctive.fill(0.0);
        }
        normalise(&mut distinctive);
        distinctive
    }
}

/// A goal, ready to judge items.
pub struct Goal {
    text: String,
    breadth: Breadth,
    vector: Vec<f32>,
    background_mean: f32,
    background_deviation: f32,
    words: Vec<GoalWord>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    Narrow,
    Broad,
}

struct GoalWord {
    text: String,
    vector: Vec<f32>,
    weight: f32,
}

/// An item as scoring needs it.
pub struct ScoredText<'a> {
    pub text: &'a str,
    /// From [`Background::distinctive`].
    pub distinctive: &'a [f32],
}

/// What the probability is made of, so that it can be shown and refitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Cosine to the goal, in standard deviations of the background's cosines above their mean.
    pub z: f64,
    /// How well a narrow goal's words are found among the item's, 0 to 1.
    pub word_match: f64,
    /// Natural logarithm of how many content words the item has.
    pub log_item_words: f64,
    /// Share of the item's letters that are of a script that the goal uses.
    pub same_script: f64,
}

impl Goal {
    pub fn new(text: &str, embedder: &dyn Embedder, background: &Background) -> Self {
        let breadth = breadth_of(text);
        let subject: Vec<&str> = words(text).filter(|word| names_subject(&word.to_lowercase())).collect();
        let subject_text = if subject.is_empty() { text.to_owned() } else { subject.join(" ") };
        let own = background.distinctive(&embedder.embed(&[&subject_text])[0]);
        let vector = match breadth {
            Breadth::Narrow => own,
            Breadth::Broad => widened(&own, background),
        };
        let cosines: Vec<f32> = background.items.iter().map(|item| dot(item, &vector)).collect();
        let (background_mean, background_deviation) = spread(&cosines);
        Self { text: text.to_owned(), breadth, vector, background_mean, background_deviation, words: goal_words(&subject_text, embedder) }
    }

    pub fn breadth(&self) -> Breadth {
        self.breadth
    }

    /// One probability an item, in order.
    pub fn score(&self, items: &[ScoredText<'_>], embedder: &dyn Embedder) -> Vec<f64> {
        self.weigh(items, embedder).iter().map(|evidence| evidence.map_or(0.0, |evidence| self.probability(&evidence))).collect()
    }

    /// `None` for an item without words, or a goal without.
    pub fn weigh(&self, items: &[ScoredText<'_>], embedder: &dyn Embedder) -> Vec<Option<Evidence>> {
        let item_words: Vec<Vec<String>> = items.iter().map(|item| content_words_at_most(item.text)).collect();
        let vectors = word_vectors(&item_words, embedder);
        items.iter().zip(&item_words).map(|(item, words)| self.weigh_one(item, words, &vectors)).collect()
    }

    fn weigh_one(&self, item: &ScoredText<'_>, words: &[String], vectors: &HashMap<&str, Vec<f32>>) -> Option<Evidence> {
        if words.is_empty() || self.words.is_empty() || self.background_deviation < f32::EPSILON {
            return None;
        }
        let cosine = dot(&self.vector, item.distinctive);
        let item_words = words.len().clamp(fitted::ITEM_WORDS.0, fitted::ITEM_WORDS.1);
        Some(Evidence {
            z: f64::from((cosine - self.background_mean) / self.background_deviation),
            word_match: match self.breadth {
                Breadth::Narrow => f64::from(self.word_match(words, vectors)),
                Breadth::Broad => 0.0,
            },
            log_item_words: (item_words as f64).ln(),
            same_script: script::share_of_same(&self.text, item.text),
        })
    }

    /// Over the goal's words that are matched best: a goal in a whole sentence has words that no item repeats.
    fn word_match(&self, words: &[String], vectors: &HashMap<&str, Vec<f32>>) -> f32 {
        let mut matches: Vec<(f32, f32)> = self.words.iter().map(|word| (best_match(word, words, vectors), word.weight)).collect();
        matches.sort_by(|left, right| right.0.total_cmp(&left.0));
        matches.truncate(MATCHED_WORDS_MAX);
        let total_weight: f32 = matches.iter().map(|(_, weight)| weight).sum();
        matches.iter().map(|(likeness, weight)| likeness * weight).sum::<f32>() / total_weight
    }

    fn probability(&self, evidence: &Evidence) -> f64 {
        let log_odds = match self.breadth {
            Breadth::Narrow => {
                fitted::NARROW_BIAS
                    + fitted::NARROW_Z * evidence.z
                    + fitted::NARROW_MATCH * evidence.word_match
                    + fitted::NARROW_LOG_ITEM_WORDS * evidence.log_item_words
            }
            Breadth::Broad => fitted::BROAD_BIAS + fitted::BROAD_Z * evidence.z,
        };
        // The constants know nothing of pairs in different scripts, where a high cosine is an accident.
        evidence.same_script / (1.0 + (-log_odds).exp())
    }
}

fn names_subject(lower_case: &str) -> bool {
    !is_function_word(lower_case) && PURPOSE_WORDS.binary_search(&lower_case).is_err()
}

/// Broad: a list of aspects, or a field asked for by such words as "news" and without any name.
fn breadth_of(goal: &str) -> Breadth {
    let aspects = goal.split([':', ',', ';']).flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" or "));
    let aspect_count = aspects.filter(|aspect| !content_words(aspect).is_empty()).count();
    let asks_for_field = words(goal).any(|word| FIELD_WORDS.contains(&word.to_lowercase().as_str()));
    let names = words(goal).skip(1).any(|word| word.starts_with(char::is_uppercase));
    if aspect_count >= BROAD_ASPECTS_MIN || (asks_for_field && !names) { Breadth::Broad } else { Breadth::Narrow }
}

/// Halfway between the goal and the neutral items nearest to it.
fn widened(goal: &[f32], background: &Background) -> Vec<f32> {
    let mut nearest: Vec<(f32, &Vec<f32>)> = background.items.iter().map(|item| (dot(item, goal), item)).collect();
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
    let vectors = embedder.embed(&lower_case);
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
    let vectors = embedder.embed(&distinct);
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
