//! Which passage: of one item, near to the goal, able to stand alone, and different from those before it.

use super::{
    Source,
    sentences::split,
    standing::{Item, without_dateline},
};
use crate::{domain::Language, perception::language::language_of, ports::embedder::Embedder};
use chrono::{DateTime, TimeDelta, Utc};

/// Neighbouring sentences of one item, as they stand there.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    pub sentences: Vec<String>,
    /// Index into the sources; `None` when it is the SOUL's or the goal's own.
    pub source: Option<usize>,
    /// How well it stands alone, 0 to 1.
    pub standing: f64,
}

/// A passage that could be said.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub passage: Passage,
    /// To the goal or the comment, 0 to 1.
    pub relevance: f64,
    vector: Vec<f32>,
}

/// Sentences of one item that are looked at: what matters stands at the top.
const SENTENCES_PER_SOURCE_MAX: usize = 16;
/// How much a passage loses by being like one chosen before it.
const LIKENESS_COST: f64 = 0.3;
/// A headline says what the item is about, and little else.
const HEADLINE_STANDING: f64 = 0.5;
const HEADLINE_WORDS_MIN: usize = 6;
/// So many words in a row are no chance.
const HEADLINE_REPEATED_WORDS_MIN: usize = 4;
/// What pages put before a headline.
const BEFORE_HEADLINE_BYTES_MAX: usize = 40;
/// A longer passage is an article, and no post.
const PASSAGE_CHARS_MAX: usize = 500;
/// From so many letters on a text's language can be told.
const TOLD_LETTERS_MIN: usize = 40;

/// The sentences of an item, without what agencies put before the first.
pub fn sentences_of(source: &Source) -> Vec<String> {
    let text = without_dateline(without_title(source.text.as_data().trim(), title_of(source)));
    let mut sentences: Vec<String> = split(text).iter().map(|sentence| without_dateline(sentence).to_owned()).collect();
    sentences.truncate(SENTENCES_PER_SOURCE_MAX);
    sentences
}

/// The passages of an item that can stand alone, each as long as `sentences_max` allows, and its headline. Empty where the item is in another
/// language.
pub fn passages_of(index: usize, source: &Source, now: DateTime<Utc>, language: Language, sentences_max: usize) -> Vec<Passage> {
    if !is_in(language, &format!("{} {}", source.title.as_data(), source.text.as_data())) {
        return Vec::new();
    }
    let sentences = sentences_of(source);
    let age = source.age(now);
    let item = Item::new(source.title.as_data(), &sentences, language).aged(age);
    let mut passages: Vec<Passage> = Vec::new();
    for first in 0..sentences.len() {
        let Some(standing) = item.standing(first) else { continue };
        let after = (first + 1..sentences.len()).take_while(|next| item.follows(*next)).count();
        let end = first + 1 + after.min(sentences_max.saturating_sub(1));
        let mut told = vec![sentences[first].clone()];
        for next in &sentences[first + 1..end] {
            let chars: usize = told.iter().chain([next]).map(|sentence| sentence.chars().count()).sum();
            if chars > PASSAGE_CHARS_MAX {
                break;
            }
            told.push(next.clone());
        }
        if is_in(language, &told.join(" ")) {
            passages.push(Passage { sentences: told, source: Some(index), standing });
        }
    }
    passages.extend(headline(source, age, language).map(|sentence| Passage {
        sentences: vec![sentence],
        source: Some(index),
        standing: HEADLINE_STANDING,
    }));
    passages
}

/// The title without the name of its site, which stands before or behind it.
fn title_of(source: &Source) -> &str {
    const JOINTS: [&str; 5] = [" | ", " - ", " – ", " — ", " :: "];
    let mut title = source.title.as_data().trim();
    while let Some((before, after)) = JOINTS.iter().find_map(|joint| title.rsplit_once(joint)) {
        title = if before.chars().count() >= after.chars().count() { before.trim() } else { after.trim() };
    }
    title
}

/// Some feeds repeat the headline, or its last sentence, before the text, with a word of the page before it.
fn without_title<'s>(text: &'s str, title: &str) -> &'s str {
    let last = split(title).pop().unwrap_or_default();
    let begins = |rest: &str| rest.trim_start_matches([' ', '.', ':', '|']).starts_with(char::is_uppercase);
    [title, &last]
        .into_iter()
        .filter(|headline| headline.split(' ').count() >= HEADLINE_REPEATED_WORDS_MIN)
        .find_map(|headline| {
            let at = text.find(headline).filter(|at| *at <= BEFORE_HEADLINE_BYTES_MAX + title.len())?;
            let rest = &text[at + headline.len()..];
            begins(rest).then(|| rest.trim_start_matches([' ', '.', ':', '|']))
        })
        .unwrap_or(text)
}

/// The title as a sentence, where it can be one.
fn headline(source: &Source, age: Option<TimeDelta>, language: Language) -> Option<String> {
    let title = title_of(source);
    let ended = if title.ends_with(|c: char| !c.is_alphanumeric()) { title.to_owned() } else { format!("{title}.") };
    let is_long_enough =
        ended.split_whitespace().count() >= HEADLINE_WORDS_MIN || language_of(&ended).is_some_and(|_| !ended.contains(' '));
    let sentences = [ended];
    let stands = is_long_enough && Item::headline(&sentences, language).aged(age).standing(0).is_some();
    let [ended] = sentences;
    (stands && is_in(language, &ended)).then_some(ended)
}

/// Whether a text is in this language, as far as so short a text tells.
pub fn is_in(language: Language, text: &str) -> bool {
    match language_of(text) {
        Some(found) => {
            found == language || text.chars().filter(|c| c.is_alphabetic()).count() < TOLD_LETTERS_MIN && is_near(found, language)
        }
        None => text.chars().filter(|c| c.is_alphabetic()).count() < TOLD_LETTERS_MIN,
    }
}

/// Whether two languages share their letters, so that a name in one looks like a word of the other.
fn is_near(one: Language, other: Language) -> bool {
    let is_latin = |language: Language| {
        !matches!(language, Language::Amharic | Language::Arabic | Language::Hindi | Language::Japanese | Language::Chinese)
    };
    is_latin(one) && is_latin(other)
}

/// The best first; each next one is the best that is not like those before it.
pub fn rank(passages: Vec<Passage>, relevance: &[f64], embedder: &dyn Embedder) -> Vec<Candidate> {
    let texts: Vec<String> = passages.iter().map(Passage::text).collect();
    let vectors = embedder.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let candidate = |((passage, vector), relevance): ((Passage, Vec<f32>), &f64)| Candidate { passage, relevance: *relevance, vector };
    // Each with how like it is to the nearest of those chosen before, which only the last of them can have changed.
    let mut left: Vec<(Candidate, f64)> =
        passages.into_iter().zip(vectors).zip(relevance).map(candidate).map(|candidate| (candidate, 0.0)).collect();
    let mut chosen: Vec<Candidate> = Vec::with_capacity(left.len());
    while let Some(best) = best_of(&left) {
        let (best, _) = left.swap_remove(best);
        for (candidate, likeness) in &mut left {
            *likeness = likeness.max(candidate.likeness_to(&best.vector));
        }
        chosen.push(best);
    }
    chosen
}

fn best_of(left: &[(Candidate, f64)]) -> Option<usize> {
    let value = |(candidate, likeness): &(Candidate, f64)| candidate.merit() - LIKENESS_COST * likeness;
    // By text where the worth is equal: the order must not depend on how the list was shuffled before.
    (0..left.len()).max_by(|one, other| {
        let by_text = || left[*other].0.passage.sentences.cmp(&left[*one].0.passage.sentences);
        value(&left[*one]).total_cmp(&value(&left[*other])).then_with(by_text)
    })
}

impl Passage {
    pub fn text(&self) -> String {
        self.sentences.join(" ")
    }
}

impl Candidate {
    pub fn vector(&self) -> &[f32] {
        &self.vector
    }

    /// How like it is to a text with this vector.
    pub fn likeness_to(&self, vector: &[f32]) -> f64 {
        cosine(&self.vector, vector)
    }

    /// What it is worth to a reader: to the point, and clear by itself.
    pub fn merit(&self) -> f64 {
        self.passage.standing * (0.4 + 0.6 * self.relevance)
    }
}

pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum()
}
