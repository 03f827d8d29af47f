//! What stops agents, and the buttons that stop them and let them go on. Stopping is easier than letting go on: a reviewer may stop, an
//! operator resumes, an owner unfreezes.

use super::{
    assets,
    components::{Tone, banner, outside_line, time},
    lives,
};
use chimera_core::{
    contracts::views::{
        agents::{Stop, StopKind},
        people::Role,
    },
    domain::hidden::visible_line,
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

/// Who or what a button stops.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope<'a> {
    Fleet,
    Agent { id: &'a str, name: &'a str },
}

impl Scope<'_> {
    fn id(&self) -> &str {
        match self {
            Self::Fleet => "",
            Self::Agent { id, .. } => id,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Fleet => "the whole fleet",
            Self::Agent { name, .. } => name,
        }
    }
}

/// Opens the dialog of [`dialog`], which asks why. The shell's freeze is the fleet's: `label` says whom this one stops.
pub(super) fn stop_button(kind: StopKind, scope: Scope<'_>, label: &str, role: Role) -> Markup {
    let kind = match kind {
        StopKind::Pause => "pause",
        StopKind::Freeze | StopKind::Hold | StopKind::Retired => "freeze",
    };
    html! {
        @if role >= Role::Reviewer {
            button.button.small type="button" data-stop=(kind) data-agent=(scope.id()) data-name=(visible_line(scope.name())) data-changes { (label) }
        }
    }
}

/// Once on a page that has such buttons; the script says in it who is stopped and how.
pub(super) fn dialog(role: Role) -> Markup {
    html! {
        @if role >= Role::Reviewer {
            script type="module" src=(assets::address("stops.js")) {}
            dialog #stop-dialog .dialog aria-labelledby="stop-title" {
                h2 #stop-title { "Stop" }
                p #stop-means {}
                form #stop-form data-method="POST" data-action="/api/pauses" {
                    input type="hidden" name="agent_id" value="";
                    label { span { "Reason, for the record" } input.field name="reason" maxlength="500" required autocomplete="off" dir="auto"; }
                    div.problem data-problem role="alert" hidden {}
                    footer {
                        button.button type="button" data-act="close" { "Cancel" }
                        button #stop-go .button.danger type="submit" data-changes { "Stop" }
                    }
                }
            }
        }
    }
}

/// One stop as a banner: what, why, who, since when, and the button that lifts it for whoever may.
pub(super) fn stop_banner(stop: &Stop, role: Role, now: DateTime<Utc>) -> Markup {
    let tone = if matches!(stop.kind, StopKind::Pause | StopKind::Retired) { Tone::Warn } else { Tone::Danger };
    banner(
        tone,
        &html! {
            div.stop {
                p {
                    strong { (who(stop)) " is " (done(stop.kind)) ": " } (outside_line(&stop.reason))
                    " " span.muted { "By " (outside_line(&stop.by)) ", " (time(stop.since, now)) ". " (means(stop.kind)) }
                }
                (lift(stop, role))
            }
        },
    )
}

fn who(stop: &Stop) -> Markup {
    html! { @match &stop.agent_id { Some(agent) => (outside_line(agent)), None => "The whole fleet" } }
}

fn done(kind: StopKind) -> &'static str {
    match kind {
        StopKind::Freeze => "frozen",
        StopKind::Hold => "held",
        StopKind::Pause => "paused",
        StopKind::Retired => "retired",
    }
}

fn means(kind: StopKind) -> &'static str {
    match kind {
        StopKind::Freeze => {
            "No money moves: nothing is signed or sent to a chain. What was signed before cannot be called back, and is only watched. Posts go on."
        }
        StopKind::Hold => "No money moves until the wallet's book agrees with the chain.",
        StopKind::Pause => "Nothing is begun or published.",
        StopKind::Retired => {
            "It plans, hears, publishes and pays nothing. What may have left is followed on the chain. Its id and its wallet stay."
        }
    }
}

fn lift(stop: &Stop, role: Role) -> Markup {
    let scope = stop.agent_id.as_deref().unwrap_or("fleet");
    let of = stop.agent_id.as_deref().unwrap_or("the whole fleet");
    html! {
        @match stop.kind {
            StopKind::Pause if role >= Role::Operator => (lift_button("Resume", "pauses", scope, &format!("Let {of} go on? Its tasks are begun again at once."))),
            StopKind::Pause => span.muted { "An operator can resume." },
            StopKind::Retired if role >= Role::Operator => (lives::reinstate_button(of)),
            StopKind::Retired => span.muted { "An operator can reinstate it." },
            StopKind::Freeze if role >= Role::Owner => (lift_button("Unfreeze", "freezes", scope, &format!("Unfreeze {of}? Payments that wait are signed and sent again."))),
            StopKind::Freeze => span.muted { "An owner can unfreeze." },
            StopKind::Hold if role >= Role::Operator => (reconcile_button(scope)),
            StopKind::Hold => span.muted { "An operator can reconcile it." },
        }
    }
}

/// Reads the chain, which may take a while; what it came to is told.
fn reconcile_button(agent: &str) -> Markup {
    html! {
        form.plain data-method="POST" data-action={ "/api/agents/" (agent) "/reconcile" } data-tells="told" data-then="stay" {
            button.button type="submit" data-changes { "Reconcile with the chain" }
            div.problem data-problem role="alert" hidden {}
        }
    }
}

fn lift_button(label: &str, list: &str, scope: &str, question: &str) -> Markup {
    html! {
        form.plain data-method="DELETE" data-action={ "/api/" (list) "/" (scope) } data-confirm=(question) data-confirm-label=(label) data-then="reload" {
            button.button type="submit" data-changes { (label) }
            div.problem data-problem role="alert" hidden {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chimera_core::contracts::UtcTime;

    fn stop(kind: StopKind, agent_id: Option<&str>) -> Stop {
        let since = UtcTime(DateTime::UNIX_EPOCH);
        Stop { kind, agent_id: agent_id.map(str::to_owned), reason: "<b>why</b>".to_owned(), by: "abebe\u{202E}".to_owned(), since }
    }

    fn shown(kind: StopKind, role: Role) -> String {
        stop_banner(&stop(kind, Some("selam")), role, DateTime::UNIX_EPOCH).into_string()
    }

    #[test]
    fn who_may_lift_a_stop_is_offered_it_and_nobody_else() {
        for (kind, least, button) in [
            (StopKind::Pause, Role::Operator, "\"/api/pauses/selam\""),
            (StopKind::Freeze, Role::Owner, "\"/api/freezes/selam\""),
            (StopKind::Hold, Role::Operator, "\"/api/agents/selam/reconcile\""),
            (StopKind::Retired, Role::Operator, "\"/api/agents/selam/reinstate\""),
        ] {
            for role in Role::ALL {
                let is_offered = shown(kind, role).contains(button);
                assert_eq!(is_offered, role >= least, "{kind:?} {role:?}");
            }
        }
        let fleet = stop_banner(&stop(StopKind::Freeze, None), Role::Owner, DateTime::UNIX_EPOCH).into_string();
        assert!(fleet.contains("\"/api/freezes/fleet\"") && fleet.contains("The whole fleet"), "{fleet}");
    }

    #[test]
    fn a_reason_of_somebody_is_text() {
        let shown = shown(StopKind::Freeze, Role::Owner);
        assert!(shown.contains("&lt;b&gt;why&lt;/b&gt;") && shown.contains("U+202E"), "{shown}");
    }

    #[test]
    fn a_viewer_can_stop_nothing() {
        for kind in [StopKind::Pause, StopKind::Freeze] {
            assert_eq!(stop_button(kind, Scope::Fleet, "Stop", Role::Viewer).into_string(), "");
            assert!(
                stop_button(kind, Scope::Agent { id: "a", name: "A" }, "Stop", Role::Reviewer).into_string().contains("data-agent=\"a\"")
            );
        }
        assert_eq!(dialog(Role::Viewer).into_string(), "");
    }
}
