//! News items as feeds hold them, made from the neutral lines that are part of the program: a headline, a paragraph in markup, an author.
//! About as long as a news agency's, 30 to 40 words. No two are the same.

use chimera_core::perception::{background::neutral_items, language::Language};
use serde_json::{Value, json};

const SYLLABLES: [&str; 16] =
    ["bar", "den", "fal", "gor", "hel", "kin", "lor", "mar", "nor", "pel", "rin", "sal", "tor", "ul", "ven", "wick"];
const AUTHORS: usize = 500;
/// Items of one story: the same headline's subject and town, in other words.
const STORY_ITEMS: usize = 5;

/// Item `number` of an endless stream.
pub fn item(number: usize) -> Value {
    let lines: Vec<&str> = neutral_items(Language::English).collect();
    let story = mixed(number / STORY_ITEMS);
    let subject = lines[story % lines.len()];
    let town = town(story / lines.len());
    let other = |nth: usize| lines[mixed(number * 3 + nth) % lines.len()];
    let title = match number % STORY_ITEMS {
        0 => format!("{subject} in {town}"),
        1 => format!("{town}: {subject}"),
        2 => format!("What is known so far: {subject}, {town}"),
        3 => format!("{subject}, and {town} asks what comes next"),
        _ => format!("{town} after {}: {subject}", weekday(story)),
    };
    let text = format!(
        "<p>{subject}, report {} from {town} says &amp; residents confirm. {}.</p><p>Also today: {}.</p> <a href=\"https://{}.example/{number}\">Read more</a>",
        number + 2,
        other(1),
        other(2),
        town.to_lowercase()
    );
    let author = format!("Reporter {}", mixed(number) % AUTHORS);
    json!({"title": title, "text": text, "author": author, "url": format!("https://{}.example/{number}", town.to_lowercase())})
}

fn town(number: usize) -> String {
    let part = |divisor: usize| SYLLABLES[number / divisor % SYLLABLES.len()];
    let name = format!("{}{}{}", part(1), part(16), part(256));
    name[..1].to_uppercase() + &name[1..]
}

fn weekday(number: usize) -> &'static str {
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][number % 7]
}

/// Splitmix64: neighbours have nothing in common.
pub fn mixed(number: usize) -> usize {
    let mut mixed = (number as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) as usize >> 1
}
