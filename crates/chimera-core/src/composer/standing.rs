//! Whether a sentence stands alone: a reader who sees nothing else of its item knows who and what it speaks of, and learns something.

mod credits;
mod datelines;
mod days;
mod verbs;
mod words;

pub use datelines::without_dateline;

use super::sentences::is_usable;
use crate::{domain::Language, policy::wording::stems};
use chrono::TimeDelta;
use regex::Regex;
use std::{collections::HashSet, sync::LazyLock};
use unicode_segmentation::UnicodeSegmentation;

/// One item as its sentences, in order, each with what came before it.
pub struct Item<'a> {
    pub language: Language,
    pub sentences: &'a [String],
    /// It is only its headline, which may be written large throughout.
    is_headline: bool,
    /// How old it is, where somebody says.
    age: Option<TimeDelta>,
    /// The words that tell what its title is about.
    title: HashSet<String>,
    /// Small words of the item: who begins a sentence with one has named nobody.
    small: HashSet<&'a str>,
}

/// Fewer words than this say too little to stand alone, and fewer characters where words are not parted.
const WORDS_MIN: usize = 7;
const DENSE_CHARS_MIN: usize = 16;
/// Words of the title that have so many letters tell what the item is about.
const TELLING_LETTERS_MIN: usize = 4;
/// Labels and captions have no more words, or characters where words are not parted.
const LABEL_WORDS_MAX: usize = 13;
const LABEL_CHARS_MAX: usize = 24;
/// Where a definite beginning must have named something.
const NAMED_WITHIN: usize = 6;

impl<'a> Item<'a> {
    pub fn new(title: &str, sentences: &'a [String], language: Language) -> Self {
        let small = sentences.iter().flat_map(|sentence| sentence.unicode_words()).filter(|word| word.starts_with(char::is_lowercase));
        Self { language, sentences, is_headline: false, age: None, title: telling(title), small: small.collect() }
    }

    pub fn aged(self, age: Option<TimeDelta>) -> Self {
        Self { age, ..self }
    }

    /// The title alone, as the one sentence of its item.
    pub fn headline(sentence: &'a [String], language: Language) -> Self {
        Self { is_headline: true, ..Self::new("", sentence, language) }
    }

    /// How well the sentence at `index` can begin a passage, 0 to 1; `None` when it cannot.
    pub fn standing(&self, index: usize) -> Option<f64> {
        let sentence = self.sentences[index].as_str();
        let leads = index == 0;
        if !self.can_be_said(sentence) || sentence.ends_with(['?', '？', '؟', '፧']) || self.leans(sentence, index) || speaks_first(sentence)
        {
            return None;
        }
        if self.is_headline && POINTING_WITHIN.is_match(sentence) || self.is_label(sentence) {
            return None;
        }
        let shared = telling(sentence).intersection(&self.title).count();
        // A later sentence must be about what the headline is about.
        let shared_min = match self.title.len() {
            0 | 1 => 0,
            2 | 3 => 1,
            _ => 2,
        };
        if !leads && shared < shared_min {
            return None;
        }
        let names = self.names(sentence);
        let has_number = sentence.chars().any(char::is_numeric);
        let is_dense = is_dense(sentence);
        let is_long_enough =
            if is_dense { sentence.chars().count() >= DENSE_CHARS_MIN } else { sentence.unicode_words().count() >= WORDS_MIN };
        // In scripts without capitals a name cannot be seen.
        let is_cased = sentence.chars().any(char::is_lowercase);
        if !is_long_enough || is_cased && names == 0 && !has_number && shared < 2 {
            return None;
        }
        let mut value = 0.35 + 0.25 * (shared as f64 / self.title.len().clamp(3, 5) as f64).min(1.0);
        value += 0.1 * f64::from(u8::from(names > 0)) + 0.05 * f64::from(u8::from(has_number)) + 0.25 / (1.0 + index as f64);
        let begins_pointing = begins_with(sentence, words::of(self.language).pointing);
        for (is_worse, factor) in [
            (begins_pointing && !leads, 0.8),
            (begins_pointing && leads && names == 0, 0.9),
            (sentence.ends_with(['!', '！']), 0.7),
            (POINTING_WITHIN.is_match(sentence), 0.75),
            (days::holds_for(sentence, self.language).is_some(), 0.85),
            (!matches!(sentence.chars().count(), 45..=260) && !is_dense, 0.85),
            (sentence.contains(['"', '“', '«', '„', '「']), 0.9),
        ] {
            if is_worse {
                value *= factor;
            }
        }
        Some(value.min(1.0))
    }

    /// Whether a sentence may come after the one before it in the item, where that one is said too.
    pub fn follows(&self, index: usize) -> bool {
        let sentence = self.sentences[index].as_str();
        let is_whole = sentence.unicode_words().count() >= 5 || is_dense(sentence);
        is_whole && self.can_be_said(sentence) && !sentence.ends_with(['?', '？', '؟', '፧', '!', '！']) && !speaks_first(sentence)
    }

    /// Fit to be said by somebody who did not write it: whole, inert, and in nobody's own voice.
    fn can_be_said(&self, sentence: &str) -> bool {
        let words = words::of(self.language);
        let lowered = lowered(sentence);
        is_usable(sentence)
            && is_well_formed(sentence)
            && (self.is_headline || !is_title(sentence) && !is_labelled(sentence))
            && !credits::is_credit(sentence)
            && !days::is_stale(sentence, self.language, self.age)
            && !has_word(&without_quotes(&lowered), words.own)
            && !has_word(&lowered, words.addressing)
            && ![words.furniture, words::of(Language::English).furniture]
                .iter()
                .any(|list| list.split('|').any(|phrase| lowered.contains(phrase)))
    }

    /// Whether it only names something. A long sentence without a verb that is known has one that is not.
    fn is_label(&self, sentence: &str) -> bool {
        let is_short = if is_dense(sentence) {
            sentence.chars().count() <= LABEL_CHARS_MAX
        } else {
            sentence.unicode_words().count() <= LABEL_WORDS_MAX
        };
        (self.is_headline || is_short) && !verbs::has_verb(sentence, self.language)
    }

    /// Whether it needs what was said before it.
    fn leans(&self, sentence: &str, index: usize) -> bool {
        let words = words::of(self.language);
        if begins_with(sentence, words.leaning) || self.begins_twice(sentence) || misses_antecedent(sentence, self.language) {
            return true;
        }
        if index == 0 {
            return false;
        }
        let before = &self.sentences[..index];
        (begins_with(sentence, words.pointing) && !self.names_early(sentence))
            || begins_with(sentence, words.counting)
            || has_word(&lowered(sentence), words.adding)
            || self.points_at_the_unknown(sentence)
            || TITLED.is_match(sentence)
            || SURVEYED.is_match(sentence)
            || OWNED_BY_THE_SAME.is_match(sentence)
            || self.calls_by_half_a_name(sentence, before)
    }

    /// "Bread Our baker says": a heading that ran into the first words, where a small word is written large.
    fn begins_twice(&self, sentence: &str) -> bool {
        let words = words::of(self.language);
        let is_small = |word: &str| {
            let lowered = word.to_lowercase();
            [words.pointing, words.articles].iter().any(|list| list.split('|').any(|other| other == lowered))
        };
        let tokens: Vec<&str> = sentence.split(' ').take(10).collect();
        tokens.windows(3).enumerate().any(|(place, found)| {
            let (before, word, after) = (found[0], found[1], found[2]);
            let is_large = word.starts_with(char::is_uppercase) && word.chars().skip(1).all(char::is_lowercase) && is_small(word);
            // "En El Salvador" names a place.
            let begins_anew = after.starts_with(char::is_lowercase) || place == 0 && !is_small(before);
            is_large && begins_anew && !before.ends_with(|c: char| !c.is_alphanumeric())
        })
    }

    /// "the presentation": something definite that its title does not know, and that nothing after it tells.
    fn points_at_the_unknown(&self, sentence: &str) -> bool {
        let words = words::of(self.language);
        let tokens: Vec<&str> = sentence.split_whitespace().collect();
        let bare = |token: &str| token.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        (0..tokens.len()).any(|at| {
            let is_pointing = !words.pointing.is_empty() && words.pointing.split('|').any(|word| word == bare(tokens[at]));
            let after: Vec<&str> = tokens[at + 1..].iter().take(3).copied().collect();
            let is_known = after.iter().take(2).any(|word| self.title.contains(&stems(&bare(word)).concat()));
            // In German a noun is large without being a name.
            let is_named = self.language != Language::German
                && after.iter().any(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric()));
            let is_told = after.iter().skip(1).any(|word| words.telling.split('|').any(|joint| joint == *word));
            is_pointing && !is_known && !is_named && !is_told
        })
    }

    /// Whether something is named at its beginning. German writes every noun large: there the title must know two of its words.
    fn names_early(&self, sentence: &str) -> bool {
        if self.language == Language::German {
            return telling(sentence).intersection(&self.title).count() >= 2;
        }
        sentence
            .split_whitespace()
            .skip(1)
            .take(NAMED_WITHIN - 1)
            .any(|word| word.trim_start_matches(['(', '“', '"']).starts_with(char::is_uppercase))
    }

    /// A surname or an abbreviation whose bearer was introduced earlier.
    fn calls_by_half_a_name(&self, sentence: &str, before: &[String]) -> bool {
        let runs = self.runs(sentence);
        let single = runs.iter().filter(|run| run.len() == 1).map(|run| run[0]);
        let earlier: Vec<Vec<&str>> = before.iter().flat_map(|sentence| self.runs(sentence)).collect();
        let whole: Vec<&str> = runs.iter().filter(|run| run.len() > 1).flatten().copied().collect();
        single.filter(|name| !whole.contains(name)).any(|name| {
            let is_half = earlier.iter().any(|run| run.len() > 1 && run.last() == Some(&name));
            let is_short_for =
                name.chars().all(char::is_uppercase) && before.iter().any(|sentence| sentence.contains(&format!("({name})")));
            is_half || is_short_for
        })
    }

    /// Runs of words that are written large, without a first word that only begins the sentence.
    fn runs<'s>(&self, sentence: &'s str) -> Vec<Vec<&'s str>> {
        let mut runs: Vec<Vec<&str>> = vec![Vec::new()];
        for (place, token) in sentence.split_whitespace().enumerate() {
            let word = token.trim_matches(|c: char| !c.is_alphanumeric());
            let name = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
            let is_common = place == 0 && self.small.contains(name.to_lowercase().as_str());
            let is_name = name.starts_with(char::is_uppercase) && !is_common;
            if is_name {
                runs.last_mut().expect("there is always one").push(name);
            }
            if !is_name || token.ends_with([',', '.', ';', ':', ')', '”', '"']) || word != name {
                runs.push(Vec::new());
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    fn names(&self, sentence: &str) -> usize {
        let runs = self.runs(sentence);
        let begins = sentence.split_whitespace().next().unwrap_or("");
        // A lone word at the beginning may be large only for standing there.
        runs.iter().filter(|run| run.len() > 1 || !begins.starts_with(run[0])).count()
    }
}

/// Words that tell what a text is about.
pub(super) fn telling(text: &str) -> HashSet<String> {
    stems(text).into_iter().filter(|word| word.chars().count() >= TELLING_LETTERS_MIN || !word.is_ascii()).collect()
}

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a fixed pattern, compiled by tests"));
    };
}

pattern!(
    TITLED,
    r"^(?:Mr|Mrs|Ms|Miss|Dr|Prof|Supt|Sgt|Capt|Lt|Gov|Sen|Rep|Sr|Sra|Srta|Herr|Frau|Monsieur|Madame|M|Mme|Senhor|Senhora|Signor|Signora|Don|Doña|Dhr|Mevr|Ato|Bwana|Bi)\.? \p{Lu}"
);
pattern!(
    SURVEYED,
    r"(?i)\b(?:respondents?|participants?|surveyed|the (?:survey|poll|study|report)|encuestad[oa]s?|participantes|entrevistad[oa]s|sondés|répondants|personnes interrogées|befragten?|teilnehmer(?:innen)?|intervistati|ondervraagden)\b"
);
// "the app's most important features", and a speaker who is only "the company".
pattern!(OWNED_BY_THE_SAME, r"\b[Tt]he [a-z]+['’]s\b|\b(?:said|says|added|told|according to) (?:the|its|a) [a-z]+(?: [a-z]+)?[.,]");
pattern!(
    POINTING_WITHIN,
    r"(?i)\bthat (?:means|is why|was why)\b|\bdich[oa]s?\b|\bmencionad[oa]s?\b|\b(?:this|these|those) (?:[a-z]+\b)|\bsuch an?\b|\bsuch as this\b|\b(?:here|above|below|latter|former|aforementioned)\b|\b(?:est[ea]s?|es[ea]s?) (?:[a-z]+)\b|\bdies(?:e|er|es|em|en)\b"
);

/// A person spoken of as "he" or "her" before anybody was named.
fn misses_antecedent(sentence: &str, language: Language) -> bool {
    const PERSONS: &str = " man woman boy girl mother father son daughter husband wife actor actress singer player teen teenager driver student teacher pupil \
        officer doctor nurse patient author writer artist king queen prince princess suspect victim child baby brother sister grandmother grandfather \
        who person resident worker volunteer farmer engineer scientist researcher lawyer judge minister president mayor senator everyone someone ";
    const NO_NAMES: &str = " according after before during while with without despite under from since when as for in on at by like unlike because if though although ";
    if language != Language::English {
        return false;
    }
    let mut has_somebody = false;
    for (place, word) in sentence.unicode_words().enumerate() {
        let lowered = word.to_lowercase();
        if matches!(lowered.as_str(), "he" | "she" | "him" | "his" | "her" | "hers" | "he's" | "she's" | "he’s" | "she’s") && !has_somebody
        {
            return true;
        }
        let may_be_name = word.starts_with(char::is_uppercase) && !(place == 0 && NO_NAMES.contains(&format!(" {lowered} ")));
        has_somebody |= PERSONS.contains(&format!(" {lowered} ")) || may_be_name;
    }
    false
}

/// Somebody's own words without a word of who says them.
fn speaks_first(sentence: &str) -> bool {
    sentence.starts_with(['"', '“', '”', '«', '„', '‘', '\'', '「', '『', '»', '–', '—', '-'])
}

/// "Summary: 5-1A …", "CLICK FOR FULL RESULTS …", "Tonight; tomorrow: …": what stands before or between texts on a page.
fn is_labelled(sentence: &str) -> bool {
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r": [\p{Lu}\d]|;.*:|:.*;|;.*;| - .* - |^(?:\p{Lu}{2,} ){3}|\p{Lu}{2,} [—–] | [,.] ")
            .expect("a fixed pattern, compiled by tests")
    });
    LABELLED.is_match(sentence)
}

/// Nearly every word written large: a headline that ran into the text.
fn is_title(sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let large = words.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    words.len() >= 6 && large * 10 > words.len() * 7
}

fn is_well_formed(sentence: &str) -> bool {
    const ENDS: [char; 9] = ['.', '!', '?', '。', '！', '？', '।', '።', '؟'];
    let bare = sentence.trim_end_matches(['"', '”', '’', '»', ')', '」', '“']);
    let begins_small = sentence.chars().next().is_some_and(char::is_lowercase);
    static GLUED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\p{Ll}{3,}[.?!]\p{Lu}\p{Ll}|^\d{1,2}[.)] |\[\.\.\.\]|…|\.\.\.").expect("a fixed pattern, compiled by tests")
    });
    static LISTED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[:;] ?\d{1,2}\.$").expect("a fixed pattern, compiled by tests"));
    let is_list =
        LISTED.is_match(sentence) || sentence.contains(['|', '•', '→', '►', '·', '✓', '★', '\u{fffd}', '=', '{', '}', '<', '>', '_', '\\']);
    let is_cut = begins_small || GLUED.is_match(sentence) || quotes_are_open(sentence);
    bare.ends_with(ENDS) && !is_list && !is_cut
}

fn quotes_are_open(sentence: &str) -> bool {
    let count = |c: char| sentence.matches(c).count();
    let is_open = |open: char, close: char| count(open) != count(close);
    !count('"').is_multiple_of(2)
        || (is_open('“', '”') && is_open('„', '“'))
        || is_open('(', ')')
        || is_open('[', ']')
        || (is_open('«', '»') && is_open('»', '«'))
        || is_open('「', '」')
}

/// Without what stands between quotation marks: that is somebody else's voice.
fn without_quotes(text: &str) -> String {
    static QUOTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#""[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」"#).expect("a fixed pattern, compiled by tests"));
    QUOTED.replace_all(text, " ").into_owned()
}

/// In small letters, but for abbreviations: "US" is no "us", and "IT" no "it".
fn lowered(sentence: &str) -> String {
    let is_abbreviation = |word: &str| {
        let letters = word.chars().filter(|c| c.is_alphabetic());
        letters.clone().count() > 1 && letters.clone().count() < 5 && letters.clone().all(char::is_uppercase)
    };
    sentence.split(' ').map(|word| if is_abbreviation(word) { word.to_owned() } else { word.to_lowercase() }).collect::<Vec<_>>().join(" ")
}

/// Whether the sentence begins with a word or phrase of the list.
fn begins_with(sentence: &str, list: &str) -> bool {
    let lowered = lowered(sentence).replace('’', "'");
    list.split('|').filter(|phrase| !phrase.is_empty()).any(|phrase| {
        lowered.strip_prefix(phrase).is_some_and(|rest| {
            phrase.ends_with('\'') || phrase.chars().all(is_dense_char) || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
        })
    })
}

/// Whether a lowered sentence has a word of the list.
fn has_word(lowered: &str, list: &str) -> bool {
    let plain = lowered.replace('’', "'");
    list.split('|').filter(|word| !word.is_empty()).any(|word| {
        if word.chars().all(is_dense_char) {
            return plain.contains(word);
        }
        plain
            .unicode_words()
            .any(|other| other == word || other.split('\'').next() == Some(word.trim_end_matches('\'')) && word.ends_with('\''))
    })
}

fn is_dense(sentence: &str) -> bool {
    sentence.chars().filter(|c| is_dense_char(*c)).count() * 2 > sentence.chars().count()
}

fn is_dense_char(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff)
}

#[cfg(test)]
mod tests;
