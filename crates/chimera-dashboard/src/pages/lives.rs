//! What an operator does with an agent that exists, on its page: retire it, reinstate it, give it play money.

use chimera_core::{
    contracts::views::{
        agents::{AgentCard, AgentState},
        people::Role,
    },
    domain::hidden::visible_line,
};
use maud::{Markup, html};

/// Opens [`retire_dialog`].
pub(super) fn retire_button(card: &AgentCard, role: Role) -> Markup {
    html! { @if may_retire(card, role) { button.button.small type="button" data-act="retire" data-changes { "Retire agent" } } }
}

pub(super) fn retire_dialog(card: &AgentCard, role: Role) -> Markup {
    let name = visible_line(&card.name);
    html! {
        @if may_retire(card, role) {
            dialog #retire-dialog .dialog aria-labelledby="retire-title" {
                h2 #retire-title { "Retire " (name) }
                p { "It plans, hears, publishes and pays nothing from now on. What waits for a person is closed, what is approved and not sent is not sent." }
                p { "A payment that may have left is followed on the chain to its end. Its id and its wallet stay, and it can be reinstated; what ended stays ended." }
                form data-method="POST" data-action={ "/api/agents/" (card.agent_id) "/retire" } data-then="reload" {
                    label { span { "Reason, for the record" } input.field name="reason" maxlength="500" required autocomplete="off" dir="auto"; }
                    div.problem data-problem role="alert" hidden {}
                    footer {
                        button.button type="button" data-act="close" { "Cancel" }
                        button.button.danger type="submit" data-changes { "Retire" }
                    }
                }
            }
        }
    }
}

fn may_retire(card: &AgentCard, role: Role) -> bool {
    role >= Role::Operator && card.state != AgentState::Retired
}

pub(super) fn reinstate_button(agent_id: &str) -> Markup {
    let question = format!("Let {agent_id} work again? It plans, publishes and pays as its campaigns and its policy say.");
    html! {
        form.plain data-method="POST" data-action={ "/api/agents/" (agent_id) "/reinstate" } data-confirm=(question) data-confirm-label="Reinstate" data-then="reload" {
            button.button type="submit" data-changes { "Reinstate" }
            div.problem data-problem role="alert" hidden {}
        }
    }
}

/// Only where the program runs a chain of its own.
pub(super) fn fund(agent_id: &str) -> Markup {
    html! {
        form.plain.fund data-method="POST" data-action={ "/api/agents/" (agent_id) "/fund" } data-then="reload" {
            button.button.small type="submit" data-changes { "Fund (devnet, play money)" }
            div.problem data-problem role="alert" hidden {}
        }
    }
}
