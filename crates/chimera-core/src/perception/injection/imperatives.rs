//! Whether one sentence tells whoever writes about it what to write, in all languages that are claimed. Stricter than the screen for whole items:
//! here a false alarm costs a quotation, and a miss puts an order into a post.

use super::{
    features::{Found, sentences},
    letters::is_word,
    lexicon::{Idea, hit_at, idea_named},
    model::address_score,
};
use crate::policy::folding::folded;
use std::sync::LazyLock;

/// Lower than what flags an item: a sentence that is not quoted costs little.
const SCORE_MIN: f32 = -2.0;

pub fn orders_writer(sentence: &str) -> bool {
    let folded = folded(sentence);
    address_score(&folded) >= SCORE_MIN || is_imperative_about_writing(&folded)
}

struct Ideas {
    /// What orders begin with.
    doing: Vec<Idea>,
    /// What only orders to a writer are about.
    about_writing: Vec<Idea>,
    asking: Idea,
}

static IDEAS: LazyLock<Ideas> = LazyLock::new(|| {
    let named = |names: &[&str]| names.iter().filter_map(|name| idea_named(name)).collect();
    Ideas {
        doing: named(&["override", "say", "repeat", "role", "hide"]),
        about_writing: named(&["rules", "output", "secret", "machine", "hide"]),
        asking: idea_named("please").unwrap_or_default(),
    }
});

/// An order begins with what is to be done; a request says please, or the like, in any place.
fn is_imperative_about_writing(folded: &str) -> bool {
    let letters: Vec<char> = folded.chars().skip_while(|c| !is_word(*c)).collect();
    let begins = hit_at(&letters, 0).is_some_and(|hit| IDEAS.doing.contains(&hit.idea));
    let ideas: Vec<Idea> = sentences(folded)
        .into_iter()
        .flat_map(|sentence| sentence.ideas)
        .filter(|found: &Found| !found.quoted)
        .map(|found| found.idea)
        .collect();
    let has = |some: &[Idea]| ideas.iter().any(|idea| some.contains(idea));
    has(&IDEAS.about_writing) && (begins || has(&[IDEAS.asking]) && has(&IDEAS.doing))
}
