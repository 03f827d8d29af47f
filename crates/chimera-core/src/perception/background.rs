//! What is usual: neutral items over many subjects, written for this purpose, in every language that is judged. A cosine means something only beside
//! theirs, and what all texts of a language share says nothing of what one of them is about.

use super::{
    language::{Language, language_of},
    vectors::{add, dot, normalise},
};
use crate::ports::embedder::Embedder;

/// In the order of [`Language::ALL`].
const LINES: [&str; Language::ALL.len()] = [
    include_str!("background/en.txt"),
    include_str!("background/es.txt"),
    include_str!("background/fr.txt"),
    include_str!("background/de.txt"),
    include_str!("background/pt.txt"),
    include_str!("background/it.txt"),
    include_str!("background/nl.txt"),
    include_str!("background/am.txt"),
    include_str!("background/sw.txt"),
    include_str!("background/ar.txt"),
    include_str!("background/hi.txt"),
    include_str!("background/ja.txt"),
    include_str!("background/zh.txt"),
];

/// The neutral items of a language.
pub fn neutral_items(language: Language) -> impl Iterator<Item = &'static str> {
    LINES[language as usize].lines()
}

/// No likeness becomes a certainty because the neutral items are all as far away.
const DEVIATION_MIN: f64 = 0.03;

pub struct Background {
    /// The first part of a vector; the rest is the sum of the words.
    meaning_dimensions: usize,
    /// In the order of [`Language::ALL`].
    languages: Vec<Neutral>,
}

struct Neutral {
    common: Vec<f32>,
    items: Vec<Vec<f32>>,
}

impl Background {
    /// Embeds the bank: make one for each embedder and share it.
    pub fn new(embedder: &dyn Embedder) -> Self {
        let meaning_dimensions = embedder.meaning_dimensions();
        let of_language = |language| {
            let vectors = embedder.embed(&neutral_items(language).collect::<Vec<&str>>());
            let mut common = vec![0.0; embedder.dimensions()];
            vectors.iter().for_each(|vector| add(&mut common, vector));
            common.iter_mut().for_each(|value| *value /= vectors.len() as f32);
            let items = vectors.iter().map(|vector| distinctive(vector, &common, meaning_dimensions)).collect();
            Neutral { common, items }
        };
        Self { meaning_dimensions, languages: Language::ALL.map(of_language).into() }
    }

    /// The vector of a text without what all texts of its language share, both parts at unit length: cosines then spread further apart, and a language is
    /// no likeness.
    pub fn distinctive(&self, text: &str, vector: &[f32]) -> Vec<f32> {
        distinctive(vector, &self.of(compared_as(text)).common, self.meaning_dimensions)
    }

    /// The cosine of two such vectors by meaning, without the sum of the words.
    pub fn likeness(&self, one: &[f32], other: &[f32]) -> f64 {
        f64::from(dot(&one[..self.meaning_dimensions], &other[..self.meaning_dimensions]))
    }

    /// The mean and the deviation of what the neutral items of a language have of likeness to a text.
    pub fn usual_beside(&self, distinctive: &[f32], language: Language) -> (f64, f64) {
        let likenesses: Vec<f64> = self.items(language).iter().map(|item| self.likeness(distinctive, item)).collect();
        let count = likenesses.len().max(1) as f64;
        let mean = likenesses.iter().sum::<f64>() / count;
        let variance = likenesses.iter().map(|likeness| (likeness - mean).powi(2)).sum::<f64>() / count;
        (mean, variance.sqrt().max(DEVIATION_MIN))
    }

    pub(super) fn items(&self, language: Language) -> &[Vec<f32>] {
        &self.of(language).items
    }

    pub(super) fn meaning_dimensions(&self) -> usize {
        self.meaning_dimensions
    }

    fn of(&self, language: Language) -> &Neutral {
        &self.languages[language as usize]
    }
}

/// The language by whose neutral items a text is measured: English for one that is in none of ours.
pub(super) fn compared_as(text: &str) -> Language {
    language_of(text).unwrap_or(Language::English)
}

fn distinctive(vector: &[f32], common: &[f32], meaning_dimensions: usize) -> Vec<f32> {
    let mut distinctive: Vec<f32> = vector.iter().zip(common).map(|(value, common)| value - common).collect();
    let (meaning, words) = distinctive.split_at_mut(meaning_dimensions);
    for (part, original) in [(meaning, &vector[..meaning_dimensions]), (words, &vector[meaning_dimensions..])] {
        // A text without any known piece has no direction, and must not get that of "unlike everything".
        if original.iter().all(|value| value.abs() < f32::EPSILON) {
            part.fill(0.0);
        }
        normalise(part);
    }
    distinctive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_neutral_items_of_its_own() {
        for language in Language::ALL {
            let items: Vec<&str> = neutral_items(language).collect();
            assert!(items.len() >= 120, "{language:?}");
            let known = items.iter().filter(|item| language_of(item) == Some(language)).count();
            assert!(known * 10 >= items.len() * 9, "{language:?}: {known} of {}", items.len());
        }
    }
}
