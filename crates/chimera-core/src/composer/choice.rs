//! Which sentences: near to the goal, able to stand alone, and different from each other.

use super::{
    Source,
    sentences::{is_usable, split, standing},
};
use crate::ports::embedder::Embedder;

/// A sentence that could be said.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub text: String,
    /// Index into the sources; `None` when it is the SOUL's or the goal's own.
    pub source: Option<usize>,
    /// To the goal or the comment, 0 to 1.
    pub relevance: f64,
    standing: f64,
    vector: Vec<f32>,
}

/// Sentences of one item that are looked at: what matters stands at the top.
const SENTENCES_PER_SOURCE_MAX: usize = 12;
/// How much a sentence loses by being like one chosen before it.
const LIKENESS_COST: f64 = 0.6;
/// Sentences that stand better than this can carry a post by themselves.
const LEAD_STANDING_MIN: f64 = 0.65;
/// Later sentences of an item tell details.
const LATER_COST: f64 = 0.03;

/// The sentences of the text; and the title where none of them can carry a post: headlines are written to be followed by something.
pub fn sentences_of(source: &Source) -> Vec<String> {
    let mut sentences = split(source.text.as_data());
    sentences.truncate(SENTENCES_PER_SOURCE_MAX);
    sentences.retain(|sentence| is_usable(sentence));
    let title = source.title.as_data().trim();
    let is_needed = !sentences.iter().any(|sentence| standing(sentence) > LEAD_STANDING_MIN);
    if is_needed && !title.is_empty() && !sentences.iter().any(|sentence| sentence.contains(title)) {
        sentences.extend(Some(ended(title)).filter(|title| is_usable(title)));
    }
    sentences
}

/// Headlines have no full stop; sentences do.
fn ended(title: &str) -> String {
    if title.ends_with(|c: char| !c.is_alphanumeric()) { title.to_owned() } else { format!("{title}.") }
}

/// The best first; each next one is the best that is not like those before it.
pub fn rank(texts: Vec<(String, Option<usize>)>, relevance: &[f64], embedder: &dyn Embedder) -> Vec<Candidate> {
    let plain: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
    let vectors = embedder.embed(&plain);
    let mut places = std::collections::HashMap::new();
    let mut left: Vec<(f64, Candidate)> = texts
        .into_iter()
        .zip(vectors)
        .zip(relevance)
        .map(|(((text, source), vector), relevance)| {
            let place = places.entry(source).or_insert(0.0_f64);
            let standing = standing(&text);
            let worth = relevance * standing - LATER_COST * *place;
            *place += 1.0;
            (worth, Candidate { text, source, relevance: *relevance, standing, vector })
        })
        .collect();
    let mut chosen: Vec<Candidate> = Vec::with_capacity(left.len());
    while let Some(best) = best_of(&left, &chosen) {
        chosen.push(left.swap_remove(best).1);
    }
    chosen
}

fn best_of(left: &[(f64, Candidate)], chosen: &[Candidate]) -> Option<usize> {
    let value = |(worth, candidate): &(f64, Candidate)| worth - LIKENESS_COST * likeness(candidate, chosen);
    // By text where the worth is equal: the order must not depend on how the list was shuffled before.
    (0..left.len())
        .max_by(|one, other| value(&left[*one]).total_cmp(&value(&left[*other])).then_with(|| left[*other].1.text.cmp(&left[*one].1.text)))
}

/// How like the nearest of `chosen` it is, 0 to 1.
pub fn likeness(candidate: &Candidate, chosen: &[Candidate]) -> f64 {
    chosen.iter().map(|other| cosine(&candidate.vector, &other.vector)).fold(0.0, f64::max)
}

impl Candidate {
    /// How like it is to a text with this vector.
    pub fn likeness_to(&self, vector: &[f32]) -> f64 {
        cosine(&self.vector, vector)
    }

    /// Whether it can carry a post by itself.
    pub fn can_lead(&self) -> bool {
        self.standing > LEAD_STANDING_MIN
    }
}

pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum()
}
