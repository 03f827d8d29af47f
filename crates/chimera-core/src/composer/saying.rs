//! Whether each sentence of a text says what the sources say: its words are theirs, its names and numbers stand where theirs stand, and it
//! does not deny what they affirm. It looks at words and their neighbours alone, and knows nothing of how the text was made.

use super::sentences::split;
use crate::{
    perception::words::is_function_word,
    policy::wording::{stem, stems},
};
use std::collections::{HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation;

/// What was found out about the sentences of one text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Saying {
    /// Sentences that claim something about the world.
    pub claims: usize,
    /// The least that one of them has in common with what may be said, 0 to 1; 1 when nothing is claimed.
    pub weakest: f64,
    /// How far the sources support each of them, where somebody read both.
    pub readings: Vec<f64>,
    /// Sentences that say what nobody said.
    pub foreign: Vec<String>,
    /// Sentences that deny what a source affirms, or affirm what it denies.
    pub denials: Vec<String>,
    /// Names and numbers that a source has, and says of something else.
    pub misplaced: Vec<String>,
    /// The sources that were used, by their place, most used first.
    pub sources: Vec<usize>,
}

impl Saying {
    /// The least and the mean of how far its claims are supported, where somebody read them.
    pub fn read(&self) -> Option<(f64, f64)> {
        let least = self.readings.iter().copied().reduce(f64::min)?;
        Some((least, self.readings.iter().sum::<f64>() / self.readings.len() as f64))
    }
}

/// Everything that may be said, sentence by sentence.
pub struct Sayable {
    sentences: Vec<Known>,
    /// Words of the goal, the SOUL, memory and ourselves: they may stand anywhere.
    free_words: HashSet<String>,
    /// For every name and number, what stands around it wherever it is used.
    around: HashMap<String, HashSet<String>>,
}

struct Known {
    stems: HashSet<String>,
    denies: bool,
    /// `None` for what is not a source's.
    source: Option<usize>,
}

/// With less in common than this with any one source, and no help from the goal, a sentence is somebody else's.
const FOREIGN_MAX: f64 = 0.5;
/// With so much in common, a sentence speaks of the same event as the source's, and may not deny it.
const SAME_EVENT_MIN: f64 = 0.5;
/// From here on a reading of sentence and source outweighs how few words they have in common: at most one in eight unsupported sentences of
/// six public sets, and one in four of the hardest, is read so: see `docs/quality.md`.
const BORNE_OUT_MIN: f64 = 0.7;
/// From here on also a denial and a name that stands elsewhere: of unsupported sentences one in fifty, mostly fewer.
const SURELY_BORNE_OUT_MIN: f64 = 0.8;
/// Below this a sentence is refused whatever its words: of supported ones about one in a hundred.
const REFUSED_MAX: f64 = 0.2;
/// Words to each side that tell what a name is said of, in a text and in a source.
const NAME_REACH: (usize, usize) = (4, 7);
/// The same for a number, which belongs to what is right beside it.
const NUMBER_REACH: (usize, usize) = (3, 4);

impl Sayable {
    /// `told` is what the goal, the SOUL and memory say; `own_phrases` are ours and claim nothing.
    pub fn new<'a>(
        sources: impl IntoIterator<Item = (usize, String)>,
        told: impl IntoIterator<Item = &'a str>,
        own_phrases: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let mut sayable = Self { sentences: Vec::new(), free_words: HashSet::new(), around: HashMap::new() };
        for (source, text) in sources {
            for sentence in split(&text) {
                sayable.add(&sentence, Some(source));
            }
        }
        for text in told {
            for sentence in split(text) {
                sayable.add(&sentence, None);
            }
            sayable.free_words.extend(telling(text));
        }
        sayable.free_words.extend(own_phrases.into_iter().flat_map(telling));
        sayable
    }

    fn add(&mut self, sentence: &str, source: Option<usize>) {
        let words = words_of(sentence);
        for (index, word) in words.iter().enumerate().filter(|(_, word)| is_mark(word)) {
            self.around.entry(bare(word)).or_default().extend(neighbours(&words, index, reach(word).1));
        }
        self.sentences.push(Known { stems: telling(sentence).collect(), denies: denies(sentence), source });
    }

    pub fn check(&self, text: &str) -> Saying {
        self.weighed(text, &|_| None)
    }

    /// With how far the sources support a sentence, 0 to 1, where somebody read both: what is surely supported is not refused for its words, and
    /// what is surely not is refused although its words are known.
    pub fn weighed(&self, text: &str, supported: &dyn Fn(&str) -> Option<f64>) -> Saying {
        let mut found = Saying { weakest: 1.0, ..Saying::default() };
        let mut used: HashMap<usize, usize> = HashMap::new();
        for sentence in split(text) {
            let sentence = unaddressed(&sentence);
            let own: HashSet<String> = telling(&sentence).collect();
            // A question, a greeting, a turn of phrase.
            let claims_nothing = own.iter().all(|word| self.free_words.contains(word))
                || is_question_without_marks(&sentence)
                || self.is_talk(&sentence, &own);
            if claims_nothing {
                continue;
            }
            found.claims += 1;
            let best = self.sentences.iter().max_by(|one, other| nearness(&own, one).total_cmp(&nearness(&own, other)));
            let shared = best.map_or(0.0, |known| overlap(&own, known));
            if let Some(source) = best.filter(|_| shared > 0.0).and_then(|known| known.source) {
                *used.entry(source).or_default() += 1;
            }
            let support = self.support(&own, best.and_then(|known| known.source));
            // What is told, and no source says, nobody read.
            let read =
                if best.is_some_and(|known| known.source.is_none() && shared >= SAME_EVENT_MIN) { None } else { supported(&sentence) };
            found.readings.extend(read);
            let (is_borne_out, is_refused) = (read.is_some_and(|read| read >= BORNE_OUT_MIN), read.is_some_and(|read| read < REFUSED_MAX));
            found.weakest =
                found.weakest.min(read.filter(|_| is_borne_out || is_refused).map_or(support, |read| if is_refused { read } else { 1.0 }));
            if is_refused || (support < FOREIGN_MAX && !is_borne_out) {
                found.foreign.push(sentence.clone());
            }
            let is_sure = read.is_some_and(|read| read >= SURELY_BORNE_OUT_MIN);
            if !is_sure && best.is_some_and(|known| shared >= SAME_EVENT_MIN && known.denies != denies(&sentence)) {
                found.denials.push(sentence.clone());
            }
            if !is_sure {
                found.misplaced.extend(self.misplaced(&sentence));
            }
        }
        let mut sources: Vec<(usize, usize)> = used.into_iter().collect();
        sources.sort_by_key(|(source, times)| (std::cmp::Reverse(*times), *source));
        found.sources = sources.into_iter().map(|(source, _)| source).collect();
        found
    }

    /// Whether the sentence only speaks to its reader: no name, no number, few words of its own, and none that could be an offer or a warning.
    fn is_talk(&self, sentence: &str, own: &HashSet<String>) -> bool {
        let words = words_of(sentence);
        let has_mark = words.iter().skip(1).any(|word| is_mark(word) && !ADDRESSES.contains(&word.to_lowercase().as_str()));
        let is_addressed = words.iter().any(|word| ADDRESSES.contains(&word.to_lowercase().replace('’', "'").as_str()))
            || words.first().is_some_and(|first| REQUESTS.contains(&first.to_lowercase().as_str()));
        let is_known = |word: &String| self.free_words.contains(word) || self.sentences.iter().any(|known| known.stems.contains(word));
        let new: Vec<&String> = own.iter().filter(|word| !is_known(word)).collect();
        let is_weighty = new.iter().any(|word| WEIGHTY.iter().any(|weighty| stem(weighty) == **word));
        !has_mark && is_addressed && new.len() <= TALK_WORDS_MAX && !is_weighty && !denies(sentence)
    }

    /// The share of the sentence's words that its source has anywhere, or that may stand anywhere.
    fn support(&self, own: &HashSet<String>, source: Option<usize>) -> f64 {
        let of_source: Vec<&Known> = self.sentences.iter().filter(|known| known.source.is_some() && known.source == source).collect();
        let is_said = |word: &&String| self.free_words.contains(*word) || of_source.iter().any(|known| known.stems.contains(*word));
        own.iter().filter(is_said).count() as f64 / own.len().max(1) as f64
    }

    /// Names and numbers whose neighbours in the sentence are nowhere their neighbours in what may be said.
    fn misplaced(&self, sentence: &str) -> Vec<String> {
        let words = words_of(sentence);
        let marks = words.iter().enumerate().filter(|(_, word)| is_mark(word));
        let wrong = marks.filter(|(index, word)| {
            let Some(known) = self.around.get(&bare(word)) else { return false };
            let here = neighbours(&words, *index, reach(word).0);
            !here.is_empty() && here.is_disjoint(known)
        });
        wrong.map(|(_, word)| (*word).to_owned()).collect()
    }
}

/// How near two sentences are to having the same words.
fn nearness(own: &HashSet<String>, known: &Known) -> f64 {
    2.0 * own.intersection(&known.stems).count() as f64 / (own.len() + known.stems.len()).max(1) as f64
}

/// How much of the shorter of two sentences is in the other.
fn overlap(own: &HashSet<String>, known: &Known) -> f64 {
    let shared = own.intersection(&known.stems).count();
    shared as f64 / own.len().min(known.stems.len()).max(3) as f64
}

/// Stems of the words that carry a meaning.
fn telling(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<String> =
        text.unicode_words().filter(|word| !is_function_word(&word.to_lowercase()) && !is_negation(word)).map(stem).collect();
    words.into_iter()
}

fn words_of(sentence: &str) -> Vec<&str> {
    sentence.unicode_words().collect()
}

/// A number, or a word that is written large and is not the first of many.
fn is_mark(word: &str) -> bool {
    word.chars().any(char::is_numeric) || (word.chars().next().is_some_and(char::is_uppercase) && !is_function_word(&word.to_lowercase()))
}

fn bare(word: &str) -> String {
    let lowered = word.to_lowercase().replace('’', "'");
    lowered.strip_suffix("'s").unwrap_or(&lowered).to_owned()
}

fn reach(mark: &str) -> (usize, usize) {
    if mark.chars().any(char::is_numeric) { NUMBER_REACH } else { NAME_REACH }
}

/// What stands around a word, without what stands around everything. The other words of one name say nothing about where it stands.
fn neighbours(words: &[&str], index: usize, reach: usize) -> HashSet<String> {
    let is_name = |word: &&&str| is_mark(word) && !word.chars().any(char::is_numeric);
    let of_name = |run: usize| if is_name(&&words[index]) { run } else { 0 };
    let first = index - of_name(words[..index].iter().rev().take_while(is_name).count());
    let last = index + of_name(words[index + 1..].iter().take_while(is_name).count());
    let from = first.saturating_sub(reach);
    let to = (last + reach + 1).min(words.len());
    let others = (from..first).chain(last + 1..to).map(|place| words[place]);
    others.filter(|word| !is_function_word(&word.to_lowercase()) && !is_negation(word)).map(stem).collect()
}

fn is_question_without_marks(sentence: &str) -> bool {
    sentence.ends_with(['?', '？', '؟']) && !words_of(sentence).iter().skip(1).any(|word| is_mark(word))
}

/// Whether a sentence denies: an odd number of words that do.
fn denies(sentence: &str) -> bool {
    let single = sentence.unicode_words().filter(|word| is_negation(word)).count();
    let words = stems(sentence);
    let phrases = DENYING_STEMS.iter().filter(|phrase| words.contains(&stem(phrase))).count();
    (single + phrases) % 2 == 1
}

fn is_negation(word: &str) -> bool {
    let lowered = word.to_lowercase().replace('’', "'");
    NEGATIONS.contains(&lowered.as_str()) || lowered.ends_with("n't") || lowered == "cannot"
}

/// Words of its own that a sentence may have and still be only talk.
const TALK_WORDS_MAX: usize = 5;
/// Who is spoken to, or speaks.
const ADDRESSES: [&str; 14] = ["you", "your", "yours", "you're", "i", "i'm", "i'll", "me", "my", "we", "us", "our", "let's", "friends"];
/// How a sentence begins that asks for something.
const REQUESTS: [&str; 32] = [
    "take", "look", "think", "tell", "share", "save", "pass", "read", "watch", "see", "imagine", "picture", "notice", "keep", "remember",
    "ask", "give", "go", "come", "breathe", "pause", "wait", "guess", "stay", "listen", "say", "note", "mark", "put", "hold", "consider",
    "let",
];
/// Words that make an offer, a warning or a verdict of what looks like talk.
const WEIGHTY: [&str; 30] = [
    "free",
    "discount",
    "sale",
    "guarantee",
    "promise",
    "refund",
    "win",
    "prize",
    "buy",
    "order",
    "price",
    "cost",
    "cheap",
    "best",
    "proven",
    "cure",
    "safe",
    "dangerous",
    "illegal",
    "fraud",
    "scam",
    "vote",
    "invest",
    "profit",
    "click",
    "send",
    "password",
    "wallet",
    "died",
    "killed",
];

const NEGATIONS: [&str; 11] = ["not", "never", "no", "none", "nobody", "nothing", "neither", "nor", "without", "hardly", "nowhere"];
/// Verbs that turn a sentence around.
const DENYING_STEMS: [&str; 8] = ["failed", "refused", "denied", "rejected", "cancelled", "canceled", "false", "untrue"];

/// Without the handles at its beginning: whom a reply speaks to is no part of what it says. Whether they exist, `grounding` asks.
fn unaddressed(sentence: &str) -> String {
    let mut rest = sentence.trim_start();
    while rest.starts_with('@') {
        rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANES: &str =
        "Addis Ababa opened 40 km of protected bike lanes on Monday. The lanes connect Meskel Square with the stations in the east.";
    const CARGO: &str = "A trial in Nairobi found that cargo bike riders were 22% faster than vans, said Wanjiru Kamau.";

    fn check(text: &str) -> Saying {
        let sources = [(0, LANES.to_owned()), (1, CARGO.to_owned())];
        Sayable::new(
            sources,
            ["Write about cycling in Africa", "Good tools make people bolder."],
            ["Worth a closer look:", "What do you make of it?"],
        )
        .check(text)
    }

    #[test]
    fn what_a_source_says_is_said_word_for_word_or_in_other_words() {
        for text in [
            "Worth a closer look: Addis Ababa opened 40 km of protected bike lanes on Monday.",
            "On Monday, Addis Ababa opened protected bike lanes: 40 km of them.",
            "Cargo bike riders in a Nairobi trial were 22% faster than vans.",
            "What do you make of it?",
            "Good tools make people bolder.",
            "Take a quiet moment with this one.",
            "I keep coming back to it.",
            "@bea@far.example @cleo.example.com Addis Ababa opened 40 km of protected bike lanes.",
        ] {
            let saying = check(text);
            assert!(saying.weakest >= 0.75, "{text}: {saying:?}");
            assert_eq!((saying.foreign.len(), saying.denials.len(), saying.misplaced.len()), (0, 0, 0), "{text}: {saying:?}");
        }
        assert_eq!(check("Cargo bike riders were 22% faster. Addis Ababa opened 40 km of bike lanes.").sources, [0, 1]);
    }

    #[test]
    fn denials_foreign_claims_and_borrowed_names_and_numbers_are_found() {
        assert_eq!(check("Addis Ababa did not open 40 km of protected bike lanes on Monday.").denials.len(), 1);
        assert_eq!(check("The mayor resigned after a scandal about secret contracts.").foreign.len(), 1);
        assert_eq!(check("You can buy one for free.").foreign.len(), 1, "an offer is no talk");
        assert_eq!(check("Addis Ababa opened 22 km of protected bike lanes.").misplaced, ["22"]);
        assert!(check("Wanjiru opened protected bike lanes on Monday.").misplaced.contains(&"Wanjiru".to_owned()));
    }

    #[test]
    fn two_negations_are_none() {
        assert!(denies("It isn't open.") && denies("They never said so") && !denies("It is not without charm") && !denies("It is open"));
    }
}
