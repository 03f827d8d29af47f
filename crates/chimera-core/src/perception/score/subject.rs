//! What a goal is about, and whether that is a story or a whole field.

use crate::perception::words::{content_words, is_function_word, words};

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

pub(super) fn names_subject(lower_case: &str) -> bool {
    !is_function_word(lower_case) && PURPOSE_WORDS.binary_search(&lower_case).is_err()
}

/// Broad: a list of aspects, or a field asked for by such words as "news" and without any name.
pub(super) fn breadth_of(goal: &str) -> Breadth {
    let aspects = goal.split([':', ',', ';']).flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" or "));
    let aspect_count = aspects.filter(|aspect| !content_words(aspect).is_empty()).count();
    let asks_for_field = words(goal).any(|word| FIELD_WORDS.contains(&word.to_lowercase().as_str()));
    let names = words(goal).skip(1).any(|word| word.starts_with(char::is_uppercase));
    if aspect_count >= BROAD_ASPECTS_MIN || (asks_for_field && !names) { Breadth::Broad } else { Breadth::Narrow }
}
