//! Why a number is what it is: one native popover for each kind of number, which every page holds once, and a button beside each number.
//! It works without script, by pointer and by keys; the parts of the number itself stand beside it.

use chimera_core::contracts::views::agents::AgentState;
use maud::{Markup, html};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    State,
    Budget,
    Confidence,
    Signal,
    Cost,
}

impl Why {
    const ALL: [Self; 5] = [Self::State, Self::Budget, Self::Confidence, Self::Signal, Self::Cost];

    fn id(self) -> &'static str {
        match self {
            Self::State => "why-state",
            Self::Budget => "why-budget",
            Self::Confidence => "why-confidence",
            Self::Signal => "why-signal",
            Self::Cost => "why-cost",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::State => "Why this state",
            Self::Budget => "Why this bar",
            Self::Confidence => "Why this confidence",
            Self::Signal => "Why this signal",
            Self::Cost => "Why this cost and risk",
        }
    }

    fn told(self) -> Markup {
        match self {
            Self::State => html! {
                p { "The first of these that holds. What it rests on stands beside it: what it does, since when, and its queue." }
                ol { @for state in in_order() { li { strong { (state.name()) } ": " (holds(state)) } } }
                p { a href="/replay" { "How it came to this, event by event" } }
            },
            Self::Budget => html! {
                p { "Solid: what the agent's confirmed payments of this UTC day come to. Hatched: what is held for payments under way. The tick: above it a person is asked." }
                p { "The whole bar is what the policy allows a day (" code { "per_day" } " of " code { "[[policy.limits]]" } "; " code { "policies/AGENT.toml" } " may tighten it). A payment is refused when spent, held and asked together are more than that; fees are limited apart. It begins anew at 00:00 UTC." }
                p { a href="/money" { "The payments, and their entries on the ledger" } " · " a href="/what-if#payments" { "What another limit would have done" } }
            },
            Self::Confidence => html! {
                p { "How sure the content skill is of its own text, part by part; the parts stand beside it. Of a language model's post about sources a fit on editors' grades weighs the parts; of every other text they are multiplied." }
                p { "No text is certain: at most 89 % where the embedded composer wrote it, and 97 % where a language model did. Above " code { "judge.approve_above" } " it goes out by itself, below " code { "judge.reject_below" } " it is made again, and a person decides in between, and on everything sensitive." }
                p { a href="/what-if#content" { "What another threshold would have done" } }
            },
            Self::Signal => html! {
                p { "Mean relevance of the story's items to the goal, times: 0.4 for how many items it has, 0.3 for how many independent sources, and 0.3 for its pace (items now against the window before)." }
                p { "Items and sources count ever less the more there are, and one source counts for two items at most. A story is a trend from " code { "trends.items_min" } " items and " code { "trends.voices_min" } " sources on. Its sources and its items by the hour stand below it." }
                p { a href="/campaigns" { "What its campaign made of it" } }
            },
            Self::Cost => html! {
                p { "Cost: for each task, what the calls for a text of usual length cost at the configured prices, and the price of each picture and video that it asks for; nothing where the embedded composer and renderer make them. Payments are counted apart." }
                p { "Risk: the highest of what holds. High: the goal touches what is sensitive, or posts can leave without a person. Medium: tasks move money, or posts leave this machine once they are approved. Low: nothing is published. The reasons stand with the plan." }
                p { a href="/what-if" { "What would leave by itself" } }
            },
        }
    }
}

/// As the rules are asked.
fn in_order() -> [AgentState; AgentState::ALL.len()] {
    let mut states = AgentState::ALL;
    states.sort();
    states
}

fn holds(state: AgentState) -> &'static str {
    match state {
        AgentState::Retired => "it is retired, and does nothing until somebody reinstates it",
        AgentState::Error => "a task failed for good, nothing has made that good since, and nothing of it works now",
        AgentState::Frozen => "its money, or everybody's, is frozen, or its wallet is held",
        AgentState::Paused => "it, or the fleet, is paused",
        AgentState::Waiting => "a person has to decide something of it",
        AgentState::Working => "a Worker has a task of it",
        AgentState::Judging => "a result of it is before the Judge",
        AgentState::Planning => "it has tasks to begin, or tasks that the Planner looks at again",
        AgentState::Sleeping => "it has nothing to do now",
    }
}

pub(crate) fn why(why: Why) -> Markup {
    html! { button.why type="button" popovertarget=(why.id()) aria-label=(why.title()) { "why" } }
}

/// Every page holds them once.
pub(crate) fn popovers() -> Markup {
    html! {
        @for why in Why::ALL {
            div.why-told id=(why.id()) popover role="dialog" aria-labelledby={ (why.id()) "-title" } {
                h2 id={ (why.id()) "-title" } { (why.title()) }
                (why.told())
                button.button type="button" popovertarget=(why.id()) { "Close" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_opens_what_a_page_holds() {
        let held = popovers().into_string();
        for one in Why::ALL {
            assert!(why(one).into_string().contains(&format!("popovertarget=\"{}\"", one.id())));
            assert_eq!(held.matches(&format!(" id=\"{}\" popover", one.id())).count(), 1, "{one:?}: {held}");
        }
        for state in AgentState::ALL {
            assert!(held.contains(holds(state)), "{}", state.name());
        }
    }
}
