//! An approval of a payment that was given and is not used yet, and the button that takes it back.

use super::components::{Tone, banner, time};
use chimera_core::contracts::{UtcTime, UuidV4, views::people::Role};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

/// Where it stands, for everybody; the button for those who decide on money.
pub(super) fn unused_approval(review_id: UuidV4, until: UtcTime, role: Role, now: DateTime<Utc>) -> Markup {
    let has_ended = until.0 <= now;
    let standing = html! {
        span {
            strong { "Approved, not used yet. " }
            @if has_ended { "The approval ended " (time(until, now)) ": the payment is not made any more." }
            @else { "It is tried again until " (time(until, now)) "." }
        }
    };
    html! {
        (banner(Tone::Accent, &standing))
        @if role >= Role::Operator && !has_ended {
            form.revoke data-action={ "/api/reviews/" (review_id) "/revoke" } data-confirm="Take the approval back? The payment is then never made; who still wants it asks again." data-confirm-label="Revoke" data-then="reload" {
                label { span { "Why (may stay empty)" } input.field name="reason" maxlength="500" autocomplete="off"; }
                p.problem role="alert" data-problem hidden {}
                button.button.danger type="submit" data-changes { "Revoke the approval…" }
            }
        }
    }
}
