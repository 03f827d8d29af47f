//! Whether a text says anything that nobody told us: every number, date, name, link, hashtag and mention must be found in the grounds
//! (sources, goal, SOUL, memory). It knows nothing of how the text was made.

use super::{
    claims::is_ordinary,
    small_words::{is_small, plain_number, unelided},
};
use crate::{
    domain::{Language, platform},
    perception::language::language_of,
};
use std::collections::HashSet;

/// What was checked, and what was found nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grounding {
    pub checked: usize,
    pub missing: Vec<String>,
}

impl Grounding {
    /// The share that was found; 1 when there was nothing to check.
    pub fn share(&self) -> f64 {
        if self.checked == 0 { 1.0 } else { (self.checked - self.missing.len()) as f64 / self.checked as f64 }
    }
}

const CALENDAR: [&str; 19] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// What a text may rest on.
pub struct Grounds {
    /// As it was written, in lower case: for links.
    lowered: String,
    /// Words with one space around each.
    spaced: String,
    words: HashSet<String>,
    /// Words that are ours and claim nothing, in lower case.
    own_words: HashSet<String>,
}

impl Grounds {
    pub fn new<'a, 'b>(texts: impl IntoIterator<Item = &'a str>, own_phrases: impl IntoIterator<Item = &'b str>) -> Self {
        // The separator keeps a name from being found across two texts.
        let lowered = texts.into_iter().map(str::to_lowercase).collect::<Vec<_>>().join(" \u{1f} ");
        let spaced = lowered.split('\u{1f}').map(spaced).collect::<Vec<_>>().join("\u{1f}");
        let words = spaced.split([' ', '\u{1f}']).map(str::to_owned).collect();
        let own_words = own_phrases.into_iter().flat_map(|phrase| words_of(phrase).collect::<Vec<_>>()).collect();
        Self { lowered, spaced, words, own_words }
    }

    /// Checks every claim of `text`.
    pub fn check(&self, text: &str) -> Grounding {
        let mut result = Grounding::default();
        let mut rest = text.to_owned();
        for link in platform::links(text) {
            result.note(link, self.lowered.contains(&link.to_lowercase()));
            rest = rest.replacen(link, " ", 1);
        }
        for tag in platform::hashtags(text) {
            result.note(&format!("#{tag}"), self.has_tag(tag));
            rest = rest.replacen(&format!("#{tag}"), " ", 1);
        }
        // Which words are ordinary is known of English alone; elsewhere a single large word at a sentence's beginning says nothing.
        let is_english = language_of(&rest).is_none_or(|language| language == Language::English);
        for line in rest.lines() {
            self.check_line(line, is_english, &mut result);
        }
        result
    }

    fn check_line(&self, line: &str, is_english: bool, result: &mut Grounding) {
        for (name, is_first) in claims(line) {
            let words: Vec<String> = words_of(&name).collect();
            let is_number = name.chars().any(char::is_numeric);
            if is_first && words.len() == 1 && !is_number && (!is_english || is_small(&words[0])) {
                continue;
            }
            let is_ours = |words: &[String]| words.iter().all(|word| self.own_words.contains(word));
            result.note(&name, is_ours(&words) || self.has_phrase(&words) || self.has_phrase(self.without_lead(&words, is_first)));
        }
    }

    /// Without what may stand before a name by chance: the first word of a sentence, which is written large whatever it is, and a date that
    /// the grounds have too.
    fn without_lead<'w>(&self, mut words: &'w [String], is_first: bool) -> &'w [String] {
        let names_nobody = |first: &String| self.own_words.contains(first) || is_ordinary(first) || is_small(first);
        if let Some((_, rest)) = words.split_first().filter(|(first, _)| is_first && names_nobody(first)) {
            words = rest;
        }
        while let Some((_, rest)) =
            words.split_first().filter(|(first, _)| CALENDAR.contains(&first.as_str()) && self.words.contains(*first))
        {
            words = rest;
        }
        words
    }

    fn has_phrase(&self, words: &[String]) -> bool {
        let phrase = words.join(" ");
        // Scripts without case have no spaces to go by.
        let is_uncased = phrase.chars().any(|c| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase());
        words.is_empty() || self.spaced.contains(&format!(" {phrase} ")) || (is_uncased && self.spaced.contains(&phrase))
    }

    /// A hashtag is words run together: each must be in the grounds, or all of them beside each other.
    pub fn has_tag(&self, tag: &str) -> bool {
        let lowered = tag.to_lowercase();
        let run_together = || self.spaced.replace(' ', "").contains(&lowered);
        self.words.contains(&lowered) || humps(tag).iter().all(|hump| self.words.contains(&hump.to_lowercase())) || run_together()
    }
}

impl Grounding {
    fn note(&mut self, claim: &str, is_known: bool) {
        self.checked += 1;
        if !is_known {
            self.missing.push(claim.chars().take(60).collect());
        }
    }
}

/// Runs of capitalised words and words with digits or without case, and whether the run opens a sentence.
fn claims(line: &str) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut run_is_first = true;
    let mut at_start = true;
    for token in line.split_whitespace() {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let is_claim = word.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric() || (c.is_alphabetic() && !c.is_lowercase()))
            || word.chars().any(|c| c.is_numeric());
        let breaks_before = token.starts_with(['"', '“', '(', '‘', '«', '•', '@']);
        if (!is_claim || breaks_before || at_start) && !run.is_empty() {
            found.push((run.join(" "), run_is_first));
            run.clear();
        }
        if is_claim {
            if run.is_empty() {
                run_is_first = at_start;
            }
            run.push(word);
        }
        at_start = !word.is_empty() && token.ends_with(['.', '!', '?', ':', '。', '！', '？']) || (at_start && word.is_empty());
        // "Liverpool's Echo Arena" is two names, which may stand apart in the source.
        let is_owner = word.ends_with("'s") || word.ends_with("’s");
        if is_claim && (at_start || is_owner || token.ends_with([',', ';', ')', '"', '”', '’', '»'])) {
            found.push((run.join(" "), run_is_first));
            run.clear();
        }
    }
    if !run.is_empty() {
        found.push((run.join(" "), run_is_first));
    }
    found
}

/// Words in lower case. A point or comma between digits belongs to the number, an ending `'s` to nobody.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let lowered: Vec<char> = text.to_lowercase().replace(['’', '‘'], "'").chars().collect();
    let mut plain = String::with_capacity(lowered.len());
    for (index, c) in lowered.iter().enumerate() {
        let beside =
            |test: fn(&char) -> bool| index > 0 && lowered.get(index - 1).is_some_and(test) && lowered.get(index + 1).is_some_and(test);
        let is_inner = match c {
            '.' | ',' => beside(|c| c.is_numeric()),
            '\'' => beside(|c| c.is_alphanumeric()),
            _ => false,
        };
        plain.push(if c.is_alphanumeric() || is_inner { *c } else { ' ' });
    }
    plain
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| plain_number(unelided(word.strip_suffix("'s").unwrap_or(word))).into_owned())
        .collect::<Vec<_>>()
        .into_iter()
}

fn spaced(text: &str) -> String {
    format!(" {} ", words_of(text).collect::<Vec<_>>().join(" "))
}

/// `CityPlanning2030` is `City`, `Planning`, `2030`.
fn humps(tag: &str) -> Vec<String> {
    let mut humps: Vec<String> = Vec::new();
    let mut previous: Option<char> = None;
    for c in tag.chars() {
        let starts = previous.is_none_or(|before| (c.is_uppercase() && !before.is_uppercase()) || (c.is_numeric() != before.is_numeric()));
        match humps.last_mut().filter(|_| !starts) {
            Some(hump) => hump.push(c),
            None => humps.push(c.to_string()),
        }
        previous = Some(c);
    }
    humps
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "On Monday the city of Addis Ababa opened 40 km of bike lanes, said Mayor Hana Bekele. It cost $1,200,000. See https://example.com/lanes";

    fn missing(text: &str) -> Vec<String> {
        Grounds::new([SOURCE, "Selam"], ["Worth a closer look:", "Source"]).check(text).missing
    }

    #[test]
    fn what_the_source_says_is_grounded() {
        for text in [
            "",
            "Worth a closer look: On Monday the city of Addis Ababa opened 40 km of bike lanes.",
            "It cost $1,200,000. Source: https://example.com/lanes",
            "Mayor Hana Bekele opened lanes. #AddisAbaba #BikeLanes",
            "Selam",
            "Worth Monday Addis Ababa opened lanes.",
        ] {
            assert_eq!(missing(text), [] as [&str; 0], "{text}");
        }
    }

    #[test]
    fn what_nobody_said_is_named() {
        for (text, expected) in [
            ("The city opened 41 km of lanes.", "41"),
            ("On Tuesday the city opened lanes.", "On Tuesday"),
            ("said Mayor Hana Tesfaye", "Mayor Hana Tesfaye"),
            ("It cost $1,300,000.", "1,300,000"),
            ("See https://example.com/other", "https://example.com/other"),
            ("lanes #Nairobi", "#Nairobi"),
            ("Nairobi opened lanes.", "Nairobi"),
            ("lanes in 東京", "東京"),
            ("thanks @nobody99", "nobody99"),
        ] {
            assert!(missing(text).iter().any(|claim| claim.contains(expected)), "{text}: {:?}", missing(text));
        }
    }

    #[test]
    fn small_words_and_ways_to_write_a_number_are_no_claims_in_any_language() {
        let spanish = Grounds::new(["En Valencia, 64,000 personas vieron las Fallas. La fiesta duró 4.5 horas."], []);
        for text in ["Si puedes, ve. Funciona bien. En Valencia hubo 64.000 personas.", "Las Fallas duraron 4,5 horas."] {
            assert_eq!(spanish.check(text).missing, [""; 0], "{text}");
        }
        assert_eq!(spanish.check("En Valencia hubo 640.000 personas con Ana Ruiz.").missing, ["640.000", "Ana Ruiz"]);
        let french = Grounds::new(["Le maire d'Ancerville a ouvert la piscine le 11 juin."], []);
        assert_eq!(french.check("Le 11 juin, à Ancerville, la piscine ouvre. À Ancerville, on nage.").missing, [""; 0]);
    }

    #[test]
    fn whoever_owns_a_thing_is_a_name_of_its_own() {
        let grounds = Grounds::new(["A fire burned in the car park of the Echo Arena in Liverpool."], []);

        assert_eq!(grounds.check("The fire at Liverpool's Echo Arena burned.").missing, [""; 0]);
        assert_eq!(grounds.check("The fire at Leeds’s Echo Arena burned.").missing, ["Leeds’s"]);
    }

    #[test]
    fn a_name_is_not_put_together_from_two_sources() {
        let grounds = Grounds::new(["She met Hana", "Tesfaye spoke"], []);

        assert_eq!(grounds.check("we met Hana Tesfaye").missing, ["Hana Tesfaye"]);
        assert!((grounds.check("we met Hana Tesfaye").share() - 0.0).abs() < f64::EPSILON);
    }
}
