//! Whether each sentence of a text says what the sources say: its words are theirs, its names and numbers stand where theirs stand, and it
//! does not deny what they affirm. It looks at words and their neighbours alone, and knows nothing of how the text was made.

mod talk;

use super::{
    material::Rests,
    sentences::split,
    small_words::{is_small, plain_number, unelided},
};
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
    /// Sentences whose words speak against them, and a reading of sentence and source for them: no reason to refuse, and one to ask a person.
    pub doubted: Vec<String>,
    /// The sources that were used, by their place, most used first.
    pub sources: Vec<usize>,
    /// Sentences that were called voice, and are.
    pub voiced: usize,
    /// Sentences that other items say than those that they name.
    pub misnamed: Vec<String>,
}

/// A sentence of a text, and what its writer says that it rests on.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'s> {
    pub text: &'s str,
    pub(super) rests: &'s Rests,
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
    /// Every word of all that, as it is written, in small letters.
    heard: HashSet<String>,
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
/// What words say against a sentence (they are not the source's, deny what it affirms, put a number or a name beside other words) refuses it where
/// the reading is below these, and otherwise only lowers what it is worth: good prose says things in new words and a new order. Chosen on half of
/// the posts that `docs/quality.md` names; measured on the other half.
const FOREIGN_REFUSED_MAX: f64 = 0.4;
const DENIAL_REFUSED_MAX: f64 = 0.4;
const NUMBER_REFUSED_MAX: f64 = 0.5;
const NAME_REFUSED_MAX: f64 = 0.55;
/// What a doubted sentence has in common with its source, as far as its worth goes.
const DOUBTED: f64 = 0.7;
/// Words that a sentence shares with what a source says of a name, for the name to be in its place.
const NAME_WORDS_MIN: usize = 2;
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
        let mut sayable = Self { sentences: Vec::new(), free_words: HashSet::new(), heard: HashSet::new(), around: HashMap::new() };
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
        self.heard.extend(words.iter().map(|word| word.to_lowercase()));
        for (index, word) in words.iter().enumerate().filter(|(_, word)| is_mark(word)) {
            self.around.entry(bare(word)).or_default().extend(neighbours(&words, index, reach(word).1));
        }
        self.sentences.push(Known { stems: telling(sentence).collect(), denies: denies(sentence), source });
    }

    /// With how far the sources support a sentence, 0 to 1, where somebody read both: what is surely supported is not refused for its words, and
    /// what is surely not is refused although its words are known. What a sentence is said to rest on opens no door: it says where to look first.
    pub fn weighed(&self, statements: &[Statement<'_>], supported: &dyn Fn(&str) -> Option<f64>) -> Saying {
        let mut found = Saying { weakest: 1.0, ..Saying::default() };
        let mut used: HashMap<usize, usize> = HashMap::new();
        for Statement { text, rests } in statements {
            for sentence in split(text) {
                self.weigh(&unaddressed(&sentence), rests, supported, &mut found, &mut used);
            }
        }
        let mut sources: Vec<(usize, usize)> = used.into_iter().collect();
        sources.sort_by_key(|(source, times)| (std::cmp::Reverse(*times), *source));
        found.sources = sources.into_iter().map(|(source, _)| source).collect();
        found
    }

    fn weigh(
        &self,
        sentence: &str,
        rests: &Rests,
        supported: &dyn Fn(&str) -> Option<f64>,
        found: &mut Saying,
        used: &mut HashMap<usize, usize>,
    ) {
        let own: HashSet<String> = telling(sentence).collect();
        // A question, a greeting, a turn of phrase.
        if own.iter().all(|word| self.free_words.contains(word)) || self.is_talk(sentence, &own, *rests == Rests::Voice) {
            found.voiced += usize::from(*rests == Rests::Voice);
            return;
        }
        found.claims += 1;
        let of_all = self.nearest(&own, |_| true);
        let named = self.named(&own, rests);
        if matches!(rests, Rests::On(_)) && named.is_none() {
            found.misnamed.push(sentence.to_owned());
        }
        let best = named.as_ref().map_or(of_all, |named| named.nearest);
        let shared = best.map_or(0.0, |known| overlap(&own, known));
        if let Some(source) = best.filter(|_| shared > 0.0).and_then(|known| known.source) {
            *used.entry(source).or_default() += 1;
        }
        let anywhere = self.support(&own, &best.and_then(|known| known.source).into_iter().collect::<Vec<_>>());
        let support = named.map_or(anywhere, |named| named.support.max(anywhere));
        // What is told, and no source says, nobody read.
        let read = if best.is_some_and(|known| known.source.is_none() && shared >= SAME_EVENT_MIN) { None } else { supported(sentence) };
        found.readings.extend(read);
        let (is_borne_out, is_refused) = (read.is_some_and(|read| read >= BORNE_OUT_MIN), read.is_some_and(|read| read < REFUSED_MAX));
        found.weakest =
            found.weakest.min(read.filter(|_| is_borne_out || is_refused).map_or(support, |read| if is_refused { read } else { 1.0 }));
        // Where nobody read it, its words alone decide.
        let is_below = |most: f64| read.is_none_or(|read| read < most);
        let mut is_doubted = false;
        let is_foreign = is_refused || (support < FOREIGN_MAX && is_below(FOREIGN_REFUSED_MAX));
        if is_foreign && *rests == Rests::Voice && self.is_harmless(sentence, &own) {
            is_doubted = true;
        } else if is_foreign {
            found.foreign.push(sentence.to_owned());
        } else {
            is_doubted |= support < FOREIGN_MAX && !is_borne_out;
        }
        let is_sure = read.is_some_and(|read| read >= SURELY_BORNE_OUT_MIN);
        let denied = [best, of_all].into_iter().flatten();
        let is_denial = |known: &Known| overlap(&own, known) >= SAME_EVENT_MIN && known.denies != denies(sentence);
        if !is_sure && denied.into_iter().any(is_denial) {
            if is_below(DENIAL_REFUSED_MAX) {
                found.denials.push(sentence.to_owned());
            } else {
                is_doubted = true;
            }
        }
        if !is_sure {
            for word in self.misplaced(sentence) {
                let is_number = word.chars().any(char::is_numeric);
                let is_refused = if is_number {
                    is_below(NUMBER_REFUSED_MAX)
                } else {
                    is_below(NAME_REFUSED_MAX) && (read.is_none() || self.words_said_with(&word, &own) < NAME_WORDS_MIN)
                };
                if is_refused { found.misplaced.push(word) } else { is_doubted = true }
            }
        }
        if is_doubted {
            found.doubted.push(sentence.to_owned());
            found.weakest = found.weakest.min(DOUBTED);
        }
    }

    /// The most words that the sentence shares with a source's sentence that has the name, and those beside it.
    fn words_said_with(&self, name: &str, own: &HashSet<String>) -> usize {
        let name = stem(name);
        let shared = |place: usize| {
            let from = place.saturating_sub(1);
            let beside = self.sentences[from..].iter().take(place + 2 - from).filter(|known| known.source == self.sentences[place].source);
            let said: HashSet<&String> = beside.flat_map(|known| &known.stems).collect();
            own.iter().filter(|word| **word != name && said.contains(word)).count()
        };
        let places = self.sentences.iter().enumerate().filter(|(_, known)| known.stems.contains(&name));
        places.map(|(place, _)| shared(place)).max().unwrap_or(0)
    }

    fn nearest(&self, own: &HashSet<String>, of: impl Fn(&Known) -> bool) -> Option<&Known> {
        let known = self.sentences.iter().filter(|known| of(known));
        known.max_by(|one, other| nearness(own, one).total_cmp(&nearness(own, other)))
    }

    /// What the named facts' items say of it, those of one story together; `None` where they do not say it.
    fn named(&self, own: &HashSet<String>, rests: &Rests) -> Option<Named<'_>> {
        let Rests::On(stories) = rests else { return None };
        let of_story = |sources: &Vec<usize>| {
            let nearest = self.nearest(own, |known| known.source.is_some_and(|source| sources.contains(&source)));
            Named { nearest, support: self.support(own, sources) }
        };
        let best = stories.iter().map(of_story).reduce(|best, other| if other.support > best.support { other } else { best });
        best.filter(|named| named.support >= FOREIGN_MAX)
    }

    /// The share of the sentence's words that its source has anywhere, or that may stand anywhere.
    fn support(&self, own: &HashSet<String>, sources: &[usize]) -> f64 {
        let of_source: Vec<&Known> =
            self.sentences.iter().filter(|known| known.source.is_some_and(|source| sources.contains(&source))).collect();
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

/// What the items say that a sentence names.
#[derive(Clone, Copy)]
struct Named<'k> {
    nearest: Option<&'k Known>,
    support: f64,
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
    word.chars().any(char::is_numeric) || (word.chars().next().is_some_and(char::is_uppercase) && !is_small(&word.to_lowercase()))
}

fn bare(word: &str) -> String {
    let lowered = word.to_lowercase().replace('’', "'");
    plain_number(unelided(lowered.strip_suffix("'s").unwrap_or(&lowered))).into_owned()
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
    others.filter(|word| !is_small(&word.to_lowercase()) && !is_negation(word)).map(stem).collect()
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
pub(super) mod tests {
    use super::*;

    const LANES: &str =
        "Addis Ababa opened 40 km of protected bike lanes on Monday. The lanes connect Meskel Square with the stations in the east.";
    const CARGO: &str = "A trial in Nairobi found that cargo bike riders were 22% faster than vans, said Wanjiru Kamau.";

    pub(super) fn sayable() -> Sayable {
        let sources = [(0, LANES.to_owned()), (1, CARGO.to_owned())];
        Sayable::new(
            sources,
            ["Write about cycling in Africa", "Good tools make people bolder."],
            ["Worth a closer look:", "What do you make of it?"],
        )
    }

    fn check(text: &str) -> Saying {
        weighed(text, &Rests::Unsaid)
    }

    pub(super) fn weighed(text: &str, rests: &Rests) -> Saying {
        sayable().weighed(&[Statement { text, rests }], &|_| None)
    }

    /// What words alone would refuse is refused only where the reading does not speak for it; then it costs confidence.
    #[test]
    fn good_prose_is_not_refused_for_new_words_around_a_name_or_number() {
        let read = |text: &str, verdict: f64| sayable().weighed(&[Statement { text, rests: &Rests::Unsaid }], &|_| Some(verdict));
        for text in [
            "Whoever pedals through Addis Ababa now has 40 km of protected lanes to themselves.",
            "Vans lost to cargo bikes in Nairobi: Wanjiru Kamau puts the gap at 22%.",
        ] {
            let (likely, unlikely) = (read(text, 0.6), read(text, 0.3));
            assert!(likely.foreign.is_empty() && likely.denials.is_empty() && likely.misplaced.is_empty(), "{text}: {likely:?}");
            assert!(likely.weakest >= unlikely.weakest, "{text}");
        }
        let exchanged = "On Monday 22 stations in the east were opened.";
        assert!(!read(exchanged, 0.4).misplaced.is_empty(), "a number beside other words, which the reading does not bear out");
        assert_eq!((read(exchanged, 0.6).misplaced.len(), read(exchanged, 0.6).doubted.len()), (0, 1));
        assert!(read(exchanged, 0.6).weakest < SAID_WHOLLY && read(exchanged, 0.85).doubted.is_empty());
    }

    /// From here on `confidence` takes a sentence for said.
    const SAID_WHOLLY: f64 = 0.75;

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
