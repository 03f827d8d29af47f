//! What can be counted of a claim and a source: the signs that the score is fitted on.

use super::{
    source::{BEGINNING_CHARS, Sentence, SourceText},
    words::{Word, rarity, words},
};
use crate::{perception::vectors::dot, ports::embedder::Embedder};
use std::collections::{HashMap, HashSet};

pub(super) const SIGNS: usize = 47;

/// Vectors of the words of one source, looked up once.
pub(super) struct WordMeanings {
    vectors: Vec<Vec<f32>>,
}

impl WordMeanings {
    pub(super) fn of(source: &SourceText, embedder: &dyn Embedder) -> Self {
        let content = source.sentences.iter().flat_map(|sentence| &sentence.words).filter(|word| word.is_content && !word.is_number);
        let mut known = HashSet::new();
        let unique: Vec<&str> = content.filter(|word| known.insert(word.stem.as_str())).map(|word| word.lowered.as_str()).collect();
        Self { vectors: embedder.embed_words(&unique) }
    }

    fn nearest(&self, vector: &[f32]) -> f64 {
        self.vectors.iter().map(|known| f64::from(dot(known, vector))).fold(0.0, f64::max)
    }
}

pub(super) fn signs(claim: &str, source: &SourceText, meanings: &WordMeanings, embedder: &dyn Embedder) -> [f64; SIGNS] {
    let own = words(claim);
    let content: Vec<&Word> = own.iter().filter(|word| word.is_content).collect();
    let stems: HashSet<&str> = content.iter().map(|word| word.stem.as_str()).collect();
    let is_known = |word: &Word| source.known.contains(&word.stem);
    let unknown: Vec<&&Word> = content.iter().filter(|word| !is_known(word)).collect();
    let best = best(&source.sentences, &stems);
    let near = best_run(&source.sentences, &stems, 2);
    let wide = best_run(&source.sentences, &stems, 4);
    let best_sentence = source.sentences.get(best.0);
    let names: Vec<&Word> = own.iter().filter(|word| word.is_name).collect();
    let numbers: Vec<&Word> = own.iter().filter(|word| word.is_number).collect();
    let plain: Vec<&str> = own.iter().map(|word| word.stem.as_str()).collect();
    let negations = own.iter().filter(|word| word.is_negation).count();
    let best_negations = best_sentence.map_or(0, |sentence| sentence.words.iter().filter(|word| word.is_negation).count());
    let likeness = likenesses(&content, source, meanings, embedder);
    let weight = |words: &[&Word]| words.iter().map(|word| rarity(&word.stem)).sum::<f64>();
    let known: Vec<&Word> = content.iter().copied().filter(|word| is_known(word)).collect();
    let third = |part: usize| {
        let from = content.len() * part / 3;
        let words = &content[from..content.len() * (part + 1) / 3];
        share(words.iter().filter(|word| !is_known(word)).count(), words.len())
    };
    let unsure = |list: &[&str]| own.iter().filter(|word| list.contains(&word.lowered.as_str())).count() as f64;
    let added = |list: &[&str]| own.iter().filter(|word| list.contains(&word.lowered.as_str()) && !is_known(word)).count() as f64;
    let ending = |end: &str| unknown.iter().filter(|word| word.lowered.ends_with(end)).count() as f64;
    let window: HashSet<&str> = around(&source.sentences, best.0).flat_map(|one| one.words.iter().map(|word| word.stem.as_str())).collect();
    let outside = content.iter().filter(|word| !window.contains(word.stem.as_str())).count();
    let log = |count: usize| (1.0 + count as f64).ln();
    [
        share(known.len(), content.len()),
        weight(&known) / weight(&content).max(1e-9),
        best.1,
        near,
        wide,
        pairs_known(&plain, source),
        runs_known(&plain, source, 3),
        runs_known(&plain, source, 4),
        share(content.iter().filter(|word| has_beginning(word, source)).count(), content.len()),
        share(longest_unknown(&content, source), content.len()),
        log(longest_unknown(&content, source)),
        log(unknown.len()),
        log(unknown.iter().filter(|word| !has_beginning(word, source)).count()),
        unknown.iter().map(|word| rarity(&word.stem)).fold(0.0, f64::max),
        weight(&unknown.iter().map(|word| **word).collect::<Vec<_>>()),
        share(names.iter().filter(|word| is_known(word)).count(), names.len()),
        log(names.iter().filter(|word| !is_known(word)).count()),
        share(numbers.iter().filter(|word| is_known(word)).count(), numbers.len()),
        log(numbers.iter().filter(|word| !is_known(word)).count()),
        log(names.len()),
        log(numbers.len()),
        log(negations),
        if (negations % 2) == (best_negations % 2) { 0.0 } else { best.1 },
        log(own.len()),
        log(source.stems.len()),
        log(source.sentences.len()),
        share(longest_run(&plain, source), plain.len()),
        best_sentence.map_or(0.0, |sentence| in_order(&plain, sentence)),
        share(own.iter().filter(|word| !word.is_content && is_known(word)).count(), own.len() - content.len()),
        share(best.0, source.sentences.len()),
        1.0 - share(outside, content.len()),
        displaced(&own, source, |word| word.is_number, 4),
        displaced(&own, source, |word| word.is_name, 6),
        spread(&stems, &source.sentences),
        third(0),
        third(1),
        third(2),
        unsure(&HEDGES),
        added(&CAUSES),
        added(&VERDICTS),
        ending("ing") + ending("ly"),
        unquoted(claim, source),
        added(&DEGREES),
        f64::from(u8::from(claim.contains([';', ':']))) + claim.matches(',').count() as f64 / 3.0,
        likeness.0,
        likeness.1,
        likeness.2,
    ]
}

/// 1 where there is nothing to find.
fn share(found: usize, of: usize) -> f64 {
    if of == 0 { 1.0 } else { found as f64 / of as f64 }
}

fn has_beginning(word: &Word, source: &SourceText) -> bool {
    source.known.contains(&word.stem) || source.beginnings.contains(&word.stem.chars().take(BEGINNING_CHARS).collect::<String>())
}

/// The sentence with most of the claim's words, and how many it has.
fn best(sentences: &[Sentence], stems: &HashSet<&str>) -> (usize, f64) {
    let of = |sentence: &Sentence| share(stems.iter().filter(|stem| sentence.content.contains(**stem)).count(), stems.len());
    let scored = sentences.iter().map(of).enumerate();
    scored.reduce(|best, next| if next.1 > best.1 { next } else { best }).unwrap_or((0, 0.0))
}

/// The same for sentences in a row.
fn best_run(sentences: &[Sentence], stems: &HashSet<&str>, run: usize) -> f64 {
    let of = |run: &[Sentence]| share(stems.iter().filter(|stem| run.iter().any(|one| one.content.contains(**stem))).count(), stems.len());
    sentences.windows(run.min(sentences.len()).max(1)).map(of).fold(0.0, f64::max)
}

fn around(sentences: &[Sentence], place: usize) -> impl Iterator<Item = &Sentence> {
    sentences.iter().skip(place.saturating_sub(1)).take(3)
}

fn pairs_known(plain: &[&str], source: &SourceText) -> f64 {
    let found = plain.windows(2).filter(|pair| source.bigrams.contains(&(pair[0].to_owned(), pair[1].to_owned()))).count();
    share(found, plain.len().saturating_sub(1))
}

fn runs_known(plain: &[&str], source: &SourceText, size: usize) -> f64 {
    let found = plain.windows(size).filter(|run| run_at(run, source)).count();
    share(found, (plain.len() + 1).saturating_sub(size))
}

fn run_at(run: &[&str], source: &SourceText) -> bool {
    let Some(places) = source.places.get(run[0]) else { return false };
    places
        .iter()
        .any(|place| source.stems[*place..].iter().zip(run).take_while(|(known, own)| known.as_str() == **own).count() == run.len())
}

/// The longest run of words that the source has one after the other.
fn longest_run(plain: &[&str], source: &SourceText) -> usize {
    let from = |start: usize| {
        let places = source.places.get(plain[start]).into_iter().flatten();
        let length =
            |place: &usize| source.stems[*place..].iter().zip(&plain[start..]).take_while(|(known, own)| known.as_str() == **own).count();
        places.map(length).max().unwrap_or(0)
    };
    (0..plain.len()).map(from).max().unwrap_or(0)
}

fn longest_unknown(content: &[&Word], source: &SourceText) -> usize {
    let (mut longest, mut run) = (0, 0);
    for word in content {
        run = if source.known.contains(&word.stem) { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    longest
}

/// The share of the claim's words that the sentence has in the same order.
fn in_order(plain: &[&str], sentence: &Sentence) -> f64 {
    let mut row = vec![0_usize; sentence.words.len() + 1];
    for own in plain {
        let mut before = 0;
        for (place, word) in sentence.words.iter().enumerate() {
            let above = row[place + 1];
            row[place + 1] = if word.stem == *own { before + 1 } else { above.max(row[place]) };
            before = above;
        }
    }
    share(row[sentence.words.len()], plain.len())
}

/// Of the names or numbers that the source has, the share whose neighbours here are nowhere their neighbours there.
fn displaced(own: &[Word], source: &SourceText, of_kind: impl Fn(&Word) -> bool, reach: usize) -> f64 {
    let (mut checked, mut wrong) = (0_u32, 0_u32);
    for (index, word) in own.iter().enumerate().filter(|(_, word)| of_kind(word)) {
        let Some(places) = source.places.get(&word.stem) else { continue };
        let here: HashSet<&str> = own[index.saturating_sub(reach)..(index + reach + 1).min(own.len())]
            .iter()
            .filter(|other| other.is_content && other.stem != word.stem)
            .map(|other| other.stem.as_str())
            .collect();
        if here.is_empty() {
            continue;
        }
        let wider = reach + 3;
        let is_beside = |place: &usize| {
            source.stems[place.saturating_sub(wider)..(place + wider + 1).min(source.stems.len())]
                .iter()
                .any(|stem| here.contains(stem.as_str()))
        };
        checked += 1;
        wrong += u32::from(!places.iter().any(is_beside));
    }
    if checked == 0 { 0.0 } else { f64::from(wrong) / f64::from(checked) }
}

/// How many sentences it takes to have all of the claim's words that the source has, beyond the first.
fn spread(stems: &HashSet<&str>, sentences: &[Sentence]) -> f64 {
    let mut open: HashSet<&str> = stems.iter().copied().filter(|stem| sentences.iter().any(|one| one.content.contains(*stem))).collect();
    let mut taken = 0;
    while !open.is_empty() && taken < 6 {
        let shared = |one: &&Sentence| open.iter().filter(|stem| one.content.contains(**stem)).count();
        let Some(best) = sentences.iter().reduce(|best, next| if shared(&next) > shared(&best) { next } else { best }) else { break };
        open.retain(|stem| !best.content.contains(*stem));
        taken += 1;
    }
    f64::from(taken.max(1) - 1)
}

/// Quoted spans that the source does not have word for word.
fn unquoted(claim: &str, source: &SourceText) -> f64 {
    let plain = claim.replace(['“', '”'], "\"").replace('’', "'");
    let spans = plain.split('"').skip(1).step_by(2).filter(|span| span.split_whitespace().count() > 1);
    spans
        .filter(|span| !source.lowered.replace(['“', '”'], "\"").contains(span.trim().trim_end_matches([',', '.']).to_lowercase().as_str()))
        .count() as f64
}

/// How near each word of the claim is to a word of the source: on average, by rarity, and of the farthest.
fn likenesses(content: &[&Word], source: &SourceText, meanings: &WordMeanings, embedder: &dyn Embedder) -> (f64, f64, f64) {
    let unknown: Vec<&str> = content.iter().filter(|word| !source.known.contains(&word.stem)).map(|word| word.lowered.as_str()).collect();
    let vectors: HashMap<&str, Vec<f32>> = unknown.iter().copied().zip(embedder.embed_words(&unknown)).collect();
    let of = |word: &&&Word| vectors.get(word.lowered.as_str()).map_or(1.0, |vector| meanings.nearest(vector));
    let found: Vec<(f64, f64)> = content.iter().map(|word| (of(&word), rarity(&word.stem))).collect();
    if found.is_empty() {
        return (1.0, 1.0, 1.0);
    }
    let mean = found.iter().map(|(near, _)| near).sum::<f64>() / found.len() as f64;
    let weight: f64 = found.iter().map(|(_, weight)| weight).sum();
    let weighted = found.iter().map(|(near, weight)| near * weight).sum::<f64>() / weight.max(1e-9);
    (mean, weighted, found.iter().map(|(near, _)| *near).fold(1.0, f64::min))
}

const HEDGES: [&str; 16] = [
    "may",
    "might",
    "could",
    "possibly",
    "perhaps",
    "likely",
    "reportedly",
    "allegedly",
    "suggests",
    "suggesting",
    "appears",
    "seems",
    "potential",
    "potentially",
    "approximately",
    "around",
];
const CAUSES: [&str; 16] = [
    "because",
    "due",
    "led",
    "leading",
    "resulting",
    "resulted",
    "caused",
    "causing",
    "therefore",
    "thus",
    "consequently",
    "hence",
    "despite",
    "although",
    "however",
    "prompting",
];
const VERDICTS: [&str; 24] = [
    "highlighting",
    "highlights",
    "underscoring",
    "underscores",
    "emphasizing",
    "emphasizes",
    "demonstrating",
    "demonstrates",
    "showcasing",
    "reflecting",
    "reflects",
    "significant",
    "significantly",
    "notable",
    "notably",
    "crucial",
    "important",
    "importance",
    "essential",
    "overall",
    "various",
    "several",
    "ensure",
    "ensuring",
];
const DEGREES: [&str; 20] = [
    "only",
    "first",
    "most",
    "all",
    "every",
    "always",
    "never",
    "best",
    "largest",
    "biggest",
    "highest",
    "last",
    "many",
    "few",
    "often",
    "usually",
    "typically",
    "generally",
    "entire",
    "both",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_runs_and_neighbours_are_counted() {
        let source = SourceText::new("Anna Berg paid 40 euros to Carl Dorn. The bridge opened on Monday.");
        let plain = |text: &str| words(text).into_iter().map(|word| word.stem).collect::<Vec<_>>();
        let own = plain("Anna Berg paid 40 euros");
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        assert_eq!(longest_run(&own, &source), 5);
        assert!((in_order(&own, &source.sentences[0]) - 1.0).abs() < 1e-9);
        let moved = words("Eva Lind waited 40 years");
        assert!(displaced(&moved, &source, |word| word.is_number, 4) > 0.9);
        let kept = words("Berg paid 40 euros");
        assert!(displaced(&kept, &source, |word| word.is_number, 4) < 0.1);
        assert!(unquoted("She said \"we will pay for all of it\".", &source) > 0.5);
        assert!(unquoted("It says \"the bridge opened on Monday\".", &source) < 0.5);
    }
}
