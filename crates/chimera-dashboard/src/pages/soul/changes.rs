//! What one text has that the one before it had not, line by line.

use crate::pages::components::text::marked;
use chimera_core::domain::hidden::Lines;
use imara_diff::{Algorithm, Diff, InternedInput, Token};
use maud::{Markup, html};

/// Lines around a change that are shown with it.
const AROUND: usize = 2;

pub(super) fn lines(before: &str, after: &str) -> Markup {
    let mut input = InternedInput::default();
    input.update_before(before.lines());
    input.update_after(after.lines());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let line = |token: &Token| marked(input.interner[*token], Lines::One);
    let mut shown_until = 0;
    let mut parts = Vec::new();
    let mut hunks = diff.hunks().peekable();
    while let Some(hunk) = hunks.next() {
        let (removed, added) = (hunk.before.start as usize..hunk.before.end as usize, hunk.after.start as usize..hunk.after.end as usize);
        let from = removed.start.saturating_sub(AROUND).max(shown_until);
        let leading = &input.before[from..removed.start];
        let next = hunks.peek().map_or(input.before.len(), |next| next.before.start as usize);
        shown_until = (removed.end + AROUND).min(next);
        let trailing = &input.before[removed.end..shown_until];
        parts.push(html! {
            div.change {
                @for same in leading { div { (line(same)) } }
                @for gone in &input.before[removed] { del { (line(gone)) } }
                @for new in &input.after[added] { ins { (line(new)) } }
                @for same in trailing { div { (line(same)) } }
            }
        });
    }
    html! {
        div.difference.lines dir="auto" {
            @if parts.is_empty() { p.muted { "The same lines." } }
            @for part in &parts { (part) }
        }
    }
}

pub(super) fn whole(text: &str) -> Markup {
    html! { pre.soul dir="auto" tabindex="0" { (marked(text, Lines::Many)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_went_and_came_are_marked_with_what_stands_around_them_and_stay_text() {
        let before = "a\nb\nc\nd\nold\ne\nf\ng\n";
        let shown = lines(before, &before.replace("old", "<b>new</b>\u{202E}")).into_string();

        assert!(shown.contains("<del>old</del><ins>&lt;b&gt;new&lt;/b&gt;"), "{shown}");
        assert!(shown.contains("<div>c</div><div>d</div>") && shown.contains("<div>f</div>"), "{shown}");
        assert!(!shown.contains("<div>b</div>") && !shown.contains("<div>g</div>") && shown.contains("U+202E"), "{shown}");
        assert!(lines(before, before).into_string().contains("The same lines."));
    }

    #[test]
    fn no_line_is_told_twice_between_two_changes() {
        let shown = lines("a\nb\nc\n", "x\nb\ny\n").into_string();
        assert_eq!(shown.matches("<div>b</div>").count(), 1, "{shown}");
    }
}
