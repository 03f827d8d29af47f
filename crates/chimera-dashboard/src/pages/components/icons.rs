//! Drawings: one stroke, 16 units square, in the colour of the text beside them. Each state of an agent has a shape of its own, since
//! colours alone fall together for some eyes.

use chimera_core::contracts::views::agents::AgentState;
use maud::{Markup, PreEscaped, html};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Icon {
    Mark,
    Review,
    Fleet,
    Campaigns,
    Calendar,
    Trends,
    Money,
    Replay,
    WhatIf,
    Settings,
    More,
    Freeze,
    Copy,
    Check,
    Cross,
    Pencil,
    Back,
    Image,
    Phone,
    Desktop,
    Warning,
}

/// Decoration: the words beside it say the same.
pub(crate) fn icon(icon: Icon) -> Markup {
    let shapes = match icon {
        Icon::Mark => r#"<path d="M8 1.5 14 5v6l-6 3.5L2 11V5z"/><path d="m5 6.5 3 1.8 3-1.8M8 8.3v3.4"/>"#,
        Icon::Review => r#"<path d="M2 9h3.2l1 2h3.6l1-2H14"/><path d="M4.2 3h7.6L14 9v4H2V9z"/>"#,
        Icon::Fleet => {
            r#"<circle cx="5.5" cy="5.5" r="2.5"/><path d="M1.5 13.5c0-2.4 1.7-4 4-4s4 1.6 4 4M10.5 3.3a2.5 2.5 0 0 1 0 4.5M11.6 9.8c1.8.4 2.9 1.8 2.9 3.7"/>"#
        }
        Icon::Campaigns => r#"<path d="M2 6.5v3h2.5L11 13V3L4.500 6.500zM13 6.200a2.500 2.500 0 0 1 0 3.600M5 9.700V13h2v-2.300"/>"#,
        Icon::Calendar => r#"<rect x="2" y="3" width="12" height="11" rx="1.5"/><path d="M2 6.500h12M5.500 1.500v3M10.500 1.500v3"/>"#,
        Icon::Trends => r#"<path d="M1.500 12 6 7.500l3 3L14.500 4M10.500 4h4v4"/>"#,
        Icon::Money => r#"<rect x="1.500" y="4" width="13" height="9" rx="1.500"/><path d="M1.500 7h13M4 10.500h3"/>"#,
        Icon::Replay => r#"<path d="M2.500 8a5.500 5.500 0 1 0 1.800-4.100M2.500 2v3h3M8 5v3l2 1.500"/>"#,
        Icon::WhatIf => r#"<path d="M4 2v12M8 2v12M12 2v12"/><path class="solid" d="M2.500 5h3v2h-3zM6.500 9h3v2h-3zM10.500 4h3v2h-3z"/>"#,
        Icon::Settings => {
            r#"<path d="M2 4.500h7M12.500 4.500H14M2 11.500h1.500M7 11.500h7"/><circle cx="10.700" cy="4.500" r="1.700"/><circle cx="5.200" cy="11.500" r="1.700"/>"#
        }
        Icon::More => r#"<circle cx="3" cy="8" r=".8"/><circle cx="8" cy="8" r=".8"/><circle cx="13" cy="8" r=".8"/>"#,
        Icon::Freeze => {
            r#"<path d="M8 1.500v13M2.400 4.700l11.200 6.600M13.600 4.700 2.400 11.300M6 2.500l2 1.700 2-1.700M6 13.500l2-1.700 2 1.700"/>"#
        }
        Icon::Copy => {
            r#"<rect x="5.500" y="5.500" width="8" height="8" rx="1.500"/><path d="M10.500 5.500V4A1.500 1.500 0 0 0 9 2.500H4A1.500 1.500 0 0 0 2.500 4v5A1.500 1.500 0 0 0 4 10.500h1.500"/>"#
        }
        Icon::Check => r#"<path d="m2.500 8.500 3.500 3.500 7.500-8"/>"#,
        Icon::Cross => r#"<path d="m3.500 3.500 9 9M12.500 3.500l-9 9"/>"#,
        Icon::Pencil => r#"<path d="m3 13 .6-3L11 2.600a1.200 1.200 0 0 1 1.700 0l.7.7a1.200 1.200 0 0 1 0 1.700L6 12.400z"/>"#,
        Icon::Back => r#"<path d="M9.500 3 4.500 8l5 5"/>"#,
        Icon::Image => {
            r#"<rect x="2" y="2.500" width="12" height="11" rx="1.500"/><circle cx="5.500" cy="6" r="1"/><path d="m2.500 12 3.500-3.500 2.500 2.500 2-2 3 3"/>"#
        }
        Icon::Phone => r#"<rect x="4.500" y="1.500" width="7" height="13" rx="1.500"/><path d="M7 12.500h2"/>"#,
        Icon::Desktop => r#"<rect x="1.500" y="2.500" width="13" height="9" rx="1.500"/><path d="M5.500 14h5M8 11.500V14"/>"#,
        Icon::Warning => r#"<path d="M8 2 14.500 13.500h-13zM8 6.500v3M8 11.500v.2"/>"#,
    };
    drawing("icon", shapes)
}

/// The shape of a state, filled where a state works, stands or fails.
pub(crate) fn state_shape(state: AgentState) -> Markup {
    let shapes = match state {
        AgentState::Retired => r#"<circle cx="8" cy="8" r="6"/><path d="M3.800 12.200 12.200 3.800"/>"#,
        AgentState::Error => r#"<path class="solid" d="M8 2 15 14H1z"/>"#,
        AgentState::Frozen => {
            r#"<rect class="solid" x="2" y="2" width="3" height="12"/><rect class="solid" x="6.500" y="2" width="3" height="12"/><rect class="solid" x="11" y="2" width="3" height="12"/>"#
        }
        AgentState::Paused => {
            r#"<rect class="solid" x="3.500" y="2.500" width="3" height="11"/><rect class="solid" x="9.500" y="2.500" width="3" height="11"/>"#
        }
        AgentState::Waiting => {
            r#"<path d="M3.500 2h9M3.500 14h9M4.500 2c0 3 3.500 4 3.500 6s-3.500 3-3.500 6M11.500 2c0 3-3.500 4-3.500 6s3.500 3 3.500 6"/>"#
        }
        AgentState::Working => r#"<circle class="solid" cx="8" cy="8" r="6"/>"#,
        AgentState::Judging => r#"<path d="M8 2v12M4.500 14h7M2.500 4h11M2.500 4 .8 9h3.400zM13.500 4l-1.700 5h3.400z"/>"#,
        AgentState::Planning => r#"<circle cx="8" cy="8" r="5.800" stroke-width="2" stroke-dasharray="2 2.550"/>"#,
        AgentState::Sleeping => r#"<path class="solid" d="M10.500 2a6.300 6.300 0 1 0 3.500 9.500A6 6 0 0 1 10.500 2z"/>"#,
    };
    drawing("icon shape", shapes)
}

/// Patterns that other drawings of the page are filled with.
pub(crate) fn patterns() -> Markup {
    PreEscaped(
        r#"<svg class="defs" width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-line" width="2.500" height="6"/></pattern></defs></svg>"#
            .to_owned(),
    )
}

fn drawing(class: &str, shapes: &'static str) -> Markup {
    html! { svg class=(class) viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" { (PreEscaped(shapes)) } }
}
