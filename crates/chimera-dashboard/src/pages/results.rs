//! Profit and loss, and the ledger to take along.

use super::components::{Tone, banner, outside_line};
use chimera_core::{
    contracts::views::money::DayResult,
    domain::money::{format_units, parse_units},
};
use maud::{Markup, html};

pub(super) fn results(days: &[DayResult]) -> Markup {
    html! {
        section #results {
            h2 { "Profit and loss" }
            p.muted { "The last seven days of UTC, by agent and asset: what came in, less what was paid and the chains' fees, as the ledger has it." }
            @if days.is_empty() { (banner(Tone::Neutral, &html! { "Nothing came in or went out in these days." })) }
            @else {
                table.folds {
                    thead { tr { th scope="col" { "Day" } th scope="col" { "Agent" } th scope="col" { "Asset" } th scope="col" { "In" } th scope="col" { "Paid" } th scope="col" { "Fees" } th scope="col" { "Result" } } }
                    tbody { @for day in days { (row(day)) } }
                }
            }
        }
    }
}

fn row(day: &DayResult) -> Markup {
    let amount = |units: &str| whole(units, day.decimals);
    html! {
        tr {
            td data-label="Day" { (day.day) }
            td data-label="Agent" { a href={ "/money?agent=" (day.agent_id) } { (outside_line(&day.agent_id)) } }
            td data-label="Asset" { (outside_line(&day.asset)) span.muted { " on chain " (day.chain_id) } }
            td.number data-label="In" { (amount(&day.in_units)) }
            td.number data-label="Paid" { (amount(&day.paid_units)) }
            td.number data-label="Fees" { (amount(&day.fees_units)) }
            td.number data-label="Result" { strong { (amount(&day.result_units)) } }
        }
    }
}

/// With a minus of its own, since amounts have none.
fn whole(units: &str, decimals: u8) -> String {
    let (sign, digits) = units.strip_prefix('-').map_or(("", units), |digits| ("\u{2212}", digits));
    parse_units(digits).map_or_else(|_| units.to_owned(), |units| format!("{sign}{}", format_units(units, decimals)))
}

pub(super) fn downloads() -> Markup {
    html! {
        p.links {
            "The whole ledger as a file: "
            a href="/api/ledger.csv" download { "CSV, for a spreadsheet" } " · " a href="/api/ledger.json" download { "JSON" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_has_a_minus_and_no_rounding() {
        assert_eq!(whole("-1500000", 6), "\u{2212}1.5");
        assert_eq!(whole("115792089237316195423570985008687907853269984665640564039457584007913129639935", 0).len(), 78);
        assert_eq!(whole("0", 18), "0");
    }
}
