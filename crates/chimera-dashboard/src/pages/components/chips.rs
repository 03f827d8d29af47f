//! Small words in colour. The word says what the colour says.

use super::icons::state_shape;
use chimera_core::contracts::views::agents::AgentState;
use maud::{Markup, html};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Neutral,
    Accent,
    Planning,
    Judging,
    Warn,
    Ok,
    Danger,
}

impl Tone {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Neutral => "tone-neutral",
            Self::Accent => "tone-accent",
            Self::Planning => "tone-planning",
            Self::Judging => "tone-judging",
            Self::Warn => "tone-warn",
            Self::Ok => "tone-ok",
            Self::Danger => "tone-danger",
        }
    }
}

pub(crate) fn chip(tone: Tone, label: &str) -> Markup {
    html! { span class={ "chip " (tone.class()) } { (label) } }
}

/// Shape and word.
pub(crate) fn agent_state(state: AgentState) -> Markup {
    html! { span class={ "chip state " (state_tone(state).class()) } { (state_shape(state)) (state.name()) } }
}

pub(crate) fn state_tone(state: AgentState) -> Tone {
    match state {
        AgentState::Error | AgentState::Frozen => Tone::Danger,
        AgentState::Paused | AgentState::Waiting => Tone::Warn,
        AgentState::Working => Tone::Accent,
        AgentState::Judging => Tone::Judging,
        AgentState::Planning => Tone::Planning,
        AgentState::Sleeping | AgentState::Retired => Tone::Neutral,
    }
}

/// As people call it.
pub(crate) fn platform_name(platform: &str) -> &str {
    match platform {
        "twitter" => "X",
        "bluesky" => "Bluesky",
        "threads" => "Threads",
        "mastodon" => "Mastodon",
        "instagram" => "Instagram",
        "tiktok" => "TikTok",
        "linkedin" => "LinkedIn",
        other => other,
    }
}
