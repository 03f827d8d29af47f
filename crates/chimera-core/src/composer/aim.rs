//! Whether an item is about what a goal names. A relevance says how near a text is to a goal beside others: where none is near, one is still the nearest,
//! and a post about it would be about something else.

use super::{choice::Candidate, claims::rarity, drafting::Desk, small_words::is_small, subject};
use crate::policy::wording::stem;
use std::collections::{BTreeSet, HashMap};
use unicode_segmentation::UnicodeSegmentation;

/// So many deviations above what neutral items have to the goal: of looked-at items those about it had 4.3 and more, the others less than 3.8.
const NEAR_MIN: f64 = 4.0;
/// All that the goal names, as far as sums of fractions can tell: "News of Valencia" is told of what names Valencia.
const NAMED_WHOLLY: f64 = 0.99;
/// Where its title and what is said have so much of what the goal names, half of that is enough.
const NAMED_MIN: f64 = 0.6;
const NEAR_AND_NAMED_MIN: f64 = 2.0;
const WORD_CHARS_MIN: usize = 3;
/// Two forms of one word begin alike for so many letters, and for this share of the longer one.
const SAME_CHARS_MIN: usize = 4;
const SAME_SHARE_MIN: f64 = 0.7;
/// What many goals say, and no item is about.
const SAYS_NOTHING: &str = " news stories story tips ideas advice ways things people world other others new good better best latest around about share post posts tell show help \
    noticias noticia consejos ideas historias cosas gente mundo nuevo nueva mejor nouvelles conseils actualités idées gens monde nachrichten neuigkeiten tipps ideen leute welt \
    notícias dicas ideias histórias pessoas mundo notizie consigli idee storie mondo nieuws ideeën verhalen mensen wereld habari ushauri watu dunia ";

/// The words by which a text names things, rare ones counting for more.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Named {
    words: Vec<(String, f64)>,
}

// Weights are never NaN.
impl Eq for Named {}

impl Named {
    pub(super) fn by(text: &str) -> Self {
        Self { words: telling(text).into_iter().map(|word| (word.clone(), weight(&word))).collect() }
    }

    /// How much of it `text` says, of 1.
    pub(super) fn share_in(&self, text: &str) -> f64 {
        let all: f64 = self.words.iter().map(|(_, weight)| weight).sum();
        let said = telling(text);
        let found = self.words.iter().filter(|(word, _)| said.iter().any(|other| is_same(word, other)));
        if all > 0.0 { found.map(|(_, weight)| weight).sum::<f64>() / all } else { 0.0 }
    }
}

/// What a goal names, ready to be looked for.
pub(super) struct Aim {
    named: Named,
    meaning: Vec<f32>,
    usual: (f64, f64),
}

impl Aim {
    pub(super) fn of(desk: &Desk<'_>) -> Self {
        let (goal, background) = (desk.brief.goal, desk.brief.background);
        let named = match subject::of_goal(goal) {
            Some(subject::Subject::Topic(named) | subject::Subject::Statement(named)) => named,
            None => goal.to_owned(),
        };
        let meaning = background.distinctive(&named, &desk.brief.embedder.embed(&[&named])[0]);
        let usual = background.usual_beside(&meaning, desk.language);
        Self { named: Named::by(&named), meaning, usual }
    }

    /// Those that are about what the goal names, in their order.
    pub(super) fn met_by(&self, desk: &Desk<'_>, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let sources: BTreeSet<usize> = candidates.iter().filter_map(|candidate| candidate.passage.source).collect();
        let titles: HashMap<usize, (&str, f64)> = sources
            .into_iter()
            .filter_map(|index| Some((index, desk.brief.sources.get(index)?.title.as_data())))
            .map(|(index, title)| (index, (title, self.nearness(desk, title, &desk.brief.embedder.embed(&[title])[0]))))
            .collect();
        let is_met = |candidate: &Candidate| {
            let text = candidate.passage.text();
            let (title, title_near) = candidate.passage.source.and_then(|index| titles.get(&index).copied()).unwrap_or(("", f64::MIN));
            let near = title_near.max(self.nearness(desk, &text, candidate.vector()));
            let named = self.named.share_in(&format!("{title} {text}"));
            near >= NEAR_MIN || named >= NAMED_WHOLLY || near >= NEAR_AND_NAMED_MIN && named >= NAMED_MIN
        };
        candidates.into_iter().filter(is_met).collect()
    }

    /// In deviations of what neutral items have.
    fn nearness(&self, desk: &Desk<'_>, text: &str, vector: &[f32]) -> f64 {
        let (middle, deviation) = self.usual;
        (desk.brief.background.likeness(&self.meaning, &desk.brief.background.distinctive(text, vector)) - middle) / deviation
    }
}

fn weight(word: &str) -> f64 {
    0.2 + rarity(word)
}

/// Stems of the words that name something; where words are not parted, pairs of signs.
fn telling(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let signs: Vec<char> = text.chars().collect();
    found.extend(signs.windows(2).filter(|pair| pair.iter().all(|c| is_sign(*c))).map(|pair| pair.iter().collect::<String>()));
    for word in text.unicode_words() {
        let lowered = word.to_lowercase();
        let is_telling = lowered.chars().count() >= WORD_CHARS_MIN || word.chars().all(char::is_uppercase) && word.len() > 1;
        if is_telling && !word.chars().all(is_sign) && !is_small(&lowered) && !SAYS_NOTHING.contains(&format!(" {lowered} ")) {
            found.insert(stem(word));
        }
    }
    found
}

/// Chinese characters and katakana: hiragana holds sentences together.
fn is_sign(c: char) -> bool {
    matches!(u32::from(c), 0x30a0..=0x30ff | 0x3400..=0x9fff)
}

fn is_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (letters, longer) = (one.chars().zip(other.chars()), one.chars().count().max(other.chars().count()));
    let shared = letters.take_while(|(one, other)| one == other).count();
    // In these scripts small words are written together with the next.
    let is_joined = |word: &str| word.chars().any(|c| matches!(u32::from(c), 0x0600..=0x06ff | 0x1200..=0x137f));
    shared >= SAME_CHARS_MIN && shared as f64 >= SAME_SHARE_MIN * longer as f64
        || is_joined(one) && one.chars().count() >= WORD_CHARS_MIN && other.contains(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_found_and_words_that_begin_alike_are_not() {
        for (one, other) in
            [("rivers", "river"), ("alquiler", "alquileres"), ("Brücke", "Brücken"), ("mascotas", "mascota"), ("كورفو", "بكورفو")]
        {
            assert!(is_same(&stem(one), &stem(other)), "{one} {other}");
        }
        for (one, other) in [("planets", "planned"), ("bread", "breach"), ("career", "careless"), ("comedy", "company")] {
            assert!(!is_same(&stem(one), &stem(other)), "{one} {other}");
        }
    }

    #[test]
    fn what_tells_nothing_is_not_looked_for() {
        let words = |text: &str| telling(text).into_iter().collect::<Vec<_>>();

        assert_eq!(words("News and tips about coral reefs for people"), ["coral", "reef"]);
        assert_eq!(words("Noticias de Valencia para la gente"), ["valencia"]);
        assert_eq!(words("自転車のニュース"), ["ニュ", "ュー", "ース", "自転", "転車"]);
    }
}
