//! What an edit changed, word by word.

use crate::pages::components::text::marked;
use chimera_core::domain::hidden::Lines;
use imara_diff::{Algorithm, Diff, InternedInput};
use maud::{Markup, html};
use unicode_segmentation::UnicodeSegmentation;

/// Left out in `del`, put in as `ins`, the rest as it is.
pub(super) fn difference(before: &str, after: &str) -> Markup {
    let mut input = InternedInput::default();
    input.update_before(before.split_word_bounds());
    input.update_after(after.split_word_bounds());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let text = |tokens: &[imara_diff::Token]| tokens.iter().map(|token| input.interner[*token]).collect::<String>();
    let mut shown_until = 0;
    let mut parts = Vec::new();
    for hunk in diff.hunks() {
        parts.push((Kind::Same, text(&input.before[shown_until..hunk.before.start as usize])));
        parts.push((Kind::Removed, text(&input.before[hunk.before.start as usize..hunk.before.end as usize])));
        parts.push((Kind::Added, text(&input.after[hunk.after.start as usize..hunk.after.end as usize])));
        shown_until = hunk.before.end as usize;
    }
    parts.push((Kind::Same, text(&input.before[shown_until..])));
    html! {
        div.difference dir="auto" {
            @for (kind, text) in parts.iter().filter(|(_, text)| !text.is_empty()) {
                @match kind {
                    Kind::Same => (marked(text, Lines::Many)),
                    Kind::Removed => del { (marked(text, Lines::Many)) },
                    Kind::Added => ins { (marked(text, Lines::Many)) },
                }
            }
        }
    }
}

enum Kind {
    Same,
    Removed,
    Added,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_went_and_came_are_marked_and_stay_text() {
        let shown = difference("Rates rose today.", "Rates fell <b>today</b>.\u{200B}").into_string();

        assert!(shown.contains("Rates <del>rose</del><ins>fell"), "{shown}");
        assert!(shown.contains("&lt;") && !shown.contains("<b>") && shown.contains("U+200B"), "{shown}");
        assert_eq!(difference("same", "same").into_string(), "<div class=\"difference\" dir=\"auto\">same</div>");
    }
}
