//! `/money`: what may still be spent today, what was paid, the ledger of it all and whether it is whole, and the kill switch.

use super::{
    amounts::{is_used, taken},
    answers::{failed, fragment},
    assets,
    components::{Tone, address, banner, budget_bar, chip, empty, hash, money, outside_line, text::marked, time},
    fleet::counted,
    results::{downloads, results},
    revocation::unused_approval,
    row_ids::RowIds,
    shell::{self, Content, Section},
    stops::{Scope, dialog, stop_banner, stop_button},
};
use crate::{Dashboard, access::Visitor, reads::DAYS};
use axum::{
    Extension, Router,
    extract::{Query, State},
    response::Response,
    routing::get,
};
use chimera_core::{
    contracts::decision::Verdict,
    contracts::views::{
        Page,
        agents::{AgentCard, AgentState, Fleet, Stop, StopKind},
        money::{DayResult, LedgerRow, TransferRow},
        people::Role,
    },
    domain::{AgentId, hidden::Lines},
    ports::{
        StoreError,
        queries::{Cursor, PageOf},
    },
};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

const ROWS_SHOWN: usize = 50;

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new()
        .route("/money", get(show))
        .route("/fragments/money", get(show_standing))
        .route("/fragments/transfers", get(show_transfers))
}

#[derive(Deserialize, Default)]
pub(super) struct Asked {
    agent: Option<String>,
    transfers: Option<String>,
    ledger: Option<String>,
}

/// All that the page shows.
struct Books {
    fleet: Fleet,
    /// Whose, where only one agent's are asked for.
    agent: Option<AgentId>,
    transfers: Page<TransferRow>,
    ledger: Page<LedgerRow>,
    results: Vec<DayResult>,
}

pub(super) async fn show(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(asked): Query<Asked>,
) -> Response {
    let books = match read(&dashboard, &asked).await {
        Ok(books) => books,
        Err(error) => return failed(&error),
    };
    let main = view(&books, visitor.role, dashboard.clock.now());
    let content = Content { title: "Money".to_owned(), section: Section::Money, tools: html! {}, main, is_full: false };
    shell::page(&dashboard, &visitor, &content).await
}

/// What is spent today and what stops money, together: a freeze is seen where it was pressed.
async fn show_standing(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(asked): Query<Asked>,
) -> Response {
    match read(&dashboard, &asked).await {
        Ok(books) => fragment(html! { (budgets(&books)) (kill_switch(&books.fleet, visitor.role, dashboard.clock.now())) }),
        Err(error) => failed(&error),
    }
}

/// Of the newest: what is older is settled.
async fn show_transfers(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(asked): Query<RowIds>,
) -> Response {
    let ids = asked.all();
    match dashboard.transfers(None, &PageOf::first(PageOf::LIMIT_MAX)).await {
        Ok(page) => {
            let now = dashboard.clock.now();
            let wanted = page.items.iter().filter(|transfer| ids.contains(transfer.transaction_id.to_string().as_str()));
            fragment(html! { @for row in wanted { (transfer(row, visitor.role, now)) } })
        }
        Err(error) => failed(&error),
    }
}

async fn read(dashboard: &Dashboard, asked: &Asked) -> Result<Books, StoreError> {
    let agent: Option<AgentId> = asked.agent.as_deref().and_then(|id| id.parse().ok());
    let page = |cursor: Option<&String>| {
        let cursor = cursor.and_then(|cursor| cursor.parse::<Cursor>().ok());
        cursor.into_iter().fold(PageOf::first(ROWS_SHOWN), PageOf::after)
    };
    Ok(Books {
        fleet: dashboard.fleet().await?,
        transfers: dashboard.transfers(agent.as_ref(), &page(asked.transfers.as_ref())).await?,
        results: dashboard.results(agent.as_ref(), DAYS).await?,
        ledger: dashboard.queries.ledger(agent.as_ref(), &page(asked.ledger.as_ref())).await?,
        agent,
    })
}

fn view(books: &Books, role: Role, now: DateTime<Utc>) -> Markup {
    let of_agent = books.agent.as_ref().map(|agent| format!("&agent={agent}")).unwrap_or_default();
    html! {
        script type="module" src=(assets::address("money.js")) {}
        @if let Some(agent) = &books.agent { p.crumbs { a href="/money" { "Money of all agents" } " / " a.id href={ "/agents/" (agent) } { (agent) } } }
        div.columns.money-columns {
            div {
                (budgets(books))
                section #transfers {
                    h2 { "Transfers" }
                    @if books.transfers.items.is_empty() { (empty("Nothing was paid yet.", &html! { "A campaign with a payment, or an agent's tool, asks for one; the policy decides." })) }
                    @else { (transfers(&books.transfers, role, now)) (older(&books.transfers, "transfers", &of_agent)) }
                }
            }
            aside {
                (kill_switch(&books.fleet, role, now))
                section #verify .panel { h2 { "Is the ledger whole?" } (verification()) }
            }
        }
        (results(&books.results))
        section #ledger {
            h2 { "Ledger" }
            @if !books.ledger.items.is_empty() { (downloads()) }
            @if books.ledger.items.is_empty() { (empty("Nothing is on the ledger yet.", &html! { "Payments, refusals, posts and stops are written down here as they happen." })) }
            @else { (ledger(&books.ledger, now)) (older(&books.ledger, "ledger", &of_agent)) }
        }
        (dialog(role))
    }
}

fn older<T>(page: &Page<T>, list: &str, of_agent: &str) -> Markup {
    html! { @if let Some(next) = &page.next { p.more { a.button data-append=(list) href={ "/money?" (list) "=" (next) (of_agent) "#" (list) } { "Load more" } } } }
}

fn kill_switch(fleet: &Fleet, role: Role, now: DateTime<Utc>) -> Markup {
    let freezes: Vec<&Stop> = fleet.stops.iter().filter(|stop| !matches!(stop.kind, StopKind::Pause | StopKind::Retired)).collect();
    let frozen: Vec<&AgentCard> = fleet.agents.iter().filter(|agent| agent.state == AgentState::Frozen).collect();
    html! {
        section #kill-switch .panel {
            h2 { "Kill switch" }
            @if freezes.is_empty() {
                p { "Money moves, as far as each agent's policy lets it." }
                p.muted { "A freeze stops signing and sending at once. What was signed before cannot be called back." }
                (stop_button(StopKind::Freeze, Scope::Fleet, "Freeze the fleet", role))
            }
            @for stop in freezes.iter() { (stop_banner(stop, role, now)) }
            @if freezes.is_empty() && !frozen.is_empty() {
                h3 { (counted(frozen.len() as u64, "agent")) " frozen" }
                ul.plain { @for agent in frozen.iter().take(FROZEN_NAMED_MAX) {
                    li { a href={ "/agents/" (agent.agent_id) "#stops" } { (outside_line(&agent.name)) } " " span.muted { (outside_line(&agent.because)) } }
                } }
                @if frozen.len() > FROZEN_NAMED_MAX { p { a href="/fleet" { "All of them" } } }
            }
        }
    }
}

const FROZEN_NAMED_MAX: usize = 20;

fn verification() -> Markup {
    html! {
        p.muted { "Reads every entry, its hash, its signature and the budgets they come to." }
        button #verify-button .button type="button" { "Verify now" }
        div #verdict aria-live="polite" {}
    }
}

const BUDGETS_SHOWN: usize = 8;

/// Those nearest to their limits at once; behind a line the others, of whom there may be a thousand.
fn budgets(books: &Books) -> Markup {
    let is_asked = |card: &&AgentCard| books.agent.as_ref().is_none_or(|agent| agent.as_str() == card.agent_id);
    let (mut used, unused): (Vec<&AgentCard>, Vec<&AgentCard>) =
        books.fleet.agents.iter().filter(is_asked).partition(|agent| agent.budgets.iter().any(is_used));
    used.sort_by_key(|agent| std::cmp::Reverse(agent.budgets.iter().map(taken).max()));
    let (first, others) = used.split_at(used.len().min(BUDGETS_SHOWN));
    let of_agent = books.agent.as_ref().map(|agent| format!("?agent={agent}")).unwrap_or_default();
    html! {
        section #budgets data-live={ "/fragments/money" (of_agent) } data-live-kinds="payment stop" {
            h2 { "Today" }
            p.muted { "A day is one of UTC. Solid is spent, hatched is held for transfers under way; above the tick a person is asked." }
            @if used.is_empty() { (banner(Tone::Neutral, &html! { "Nobody has spent anything today." })) }
            @else { ul.rows { @for agent in first { (budget_row(agent)) } } }
            @if !others.is_empty() {
                details #budgets-others { summary { (counted(others.len() as u64, "more agent")) " spent something today" }
                    ul.rows.light { @for agent in others { (budget_row(agent)) } }
                }
            }
            @if !unused.is_empty() {
                details #budgets-unused { summary { (counted(unused.len() as u64, "agent")) " spent nothing today" }
                    ul.rows.light { @for agent in &unused { (budget_row(agent)) } }
                }
            }
        }
    }
}

fn budget_row(agent: &AgentCard) -> Markup {
    html! {
        li.budget-row {
            a href={ "/money?agent=" (agent.agent_id) } dir="auto" { (marked(&agent.name, Lines::One)) }
            div { @if agent.budgets.is_empty() { span.muted { "No limit is known" } } @for day in &agent.budgets { (budget_bar(day)) } }
        }
    }
}

fn transfers(page: &Page<TransferRow>, role: Role, now: DateTime<Utc>) -> Markup {
    html! {
        ul #transfers-list .rows.transfers data-live="/fragments/transfers" data-live-rows data-live-kinds="payment" {
            @for row in &page.items { (transfer(row, role, now)) }
        }
    }
}

fn transfer(transfer: &TransferRow, role: Role, now: DateTime<Utc>) -> Markup {
    html! {
        li id={ "transfer-" (transfer.transaction_id) } data-live-id=(transfer.transaction_id) {
            header {
                strong { (money(&transfer.amount)) }
                (transfer_state(&transfer.state))
                a href={ "/agents/" (transfer.agent_id) } { (outside_line(&transfer.agent_id)) }
                span.muted { (time(transfer.reserved_at, now)) }
            }
            p { span.muted { "To " } (address(&transfer.to_address, None)) }
            @if let Some(tx_hash) = &transfer.tx_hash {
                p {
                    span.muted { "Transaction " } (hash(tx_hash))
                    @if let Some(address) = &transfer.explorer_url { " " a href=(address) target="_blank" rel="noreferrer noopener" { "On the explorer" } }
                    @if let Some(block) = transfer.block_number { " " span.muted { "in block " (block) " of chain " (transfer.amount.chain_id) } }
                }
            }
            @if let Some(reason) = &transfer.reason { p.reason { (outside_line(reason)) } }
            (decisions(transfer))
            @if let Some((review_id, until)) = transfer.review_id.zip(transfer.approved_until) { (unused_approval(review_id, until, role, now)) }
            p.links { a href={ "/stories/" (transfer.task_id) } { "Its story" } }
            @if role >= Role::Operator && matches!(transfer.state.as_str(), "signed" | "broadcast") { (cancel_button(transfer)) }
        }
    }
}

/// For what does not land. The chain says which of the two counts, so it stays on the list until then.
fn cancel_button(transfer: &TransferRow) -> Markup {
    html! {
        form.plain data-method="POST" data-action={ "/api/transfers/" (transfer.task_id) "/cancel" } data-tells="told" data-then="stay"
            data-confirm="Cancel this transfer? Another transaction, which pays nobody and costs a fee, takes its place in line. If the first is in a block before it, it is paid all the same."
            data-confirm-label="Send the cancellation" {
            button.button.small type="submit" data-changes { "Cancel…" }
            div.problem data-problem role="alert" hidden {}
        }
    }
}

/// The CFO's verdict and people's answers, in their order.
fn decisions(transfer: &TransferRow) -> Markup {
    html! {
        @if let Some(last) = transfer.decisions.last() {
            details.decisions {
                summary { (verdict(last.decision)) " " (outside_line(&last.reason)) }
                @if let Some(rule) = &transfer.rule { p { span.muted { "Rule that asked " } (outside_line(rule)) } }
                ol { @for one in &transfer.decisions { li { (verdict(one.decision)) " " (outside_line(&one.reason)) span.muted { " " (one.at) } } } }
            }
        }
    }
}

fn verdict(decision: Verdict) -> Markup {
    match decision {
        Verdict::Approve => chip(Tone::Ok, "approved"),
        Verdict::Reject => chip(Tone::Danger, "rejected"),
        Verdict::Escalate => chip(Tone::Warn, "a person is asked"),
    }
}

fn transfer_state(state: &str) -> Markup {
    let (tone, word) = match state {
        "confirmed" => (Tone::Ok, "confirmed"),
        "awaiting_review" => (Tone::Warn, "a person is asked"),
        "granted" => (Tone::Accent, "approved, not used yet"),
        "reserved" => (Tone::Accent, "held"),
        "signed" => (Tone::Accent, "signed"),
        "broadcast" => (Tone::Accent, "on its way"),
        "handed_over" => (Tone::Accent, "handed over"),
        "declined" => (Tone::Neutral, "declined"),
        "released" => (Tone::Neutral, "released"),
        "reverted" => (Tone::Danger, "reverted"),
        "failed" => (Tone::Danger, "failed"),
        other => (Tone::Neutral, other),
    };
    chip(tone, &word.replace('_', " "))
}

fn ledger(page: &Page<LedgerRow>, now: DateTime<Utc>) -> Markup {
    html! {
        table.folds.ledger {
            thead { tr { th scope="col" { "No" } th scope="col" { "When" } th scope="col" { "Kind" } th scope="col" { "Agent" } th scope="col" { "What happened" } } }
            tbody #ledger-list { @for entry in &page.items { (entry_row(entry, now)) } }
        }
    }
}

fn entry_row(entry: &LedgerRow, now: DateTime<Utc>) -> Markup {
    html! {
        tr id={ "ledger-" (entry.number) } {
            td.number data-label="No" { (entry.number) }
            td data-label="When" { (time(entry.at, now)) }
            td data-label="Kind" { (chip(kind_tone(&entry.kind), &entry.kind)) }
            td data-label="Agent" { @if entry.agent_id.is_empty() { span.muted { "all" } } @else { a href={ "/agents/" (entry.agent_id) } { (outside_line(&entry.agent_id)) } } }
            td data-label="What happened" {
                div {
                    (outside_line(&entry.told))
                    details { summary { "Details" }
                        pre dir="auto" { (marked(&serde_json::to_string_pretty(&entry.facts).unwrap_or_default(), Lines::Many)) }
                        p { span.muted { "Hash " } (hash(&entry.hash)) }
                        @if let Some(task) = entry.task_id { p.links { a href={ "/stories/" (task) } { "Its story" } } }
                    }
                }
            }
        }
    }
}

fn kind_tone(kind: &str) -> Tone {
    match kind {
        "payment" | "transfer" => Tone::Ok,
        "refusal" | "reversal" => Tone::Danger,
        "control" | "freeze" => Tone::Warn,
        _ => Tone::Neutral,
    }
}
