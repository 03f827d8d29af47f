//! Finds fetched text that speaks to the agent instead of to people. Fetched text can do no harm by construction
//! (see [`crate::domain::untrusted`]); this keeps such items away from readers who would have to see through them.
//!
//! A classifier scores every sentence and every two in a row by their words and by what the words do, in thirteen languages; wordings of prompts add
//! to the score, and their marks decide. Disguised text is read as whoever undoes the disguise would. A request in a text of another kind is judged by a classifier of its own.

mod disguises;
mod features;
mod imperatives;
mod letters;
mod lexicon;
mod model;
mod patterns;
mod requests;

use crate::{domain::Untrusted, policy::folding::folded};
use model::address_score;

pub use imperatives::orders_writer;

/// Chosen on entries of feeds that the weights were not fitted on, for few false flags: see `docs/quality.md`.
const SCORE_MIN: f32 = -0.5;
/// What a wording of prompts adds.
const WORDING_BONUS: f32 = 3.0;
/// What asking for a password adds: people write about theirs.
const SECRET_BONUS: f32 = 2.2;
/// What a disguise adds: people do not encode what they want people to read.
const DISGUISE_BONUS: f32 = 2.0;
/// What two texts must have above one: every item has a neighbour, and few attacks are split.
const SPLIT_COST: f32 = 1.5;
/// As much as this of each of two neighbours is looked at.
const SPLIT_CHARS_MAX: usize = 200;

/// Whether the text, already cleaned, tries to instruct whoever reads it for a task.
pub fn instructs(text: &Untrusted) -> bool {
    let text = text.as_data();
    speaks_to_agent(text, 0.0)
        || disguises::readings(text).iter().any(|reading| speaks_to_agent(reading, DISGUISE_BONUS))
        || requests::holds_foreign_request(text)
}

/// Whether the end of one text and the beginning of the next instruct together, as where a title and its text, or two items of one feed, hold
/// halves of a sentence.
pub fn instructs_together(first: &Untrusted, second: &Untrusted) -> bool {
    let (end, beginning) = (last_sentence(first.as_data()), first_sentence(second.as_data()));
    !end.is_empty() && !beginning.is_empty() && speaks_to_agent(&format!("{end} {beginning}"), -SPLIT_COST)
}

fn speaks_to_agent(text: &str, bonus: f32) -> bool {
    let folded = folded(text);
    let score = address_score(&folded) + bonus;
    let either = |has: fn(&str) -> bool| has(text) || has(&folded);
    score >= SCORE_MIN
        || score + WORDING_BONUS >= SCORE_MIN && either(patterns::has_wording_of_prompts)
        || score + SECRET_BONUS >= SCORE_MIN && requests::asks_for_secret(text)
        || either(patterns::has_marks_of_prompts)
}

const ENDS: [char; 8] = ['.', '!', '?', '。', '！', '？', '።', '।'];

fn last_sentence(text: &str) -> &str {
    let text = text.trim_end_matches(|c: char| ENDS.contains(&c) || matches!(c, '…' | ' '));
    let last = text.rsplit(ENDS).next().unwrap_or(text).trim();
    last.char_indices().rev().nth(SPLIT_CHARS_MAX).map_or(last, |(at, _)| &last[at..])
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim_start_matches(['…', '.', ' ']);
    let first = text.split(ENDS).next().unwrap_or(text).trim();
    first.char_indices().nth(SPLIT_CHARS_MAX).map_or(first, |(at, _)| &first[..at])
}

#[cfg(test)]
mod tests;
