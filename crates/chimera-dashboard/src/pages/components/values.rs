//! Numbers, amounts, times, hashes and bars. An amount is an integer in smallest units from the store to the reader's eye: no float.

use chimera_core::{
    contracts::{
        UtcTime,
        views::{Money, agents::BudgetDay},
    },
    domain::{
        hidden::visible_line,
        money::{U256, format_units, parse_units},
    },
};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use maud::{Markup, html};

/// `1,234.5 ETH`, with the exact count of units on hover.
pub(crate) fn money(money: &Money) -> Markup {
    html! { span.money title={ (money.units) " units of " (money.asset) ", chain " (money.chain_id) } { (amount(money)) } }
}

/// The same as text.
pub(crate) fn amount(money: &Money) -> String {
    format!("{} {}", whole_units(&money.units, money.decimals), money.asset)
}

/// Whole units of a count of smallest ones, thousands grouped. What is no count is shown as it is.
pub(crate) fn whole_units(units: &str, decimals: u8) -> String {
    let Ok(count) = parse_units(units) else { return format!("{units} (no amount)") };
    let plain = format_units(count, decimals);
    let (whole, fraction) = plain.split_once('.').map_or((plain.as_str(), None), |(whole, fraction)| (whole, Some(fraction)));
    let mut grouped = String::with_capacity(plain.len() + 8);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match fraction {
        Some(fraction) => format!("{grouped}.{fraction}"),
        None => grouped,
    }
}

/// `0.873` as `87 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share.clamp(0.0, 1.0) * 100.0)
}

/// Relative, exact on hover and focus; the script keeps it current.
pub(crate) fn time(at: UtcTime, now: DateTime<Utc>) -> Markup {
    html! { time datetime=(at.0.to_rfc3339_opts(SecondsFormat::Secs, true)) title=(exact(at)) data-relative { (relative(at.0, now)) } }
}

/// `2026-11-19 04:45:10 UTC`.
pub(crate) fn exact(at: UtcTime) -> String {
    at.0.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// "3 min ago", "in 6 s"; the script says it in the same words.
pub(crate) fn relative(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let between = now - at;
    let told = span(between.abs());
    match between {
        between if between.abs() < TimeDelta::seconds(1) => "now".to_owned(),
        between if between < TimeDelta::zero() => format!("in {told}"),
        _ => format!("{told} ago"),
    }
}

/// "6 s", "3 min", "2 h", "4 d".
pub(crate) fn span(length: TimeDelta) -> String {
    match length.num_seconds() {
        seconds @ ..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// Whole, breaking anywhere, with a button that copies it.
pub(crate) fn hash(text: &str) -> Markup {
    html! {
        span.hash {
            code { (text) }
            (copy_button(text))
        }
    }
}

/// A whole address in groups of four. What differs from `known`, an address that it could be taken for, is marked.
pub(crate) fn address(text: &str, known: Option<&str>) -> Markup {
    let (prefix, digits) = text.strip_prefix("0x").map_or(("", text), |digits| ("0x", digits));
    let known: Vec<char> = known.map(|known| known.trim_start_matches("0x").chars().collect()).unwrap_or_default();
    let digits: Vec<char> = digits.chars().collect();
    let differs = |place: usize, c: char| !known.is_empty() && known.get(place).is_none_or(|other| !other.eq_ignore_ascii_case(&c));
    html! {
        span.address dir="ltr" {
            code aria-label=(visible_line(text)) {
                @if !prefix.is_empty() { span.group { (prefix) } }
                @for (index, group) in digits.chunks(4).enumerate() {
                    span.group {
                        @for (offset, c) in group.iter().enumerate() {
                            @if differs(index * 4 + offset, *c) { mark { (c) } } @else { (c) }
                        }
                    }
                }
            }
            (copy_button(text))
        }
    }
}

fn copy_button(text: &str) -> Markup {
    html! { button.copy type="button" data-copy=(text) aria-label="Copy" title="Copy" { (super::icons::icon(super::icons::Icon::Copy)) } }
}

/// Spent solid, reserved hatched, a tick at what a person is asked above; the numbers beneath.
pub(crate) fn budget_bar(day: &BudgetDay) -> Markup {
    let Money { asset, decimals, .. } = &day.spent;
    let limit = day.limit_units.as_deref().and_then(|units| parse_units(units).ok()).filter(|limit| !limit.is_zero());
    let share = |units: &str| limit.map_or(0, |limit| tenths_of_percent(parse_units(units).unwrap_or_default(), limit));
    let (spent, reserved) = (share(&day.spent.units), share(&day.reserved_units));
    let ask_above = day.ask_above_units.as_deref().map(|units| share(units).min(1_000));
    let whole = |units: &str| whole_units(units, *decimals);
    let told = match &day.limit_units {
        Some(limit) => format!("{} of {} {asset} spent today", whole(&day.spent.units), whole(limit)),
        None => format!("{} {asset} spent today; no limit is known", whole(&day.spent.units)),
    };
    html! {
        figure.budget {
            @if limit.is_some() {
                svg.bar viewBox="0 0 1000 8" preserveAspectRatio="none" width="100%" height="8" role="img" aria-label=(told) {
                    rect.bar-left width="1000" height="8" {}
                    rect.bar-spent width=(spent.min(1_000)) height="8" {}
                    rect.bar-reserved x=(spent.min(1_000)) width=(reserved.min(1_000_u64.saturating_sub(spent))) height="8" fill="url(#hatch)" {}
                    @if let Some(tick) = ask_above { rect.bar-tick x=(tick.saturating_sub(3)) width="6" height="8" {} }
                }
            }
            figcaption {
                span { (told) " " (super::why::why(super::why::Why::Budget)) }
                @if day.reserved_units != "0" { span { (whole(&day.reserved_units)) " " (asset) " reserved" } }
                @if let Some(units) = &day.ask_above_units { span { "asks above " (whole(units)) " " (asset) } }
            }
        }
    }
}

/// For the width of a bar only.
fn tenths_of_percent(part: U256, whole: U256) -> u64 {
    part.saturating_mul(U256::from(1_000)).checked_div(whole).map_or(0, |share| share.saturating_to::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_whole_units_to_the_last_digit() {
        for (units, decimals, shown) in [
            ("0", 18, "0"),
            ("1", 18, "0.000000000000000001"),
            ("1500000", 6, "1.5"),
            ("1234567000000", 6, "1,234,567"),
            ("100000000000000000000000000000000000001", 18, "100,000,000,000,000,000,000.000000000000000001"),
            ("999", 0, "999"),
            ("1000", 0, "1,000"),
            ("1e18", 18, "1e18 (no amount)"),
            ("-1", 2, "-1 (no amount)"),
        ] {
            assert_eq!(whole_units(units, decimals), shown, "{units} {decimals}");
        }
    }

    #[test]
    fn times_are_told_from_now_in_both_directions() {
        let now: DateTime<Utc> = "2026-11-19T05:00:00Z".parse().unwrap();
        for (seconds, told) in [(0, "now"), (-6, "in 6 s"), (59, "59 s ago"), (60, "1 min ago"), (7_200, "2 h ago"), (172_800, "2 d ago")] {
            assert_eq!(relative(now - TimeDelta::seconds(seconds), now), told);
        }
    }

    #[test]
    fn what_an_address_has_other_than_its_look_alike_is_marked() {
        let shown = address("0xAbcd0011", Some("0xabCd0021")).into_string();
        assert!(shown.contains("<span class=\"group\">Abcd</span><span class=\"group\">00<mark>1</mark>1</span>"), "{shown}");
        assert!(!address("0xAbcd0011", None).into_string().contains("<mark>"));
    }

    #[test]
    fn a_budget_bar_never_grows_over_its_limit() {
        let spent = Money { units: "30".to_owned(), asset: "ETH".to_owned(), decimals: 0, chain_id: "1".to_owned() };
        let day =
            BudgetDay { spent, reserved_units: "5".to_owned(), limit_units: Some("20".to_owned()), ask_above_units: Some("99".to_owned()) };
        let shown = budget_bar(&day).into_string();
        assert!(shown.contains("class=\"bar-spent\" width=\"1000\"") && shown.contains("x=\"1000\" width=\"0\""), "{shown}");
    }
}
