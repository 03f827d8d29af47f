//! The figure of a headline: "40 km", "5.2%", "$3.4 billion".

/// A figure that may be shown large, and the words around it as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figured {
    pub figure: String,
}

/// Words that belong to the number before them.
const UNITS: [&str; 33] = [
    "km",
    "m",
    "kg",
    "t",
    "GW",
    "MW",
    "kW",
    "GWh",
    "MWh",
    "kWh",
    "GB",
    "TB",
    "MB",
    "Hz",
    "GHz",
    "percent",
    "million",
    "billion",
    "trillion",
    "thousand",
    "years",
    "days",
    "hours",
    "minutes",
    "months",
    "weeks",
    "people",
    "jobs",
    "homes",
    "cities",
    "countries",
    "dollars",
    "euros",
];
const FIGURE_CHARS_MAX: usize = 12;

/// The first figure that says something alone; years, dates and numbers inside names do not.
pub fn split(headline: &str) -> Option<Figured> {
    let words: Vec<&str> = headline.split_whitespace().collect();
    for (index, word) in words.iter().enumerate() {
        let Some(number) = number_of(word) else { continue };
        // Only what ends bare goes on into the next word: "40, km" does not.
        let goes_on = word.ends_with(number.as_str());
        let unit = words.get(index + 1).filter(|_| goes_on).map(|next| next.trim_end_matches(|c: char| !c.is_alphanumeric()));
        let unit = unit.filter(|unit| UNITS.contains(unit));
        let marked = number.starts_with(['$', '€', '£', '+', '−']) || number.ends_with(['%', '‰']);
        if unit.is_none() && !marked {
            continue;
        }
        let figure = unit.map_or_else(|| number.clone(), |unit| format!("{number} {unit}"));
        if figure.chars().count() <= FIGURE_CHARS_MAX {
            return Some(Figured { figure });
        }
    }
    None
}

/// The word without what stands around it, when it is a number with at most a sign, a currency and a per cent.
fn number_of(word: &str) -> Option<String> {
    let inner = word.trim_start_matches(['(', '“', '"', '\'']).trim_end_matches([',', '.', ';', ':', '!', '?', ')', '”', '"', '\'']);
    let digits = inner.trim_start_matches(['$', '€', '£', '+', '-', '−']).trim_end_matches(['%', '‰']);
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',');
    (plain && digits.starts_with(|c: char| c.is_ascii_digit())).then(|| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_say_something_alone_are_found() {
        for (headline, figure) in [
            ("Addis Ababa opened 40 km of protected bike lanes on Monday.", Some("40 km")),
            ("ETH 3,412.10 USD, +5.2% in 4 h", Some("+5.2%")),
            ("A $3.4 billion fund for clean transport", Some("$3.4 billion")),
            ("Solar reached 12% of supply.", Some("12%")),
            ("In 2026, cities changed", None),
            ("On 3 March the library opens", None),
            ("GPT-5 and the A380", None),
            ("Version 1.2.3 is out", None),
            ("No figure here", None),
            ("", None),
        ] {
            assert_eq!(split(headline).map(|found| found.figure).as_deref(), figure, "{headline}");
        }
    }
}
