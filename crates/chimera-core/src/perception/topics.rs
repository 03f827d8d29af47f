//! Labels for a story, as a person would write them: the phrases that its items share, in their own spelling.

use super::words::{is_function_word, words};
use crate::domain::platform::entities::entities;
use std::collections::{HashMap, HashSet};

const TOPICS_MAX: usize = 5;
const PHRASE_WORDS_MAX: usize = 3;
/// A label is worth keeping if it is at least this good compared with the best one.
const SCORE_SHARE_MIN: f64 = 0.35;

/// One to five labels for the titles of a story, the most telling first. `others` are titles of other stories:
/// what they say too tells little.
pub fn topics(titles: &[&str], others: &[&str]) -> Vec<String> {
    let mut phrases: HashMap<String, Phrase> = HashMap::new();
    for title in titles {
        let mut seen = HashSet::new();
        for (spelling, starts_title) in phrases_of(title) {
            let phrase = phrases.entry(spelling.to_lowercase()).or_default();
            phrase.titles += usize::from(seen.insert(spelling.to_lowercase()));
            // The first word of a title has a capital whatever it is, so its spelling says less.
            *phrase.spellings.entry(spelling).or_default() += if starts_title { 1 } else { 4 };
        }
    }
    let elsewhere = document_frequencies(others);
    let mut ranked: Vec<(f64, String)> =
        phrases.iter().map(|(key, phrase)| (phrase.score(key, titles.len(), &elsewhere, others.len()), phrase.spelling())).collect();
    ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    let chosen = choose(&ranked);
    if chosen.is_empty() { titles.first().map(|title| words_alone(title)).into_iter().collect() } else { chosen }
}

#[derive(Default)]
struct Phrase {
    titles: usize,
    spellings: HashMap<String, usize>,
}

impl Phrase {
    fn score(&self, key: &str, title_count: usize, elsewhere: &HashMap<String, usize>, other_count: usize) -> f64 {
        let words: Vec<&str> = key.split(' ').collect();
        let rarity = |word: &&str| ((other_count as f64 + 2.0) / (elsewhere.get(*word).copied().unwrap_or(0) as f64 + 1.0)).ln().max(0.1);
        let telling = words.iter().map(rarity).sum::<f64>() / words.len() as f64;
        let shared = self.titles as f64 / title_count.max(1) as f64;
        // A phrase says more than a word, if it is a phrase: seen once, it is only a piece of one title.
        let together = if self.titles > 1 { 1.0 + 0.35 * (words.len() - 1) as f64 } else { 0.4 };
        let is_name = self.spelling().starts_with(char::is_uppercase);
        shared * telling * together * if is_name { 1.3 } else { 1.0 }
    }

    fn spelling(&self) -> String {
        let most_used = self.spellings.iter().max_by(|left, right| left.1.cmp(right.1).then_with(|| right.0.cmp(left.0)));
        most_used.map(|(spelling, _)| spelling.clone()).unwrap_or_default()
    }
}

/// One to three neighbouring words that start and end with a content word, and whether each starts the title.
fn phrases_of(title: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    // Phrases do not cross punctuation.
    for (clause_place, clause) in title.split([',', '.', ';', ':', '!', '?', '(', ')', '"', '“', '”', '|', '–', '—', '/']).enumerate()
    {
        let words: Vec<&str> = clause.split_whitespace().map(trimmed).collect();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + PHRASE_WORDS_MAX) {
                let phrase = &words[start..end];
                let is_whole = phrase.iter().all(|word| !word.is_empty() && entities(word).is_empty());
                if tells(phrase[0]) && tells(phrase[phrase.len() - 1]) && is_whole {
                    found.push((phrase.join(" "), clause_place == 0 && start == 0));
                }
            }
        }
    }
    found
}

/// A label becomes part of a task: nothing of a title that could notify, link or tag.
fn words_alone(title: &str) -> String {
    super::clean::cut_at_word(&words(title).collect::<Vec<_>>().join(" "), 60)
}

fn trimmed(word: &str) -> &str {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare)
}

fn tells(word: &str) -> bool {
    word.chars().count() > 1 && word.chars().any(char::is_alphabetic) && !is_function_word(&word.to_lowercase())
}

fn document_frequencies(titles: &[&str]) -> HashMap<String, usize> {
    let mut frequencies = HashMap::new();
    for title in titles {
        let distinct: HashSet<String> = title.split_whitespace().map(|word| trimmed(word).to_lowercase()).collect();
        for word in distinct {
            *frequencies.entry(word).or_default() += 1;
        }
    }
    frequencies
}

/// The best, without one that repeats words of another.
fn choose(ranked: &[(f64, String)]) -> Vec<String> {
    let least = ranked.first().map_or(0.0, |best| best.0 * SCORE_SHARE_MIN);
    let mut chosen: Vec<String> = Vec::new();
    let mut used: HashSet<String> = HashSet::new();
    for (_, spelling) in ranked.iter().take_while(|(score, _)| *score >= least) {
        let words: Vec<String> = spelling.to_lowercase().split(' ').map(str::to_owned).collect();
        if chosen.len() < TOPICS_MAX && !words.iter().any(|word| used.contains(word)) {
            chosen.push(spelling.clone());
            used.extend(words);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_named_by_what_its_titles_share_in_their_own_spelling() {
        let titles = [
            "Toyota recalls 2 million cars over brakes",
            "Brake fault: Toyota recalls two million cars",
            "What the Toyota recall means for owners",
        ];

        let labels = topics(&titles, &["Parliament votes on pension reform", "Striker scores twice"]);

        assert!(labels[0].contains("Toyota"), "{labels:?}");
        assert!((1..=TOPICS_MAX).contains(&labels.len()), "{labels:?}");
        assert!(labels.iter().all(|label| !label.to_lowercase().starts_with("the ")), "{labels:?}");
    }

    #[test]
    fn there_is_always_a_label() {
        for titles in [&["is it"][..], &["7"], &["東京で地震"], &["of the", "of the"]] {
            let labels = topics(titles, &[]);
            assert!((1..=TOPICS_MAX).contains(&labels.len()), "{titles:?}: {labels:?}");
            assert!(labels.iter().all(|label| !label.is_empty()));
        }
    }
}
