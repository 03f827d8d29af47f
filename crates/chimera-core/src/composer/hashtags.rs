//! Hashtags from the words of the goal and of the chosen sentences.

use crate::policy::wording::{stem, stems};
use unicode_segmentation::UnicodeSegmentation;

const TAG_CHARS_MAX: usize = 24;
const WORD_CHARS_MIN: usize = 6;
const PHRASE_WORDS: std::ops::RangeInclusive<usize> = 2..=4;

/// At most `tags_max` hashtags with their `#`, best first: names in the sentences, then words that goal and sentences share.
pub fn choose(goal: &str, sentences: &[&str], tags_max: usize) -> Vec<String> {
    let goal_stems = stems(goal);
    let mut scored: Vec<(usize, String)> = Vec::new();
    for sentence in sentences {
        for (name, is_first) in names(sentence) {
            let in_goal = stems(&name).iter().filter(|word| goal_stems.contains(word)).count();
            let words = name.split(' ').count();
            // The first word of a sentence is written large whatever it is.
            if words > 1 || !is_first || in_goal > 0 {
                scored.push((3 * in_goal + words.min(2) + usize::from(!is_first), name));
            }
        }
        for phrase in shared_phrases(goal, sentence) {
            scored.push((5 + phrase.split(' ').count(), phrase));
        }
        for word in sentence.unicode_words().filter(|word| is_topical(word)) {
            if goal_stems.contains(&stem(word)) {
                scored.push((3, word.to_owned()));
            }
        }
    }
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let mut tags: Vec<String> = Vec::new();
    for (_, words) in scored {
        let tag = run_together(&words);
        let fits = tag.chars().count() <= TAG_CHARS_MAX && tag.chars().count() >= 3 && tag.chars().next().is_some_and(char::is_alphabetic);
        let is_new = !tags.iter().any(|known| overlaps(known, &tag));
        if fits && is_new && tags.len() < tags_max {
            tags.push(format!("#{tag}"));
        }
    }
    tags
}

/// Runs of words that goal and sentence both have: "right to repair".
fn shared_phrases(goal: &str, sentence: &str) -> Vec<String> {
    let (goal, words): (Vec<&str>, Vec<&str>) = (goal.unicode_words().collect(), sentence.unicode_words().collect());
    let in_goal = |phrase: &[&str]| {
        goal.windows(phrase.len()).any(|window| window.iter().zip(phrase).all(|(one, other)| one.to_lowercase() == other.to_lowercase()))
    };
    let is_sound = |phrase: &&[&str]| {
        let edges = [phrase[0], phrase[phrase.len() - 1]];
        let inner = |word: &&str| word.chars().count() > 3 || matches!(word.to_lowercase().as_str(), "to" | "of" | "and");
        edges.iter().all(|word| word.chars().count() > 3 && !is_common(word))
            && phrase.iter().all(inner)
            && phrase.iter().all(|word| word.chars().all(char::is_alphabetic))
    };
    PHRASE_WORDS
        .flat_map(|length| words.windows(length))
        .filter(is_sound)
        .filter(|phrase| in_goal(phrase))
        .map(|phrase| phrase.join(" "))
        .collect()
}

fn overlaps(known: &str, tag: &str) -> bool {
    let (known, tag) = (known.trim_start_matches('#').to_lowercase(), tag.to_lowercase());
    known.contains(&tag) || tag.contains(&known) || stem(&known) == stem(&tag)
}

fn run_together(words: &str) -> String {
    words
        .unicode_words()
        .map(|word| {
            let mut letters = word.chars().filter(|c| c.is_alphanumeric());
            letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
        })
        .collect()
}

/// Runs of two or three capitalised words, or one that is not at the start; and whether it opens the sentence.
fn names(sentence: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut run_is_first = true;
    for (index, token) in sentence.split_whitespace().enumerate() {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        let is_name = word.chars().next().is_some_and(char::is_uppercase) && !is_common(word) && word.chars().all(char::is_alphanumeric);
        if is_name {
            if run.is_empty() {
                run_is_first = index == 0;
            }
            run.push(word);
        }
        let ends =
            !is_name || token.ends_with([',', '.', ';', ':', '!', '?', ')', '”', '"']) || token.ends_with("'s") || token.ends_with("’s");
        if ends && !run.is_empty() {
            if run.len() <= 3 {
                found.push((run.join(" "), run_is_first));
            }
            run.clear();
        }
    }
    if !run.is_empty() && run.len() <= 3 {
        found.push((run.join(" "), run_is_first));
    }
    found
}

fn is_topical(word: &str) -> bool {
    word.chars().count() >= WORD_CHARS_MIN && word.chars().all(char::is_alphabetic) && !is_common(word)
}

/// Words that are no topic, however large they are written.
fn is_common(word: &str) -> bool {
    const COMMON: &str = " about after again also and announce another around because before being between brand could every first followers for from \
        found friday goal have here into january february march april june july august september october november december just keep latest like made make making many mention monday more most much must need news only other \
        over people place platform please post posts promote reach saturday share should since some story such sunday than that the their them then there these they thing things this those \
        through thursday today tuesday under until update very wednesday were what when where which while will with without would write year years your you we in on at it an as by of or to no new ";
    COMMON.contains(&format!(" {} ", word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_shared_words_become_hashtags() {
        let tags = choose("Write about bike lanes in Addis Ababa", &["On Monday the city of Addis Ababa opened 40 km of bike lanes."], 3);

        assert_eq!(tags, ["#AddisAbaba", "#BikeLanes"]);
        assert_eq!(choose("Promote the right to repair", &["The right to repair begins on Monday."], 3), ["#RightToRepair"]);
    }

    #[test]
    fn nothing_in_common_gives_no_hashtag_and_the_number_is_kept() {
        assert_eq!(choose("tea", &["the rain fell on the roofs all day"], 3), [] as [&str; 0]);
        assert_eq!(choose("x", &["He met Ana Lopez, Ben Okri and Cy Twombly."], 2).len(), 2);
    }
}
