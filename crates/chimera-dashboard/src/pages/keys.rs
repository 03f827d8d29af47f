//! The one table of keys. The `?` sheet is drawn from it, the buttons' hints are, and the script reads it from the sheet.

use maud::{Markup, html};

pub(crate) struct Key {
    /// As the browser names it; a capital letter is with Shift; two with a space between are pressed one after the other.
    pub keys: &'static str,
    pub act: &'static str,
    pub label: &'static str,
    pub scope: Scope,
}

/// Where a key does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Everywhere,
    /// Where there is a list.
    Lists,
    /// On one review.
    Review,
    /// While a reason for a rejection is asked.
    Reasons,
    /// In the replay.
    Replay,
    /// Shown in the sheet, and handled by the field that has the focus.
    Field,
}

impl Scope {
    const ALL: [Self; 6] = [Self::Everywhere, Self::Lists, Self::Review, Self::Reasons, Self::Replay, Self::Field];

    fn name(self) -> &'static str {
        match self {
            Self::Everywhere => "everywhere",
            Self::Lists => "lists",
            Self::Review => "review",
            Self::Reasons => "reasons",
            Self::Replay => "replay",
            Self::Field => "field",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Everywhere => "Everywhere",
            Self::Lists => "In lists",
            Self::Review => "On a review",
            Self::Reasons => "While rejecting",
            Self::Replay => "In the replay",
            Self::Field => "While editing",
        }
    }
}

const fn key(scope: Scope, keys: &'static str, act: &'static str, label: &'static str) -> Key {
    Key { keys, act, label, scope }
}

pub(crate) const KEYS: [Key; 35] = [
    key(Scope::Everywhere, "g r", "go-review", "Go to review"),
    key(Scope::Everywhere, "g f", "go-fleet", "Go to the fleet"),
    key(Scope::Everywhere, "g c", "go-campaigns", "Go to campaigns"),
    key(Scope::Everywhere, "g d", "go-calendar", "Go to the calendar"),
    key(Scope::Everywhere, "g t", "go-trends", "Go to trends"),
    key(Scope::Everywhere, "g m", "go-money", "Go to money"),
    key(Scope::Everywhere, "g b", "go-replay", "Go back in time: the replay"),
    key(Scope::Everywhere, "g w", "go-what-if", "Go to what if"),
    key(Scope::Everywhere, "g s", "go-settings", "Go to settings"),
    key(Scope::Everywhere, "/", "search", "Search in this list"),
    key(Scope::Everywhere, "?", "keys", "Show the keys"),
    key(Scope::Everywhere, "z", "undo", "Take the last answer back"),
    key(Scope::Everywhere, "Escape", "close", "Close, or leave a field"),
    key(Scope::Lists, "j", "next", "Next"),
    key(Scope::Lists, "k", "previous", "Previous"),
    key(Scope::Lists, "Enter", "open", "Open"),
    key(Scope::Lists, "x", "mark", "Mark, or unmark"),
    key(Scope::Lists, "J", "mark-next", "Mark downwards"),
    key(Scope::Lists, "K", "mark-previous", "Mark upwards"),
    key(Scope::Review, "a", "approve", "Approve"),
    key(Scope::Review, "e", "edit", "Edit"),
    key(Scope::Review, "r", "reject", "Reject"),
    key(Scope::Review, "s", "skip", "Skip"),
    key(Scope::Review, "t", "story", "Its whole story"),
    key(Scope::Review, "w", "why", "Why it is asked, and how sure it is"),
    key(Scope::Review, " ", "play", "Play, or stop"),
    key(Scope::Reasons, "1", "reason", "The first reason, and so on to 9"),
    key(Scope::Reasons, "0", "own-reason", "In your own words"),
    key(Scope::Field, "Ctrl+Enter", "save", "Send the edit (Command+Enter on a Mac)"),
    key(Scope::Field, "Enter", "send-reason", "Reject for the reason that was typed"),
    key(Scope::Replay, ",", "replay-previous", "One event back"),
    key(Scope::Replay, ".", "replay-next", "One event on"),
    key(Scope::Replay, "P", "replay-play", "Play, or stop, event by event"),
    key(Scope::Review, "p", "width", "Preview as on a phone, or a desktop"),
    key(Scope::Review, "n", "notes", "The trace of how it was made"),
];

/// The key that does `act`, as people read it.
pub(crate) fn of_act(act: &str) -> Option<&'static str> {
    KEYS.iter().find(|key| key.act == act).map(|key| shown(key.keys))
}

fn shown(keys: &'static str) -> &'static str {
    match keys {
        " " => "Space",
        "Escape" => "Esc",
        "J" => "Shift+j",
        "K" => "Shift+k",
        "P" => "Shift+p",
        keys => keys,
    }
}

/// The `?` sheet. Every page holds it.
pub(crate) fn sheet() -> Markup {
    html! {
        dialog #keys .dialog.wide aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            div.key-groups {
                @for scope in Scope::ALL {
                    section {
                        h3 { (scope.title()) }
                        dl {
                            @for key in KEYS.iter().filter(|key| key.scope == scope) {
                                div data-key=(key.keys) data-does=(key.act) data-scope=(scope.name()) {
                                    dt { @for part in shown(key.keys).split(' ') { kbd { (part) } } }
                                    dd { (key.label) }
                                }
                            }
                        }
                    }
                }
            }
            footer {
                label.switch { input type="checkbox" data-setting="keys" checked; span { "Single keys are on" } }
                form method="dialog" { button.button type="submit" { "Close" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things_at_once_and_none_begins_another() {
        for (index, one) in KEYS.iter().enumerate() {
            for other in &KEYS[index + 1..] {
                let are_apart = one.scope == Scope::Field || other.scope == Scope::Field;
                assert!(are_apart || one.keys != other.keys, "{} and {} share {:?}", one.act, other.act, one.keys);
                assert!(are_apart || !other.keys.starts_with(&format!("{} ", one.keys)), "{} hides {}", one.act, other.act);
                assert!(are_apart || !one.keys.starts_with(&format!("{} ", other.keys)), "{} hides {}", other.act, one.act);
                assert_ne!(one.act, other.act);
            }
        }
    }

    #[test]
    fn every_key_does_what_the_sheet_says() {
        let scripts = crate::pages::assets::scripts();
        for key in KEYS.iter().filter(|key| key.scope != Scope::Field && !key.act.starts_with("go-")) {
            assert!(scripts.contains(&format!("on(\"{}\"", key.act)), "no script does {}", key.act);
        }
    }

    #[test]
    fn the_sheet_names_every_key() {
        let sheet = sheet().into_string();
        for key in &KEYS {
            assert!(sheet.contains(&format!("data-does=\"{}\"", key.act)), "{}", key.act);
        }
    }
}
