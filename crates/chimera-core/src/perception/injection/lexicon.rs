//! Words by what they do in a sentence ("set aside", "rules", "you", "write", …) in all languages that are claimed, so that what is learned
//! from attacks in one language holds in the others.

use super::letters::{Script, is_word, script};
use crate::policy::folding::folded;
use std::{collections::HashMap, sync::LazyLock};

static WORDS: &str = include_str!("lexicon.txt");
static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(WORDS));

/// What a word does: its place among the ideas of the list.
pub(super) type Idea = usize;

/// A word or phrase of the list that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) end: usize,
    pub(super) idea: Idea,
}

/// The longest entry that begins at `at`, in folded text.
pub(super) fn hit_at(text: &[char], at: usize) -> Option<Hit> {
    LEXICON.hit_at(text, at)
}

pub(super) fn idea_count() -> usize {
    LEXICON.names.len()
}

/// The idea of that name; `None` for a name that the list does not have.
pub(super) fn idea_named(name: &str) -> Option<Idea> {
    LEXICON.names.iter().position(|known| *known == name)
}

/// A tree of letters. Few nodes but the root have more than a handful of children.
struct Lexicon {
    names: Vec<&'static str>,
    beginnings: HashMap<char, usize>,
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    children: Vec<(char, usize)>,
    entry: Option<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    idea: Idea,
    any_ending: bool,
}

impl Lexicon {
    fn parse(list: &'static str) -> Self {
        let mut lexicon = Self { names: Vec::new(), beginnings: HashMap::new(), nodes: Vec::new() };
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            let Some((head, words)) = line.split_once(": ") else { continue };
            let name = head.split(' ').next().unwrap_or(head);
            let idea = lexicon.names.iter().position(|known| *known == name).unwrap_or_else(|| {
                lexicon.names.push(name);
                lexicon.names.len() - 1
            });
            for word in words.split(", ") {
                lexicon.insert(&folded(word), idea);
            }
        }
        lexicon
    }

    fn insert(&mut self, word: &str, idea: Idea) {
        let stem: Vec<char> = word.trim_end_matches('*').chars().collect();
        let Some((first, rest)) = stem.split_first() else { return };
        // These scripts write endings onto words, or no spaces between them.
        let any_ending = word.ends_with('*') || script(*first) != Script::Spaced || matches!(u32::from(*first), 0x900..=0xdff);
        let mut node = self.child(None, *first);
        for letter in rest {
            node = self.child(Some(node), *letter);
        }
        // The first list that has a word keeps it.
        let entry = self.nodes[node].entry.get_or_insert(Entry { idea, any_ending });
        entry.any_ending |= any_ending;
    }

    fn child(&mut self, parent: Option<usize>, letter: char) -> usize {
        let known = match parent {
            None => self.beginnings.get(&letter).copied(),
            Some(parent) => self.nodes[parent].child(letter),
        };
        known.unwrap_or_else(|| {
            let new = self.nodes.len();
            self.nodes.push(Node::default());
            match parent {
                None => drop(self.beginnings.insert(letter, new)),
                Some(parent) => self.nodes[parent].children.push((letter, new)),
            }
            new
        })
    }

    fn hit_at(&self, text: &[char], at: usize) -> Option<Hit> {
        let mut node = &self.nodes[*self.beginnings.get(text.get(at)?)?];
        let mut end = at + 1;
        let mut longest = None;
        loop {
            let is_whole = text.get(end).is_none_or(|next| !is_word(*next));
            if let Some(entry) = node.entry.filter(|entry| entry.any_ending || is_whole) {
                longest = Some(Hit { end, idea: entry.idea });
            }
            let Some(next) = text.get(end).and_then(|letter| node.child(*letter)) else { return longest };
            node = &self.nodes[next];
            end += 1;
        }
    }
}

impl Node {
    fn child(&self, letter: char) -> Option<usize> {
        self.children.iter().find(|(known, _)| *known == letter).map(|(_, child)| *child)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idea_at_start(text: &str) -> Option<&'static str> {
        let text: Vec<char> = folded(text).chars().collect();
        hit_at(&text, 0).map(|hit| LEXICON.names[hit.idea])
    }

    #[test]
    fn the_longest_word_or_phrase_is_found_in_every_script() {
        for (text, idea) in [
            ("Ignore it", Some("override")),
            ("ignored", None),
            ("Instructions", Some("rules")),
            ("system prompt", Some("secret")),
            ("system", Some("owner")),
            ("prüfen", None),
            ("Außer Kraft", Some("override")),
            ("忽略之前", Some("override")),
            ("መመሪያዎችህን", Some("rules")),
            ("निर्देशों", Some("rules")),
            ("", None),
        ] {
            assert_eq!(idea_at_start(text), idea, "{text:?}");
        }
    }

    #[test]
    fn every_idea_has_words_in_every_language() {
        for name in &LEXICON.names {
            for language in ["en", "es", "fr", "de", "pt", "it", "nl", "sw", "am", "ar", "hi", "ja", "zh"] {
                assert!(WORDS.lines().any(|line| line.starts_with(&format!("{name} {language}: "))), "{name} {language}");
            }
        }
    }
}
