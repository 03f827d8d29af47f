//! How likely it is that an item matters to a goal, as a probability. `docs/perception.md` has the reasoning and the figures.
//!
//! A cosine alone has no meaning: it is compared with the cosines that a bank of neutral items has to the same goal.
//! Narrow goals ("the Toyota recall") are also matched word by word, and an item is compared with what else is told that does not
//! matter to the goal: what resembles that more than the goal is about something else. Broad ones ("follow sports news") are widened by
//! the neutral items nearest to them, since no single item resembles a whole field.

use super::{
    background::{Background, compared_as},
    language::{Language, language_of},
    seen::{Others, Seen},
    vectors::{add, dot, normalise, spread},
    words::{content_words, words},
};
use crate::ports::embedder::Embedder;
use std::collections::{BTreeMap, HashMap, HashSet};

mod parts;
mod script;
mod subject;

use parts::taken_apart;
pub use subject::Breadth;
use subject::{breadth_of, names_subject};

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

/// Fitted on public relevance judgements, goals held out. See `docs/perception.md`.
mod fitted {
    pub(super) const NARROW_BIAS: f64 = 1.293;
    pub(super) const NARROW_MEANING_Z: f64 = 0.600;
    pub(super) const NARROW_MATCH: f64 = 2.232;
    pub(super) const NARROW_LOG_ITEM_WORDS: f64 = -0.128;
    pub(super) const NARROW_NEIGHBOURS: f64 = -7.207;
    pub(super) const NARROW_NEAREST: f64 = -5.065;
    /// Where little was told yet, neighbours are further away than they will be; they count as at least this near.
    pub(super) const NEIGHBOURS_MIN: f32 = 0.30;
    pub(super) const NEAREST_MIN: f32 = 0.40;
    pub(super) const BROAD_BIAS: f64 = -1.971;
    pub(super) const BROAD_MEANING_Z: f64 = 1.232;
    pub(super) const BROAD_WORDS_Z: f64 = 1.079;
    /// What the two readings of a narrow goal weigh: as a story, and as a field that it may be. Neither is taken to be surer than this.
    pub(super) const STORY_SHARE: f64 = 0.25;
    pub(super) const FIELD_SHARE: f64 = 0.5;
    pub(super) const SHARED_BIAS: f64 = -0.8;
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
    /// To the wide one, of the neutral items of each language, in the order of [`Language::ALL`].
    usual: Vec<UsualCosines>,
    words: Vec<GoalWord>,
    /// What it leaves out.
    unwanted: Option<Box<Goal>>,
}

/// Mean and deviation of the cosines that neutral items have to a goal, of meaning and of words.
struct UsualCosines {
    meaning: (f32, f32),
    words: (f32, f32),
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

/// Texts that do not matter to a narrow goal.
type OthersByLanguage<'a> = BTreeMap<Language, Others<'a>>;

/// What the probability is made of, so that it can be shown and refitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Cosine of meaning to a narrow goal itself, in standard deviations of the others' cosines above their mean.
    pub meaning_z: f64,
    /// To the widened goal, of the neutral items' cosines; and the same of the sums of words.
    pub wide_meaning_z: f64,
    pub wide_words_z: f64,
    /// Mean cosine to the ten nearest texts that do not matter to the goal, and the largest.
    pub neighbours: f64,
    pub nearest: f64,
    /// How well a narrow goal's words are found among the item's, 0 to 1.
    pub word_match: f64,
    /// Natural logarithm of how many content words the item has.
    pub log_item_words: f64,
    /// 1 for languages that we know; else the share of the item's letters that are of a script that the goal uses.
    pub comparable: f64,
}

impl Goal {
    pub fn new(text: &str, embedder: &dyn Embedder, background: &Background) -> Self {
        let parts = taken_apart(text);
        let unwanted = parts.unwanted.map(|text| Box::new(Self::of_wanted(&text, embedder, background)));
        Self { unwanted, ..Self::of_wanted(&parts.wanted, embedder, background) }
    }

    fn of_wanted(text: &str, embedder: &dyn Embedder, background: &Background) -> Self {
        let breadth = breadth_of(text);
        let subject: Vec<&str> = words(text).filter(|word| names_subject(&word.to_lowercase())).collect();
        let subject_text = if subject.is_empty() { text.to_owned() } else { subject.join(" ") };
        let language = language_of(text);
        let own = background.distinctive(text, &embedder.embed(&[&subject_text])[0]);
        let split = background.meaning_dimensions();
        let near = background.items(compared_as(text));
        let wide = [widened(&own, near, ..split), widened(&own, near, split..)].concat();
        let usual = |language| {
            let cosines = |part: fn(&[f32], usize) -> &[f32]| {
                let items = background.items(language).iter();
                spread(&items.map(|item| dot(part(item, split), part(&wide, split))).collect::<Vec<f32>>())
            };
            UsualCosines { meaning: cosines(|vector, split| &vector[..split]), words: cosines(|vector, split| &vector[split..]) }
        };
        let usual = Language::ALL.map(usual).into();
        let words = goal_words(&subject_text, embedder);
        Self { text: text.to_owned(), language, breadth, meaning_dimensions: split, own, wide, usual, words, unwanted: None }
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
        let others = self.others(items, seen);
        let mut scores: Vec<f64> = items.iter().map(|item| self.score_max(item, &others)).collect();
        let in_reach: Vec<usize> = (0..items.len()).filter(|place| scores[*place] >= needed[*place]).collect();
        let texts: Vec<ScoredText<'_>> = in_reach.iter().map(|place| items[*place]).collect();
        let left_out = self.unwanted.as_ref().map(|unwanted| unwanted.score(&texts, embedder, seen));
        for (number, (place, evidence)) in in_reach.into_iter().zip(self.weigh_against(&texts, embedder, &others)).enumerate() {
            // Who only says what to leave out wants all the rest.
            let wanted = if self.words.is_empty() && left_out.is_some() { 1.0 } else { self.told(evidence.as_ref()) };
            scores[place] = wanted * (1.0 - left_out.as_ref().map_or(0.0, |scores| scores[number]));
        }
        scores
    }

    fn told(&self, evidence: Option<&Evidence>) -> f64 {
        evidence.map_or(0.0, |evidence| self.probability(evidence))
    }

    /// What the item would score if every word of the goal were in it and nothing else were like it. A broad goal needs no more than
    /// two cosines anyway.
    fn score_max(&self, item: &ScoredText<'_>, others: &OthersByLanguage<'_>) -> f64 {
        let Some(others) = others.get(&item.compared_as()) else { return 1.0 };
        let cosine = dot(self.meaning(), &item.distinctive[..self.meaning_dimensions]);
        let (wide_meaning_z, wide_words_z) = self.wide_deviations(item);
        self.probability(&Evidence {
            meaning_z: deviations(cosine, others.usual()),
            wide_meaning_z,
            wide_words_z,
            neighbours: f64::from(fitted::NEIGHBOURS_MIN),
            nearest: f64::from(fitted::NEAREST_MIN),
            word_match: 1.0,
            log_item_words: (fitted::ITEM_WORDS.0 as f64).ln(),
            comparable: 1.0,
        })
    }

    /// Of every language among the items; none for a broad goal, which is measured by the neutral items alone.
    fn others<'a>(&self, items: &[ScoredText<'_>], seen: &'a Seen<'_>) -> OthersByLanguage<'a> {
        let languages: HashSet<Language> = match self.breadth {
            Breadth::Narrow => items.iter().map(ScoredText::compared_as).collect(),
            Breadth::Broad => HashSet::new(),
        };
        languages.into_iter().map(|language| (language, seen.against(self.meaning(), language))).collect()
    }

    /// `None` for an item without words, or a goal without. What the goal leaves out does not count here.
    pub fn weigh(&self, items: &[ScoredText<'_>], embedder: &dyn Embedder, seen: &Seen<'_>) -> Vec<Option<Evidence>> {
        self.weigh_against(items, embedder, &self.others(items, seen))
    }

    fn weigh_against(&self, items: &[ScoredText<'_>], embedder: &dyn Embedder, others: &OthersByLanguage<'_>) -> Vec<Option<Evidence>> {
        let item_words: Vec<Vec<String>> = items.iter().map(|item| content_words_at_most(item.text)).collect();
        let vectors = word_vectors(&item_words, embedder);
        let weigh = |(item, words): (&ScoredText<'_>, &Vec<String>)| {
            let usual = &self.usual[item.compared_as() as usize];
            if words.is_empty() || self.words.is_empty() || usual.meaning.1 < f32::EPSILON {
                return None;
            }
            let meaning = &item.distinctive[..self.meaning_dimensions];
            let (wide_meaning_z, wide_words_z) = self.wide_deviations(item);
            let comparable = self.comparable(item);
            let log_item_words = (words.len().clamp(fitted::ITEM_WORDS.0, fitted::ITEM_WORDS.1) as f64).ln();
            Some(match others.get(&item.compared_as()).map(|others| (others.usual(), others.nearest_to(meaning))) {
                Some((usual, (neighbours, nearest))) => Evidence {
                    meaning_z: deviations(dot(self.meaning(), meaning), usual),
                    wide_meaning_z,
                    wide_words_z,
                    neighbours: f64::from(neighbours.max(fitted::NEIGHBOURS_MIN)),
                    nearest: f64::from(nearest.max(fitted::NEAREST_MIN)),
                    word_match: f64::from(self.word_match(words, &vectors)),
                    log_item_words,
                    comparable,
                },
                None => Evidence {
                    meaning_z: 0.0,
                    wide_meaning_z,
                    wide_words_z,
                    neighbours: 0.0,
                    nearest: 0.0,
                    word_match: 0.0,
                    log_item_words,
                    comparable,
                },
            })
        };
        items.iter().zip(&item_words).map(weigh).collect()
    }

    /// Of the item's cosines to the widened goal, of meaning and of words.
    fn wide_deviations(&self, item: &ScoredText<'_>) -> (f64, f64) {
        let usual = &self.usual[item.compared_as() as usize];
        let (meaning, words) = self.wide.split_at(self.meaning_dimensions);
        let (item_meaning, item_words) = item.distinctive.split_at(self.meaning_dimensions);
        (deviations(dot(meaning, item_meaning), usual.meaning), deviations(dot(words, item_words), usual.words))
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

    fn probability(&self, evidence: &Evidence) -> f64 {
        let as_field =
            fitted::BROAD_BIAS + fitted::BROAD_MEANING_Z * evidence.wide_meaning_z + fitted::BROAD_WORDS_Z * evidence.wide_words_z;
        let log_odds = match self.breadth {
            Breadth::Narrow => {
                let as_story = fitted::NARROW_BIAS
                    + fitted::NARROW_MEANING_Z * evidence.meaning_z
                    + fitted::NARROW_MATCH * evidence.word_match
                    + fitted::NARROW_LOG_ITEM_WORDS * evidence.log_item_words
                    + fitted::NARROW_NEIGHBOURS * evidence.neighbours
                    + fitted::NARROW_NEAREST * evidence.nearest;
                let sure = |log_odds: f64| log_odds.clamp(fitted::LOG_ODDS.0, fitted::LOG_ODDS.1);
                fitted::STORY_SHARE * sure(as_story) + fitted::FIELD_SHARE * sure(as_field) + fitted::SHARED_BIAS
            }
            Breadth::Broad => as_field,
        };
        // The constants know nothing of pairs in different scripts, where a high cosine is an accident.
        evidence.comparable / (1.0 + (-log_odds).exp())
    }
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
