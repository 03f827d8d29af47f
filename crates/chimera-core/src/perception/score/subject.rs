//! What a goal is about, and whether that is a story or a whole field.

use crate::perception::{
    language::Language,
    words::{content_words, is_function_word, words},
};

/// A goal that lists this many aspects is broad.
const BROAD_ASPECTS_MIN: usize = 4;
/// Words by which a goal asks for a field rather than a story.
const FIELD_WORDS: [&str; 7] = ["coverage", "developments", "headlines", "news", "stories", "trends", "updates"];
/// Words that say what to do about a subject, not what it is. Sorted, for the binary search.
pub(super) const PURPOSE_WORDS: [&str; 28] = [
    "audience",
    "audiences",
    "awareness",
    "build",
    "campaign",
    "care",
    "cover",
    "discuss",
    "drive",
    "engage",
    "explain",
    "find",
    "followers",
    "grow",
    "help",
    "inform",
    "keep",
    "people",
    "post",
    "posts",
    "promote",
    "raise",
    "readers",
    "share",
    "talk",
    "tell",
    "watch",
    "write",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    Narrow,
    Broad,
}

/// The goal without what only asks for it. Function words are known of English alone, so in other languages it is the goal as it was written.
pub(super) fn subject_of(goal: &str, language: Option<Language>) -> String {
    if language.is_some_and(|language| language != Language::English) {
        return goal.to_owned();
    }
    let subject: Vec<&str> = words(goal).filter(|word| names_subject(&word.to_lowercase())).collect();
    if subject.is_empty() { goal.to_owned() } else { subject.join(" ") }
}

fn names_subject(lower_case: &str) -> bool {
    !is_function_word(lower_case) && PURPOSE_WORDS.binary_search(&lower_case).is_err()
}

/// Broad: a list of aspects, a single word, a question, or a field asked for by such words as "news" and without any name; and whatever is asked for in a
/// language other than English, where words match too rarely to know a story by them.
pub(super) fn breadth_of(goal: &str, language: Option<Language>) -> Breadth {
    let aspects = goal.split([':', ',', ';']).flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" or "));
    let aspect_count = aspects.filter(|aspect| !content_words(aspect).is_empty()).count();
    let asks_for_field = words(goal).any(|word| FIELD_WORDS.contains(&word.to_lowercase().as_str()));
    let names = words(goal).skip(1).any(|word| word.starts_with(char::is_uppercase));
    let is_broad = aspect_count >= BROAD_ASPECTS_MIN
        || (asks_for_field && !names)
        || content_words(goal).len() == 1
        || goal.trim_end().ends_with('?')
        || language.is_some_and(|language| language != Language::English);
    if is_broad { Breadth::Broad } else { Breadth::Narrow }
}
