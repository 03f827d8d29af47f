//! A source as the claim check reads it: sentence by sentence, in stems, and what of it stands beside one claim.

use super::words::{Word, words};
use crate::composer::sentences::split;
use std::collections::{HashMap, HashSet};

/// Words of a source that are shown to a reader beside a claim.
const WINDOW_WORDS_MAX: usize = 150;

pub(super) struct Sentence {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    pub(super) content: HashSet<String>,
}

/// One source, taken apart once for all claims about it.
pub(super) struct SourceText {
    pub(super) sentences: Vec<Sentence>,
    /// All words in order.
    pub(super) stems: Vec<String>,
    pub(super) known: HashSet<String>,
    /// Where each stem stands among all words.
    pub(super) places: HashMap<String, Vec<usize>>,
    pub(super) lowered: String,
    pub(super) bigrams: HashSet<(String, String)>,
    pub(super) beginnings: HashSet<String>,
}

/// Letters that two forms of one word have in common.
pub(super) const BEGINNING_CHARS: usize = 5;

impl SourceText {
    pub(super) fn new(text: &str) -> Self {
        let lines = text.lines().flat_map(split);
        let sentences: Vec<Sentence> = lines
            .map(|text| {
                let words = words(&text);
                let content = words.iter().filter(|word| word.is_content).map(|word| word.stem.clone()).collect();
                Sentence { text, words, content }
            })
            .collect();
        let stems: Vec<String> = sentences.iter().flat_map(|sentence| sentence.words.iter().map(|word| word.stem.clone())).collect();
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, stem) in stems.iter().enumerate() {
            places.entry(stem.clone()).or_default().push(place);
        }
        Self {
            known: stems.iter().cloned().collect(),
            bigrams: stems.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect(),
            beginnings: stems.iter().map(|stem| stem.chars().take(BEGINNING_CHARS).collect()).collect(),
            lowered: text.to_lowercase().replace('’', "'"),
            sentences,
            stems,
            places,
        }
    }

    /// The sentences that have most of what the claim speaks of, then those beside them, in their order: what a reader sees beside the claim.
    pub(super) fn window(&self, claim: &str) -> String {
        let sizes: Vec<usize> = self.sentences.iter().map(|sentence| sentence.text.split_whitespace().count()).collect();
        let joined = |places: &[usize]| places.iter().map(|place| self.sentences[*place].text.as_str()).collect::<Vec<_>>().join(" ");
        if sizes.iter().sum::<usize>() <= WINDOW_WORDS_MAX {
            return joined(&(0..sizes.len()).collect::<Vec<_>>());
        }
        let mut chosen = self.telling(claim, &sizes);
        let mut used: usize = chosen.iter().map(|place| sizes[*place]).sum();
        let beside = |step: isize| chosen.iter().filter_map(move |place| place.checked_add_signed(step)).collect::<Vec<_>>();
        let near: Vec<usize> = beside(1).into_iter().chain(beside(-1)).chain(0..sizes.len()).collect();
        for place in near {
            if place < sizes.len() && !chosen.contains(&place) && used + sizes[place] <= WINDOW_WORDS_MAX {
                chosen.push(place);
                used += sizes[place];
            }
        }
        if chosen.is_empty() {
            return joined(&[0]).split_whitespace().take(WINDOW_WORDS_MAX).collect::<Vec<_>>().join(" ");
        }
        chosen.sort_unstable();
        joined(&chosen)
    }

    /// The sentences that have the claim's words, the rarest here first.
    fn telling(&self, claim: &str, sizes: &[usize]) -> Vec<usize> {
        let mut wanted: HashSet<String> = words(claim).into_iter().filter(|word| word.is_content).map(|word| word.stem).collect();
        let count = |word: &String| self.sentences.iter().filter(|sentence| sentence.content.contains(word)).count();
        let counts: HashMap<String, usize> = wanted.iter().map(|word| (word.clone(), count(word))).collect();
        wanted.retain(|word| counts[word] > 0);
        let mut chosen: Vec<usize> = Vec::new();
        let mut used = 0;
        loop {
            let gain = |place: usize| {
                let mut shared: Vec<&String> = self.sentences[place].content.intersection(&wanted).collect();
                shared.sort_unstable();
                shared.into_iter().map(|word| 1.0 / counts[word] as f64).sum::<f64>()
            };
            let open = (0..sizes.len()).filter(|place| !chosen.contains(place) && used + sizes[*place] <= WINDOW_WORDS_MAX);
            let best = open.map(|place| (place, gain(place))).reduce(|best, next| if next.1 > best.1 { next } else { best });
            let Some((place, _)) = best.filter(|(_, gain)| *gain > 0.0) else { return chosen };
            chosen.push(place);
            used += sizes[place];
            wanted.retain(|word| !self.sentences[place].content.contains(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_source_is_cut_to_what_the_claim_speaks_of() {
        let filler = "The council met again in the old hall and talked about the weather for a long while. ".repeat(20);
        let source = format!("{filler}A ferry named Otter now crosses the bay every hour. {filler}");
        let window = SourceText::new(&source).window("The ferry crosses each hour.");
        assert!(window.contains("named Otter"), "{window}");
        assert!(window.split_whitespace().count() <= WINDOW_WORDS_MAX);
        assert_eq!(SourceText::new("Short. And whole.").window("Anything."), "Short. And whole.");
        assert_eq!(SourceText::new("").window("Anything."), "");
    }
}
