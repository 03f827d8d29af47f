//! Buttons. One that a key presses shows the key, from the table that the key handler reads too.

use super::icons::{Icon, icon};
use crate::pages::keys;
use maud::{Markup, html};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Primary,
    Danger,
    /// Without an edge.
    Quiet,
}

impl Look {
    fn class(self) -> &'static str {
        match self {
            Self::Plain => "button",
            Self::Primary => "button primary",
            Self::Danger => "button danger",
            Self::Quiet => "button quiet",
        }
    }
}

/// The script does `act` when it is pressed. It is disabled while the page is blind.
pub(crate) fn act_button(look: Look, act: &str, picture: Option<Icon>, label: &str) -> Markup {
    html! {
        button class=(look.class()) type="button" data-act=(act) data-changes {
            @if let Some(picture) = picture { (icon(picture)) }
            span { (label) }
            (key_hint(act))
        }
    }
}

pub(crate) fn button_link(look: Look, href: &str, label: &str) -> Markup {
    html! { a class=(look.class()) href=(href) { (label) } }
}

/// The key that does `act`, if one does.
pub(crate) fn key_hint(act: &str) -> Markup {
    html! { @if let Some(keys) = keys::of_act(act) { kbd.hint aria-hidden="true" { (keys) } } }
}
