//! What somebody who cannot see a card needs to know: what it says, how it looks, who made it.

use crate::{card::Layout, lettering::cut};

/// At most `chars_max` characters; what the card says is never left out for how it looks.
pub fn alt_text(
    headline: &str,
    layout: Layout,
    name: &str,
    source: Option<&str>,
    label: &str,
    in_motion: bool,
    chars_max: usize,
) -> String {
    let kind = if in_motion { "Animated card" } else { "Card" };
    let said = format!("{kind} by {name} that says: “{headline}”");
    let from = source.map(|source| format!(" Source: {source}.")).unwrap_or_default();
    let whole = format!("{said} {}.{from} {label}.", looks(layout));
    let candidates = [whole, format!("{said}{from} {label}."), said];
    let fitting = candidates.into_iter().find(|text| text.chars().count() <= chars_max);
    fitting.unwrap_or_else(|| cut(headline, chars_max))
}

fn looks(layout: Layout) -> &'static str {
    match layout {
        Layout::Poster => "Large type on one strong colour with two discs",
        Layout::Editorial => "Dark type on a light page under a heavy rule",
        Layout::Glow => "White type on a dark ground with soft lights",
        Layout::Figure => "The figure stands large above the sentence, before rings",
        Layout::Frame => "Centred type in a double frame",
        Layout::Tiles => "Type beside a wall of geometric tiles",
        Layout::Rings => "Type on a pale ground with rings in a corner",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alt_text_says_what_the_card_says_and_stays_within_the_limit() {
        let text = alt_text("Good tools make people bolder.", Layout::Glow, "Selam", Some("a.example"), "AI by @s", false, 1_000);
        assert_eq!(
            text,
            "Card by Selam that says: “Good tools make people bolder.” White type on a dark ground with soft lights. Source: a.example. AI by @s."
        );
        for chars_max in [1_000, 120, 70, 20] {
            let text = alt_text("Good tools make people bolder.", Layout::Glow, "Selam", Some("a.example"), "AI by @s", true, chars_max);
            assert!(text.chars().count() <= chars_max && text.contains("Good tools"), "{text}");
        }
    }
}
