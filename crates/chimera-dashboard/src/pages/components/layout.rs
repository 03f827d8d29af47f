//! Blocks that a page is made of.

use super::chips::Tone;
use chimera_core::contracts::views::Page;
use maud::{Markup, html};

/// A sentence that stays; it cannot be closed.
pub(crate) fn banner(tone: Tone, content: &Markup) -> Markup {
    html! { div class={ "banner " (tone.class()) } { (content) } }
}

/// Why there is nothing, and the one next step.
pub(crate) fn empty(why: &str, next: &Markup) -> Markup {
    html! { div.empty { p.why { (why) } p.next { (next) } } }
}

/// Pairs of a name and what is known of it.
pub(crate) fn definitions(pairs: &[(&str, Markup)]) -> Markup {
    html! { dl.definitions { @for (name, value) in pairs { div { dt { (name) } dd { (value) } } } } }
}

/// One of several views of the same place.
pub(crate) struct Tab<'a> {
    pub href: String,
    pub label: &'a str,
    pub count: Option<u64>,
    pub is_here: bool,
}

pub(crate) fn tabs(name: &str, tabs: &[Tab<'_>]) -> Markup {
    html! {
        nav.tabs aria-label=(name) {
            @for tab in tabs {
                a href=(tab.href) aria-current=[tab.is_here.then_some("page")] {
                    (tab.label)
                    @if let Some(count) = tab.count { span.count { (count) } }
                }
            }
        }
    }
}

/// The way to the next page of a list, where there is one. `address` has its query already, or none.
pub(crate) fn more<T>(page: &Page<T>, address: &str) -> Markup {
    let joint = if address.contains('?') { '&' } else { '?' };
    html! { @if let Some(next) = &page.next { p.more { a.button href={ (address) (joint) "cursor=" (next) } { "Older" } } } }
}
