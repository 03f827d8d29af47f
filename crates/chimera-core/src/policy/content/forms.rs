//! Reads a directive's sentence into a rule. The forms are listed in `docs/soul.md`; a sentence that fits none is unchecked.

mod languages;

pub(super) use languages::says;

use super::{Countable, Rule, Term};
use crate::policy::{sensitive::Topic, wording::stems};
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn rule(text: &str) -> Rule {
    let text = text.trim().trim_end_matches(['.', '!', ';']).trim();
    counted(text).or_else(|| forbidden(text)).or_else(|| demanded(text)).or_else(|| languages::rule(text)).unwrap_or(Rule::Unchecked)
}

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a fixed pattern, compiled by tests"));
    };
}

pattern!(
    NEVER,
    r"(?i)^(?:you\s+)?(?:(?:must|should|shall|may|can|will)\s+)?(?:never(?:\s+ever)?|not|do\s+not|don['’]?t|cannot|can['’]t|refuse\s+to)\s+(.+)$"
);
pattern!(AVOID, r"(?i)^(?:(?:please|always)\s+)?(?:avoid|no|without|refrain\s+from|stay\s+away\s+from|steer\s+clear\s+of)\s+(.+)$");
pattern!(
    SAYING,
    r"(?i)^(?:discuss(?:ing)?|mention(?:ing)?|talk(?:ing)?\s+(?:about|of)|speak(?:ing)?\s+(?:about|of)|writ(?:e|ing)\s+about|post(?:ing)?\s+about|comment(?:ing)?\s+(?:on|about)|refer(?:ring)?\s+to|referenc(?:e|ing)|nam(?:e|ing)|cover(?:ing)?|touch(?:ing)?\s+on|bring(?:ing)?\s+up|say(?:ing)?|us(?:e|ing)\s+(?:the\s+)?(?:words?|phrases?|terms?|expressions?)|giv(?:e|ing)|offer(?:ing)?|mak(?:e|ing))\s+(.+)$"
);
pattern!(PROMISING, r"(?i)^(?:mak(?:e|ing)\s+)?(?:promis(?:e|es|ing)|guarante(?:e|es|eing))(?:\s+(?:of|about|on|any)\b)*\s*(.*)$");
pattern!(
    USING,
    r"(?i)^(?:(?:us(?:e|ing)|add(?:ing)?|includ(?:e|ing)|post(?:ing)?|ask(?:ing)?|writ(?:e|ing)(?:\s+in)?|put(?:ting)?|any)\s+)*(.+)$"
);
pattern!(
    AT_MOST,
    r"(?i)^(?:(?:please\s+)?(?:always\s+)?(?:use|write|keep|stay|have|post|limit|be)\b.*?\s)?(?:at\s+most|no\s+more\s+than|up\s+to|under|within|to|below|a\s+maximum\s+of|max(?:imum)?(?:\s+of)?|never\s+more\s+than)\s+(\w+)\s+(.+)$"
);
pattern!(
    MORE_THAN,
    r"(?i)^(?:never|do\s+not|don['’]?t)\s+(?:use|write|post|add|exceed|go\s+over|include)\s+(?:more\s+than\s+)?(\d+|one|two|three|four|five)\s+(.+)$"
);
pattern!(
    ALWAYS,
    r"(?i)^(?:(?:you\s+)?(?:must|should|shall)\s+)?(?:always\s+)?(?:mention|include|say|use|add|tag|end\s+with|close\s+with|finish\s+with|sign\s+off\s+with|start\s+with|link\s+to|credit)\s+(.+)$"
);
pattern!(
    DISCLOSING,
    r"(?i)^(?:(?:you\s+)?(?:must|should)\s+)?always\s+(?:disclose|reveal|state|say|admit|label|mark|be\s+(?:clear|open|honest)|identify|make\s+(?:it\s+)?clear|tell)\b.*\b(?:ai|a\.i\.|artificial|bot|machine|virtual|automated|synthetic|generated)\b"
);
pattern!(
    CITING,
    r"(?i)^(?:(?:you\s+)?(?:must|should)\s+)?(?:always\s+)?(?:cite|credit|name|attribute|link(?:\s+to)?|mention|give|include|quote)\s+(?:(?:the|your|its|all|every|a|original)\s+)*(?:sources?|outlets?|attribution)$"
);
pattern!(QUOTED, "[\"“«]([^\"”»]{1,200})[\"”»]|(?:^|\\s)'([^']{1,200})'");

/// "at most 2 hashtags", "keep it under 200 characters", "never use more than one emoji".
fn counted(text: &str) -> Option<Rule> {
    let found = MORE_THAN.captures(text).or_else(|| AT_MOST.captures(text))?;
    let count_max = number(&found[1])?;
    Some(Rule::AtMost { count_max, what: countable(&found[2])? })
}

fn forbidden(text: &str) -> Option<Rule> {
    let (action, by_avoiding) = match NEVER.captures(text) {
        Some(found) => (found.get(1)?.as_str(), false),
        None => (AVOID.captures(text)?.get(1)?.as_str(), true),
    };
    if let Some(found) = PROMISING.captures(action) {
        return Some(Rule::NeverPromise { terms: terms(&found[1]).0 });
    }
    if let Some(what) = USING.captures(action).and_then(|found| countable(&found[1])) {
        return Some(Rule::AtMost { count_max: 0, what });
    }
    let subject = match SAYING.captures(action) {
        Some(found) => found.get(1)?.as_str(),
        // "avoid politics" is "never discuss politics"; "avoid sounding tired" is not.
        None if by_avoiding && Topic::named(action).is_some() => action,
        None => return None,
    };
    let (terms, open) = terms(subject);
    (!terms.is_empty() || open).then_some(Rule::Never { terms, open })
}

fn demanded(text: &str) -> Option<Rule> {
    if CITING.is_match(text) {
        return Some(Rule::AlwaysCite);
    }
    if DISCLOSING.is_match(text) {
        return Some(Rule::AlwaysDisclose);
    }
    let wanted = ALWAYS.captures(text)?.get(1)?.as_str();
    let wanted = quoted(wanted).into_iter().next().unwrap_or_else(|| without_lead(wanted).to_owned());
    // A demand for a kind of thing ("always use humour", "use short sentences") is not a text that could be looked for.
    let is_literal =
        wanted.starts_with(['#', '@']) || wanted.contains("://") || text.contains(['"', '“', '«', '\'']) || names_something(&wanted);
    (is_literal && text.to_lowercase().contains("always") || wanted.starts_with(['#', '@'])).then_some(Rule::Always { wanted })
}

/// Proper names and "our …" can be looked for; other phrases describe a manner.
fn names_something(wanted: &str) -> bool {
    wanted.split_whitespace().any(|word| word.starts_with(char::is_uppercase)) || wanted.starts_with("our ")
}

/// What a "never" is about, split at commas and conjunctions; and whether it is an open class.
fn terms(subject: &str) -> (Vec<Term>, bool) {
    let literal = quoted(subject);
    if !literal.is_empty() {
        return (literal.iter().map(|phrase| Term { words: stems(phrase), topic: None }).collect(), false);
    }
    static SPLIT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\s*[,;/]\s*(?:(?:or|and|nor)\s+)?|\s+(?:or|and|nor)\s+").expect("a fixed pattern, compiled by tests")
    });
    let (open_classes, empty_subjects) = (stems(OPEN_CLASSES), stems(EMPTY_SUBJECTS));
    let mut open = false;
    let mut found = Vec::new();
    for part in SPLIT.split(subject) {
        let part = without_lead(part);
        let words = stems(part);
        if words.is_empty() {
            continue;
        }
        open |= words.iter().any(|word| open_classes.contains(word));
        found.push(Term { topic: Topic::named(part), words });
    }
    found.retain(|term| !matches!(term.words.as_slice(), [only] if empty_subjects.contains(only)));
    (found, open)
}

/// Classes whose members are not in the sentence: no program knows every competitor.
const OPEN_CLASSES: &str =
    "competitor rival brand people person customer client personal private confidential anything opinion rumor rumour gossip negative";
/// Subjects that say nothing: "never promise anything".
const EMPTY_SUBJECTS: &str = "anything something it results outcomes";

fn without_lead(text: &str) -> &str {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:(?:any|the|a|an|our|about|of|on|specific|certain|their|that|to|word|words|phrase|hashtag|tag)\s+)+")
            .expect("a fixed pattern, compiled by tests")
    });
    let text = text.trim();
    // "our newsletter" keeps its "our": dropping it would leave a word that is everywhere.
    if text.to_lowercase().starts_with("our ") { text } else { text[LEAD.find(text).map_or(0, |lead| lead.end())..].trim() }
}

fn quoted(text: &str) -> Vec<String> {
    QUOTED
        .captures_iter(text)
        .filter_map(|found| found.get(1).or(found.get(2)))
        .map(|inner| inner.as_str().trim().to_owned())
        .filter(|inner| !inner.is_empty())
        .collect()
}

fn number(word: &str) -> Option<usize> {
    const NAMES: [&str; 6] = ["zero", "one", "two", "three", "four", "five"];
    NAMES.iter().position(|name| name.eq_ignore_ascii_case(word)).or_else(|| word.parse().ok())
}

fn countable(words: &str) -> Option<Countable> {
    static EXTRA: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:any|the|too\s+many|many)\s+|\s+(?:per|in|at\s+all|each|a)\b.*$|\s+or\s+(?:less|fewer)$|\s+long$")
            .expect("a fixed pattern, compiled by tests")
    });
    let words = EXTRA.replace_all(words.trim(), "").to_lowercase();
    Some(match words.trim() {
        "hashtag" | "hashtags" => Countable::Hashtags,
        "emoji" | "emojis" | "emoticons" => Countable::Emoji,
        "link" | "links" | "url" | "urls" => Countable::Links,
        "mentions" | "@mentions" | "at-mentions" => Countable::Mentions,
        "exclamation mark" | "exclamation marks" | "exclamation point" | "exclamation points" => Countable::ExclamationMarks,
        "question" | "questions" | "question mark" | "question marks" => Countable::Questions,
        "all caps" | "all-caps" | "capital letters" | "caps" | "capitals" => Countable::AllCapsWords,
        "word" | "words" => Countable::Words,
        "character" | "characters" | "chars" => Countable::Characters,
        "sentence" | "sentences" => Countable::Sentences,
        _ => return None,
    })
}
