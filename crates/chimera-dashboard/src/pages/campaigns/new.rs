//! `/campaigns/new`: a goal in plain words and who works for it; everything else has a default.

use crate::pages::{
    assets,
    components::{Look, button_link, empty, platform_name, text::marked},
};
use chimera_core::{
    contracts::{
        content_generator::PostForm,
        views::agents::{AgentCard, AgentState},
    },
    domain::{Platform, hidden::Lines},
};
use maud::{Markup, html};

pub(in crate::pages) fn view(agents: &[AgentCard]) -> Markup {
    if agents.is_empty() {
        return empty(
            "A campaign needs an agent that works for it, and there is none yet.",
            &button_link(Look::Primary, "/agents/new", "Make an agent"),
        );
    }
    html! {
        script type="module" src=(assets::address("campaigns.js")) {}
        p.crumbs { a href="/campaigns" { "Campaigns" } }
        form #new-campaign .form data-method="POST" data-action="/api/campaigns" data-then="/campaigns/{campaign_id}" {
            div {
                label.question for="goal" { "What shall they do?" }
                p.muted { "In plain words, as you would tell a person. It is what every story is measured against." }
            }
            textarea #goal name="goal" rows="3" required maxlength="2000" dir="auto" placeholder="Follow open language models, and tell makers what they can do with them" {}
            fieldset {
                legend.question { "Who works for it?" }
                (choice(agents, |_| agents.len() == 1))
            }
            fieldset {
                legend.question { "How often?" }
                div.pair {
                    (number("posts_per_day", "Posts a day, each agent", "as trends come"))
                    (number("posts_per_week", "Posts a week, each agent", "as trends come"))
                }
                p.muted { "With a number, single items that matter fill what trends leave; without one, only trends are told." }
            }
            (rest())
            div.problem data-problem role="alert" hidden {}
            footer {
                button.button.primary type="submit" data-changes { "Save as a draft" }
                span.muted { "Nothing is begun yet: the next page shows what it would do." }
            }
        }
    }
}

/// Agents to tick.
pub(super) fn choice(agents: &[AgentCard], is_ticked: impl Fn(&str) -> bool) -> Markup {
    html! {
        @if agents.len() > SEARCHED_ABOVE { input #agent-search .field type="search" placeholder="Search" aria-label="Search agents" data-search="#agent-choice"; }
        ul #agent-choice .choices {
            @for agent in agents.iter().filter(|agent| agent.state != AgentState::Retired || is_ticked(&agent.agent_id)) {
                li data-row { label.tick {
                    input type="checkbox" name="agent_ids" value=(agent.agent_id) data-type="each" checked[is_ticked(&agent.agent_id)];
                    span dir="auto" { (marked(&agent.name, Lines::One)) } span.id { (agent.agent_id) }
                } }
            }
        }
    }
}

/// Fewer are seen at once.
const SEARCHED_ABOVE: usize = 12;

fn rest() -> Markup {
    html! {
        details {
            summary { "What it watches, where it posts, what it may use up" }
            label for="watch" { "Watch" }
            p.muted { "One address a line, such as " code { "news://global/technology/latest" } ". Empty: every feed of the configuration." }
            textarea #watch .code name="watch" rows="3" data-type="list" spellcheck="false" {}
            fieldset {
                legend { "Only on these platforms" }
                p.muted { "None marked: on every one in each agent's SOUL." }
                ul.choices.short { @for platform in Platform::ALL { li { label.tick {
                    input type="checkbox" name="platforms" value=(platform.name()) data-type="each"; span { (platform_name(platform.name())) }
                } } } }
            }
            fieldset {
                legend { "It ends after" }
                div.pair {
                    (number("posts_max", "Posts", "no end"))
                    (number("tokens_max", "Tokens of language models", "no end"))
                }
            }
            fieldset {
                legend { "Pictures and videos that it may choose by itself" }
                div.pair {
                    (number("images_max", "Pictures", "none"))
                    (number("videos_max", "Videos", "none"))
                }
            }
            fieldset {
                legend { "Mix of posts" }
                p.muted { "Parts of the whole, such as 60 news and 20 questions. Empty: all news." }
                div.pair { @for form in PostForm::ALL { (mix(form)) } }
                // Written by the script out of the parts.
                input #mix type="hidden" name="mix" value="" data-type="json";
            }
        }
    }
}

fn number(name: &str, label: &str, empty: &str) -> Markup {
    html! {
        label { span { (label) } input.field type="number" name=(name) min="1" step="1" inputmode="numeric" placeholder=(empty) data-type="number"; }
    }
}

fn mix(form: PostForm) -> Markup {
    html! {
        label { span { (form.name()) } input.field type="number" data-mix=(form.name()) min="0" max="1000" step="1" inputmode="numeric" placeholder="0"; }
    }
}
