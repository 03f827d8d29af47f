//! Prices, and moves: a price is news when it differs from the one seen before.

use super::{clean::plain_line, json_items::read_time};
use crate::domain::Untrusted;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value};

const NAME_CHARS_MAX: usize = 24;

/// What one unit of an asset costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    pub asset: Untrusted,
    pub currency: Untrusted,
    /// Finite and not negative.
    pub amount: f64,
    pub at: Option<DateTime<Utc>>,
}

/// `None` when the object has no asset or no usable price, so that it is read as an item.
pub fn read_price(object: &Map<String, Value>) -> Option<Price> {
    let asset = plain_line(object.get("asset")?.as_str()?, NAME_CHARS_MAX);
    let amount = match object.get("price")? {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    if asset.as_data().is_empty() || !amount.is_finite() || amount < 0.0 {
        return None;
    }
    let currency = object.get("currency").and_then(Value::as_str).unwrap_or("USD");
    Some(Price {
        asset: Untrusted::new(asset.as_data().to_uppercase()),
        currency: Untrusted::new(plain_line(currency, NAME_CHARS_MAX).as_data().to_uppercase()),
        amount,
        at: object.get("at").and_then(read_time),
    })
}

/// "ETH 3,412.10 USD, +5.2% in 4 h", or without the move when no earlier price is known.
pub fn price_line(price: &Price, earlier: Option<(f64, TimeDelta)>) -> Untrusted {
    let now = format!("{} {} {}", price.asset.as_data(), grouped(price.amount), price.currency.as_data());
    let line = match earlier {
        Some((amount, ago)) if amount > 0.0 && ago >= TimeDelta::minutes(1) => {
            format!("{now}, {:+.1}% in {}", (price.amount / amount - 1.0) * 100.0, rounded(ago))
        }
        _ => now,
    };
    Untrusted::new(line)
}

fn rounded(ago: TimeDelta) -> String {
    let minutes = ago.num_minutes();
    match minutes {
        ..90 => format!("{minutes} min"),
        90..2_160 => format!("{} h", (minutes + 30) / 60),
        2_160.. => format!("{} d", (minutes + 720) / 1_440),
    }
}

/// Two decimals and commas; more decimals for what costs less than one, so that a small price is not shown as nothing.
fn grouped(amount: f64) -> String {
    let plain = if amount >= 1.0 { format!("{amount:.2}") } else { format!("{amount:.6}") };
    let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut with_commas = String::with_capacity(plain.len() + plain.len() / 3);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            with_commas.push(',');
        }
        with_commas.push(digit);
    }
    format!("{with_commas}.{decimals}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn price(value: Value) -> Option<Price> {
        read_price(value.as_object().unwrap())
    }

    #[test]
    fn a_move_is_said_as_people_say_it() {
        let eth = price(json!({"asset": "eth", "price": "3412.1", "currency": "usd", "at": "2026-01-01T00:00:00Z"})).unwrap();
        for (earlier, line) in [
            (None, "ETH 3,412.10 USD"),
            (Some((3243.44, TimeDelta::minutes(239))), "ETH 3,412.10 USD, +5.2% in 4 h"),
            (Some((3500.0, TimeDelta::minutes(20))), "ETH 3,412.10 USD, -2.5% in 20 min"),
            (Some((3412.1, TimeDelta::days(2))), "ETH 3,412.10 USD, +0.0% in 2 d"),
            (Some((0.0, TimeDelta::hours(1))), "ETH 3,412.10 USD"),
        ] {
            assert_eq!(price_line(&eth, earlier).as_data(), line);
        }
    }

    #[test]
    fn small_and_large_prices_keep_their_digits() {
        for (amount, shown) in
            [(0.0, "0.000000"), (0.00042, "0.000420"), (1.0, "1.00"), (999.999, "1,000.00"), (1_234_567.0, "1,234,567.00")]
        {
            assert_eq!(grouped(amount), shown);
        }
    }

    #[test]
    fn what_is_not_a_price_is_not_read_as_one() {
        for value in [
            json!({}),
            json!({"asset": "eth"}),
            json!({"asset": "", "price": 1}),
            json!({"asset": "eth", "price": "much"}),
            json!({"asset": "eth", "price": -1}),
            json!({"asset": "eth", "price": "NaN"}),
            json!({"asset": "eth", "price": [1]}),
            json!({"asset": 7, "price": 1}),
        ] {
            assert_eq!(price(value.clone()), None, "{value}");
        }
    }
}
