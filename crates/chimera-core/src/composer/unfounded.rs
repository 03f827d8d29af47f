//! What a finished text says that nobody said. For whoever judges a text that somebody else made: nothing is believed that its writer says of it.
//!
//! It asks for what can be pointed at: numbers, names, dates, links, tags and quotations, and whether a source is denied. Whether a sentence
//! without any of these says more than its sources is the writer's checks' to ask, which know what the sentence was meant to be.

use super::{
    Source,
    claims::Grounded,
    drafting::{FIRST_WORDS, OPENING_WORDS, OWN_PHRASES, source_texts},
    grounding::Grounds,
    material::Rests,
    saying::{Sayable, Statement},
};
use crate::{
    domain::Soul,
    policy::{disclosure, phrases},
    ports::embedder::Embedder,
};
use unicode_segmentation::UnicodeSegmentation;

/// What a text may rest on.
pub struct Given<'a> {
    pub soul: &'a Soul,
    pub goal: &'a str,
    /// What the task asks for beyond the SOUL.
    pub constraints: &'a [String],
    /// The likeliest first.
    pub sources: &'a [Source],
}

/// What seems to deny a source is read beside so many of them.
const READ_MAX: usize = 12;
/// Fewer words between quotation marks are a name, or a word that is kept at a distance.
const QUOTED_WORDS_MIN: usize = 2;
/// The same where words are not set apart.
const QUOTED_CHARS_MIN: usize = 6;
const QUOTATION_MARKS: [(char, &[char]); 6] =
    [('"', &['"']), ('“', &['”']), ('„', &['“', '”']), ('«', &['»']), ('「', &['」']), ('『', &['』'])];

/// Each fault of `text`, in words that its writer can mend it by; empty where there is none.
pub fn unfounded(given: &Given<'_>, text: &str, embedder: &dyn Embedder) -> Vec<String> {
    let told = told(given);
    let mut faults: Vec<String> = missing(given, &told, text).iter().map(|claim| format!("nobody said {claim:?}")).collect();
    faults.extend(invented_quotations(given, &told, text).iter().map(|quoted| format!("nobody is known to have said \"{quoted}\"")));
    faults.extend(denials(given, &told, text, embedder).iter().map(|sentence| format!("the material says the opposite of: {sentence}")));
    faults
}

/// Everything that the operator wrote.
fn told<'a>(given: &Given<'a>) -> Vec<&'a str> {
    let soul = given.soul;
    let named = [given.goal, &soul.name, &soul.handle, &soul.disclosure, &soul.backstory].into_iter();
    let listed = soul.core_beliefs.iter().chain(&soul.directives).chain(given.constraints);
    named.chain(listed.map(String::as_str)).collect()
}

fn missing(given: &Given<'_>, told: &[&str], text: &str) -> Vec<String> {
    // Most of what rests on no source needs none of our own lines either.
    if given.sources.is_empty() && Grounds::new(told.iter().copied(), []).check(text).missing.is_empty() {
        return Vec::new();
    }
    let yes: Vec<String> = disclosure::plain_yeses(given.soul).collect();
    let texts = told.iter().copied().chain(yes.iter().map(String::as_str)).chain(given.sources.iter().flat_map(source_texts));
    Grounds::new(texts, own_phrases().chain([OPENING_WORDS])).check(text).missing
}

fn own_phrases() -> impl Iterator<Item = &'static str> {
    phrases::all().chain(OWN_PHRASES).chain([FIRST_WORDS])
}

/// What stands between quotation marks and is nowhere word for word. Where dots leave something out, each part by itself.
fn invented_quotations(given: &Given<'_>, told: &[&str], text: &str) -> Vec<String> {
    let quoted: Vec<&str> = quotations(text).into_iter().filter(|quoted| is_saying(quoted)).collect();
    if quoted.is_empty() {
        return Vec::new();
    }
    let known: Vec<String> = told.iter().copied().chain(given.sources.iter().flat_map(source_texts)).map(plain).collect();
    let is_known = |part: &str| {
        let part = plain(part);
        known.iter().any(|text| text.contains(&part))
    };
    let is_invented = |quoted: &&str| !quoted.replace("...", "…").split('…').all(is_known);
    quoted.into_iter().filter(is_invented).map(str::to_owned).collect()
}

fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((at, open, closing)) = first_mark(rest) {
        rest = &rest[at + open.len_utf8()..];
        let Some(end) = rest.find(closing) else { continue };
        found.push(rest[..end].trim());
        rest = rest[end..].chars().next().map_or("", |mark| &rest[end + mark.len_utf8()..]);
    }
    found
}

fn first_mark(text: &str) -> Option<(usize, char, &'static [char])> {
    text.char_indices().find_map(|(at, c)| QUOTATION_MARKS.iter().find(|(open, _)| *open == c).map(|(open, closing)| (at, *open, *closing)))
}

fn is_saying(quoted: &str) -> bool {
    let is_spaced = quoted.contains(char::is_whitespace);
    let is_uncased = quoted.chars().any(|c| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase());
    if is_spaced || !is_uncased { quoted.unicode_words().count() >= QUOTED_WORDS_MIN } else { quoted.chars().count() >= QUOTED_CHARS_MIN }
}

/// Words in lower case with one space around each.
fn plain(text: &str) -> String {
    let words: Vec<String> = text.unicode_words().map(|word| word.to_lowercase().replace('’', "'")).collect();
    format!(" {} ", words.join(" "))
}

/// Sentences that say the opposite of what a source says. One that a reader of both finds borne out is none.
fn denials(given: &Given<'_>, told: &[&str], text: &str, embedder: &dyn Embedder) -> Vec<String> {
    if given.sources.is_empty() {
        return Vec::new();
    }
    let body = body(text, &given.soul.disclosure);
    let sources = given.sources.iter().enumerate();
    let sources = sources.map(|(index, source)| (index, source_texts(source).collect::<Vec<_>>().join("\n\n")));
    let sayable = Sayable::new(sources, told.iter().copied(), own_phrases());
    let weighed = |text: &str, supported: &dyn Fn(&str) -> Option<f64>| {
        sayable.weighed(&[Statement { text, rests: &Rests::Unsaid }], supported).denials
    };
    let suspected = weighed(&body, &|_| None);
    if suspected.is_empty() || embedder.claim_reader().is_none() {
        return suspected;
    }
    let items: Vec<String> =
        given.sources.iter().take(READ_MAX).map(|source| format!("{}. {}", source.title.as_data(), source.text.as_data())).collect();
    let read: Vec<Grounded<'_>> = items.iter().map(|item| Grounded::new(item, embedder)).collect();
    let supported = |claim: &str| read.iter().map(|source| source.supports(claim).share).reduce(f64::max);
    weighed(&suspected.join(" "), &supported)
}

/// What the text says, without the label and the line that names its sources.
fn body(text: &str, label: &str) -> String {
    let said = text.lines().filter(|line| !phrases::is_source_line(line));
    said.map(|line| line.trim_end().strip_suffix(label).unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
