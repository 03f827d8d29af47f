//! Directives and persona constraints as rules a program can check. `forms` reads a sentence into a rule; here the rule meets a text.
//! A sentence that fits no form is kept as unchecked: it is named, and nothing is claimed about it.

mod forms;

use super::{
    folding::folded,
    sensitive::{self, Topic},
    wording::{contains_phrase, stems},
};
use crate::domain::platform;
use std::sync::LazyLock;
use unicode_segmentation::UnicodeSegmentation;

/// One directive or constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// As it was written.
    pub text: String,
    pub rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// "never discuss X", "never mention X", "never say X". `open` when X is a class whose members nobody listed.
    Never {
        terms: Vec<Term>,
        open: bool,
    },
    /// The same in another language than English: by the roots of its words. `open` when X is said in ways that no root tells.
    NeverSaid {
        roots: Vec<String>,
        open: bool,
    },
    /// "never promise X": no promise in a sentence about X; without X, no promise at all.
    NeverPromise {
        terms: Vec<Term>,
    },
    /// "always mention Z": every text holds Z.
    Always {
        wanted: String,
    },
    /// "always disclose that you are an AI": the disclosure label is there.
    AlwaysDisclose,
    /// "always cite your sources": what was taken from a source names it.
    AlwaysCite,
    /// "never use hashtags", "at most 2 emoji".
    AtMost {
        count_max: usize,
        what: Countable,
    },
    Unchecked,
}

/// A word or phrase, or a whole topic, that a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub words: Vec<String>,
    pub topic: Option<Topic>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Countable {
    Hashtags,
    Emoji,
    Links,
    Mentions,
    ExclamationMarks,
    Questions,
    AllCapsWords,
    Words,
    Characters,
    Sentences,
}

/// A text as the rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// Everything that would be published.
    pub text: &'a str,
    /// The SOUL's disclosure label.
    pub label: &'a str,
    /// The source line; `None` when nothing was taken from a source.
    pub attribution: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Kept,
    /// What breaks the rule.
    Breached(String),
    Unchecked,
}

impl Directive {
    pub fn read(text: &str) -> Self {
        Self { text: text.trim().to_owned(), rule: forms::rule(text) }
    }

    /// Whether a whole text keeps the directive.
    pub fn check(&self, judged: Judged<'_>) -> Verdict {
        match &self.rule {
            Rule::AlwaysDisclose => held(judged.text.contains(judged.label), || "the disclosure label is missing".to_owned()),
            Rule::AlwaysCite => {
                let cited = judged.attribution.is_none_or(|line| judged.text.contains(line));
                held(cited, || "the source is not named".to_owned())
            }
            Rule::Always { wanted } => held(has(judged.text, wanted), || format!("{wanted:?} is missing")),
            Rule::AtMost { count_max, what } => {
                let count = what.count(judged.text);
                held(count <= *count_max, || format!("{count} {}, may have at most {count_max}", what.name()))
            }
            Rule::Never { .. } | Rule::NeverSaid { .. } | Rule::NeverPromise { .. } | Rule::Unchecked => self.check_passage(judged.text),
        }
    }

    /// Whether a passage that may become part of a text keeps what the directive forbids. What it demands is asked of whole texts only.
    pub fn check_passage(&self, passage: &str) -> Verdict {
        match &self.rule {
            Rule::Never { terms, open } => match said(passage, terms) {
                Some(found) => Verdict::Breached(found),
                None if *open => Verdict::Unchecked,
                None => Verdict::Kept,
            },
            Rule::NeverSaid { roots, open } => {
                let read = folded(passage);
                match roots.iter().find(|root| forms::says(&read, root)) {
                    Some(root) => Verdict::Breached(root.clone()),
                    None if *open => Verdict::Unchecked,
                    None => Verdict::Kept,
                }
            }
            Rule::NeverPromise { terms } => match promised(passage, terms) {
                Some(found) => Verdict::Breached(found),
                None => Verdict::Kept,
            },
            Rule::Always { .. } | Rule::AlwaysDisclose | Rule::AlwaysCite | Rule::AtMost { .. } => Verdict::Kept,
            Rule::Unchecked => Verdict::Unchecked,
        }
    }

    /// The most of `what` that this directive allows.
    pub fn count_max(&self, what: Countable) -> Option<usize> {
        match &self.rule {
            Rule::AtMost { count_max, what: counted } if *counted == what => Some(*count_max),
            _ => None,
        }
    }
}

fn held(is_kept: bool, problem: impl FnOnce() -> String) -> Verdict {
    if is_kept { Verdict::Kept } else { Verdict::Breached(problem()) }
}

/// Whether `text` has `wanted`, by letters or by words.
fn has(text: &str, wanted: &str) -> bool {
    text.to_lowercase().contains(&wanted.to_lowercase()) || contains_phrase(&stems(text), &stems(wanted))
}

fn said(text: &str, terms: &[Term]) -> Option<String> {
    let words = stems(text);
    let topics = sensitive::topics(text);
    terms.iter().find_map(|term| {
        let topic = term.topic.filter(|topic| topics.contains(topic)).map(|topic| topic.name().to_owned());
        topic.or_else(|| contains_phrase(&words, &term.words).then(|| term.words.join(" ")))
    })
}

/// Words that make a sentence a promise by themselves.
const PROMISES: &str = "promise, guarantee, guaranteed, assure, assured, risk free, sure thing, money back, no risk, certain to, bound to, definitely will, will definitely";
/// Words that promise only together with what must not be promised.
const FUTURE: &str = "will, always, every time, never fail, sure to";

type Phrases = LazyLock<Vec<Vec<String>>>;

fn phrases(list: &str) -> Vec<Vec<String>> {
    list.split(',').map(|phrase| stems(phrase.trim())).collect()
}

fn promised(text: &str, terms: &[Term]) -> Option<String> {
    static STEMS_OF_PROMISES: Phrases = LazyLock::new(|| phrases(PROMISES));
    static STEMS_OF_FUTURE: Phrases = LazyLock::new(|| phrases(FUTURE));
    text.unicode_sentences().find_map(|sentence| {
        let words = stems(sentence);
        let about = terms.is_empty() || terms.iter().any(|term| term.words.iter().any(|word| words.contains(word)));
        let is_promise = STEMS_OF_PROMISES.iter().any(|phrase| contains_phrase(&words, phrase))
            || (!terms.is_empty() && STEMS_OF_FUTURE.iter().any(|phrase| contains_phrase(&words, phrase)));
        (about && is_promise).then(|| format!("a promise: {}", sentence.trim().chars().take(80).collect::<String>()))
    })
}

impl Countable {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hashtags => "hashtags",
            Self::Emoji => "emoji",
            Self::Links => "links",
            Self::Mentions => "mentions",
            Self::ExclamationMarks => "exclamation marks",
            Self::Questions => "questions",
            Self::AllCapsWords => "words in capitals",
            Self::Words => "words",
            Self::Characters => "characters",
            Self::Sentences => "sentences",
        }
    }

    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Hashtags => platform::hashtags(text).count(),
            Self::Emoji => text.graphemes(true).filter(|grapheme| platform::is_emoji(grapheme)).count(),
            Self::Links => platform::links(text).len(),
            Self::Mentions => text.split_whitespace().filter(|word| word.len() > 1 && word.starts_with('@')).count(),
            Self::ExclamationMarks => text.chars().filter(|c| matches!(c, '!' | '！')).count(),
            Self::Questions => text.chars().filter(|c| matches!(c, '?' | '？' | '؟')).count(),
            Self::AllCapsWords => text.unicode_words().filter(|word| is_shouted(word)).count(),
            Self::Words => text.unicode_words().count(),
            Self::Characters => text.chars().count(),
            Self::Sentences => text.unicode_sentences().count(),
        }
    }
}

/// Five letters or more in capitals: shorter ones are mostly abbreviations.
fn is_shouted(word: &str) -> bool {
    word.chars().filter(|c| c.is_uppercase()).count() >= 5 && !word.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests;
