//! A payment as a person decides it: in whole units, with the whole address, and with what the day's budget is before and after.

use super::{Reader, detail::cancel};
use crate::pages::{
    components::{Tone, address, amount, banner, budget_bar, definitions, icons, money, outside_line},
    revocation::unused_approval,
};
use chimera_core::{
    contracts::{
        review::ReviewStatus,
        views::{
            Money,
            agents::BudgetDay,
            reviews::{PaymentQuestion, ReviewDetail},
        },
    },
    domain::money::parse_units,
};
use maud::{Markup, html};

pub(super) fn question(detail: &ReviewDetail, question: &PaymentQuestion, reader: &Reader<'_>, can_decide: bool) -> Markup {
    html! {
        section.payment {
            p.sum { (money(&question.amount)) span.muted { " on chain " (question.amount.chain_id) } }
            @if let Some(known) = &question.looks_like { (look_alike(&question.to_address, known)) }
            @if let Some(balance) = &question.balance { (in_wallet(balance, &question.amount)) }
            (definitions(&[
                ("To", address(&question.to_address, question.looks_like.as_deref())),
                ("Paid there before", paid_before(question)),
                ("Rule that asked", outside_line(&question.rule)),
            ]))
            @if let (ReviewStatus::Pending, Some(budget)) = (detail.row.status, &question.budget) {
                div.before-after {
                    section { h3 { "The day's budget now" } (budget_bar(budget)) }
                    section { h3 { "With this payment" } (budget_bar(&after(budget, &question.amount))) }
                }
            }
            @if can_decide { (dialog(detail, question)) }
            @if let Some(until) = question.approved_until { (unused_approval(detail.row.review_id, until, reader.role, reader.now)) }
            @if let Some(revoked) = &question.revoked { (banner(Tone::Warn, &html! { span { strong { "Never paid: " } "the approval was " (outside_line(revoked)) } })) }
        }
    }
}

/// What there is, and whether it is enough.
fn in_wallet(balance: &Money, asked: &Money) -> Markup {
    let is_enough = matches!((parse_units(&balance.units), parse_units(&asked.units)), (Ok(has), Ok(wants)) if has >= wants);
    html! {
        @if is_enough { p.muted { "In the wallet now: " (money(balance)) } }
        @else { (banner(Tone::Warn, &html! { span { strong { "The wallet cannot pay this now: " } "it has " (money(balance)) ". Once approved, it is paid if money comes within 24 hours." } })) }
    }
}

fn paid_before(question: &PaymentQuestion) -> Markup {
    html! {
        @match question.paid_before {
            0 => strong.first-time { "Never: this agent has not paid this address" },
            1 => "Once",
            count => { (count) " times" },
        }
    }
}

fn look_alike(asked: &str, known: &str) -> Markup {
    banner(
        Tone::Danger,
        &html! {
            (icons::icon(icons::Icon::Warning))
            div.look-alike {
                p { strong { "This is not the address that it looks like." } " The agent has paid the second one; the first is another, made to be taken for it." }
                p { span.muted { "Asked for" } (address(asked, Some(known))) }
                p { span.muted { "Known" } (address(known, Some(asked))) }
            }
        },
    )
}

/// A day's counter as it would be. What is reserved for this very payment is not known here, so it is counted as spent on top.
fn after(budget: &BudgetDay, amount: &Money) -> BudgetDay {
    let sum = match (parse_units(&budget.spent.units), parse_units(&amount.units)) {
        (Ok(spent), Ok(amount)) => spent.saturating_add(amount).to_string(),
        _ => budget.spent.units.clone(),
    };
    BudgetDay { spent: Money { units: sum, ..budget.spent.clone() }, ..budget.clone() }
}

/// Money is never decided by one key: everything once more, with the focus on the way out.
fn dialog(detail: &ReviewDetail, question: &PaymentQuestion) -> Markup {
    html! {
        dialog #pay .dialog aria-labelledby="pay-title" {
            form #pay-form {
                h2 #pay-title { "Pay " (amount(&question.amount)) "?" }
                (definitions(&[
                    ("Agent", outside_line(&detail.row.agent_id)),
                    ("Amount", money(&question.amount)),
                    ("To", address(&question.to_address, question.looks_like.as_deref())),
                ]))
                @if question.looks_like.is_some() {
                    label { span { "Type the whole address that you mean to pay" } input.field #confirm-address name="confirm_address" required autocomplete="off" spellcheck="false" autocapitalize="none" pattern="0x[0-9a-fA-F]{40}" data-must-be=(question.to_address); }
                }
                p #pay-problem .problem role="alert" hidden {}
                footer { (cancel()) button.button.primary type="submit" data-changes { "Pay " (amount(&question.amount)) } }
            }
        }
    }
}
