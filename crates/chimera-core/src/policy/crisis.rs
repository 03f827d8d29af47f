//! People who may be in danger, from themselves or from others. They are answered with where to find help, and a person decides first.
//! What is only heavy to bear gets no cheerful line either: a person reads it first.
//! It is better to ask a person too often than once too seldom, so phrases and model lean towards yes; they do not find everybody
//! (`docs/quality.md` says how many).

mod languages;

use super::{asker_language::language_of, folding::folded, hashed_ngrams::HashedNgrams};
use languages::LANGUAGES;
use regex::RegexSet;
use std::sync::LazyLock;

/// How much of a comment is looked at.
const READ_CHARS_MAX: usize = 4_000;

static PHRASES: LazyLock<Vec<RegexSet>> = LazyLock::new(|| {
    LANGUAGES.iter().map(|language| RegexSet::new(language.phrases).expect("fixed patterns, compiled by tests")).collect()
});

static WEIGHTS: &[u8] = include_bytes!("crisis/danger.bin");
static MODEL: LazyLock<HashedNgrams> =
    LazyLock::new(|| HashedNgrams::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them"));
/// Log odds from which somebody may be in danger: low, since all that a false alarm costs is a glance. One in a hundred ordinary comments reaches it,
/// and four in a hundred lines of small talk with a bot.
const DANGER_MIN: f32 = -0.5;
/// And from which something may be heavy to bear.
const HEAVY_MIN: f32 = -0.5;

/// What to tell whoever wrote `comment`, in the language they wrote it in; `None` when nothing in it speaks of danger.
pub fn help_for(comment: &str) -> Option<&'static str> {
    let read = folded(&comment.chars().take(READ_CHARS_MAX).collect::<String>());
    if let Some(language) = PHRASES.iter().position(|phrases| phrases.is_match(&read)) {
        return Some(LANGUAGES[language].help);
    }
    (danger_and_weight(comment).0 >= DANGER_MIN).then(|| LANGUAGES[language_of(comment) as usize].help)
}

/// What may be said, once a person has read it, to whoever writes of pain, loss, illness or loneliness of their own.
pub fn comfort_for(comment: &str) -> Option<&'static str> {
    (danger_and_weight(comment).1 >= HEAVY_MIN).then(|| LANGUAGES[language_of(comment) as usize].comfort)
}

/// Whether `text` is an answer of [`help_for`].
pub fn offers_help(text: &str) -> bool {
    LANGUAGES.iter().any(|language| text.contains(language.help))
}

/// Whether `text` is an answer of [`comfort_for`].
pub fn comforts(text: &str) -> bool {
    LANGUAGES.iter().any(|language| text.contains(language.comfort))
}

fn danger_and_weight(comment: &str) -> (f32, f32) {
    match MODEL.strengths(comment)[..] {
        [danger, heavy] => (danger, heavy),
        _ => unreachable!("a test counts the heads"),
    }
}

#[cfg(test)]
mod tests;
