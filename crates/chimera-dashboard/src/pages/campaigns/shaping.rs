//! Forms that change a campaign while it runs: its budget, its agents, its end.

use super::new::choice;
use crate::pages::components::outside_line;
use chimera_core::{
    contracts::views::{agents::AgentCard, campaigns::CampaignDetail, people::Role},
    domain::campaign::STAYS,
};
use maud::{Markup, html};

/// The limits, as the API names them, and as a person would.
const COUNTS: [(&str, &str); 6] = [
    ("posts_max", "Posts"),
    ("tokens_max", "Tokens of language models"),
    ("payments_max", "Payments"),
    ("images_max", "Pictures"),
    ("videos_max", "Videos"),
    ("media_micro_usd_max", "Media tools, in millionths of a US dollar"),
];

pub(super) fn forms(campaign: &CampaignDetail, agents: &[AgentCard], role: Role) -> Markup {
    html! {
        @if role >= Role::Operator && campaign.row.status != "deleted" {
            section #shaping { h2 { "Change it" } (budget(campaign)) (who(campaign, agents)) (delete(campaign)) }
        }
    }
}

pub(super) fn deleted() -> Markup {
    html! { p.muted { "It is deleted: " (STAYS) "." } }
}

fn budget(campaign: &CampaignDetail) -> Markup {
    let value = |name: &str| {
        let value = campaign.budget_constraints.get(name)?;
        value.as_u64().map(|number| number.to_string()).or_else(|| value.as_str().map(str::to_owned))
    };
    html! {
        details #change-budget .act {
            summary.button { "Change the budget" }
            form data-method="PUT" data-action={ "/api/campaigns/" (campaign.row.campaign_id) "/budget" } data-if-match={ "\"" (campaign.last_event) "\"" } data-budget {
                div.pair {
                    @for (name, label) in COUNTS {
                        label { span { (label) } input.field type="number" name=(name) value=[value(name)] min="0" step="1" inputmode="numeric" placeholder="no limit" data-type="number"; }
                    }
                    label { span { "Spending, in the asset's smallest unit" } input.field name="spend_max_units" value=[value("spend_max_units")] pattern="[0-9]{1,77}" inputmode="numeric" placeholder="no limit"; }
                }
                p.muted { "An empty field is no limit; without a number of pictures or videos, none is chosen. What is begun keeps what it was begun with." }
                div.problem data-problem role="alert" hidden {}
                footer { button.button.primary type="submit" data-changes { "Change the budget" } }
            }
        }
    }
}

fn who(campaign: &CampaignDetail, agents: &[AgentCard]) -> Markup {
    let row = &campaign.row;
    let gone: Vec<&String> = row.agent_ids.iter().filter(|id| !agents.iter().any(|agent| agent.agent_id == **id)).collect();
    html! {
        details #change-agents .act {
            summary.button { "Change who works for it" }
            form data-method="PUT" data-action={ "/api/campaigns/" (row.campaign_id) "/agents" } data-if-match={ "\"" (campaign.last_event) "\"" } data-then="reload" {
                (choice(agents, |id| row.agent_ids.iter().any(|own| own == id)))
                @for id in &gone { p.muted { (outside_line(id)) " is no agent any more, and leaves with this change." } }
                p.muted { "What is not begun of those that leave is given up." }
                div.problem data-problem role="alert" hidden {}
                footer { button.button.primary type="submit" data-changes { "Change who works for it" } }
            }
        }
    }
}

fn delete(campaign: &CampaignDetail) -> Markup {
    html! {
        details #delete-campaign .act {
            summary.button { "Delete" }
            form data-method="DELETE" data-action={ "/api/campaigns/" (campaign.row.campaign_id) } data-then="/campaigns" data-confirm="Delete this campaign? It cannot be put back." data-confirm-label="Delete it" {
                p { "Deleted, " (STAYS) "." }
                p.muted { "It is refused while a payment may have left, while nobody knows whether a post left, and while an answer is held." }
                div.problem data-problem role="alert" hidden {}
                footer { button.button.danger type="submit" data-changes { "Delete the campaign" } }
            }
        }
    }
}
