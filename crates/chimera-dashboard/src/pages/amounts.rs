//! Budgets of agents and campaigns in words.

use super::components::values::whole_units;
use chimera_core::{
    contracts::views::agents::BudgetDay,
    domain::money::{U256, parse_units},
};
use serde_json::Value;

/// Whether anything moved, or is about to.
pub(super) fn is_used(day: &BudgetDay) -> bool {
    [&day.spent.units, &day.reserved_units].iter().any(|units| units.chars().any(|digit| digit != '0'))
}

/// How much of the day's limit is spent or held, in ten thousandths; nothing where no limit is known.
pub(super) fn taken(day: &BudgetDay) -> u64 {
    let units = |units: &str| parse_units(units).unwrap_or_default();
    let limit = day.limit_units.as_deref().map_or(U256::ZERO, units);
    let taken = units(&day.spent.units).saturating_add(units(&day.reserved_units));
    taken.saturating_mul(U256::from(10_000_u64)).checked_div(limit).map_or(0, |share| share.saturating_to())
}

/// A campaign's limits, as a person would say them; keys that nobody here knows as they stand.
pub(super) fn limits(constraints: &serde_json::Map<String, Value>) -> Vec<String> {
    constraints.iter().map(|(key, value)| limit(key, value)).collect()
}

fn limit(key: &str, value: &Value) -> String {
    let number = value.as_u64();
    let counted = |one: &str| number.map(|number| format!("{number} {one}{}", if number == 1 { "" } else { "s" }));
    let told = match key {
        "posts_max" => counted("post").map(|posts| format!("ends after {posts}")),
        "posts_per_day" => counted("post").map(|posts| format!("at most {posts} a day for each agent")),
        "posts_per_week" => counted("post").map(|posts| format!("at most {posts} a week for each agent")),
        "payments_max" => counted("payment").map(|payments| format!("at most {payments}")),
        "spend_max_units" => value.as_str().map(|units| format!("pays {units} smallest units in all")),
        "tokens_max" => number.map(|number| format!("ends after {number} tokens of language models")),
        "images_max" => counted("picture").map(|pictures| format!("at most {pictures}")),
        "videos_max" => counted("video").map(|videos| format!("at most {videos}")),
        "media_micro_usd_max" => number.map(|number| format!("pictures and videos for at most {}", micro_usd(number))),
        "platforms" => value.as_array().map(|names| format!("only on {}", joined(names))),
        "mix" => value.as_object().map(|parts| {
            let parts: Vec<String> = parts.iter().map(|(form, part)| format!("{form} {part}")).collect();
            format!("mix of posts: {}", parts.join(", "))
        }),
        _ => None,
    };
    told.unwrap_or_else(|| format!("{key}: {value}"))
}

fn joined(names: &[Value]) -> String {
    names.iter().map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned)).collect::<Vec<_>>().join(", ")
}

/// Millionths of a US dollar: `0.07 USD`.
pub(super) fn micro_usd(micro: u64) -> String {
    format!("{} USD", whole_units(&micro.to_string(), 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chimera_core::contracts::views::Money;
    use serde_json::json;

    #[test]
    fn a_day_is_used_once_anything_is_spent_or_held() {
        for (spent, reserved, used) in [("0", "0", false), ("00", "0", false), ("1", "0", true), ("0", "10", true)] {
            let spent = Money { units: spent.to_owned(), asset: "USDC".to_owned(), decimals: 6, chain_id: "1".to_owned() };
            let day = BudgetDay { spent, reserved_units: reserved.to_owned(), limit_units: None, ask_above_units: None };
            assert_eq!(is_used(&day), used, "{day:?}");
        }
    }

    #[test]
    fn what_is_taken_is_a_part_of_the_limit() {
        let day = |spent: &str, reserved: &str, limit: Option<&str>| {
            let spent = Money { units: spent.to_owned(), asset: "USDC".to_owned(), decimals: 6, chain_id: "1".to_owned() };
            BudgetDay { spent, reserved_units: reserved.to_owned(), limit_units: limit.map(str::to_owned), ask_above_units: None }
        };
        let largest = U256::MAX.to_string();
        assert_eq!(taken(&day("10", "15", Some("100"))), 2_500);
        assert_eq!(taken(&day("10", "0", Some("0"))), 0);
        assert_eq!(taken(&day("10", "0", None)), 0);
        assert!(taken(&day(&largest, &largest, Some("1"))) > 10_000);
    }

    #[test]
    fn limits_are_told_in_words_and_unknown_ones_as_they_are() {
        let constraints = json!({
            "posts_max": 1, "posts_per_day": 4, "platforms": ["bluesky", "mastodon"], "mix": {"news": 60}, "media_micro_usd_max": 70_000,
            "usdc_per_day": "5", "tokens_max": "many",
        });
        let told = limits(constraints.as_object().unwrap());
        for line in [
            "ends after 1 post",
            "at most 4 posts a day for each agent",
            "only on bluesky, mastodon",
            "mix of posts: news 60",
            "pictures and videos for at most 0.07 USD",
            "usdc_per_day: \"5\"",
            "tokens_max: \"many\"",
        ] {
            assert!(told.iter().any(|told| told == line), "{line} is not in {told:?}");
        }
    }
}
