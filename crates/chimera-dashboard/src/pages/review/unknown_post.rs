//! A post of which nobody knows whether it left: a person looks on the platform, and says what they found.

use super::detail::cancel;
use crate::pages::components::{Look, Tone, act_button, banner, outside_line, platform_name};
use chimera_core::contracts::views::reviews::ReviewDetail;
use maud::{Markup, html};

/// Leaving it is the rejection that every review has.
pub(super) fn buttons() -> Markup {
    html! {
        (act_button(Look::Plain, "found", None, "It is there…"))
        (act_button(Look::Plain, "resend", None, "Send it again…"))
    }
}

pub(super) fn forms(detail: &ReviewDetail) -> Markup {
    let platform = platform_name(detail.row.platform.as_deref().unwrap_or("the platform"));
    html! {
        p.muted.footnote { "Look at what " (outside_line(&detail.row.agent_id)) " posted on " (platform) " first, then say what you found." }
        dialog #found .dialog aria-labelledby="found-title" {
            form #found-form {
                h2 #found-title { "It is on " (platform) "?" }
                p { "It goes on record as published, and is never sent again." }
                label { span { "Its address there, if you have it" } input.field #found-url name="url" type="url" inputmode="url" maxlength="2048" autocomplete="off" spellcheck="false" placeholder="https://"; }
                p #found-problem .problem role="alert" hidden {}
                footer { (cancel()) button.button.primary type="submit" data-changes { "It is there" } }
            }
        }
        dialog #resend .dialog aria-labelledby="resend-title" {
            form #resend-form {
                h2 #resend-title { "Send it again?" }
                (banner(Tone::Danger, &html! { span { strong { "If it is there after all, it is there twice." } " Everybody on " (platform) " sees both, and nothing here can take one of them back." } }))
                label.tick { input #resend-looked type="checkbox" required; span { "I have looked on " (platform) ", and it is not there" } }
                p #resend-problem .problem role="alert" hidden {}
                footer { (cancel()) button.button.danger type="submit" data-changes { "Send it again" } }
            }
        }
    }
}
