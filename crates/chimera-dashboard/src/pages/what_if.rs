//! `/what-if`: what other thresholds would have done with the decisions of the last days. It changes nothing.

use super::{
    answers::{failed, fragment},
    assets,
    components::{amount, empty, exact, outside_line, percent, time},
    shell::{self, Content, Section},
};
use crate::{
    Dashboard,
    access::Visitor,
    hindsight::{Unanswered, WhatIfQuery},
};
use axum::{
    Extension, Router,
    extract::{Query, State},
    response::Response,
    routing::get,
};
use chimera_core::{
    contracts::views::hindsight::{
        Outcomes, PeopleSaid, WhatIf, WhatIfDecision, WhatIfDecisions, WhatIfMoney, WhatIfReason, WhatIfSetting, WhatIfSuggestion,
    },
    ports::StoreError,
    swarm::what_if::Asked,
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use std::{collections::HashMap, sync::Arc};

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/what-if", get(show)).route("/fragments/what-if", get(show_answer))
}

/// As a form sends it: what is no value is none.
pub(super) type Fields = Query<HashMap<String, String>>;

fn asked(Query(fields): &Fields) -> Asked {
    let number = |name: &str| fields.get(name).and_then(|text| text.parse::<u64>().ok());
    let query = WhatIfQuery {
        agent: fields.get("agent").cloned(),
        approve_above_percent: number("approve_above_percent"),
        reject_below_percent: number("reject_below_percent"),
        per_transaction_percent: number("per_transaction_percent"),
        per_day_percent: number("per_day_percent"),
        ask_above_percent: number("ask_above_percent"),
        transfers_per_hour_max: number("transfers_per_hour_max"),
    };
    query.asked()
}

pub(super) async fn show(State(dashboard): State<Arc<Dashboard>>, Extension(visitor): Extension<Visitor>, fields: Fields) -> Response {
    let (answer, fleet) = match (dashboard.what_if(asked(&fields)).await, dashboard.queries.fleet(dashboard.clock.now()).await) {
        (Ok(answer), Ok(fleet)) => (answer, fleet),
        (Err(error), _) => return unanswered(&error),
        (_, Err(error)) => return failed(&error),
    };
    let agents: Vec<&str> = fleet.agents.iter().map(|agent| agent.agent_id.as_str()).collect();
    let main = view(&answer, &agents, dashboard.clock.now());
    let content = Content { title: "What if".to_owned(), section: Section::WhatIf, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

async fn show_answer(State(dashboard): State<Arc<Dashboard>>, fields: Fields) -> Response {
    match dashboard.what_if(asked(&fields)).await {
        Ok(answer) => fragment(told(&answer, dashboard.clock.now())),
        Err(error) => unanswered(&error),
    }
}

fn unanswered(error: &Unanswered) -> Response {
    match error {
        Unanswered::Store(error) => failed(error),
        Unanswered::Stopped => failed(&StoreError::Closed),
    }
}

/// Of texts; the others are of payments.
const SCORES: usize = 2;

fn view(answer: &WhatIf, agents: &[&str], now: DateTime<Utc>) -> Markup {
    let (scores, limits) = answer.settings.split_at(SCORES.min(answer.settings.len()));
    html! {
        script type="module" src=(assets::address("hindsight.js")) {}
        p.lead {
            "Decisions that are on record, made again by today's policy with the values that you set here. "
            strong { "Nothing is changed by it." } " What holds stands in the configuration, and each value says where."
        }
        div.what-if {
            form #what-if .panel method="get" action="/what-if" {
                label.field { span { "Agent" }
                    select name="agent" {
                        option value="" { "All agents" }
                        @for agent in agents { option value=(agent) selected[answer.agent_id.as_deref() == Some(*agent)] { (agent) } }
                    }
                }
                @for setting in scores { (slider(setting)) }
                @if !limits.is_empty() {
                    details open[limits.iter().any(|setting| setting.value.to_bits() != setting.today.to_bits())] {
                        summary { "Limits of payments" }
                        @for setting in limits { (slider(setting)) }
                    }
                }
                p.acts {
                    button.button.primary type="submit" { "Show" }
                    a.button href="/what-if" { "Today's values" }
                }
            }
            (told(answer, now))
        }
    }
}

fn slider(setting: &WhatIfSetting) -> Markup {
    let unit = if setting.parameter.ends_with("_percent") { " %" } else { "" };
    let value = format!("{:.0}", setting.value);
    html! {
        div.slider {
            label for=(setting.parameter) { (setting.told) }
            div {
                input type="range" id=(setting.parameter) name=(setting.parameter) min=(setting.min) max=(setting.max) step="1" value=(value)
                    data-today=(format!("{:.0}", setting.today)) data-unit=(unit) aria-describedby={ (setting.parameter) "-today" };
                output for=(setting.parameter) { (value) (unit) }
            }
            span.muted.small id={ (setting.parameter) "-today" } { "Today: " (setting.today) (unit) }
        }
    }
}

/// What the script puts in the place of what was there.
fn told(answer: &WhatIf, now: DateTime<Utc>) -> Markup {
    html! {
        div #what-if-answer .what-if-answer aria-live="polite" {
            p.muted {
                "From " (exact(answer.since)) " to " (exact(answer.until)) ", at most the newest " (answer.decisions_max) " of each kind."
            }
            (to_set(&answer.settings))
            (decisions("Posts and replies", "content", &answer.content, now))
            (decisions("Payments", "payments", &answer.payments, now))
            (money(&answer.money))
            (suggestions(&answer.suggestions))
            (not_movable())
        }
    }
}

fn to_set(settings: &[WhatIfSetting]) -> Markup {
    let lines: Vec<&String> = settings.iter().flat_map(|setting| &setting.lines).collect();
    html! {
        section.panel #to-set {
            h2 { "To set it" }
            @if lines.is_empty() {
                p { "These are today's values. Move one, and here stands what " code { "chimera.toml" } " would have to say." }
            } @else {
                p { "In " code { "chimera.toml" } ", or where the line names another file; it holds from the next start of " code { "chimera serve" } "." }
                ul.plain { @for line in lines { li { code { (line) } } } }
            }
        }
    }
}

fn decisions(title: &str, id: &str, decisions: &WhatIfDecisions, now: DateTime<Utc>) -> Markup {
    let is_empty = decisions.recorded.all() == 0 && decisions.unreplayable.is_empty();
    html! {
        section.panel id=(id) {
            h2 { (title) }
            @if is_empty {
                (empty("No such decision is on record in this time.", &html! { "What agents make and pay is decided on, and then counts here." }))
            } @else {
                (counts(decisions))
                (loosened(&decisions.loosened))
                (named(&format!("{id}-changes"), "Would be another one", decisions.changed, &decisions.changes, now))
                (named(&format!("{id}-differences"), "Was decided otherwise then than today's policy decides", decisions.differing, &decisions.differences, now))
                (reasons("No value here moves these", &decisions.held))
                (reasons("Cannot be replayed", &decisions.unreplayable))
            }
        }
    }
}

fn counts(decisions: &WhatIfDecisions) -> Markup {
    let row = |name: &str, id: &str, of: fn(&Outcomes) -> u64| {
        let (recorded, today, then) = (of(&decisions.recorded), of(&decisions.today), of(&decisions.then));
        html! {
            tr data-outcome=(id) {
                th scope="row" { (name) }
                td.number { (recorded) } td.number { (today) }
                td.number.then.changed[then != today] { (then) @if then != today { " " span.small { (signed(then, today)) } } }
            }
        }
    };
    html! {
        table.counts {
            thead { tr { td {} th.number scope="col" { "Decided then" } th.number scope="col" { "Today's values" } th.number scope="col" { "These values" } } }
            tbody {
                (row("By itself", "alone", |outcomes| outcomes.alone))
                (row("To a person", "person", |outcomes| outcomes.person))
                (row("Refused", "refused", |outcomes| outcomes.refused))
            }
        }
    }
}

/// `+3`, `−2`.
fn signed(then: u64, today: u64) -> String {
    if then >= today { format!("+{}", then - today) } else { format!("−{}", today - then) }
}

/// What loosening costs.
fn loosened(said: &PeopleSaid) -> Markup {
    let PeopleSaid { approved, edited, rejected, unknown } = *said;
    html! {
        @if approved + edited + rejected + unknown > 0 {
            p.loosened {
                "Of those that would now go by themselves, people had approved " strong { (approved) } ", edited " strong { (edited) }
                " and rejected " strong { (rejected) } "; of " (unknown) " nobody said anything."
            }
        }
    }
}

fn named(id: &str, title: &str, count: u64, decisions: &[WhatIfDecision], now: DateTime<Utc>) -> Markup {
    html! {
        @if count > 0 {
            details id=(id) open[id.ends_with("changes")] {
                summary { (title) ": " strong { (count) } @if (decisions.len() as u64) < count { span.muted { " (the newest " (decisions.len()) ")" } } }
                ul.rows data-list {
                    @for decision in decisions { (row(decision, now)) }
                }
            }
        }
    }
}

fn row(decision: &WhatIfDecision, now: DateTime<Utc>) -> Markup {
    html! {
        li data-row {
            p { a href={ "/stories/" (decision.task_id) } dir="auto" { (outside_line(&decision.what)) } }
            p.muted.small {
                (outside_line(&decision.agent_id)) ", " (time(decision.at, now))
                @if let Some(confidence) = decision.confidence { ", confidence " (percent(confidence)) }
                ". Decided then: " (decision.recorded.name()) ". Today's values: " (decision.today.name()) ". These values: "
                strong { (decision.then.name()) } ". A person: " (decision.said.name()) "."
            }
            p.muted.small { (outside_line(&decision.why)) }
        }
    }
}

fn reasons(title: &str, reasons: &[WhatIfReason]) -> Markup {
    html! {
        @if !reasons.is_empty() {
            h3 { (title) }
            ul.plain { @for reason in reasons { li { strong { (reason.count) } ": " (reason.why) } } }
        }
    }
}

fn money(money: &[WhatIfMoney]) -> Markup {
    html! {
        @if !money.is_empty() {
            section.panel #money-allowed {
                h2 { "Money that goes out by itself" }
                table.counts {
                    thead { tr { th scope="col" { "Chain" } th.number scope="col" { "Today's values" } th.number scope="col" { "These values" } } }
                    tbody {
                        @for one in money {
                            tr { th scope="row" { (one.today.chain_id) } td.number { (amount(&one.today)) } td.number.changed[one.today != one.then] { (amount(&one.then)) } }
                        }
                    }
                }
            }
        }
    }
}

fn suggestions(suggestions: &[WhatIfSuggestion]) -> Markup {
    let bound = |bound: Option<f64>| bound.map_or_else(|| "none".to_owned(), |bound| format!("{bound:.2}"));
    html! {
        section.panel #suggestions {
            h2 { "What people's answers suggest" }
            p.muted {
                "As " code { "chimera review agreement" } " says it, from the answers of this time: a bound where at least 20 answers beyond it were "
                "the same 19 times of 20."
            }
            @if suggestions.is_empty() {
                p { "Nobody has answered a review of content that the Judge was unsure of." }
            } @else {
                ul.plain {
                    @for one in suggestions {
                        li {
                            a href={ "/agents/" (one.agent_id) } { (outside_line(&one.agent_id)) }
                            ": people agreed with the Judge in " (one.agreed) " of " (one.answers) " answers. "
                            code { "approve_above" } ": " (bound(one.approve_above)) ", " code { "reject_below" } ": " (bound(one.reject_below)) "."
                        }
                    }
                }
            }
        }
    }
}

fn not_movable() -> Markup {
    html! {
        details #not-movable {
            summary { "What this does not know" }
            ul.plain {
                li { "Texts are judged by their agent's SOUL of today. Where it has changed since, the first two columns differ, and the list says where." }
                li { "What a later check held back then (meaning, material, repetition, a second opinion) stays held: what it read is gone. A text that was sent back for its score was never asked about repetition or a second opinion." }
                li { "A payment that would go to a person counts against the day's limit where it was paid in fact." }
                li { "How relevant an item must be is no setting: each call of the trend skill brings its own threshold, and what fell below it was not kept as a decision." }
            }
        }
    }
}

#[cfg(test)]
mod tests;
