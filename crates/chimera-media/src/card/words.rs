//! The words of a card as the typefaces can write them, and what had to be changed for that.

use super::{CardError, Content};
use crate::lettering::{Han, REPLACEMENT, Unprintable, cut, is_right_to_left, writable};

pub struct Words {
    pub headline: String,
    /// Empty where it cannot be written; the handle stands for it.
    pub name: String,
    /// Empty where there is none.
    pub source: String,
    pub label: String,
    pub han: Han,
    pub notes: Vec<String>,
}

const NAME_CHARS_MAX: usize = 60;

impl Words {
    /// The headline must be writable; so must the label, which no card goes without.
    pub fn of(content: &Content, headline_chars_max: usize) -> Result<Self, CardError> {
        let mut notes = Vec::new();
        let whole = written("headline", &content.headline, &mut notes)?;
        let headline = cut(&whole, headline_chars_max);
        if headline != whole {
            notes.push(format!("the headline is cut to {headline_chars_max} characters"));
        }
        let label = written("label", &content.label, &mut notes)?;
        let name = cut(&optional("name", &content.name, &mut notes), NAME_CHARS_MAX);
        let source = content.source.as_deref().map(|source| optional("source", source, &mut notes)).unwrap_or_default();
        let han = Han::of(&[&headline, &label, &name]);
        let source = if source.is_empty() { source } else { format!("{}{source}", source_word(&headline, han)) };
        Ok(Self { headline, name, source, label, han, notes })
    }
}

fn written(what: &str, text: &str, notes: &mut Vec<String>) -> Result<String, Unprintable> {
    let found = writable(text)?;
    if !found.replaced.is_empty() {
        let signs: Vec<String> = found.replaced.iter().map(|sign| format!("{sign} (U+{:04X})", u32::from(*sign))).collect();
        notes.push(format!("the {what} shows {REPLACEMENT} for what no typeface has: {}", signs.join(", ")));
    }
    Ok(found.text)
}

fn optional(what: &str, text: &str, notes: &mut Vec<String>) -> String {
    written(what, text, notes).unwrap_or_else(|Unprintable(letter)| {
        notes.push(format!("the {what} is left out: no typeface has {letter:?}"));
        String::new()
    })
}

/// What stands before the source, in a language of the headline's script.
fn source_word(headline: &str, han: Han) -> &'static str {
    let most = |is: fn(char) -> bool| headline.chars().filter(|letter| is(*letter)).count() * 3 > headline.chars().count();
    if is_right_to_left(headline) == Some(true) {
        "المصدر: "
    } else if most(crate::lettering::is_devanagari) {
        "स्रोत: "
    } else if most(|letter| matches!(letter, '\u{1200}'..='\u{139f}')) {
        "ምንጭ፦ "
    } else if most(crate::lettering::is_cjk) {
        match han {
            Han::Japanese => "出典：",
            Han::Simplified => "来源：",
            Han::Traditional => "來源：",
        }
    } else {
        "Source: "
    }
}
