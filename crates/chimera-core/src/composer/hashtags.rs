//! Hashtags: names that goal and text share, what the source is about by name, and phrases that goal and text share. A common word never stands alone,
//! and nobody who is not named by the goal becomes a tag: "#Device" finds nobody, and no hashtag is better than a silly one.

use crate::{
    domain::Language,
    policy::wording::{stem, stems},
};
use unicode_segmentation::UnicodeSegmentation;

const TAG_CHARS_MAX: usize = 24;
const NAME_WORDS_MAX: usize = 3;
/// A name of one word is what an item is about when it is there so often.
const MENTIONS_MIN: usize = 2;

/// At most `tags_max` hashtags with their `#` for what is `said`, best first. `items` are the sources that it was taken from.
pub fn choose(goal: &str, said: &str, items: &[String], language: Language, tags_max: usize) -> Vec<String> {
    let mut scored: Vec<(usize, String)> = Vec::new();
    for Name { words, opens } in names(said) {
        let is_in_goal = mentions(goal, &words) > 0;
        let can_be_told = !opens || words.contains(' ') || is_written_large(&words, items) || is_written_large(&words, &[goal.to_owned()]);
        let is_named = can_be_told && (is_in_goal || is_topic(&words, items, language));
        if is_named && !is_origin(&words) {
            scored.push((4 * usize::from(is_in_goal) * words.split(' ').count() + usize::from(!opens), words));
        }
    }
    if language == Language::English {
        scored.extend(shared_phrases(goal, said).into_iter().map(|phrase| (7, phrase)));
    }
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let mut tagged: Vec<String> = Vec::new();
    let mut tags: Vec<String> = Vec::new();
    for (_, words) in scored {
        let tag = run_together(&words);
        let own = stems(&words);
        if is_tag(&tag) && tags.len() < tags_max && own.iter().all(|word| !tagged.contains(word)) {
            tagged.extend(own);
            tags.push(format!("#{tag}"));
        }
    }
    tags
}

fn is_tag(tag: &str) -> bool {
    let chars = tag.chars().count();
    // Of two letters, only what is an abbreviation: AI, EU.
    let is_long_enough = chars > 2 || (chars == 2 && tag.chars().all(char::is_uppercase));
    is_long_enough && chars <= TAG_CHARS_MAX && tag.chars().next().is_some_and(char::is_alphabetic)
}

/// Whether an item is about it: one word in its title and again in its text, which is nobody's surname and no half of a longer name. Where nouns or offices
/// are written large, only an abbreviation can be told.
fn is_topic(name: &str, items: &[String], language: Language) -> bool {
    let is_abbreviation = name.chars().all(char::is_uppercase);
    let can_be_told = is_abbreviation || language == Language::English;
    let is_half = |item: &str| names(item).iter().any(|other| other.words.contains(' ') && other.words.split(' ').any(|word| word == name));
    can_be_told
        && !name.contains(' ')
        && items.iter().any(|item| {
            let title = item.split(". ").next().unwrap_or_default();
            mentions(title, name) > 0 && mentions(item, name) >= MENTIONS_MIN && !is_half(item)
        })
}

fn mentions(text: &str, name: &str) -> usize {
    text.match_indices(name).filter(|(start, _)| is_whole_word(text, *start, name.len())).count()
}

fn is_whole_word(text: &str, start: usize, length: usize) -> bool {
    !text[..start].ends_with(char::is_alphanumeric) && !text[start + length..].starts_with(char::is_alphanumeric)
}

/// The first word of a sentence is written large whatever it is; a name is elsewhere too.
fn is_written_large(name: &str, items: &[String]) -> bool {
    items.iter().flat_map(|item| names(item)).any(|other| !other.opens && other.words == name)
}

/// "Danish" says of something else where it is from.
fn is_origin(name: &str) -> bool {
    ["ian", "ese", "ish"].iter().any(|ending| name.ends_with(ending))
}

/// Compounds that goal and text both have, in the goal's words: "language models", "right to repair".
fn shared_phrases(goal: &str, said: &str) -> Vec<String> {
    let (goal, said): (Vec<&str>, Vec<&str>) = (goal.unicode_words().collect(), said.unicode_words().collect());
    let alike = |one: &[&str], other: &[&str]| one.iter().zip(other).all(|(one, other)| stem(one) == stem(other));
    let is_said = |phrase: &&[&str]| said.windows(phrase.len()).any(|window| alike(window, phrase));
    let phrases = goal.windows(2).chain(goal.windows(3)).filter(|phrase| is_compound(phrase)).filter(is_said);
    phrases.map(|phrase| phrase.join(" ")).collect()
}

/// Two nouns, or two with a joint, as far as their forms tell.
fn is_compound(words: &[&str]) -> bool {
    let is_bearing = |word: &str| word.chars().count() > 3 && word.chars().all(char::is_alphabetic) && !is_common(word);
    let is_plain = |word: &str| !["ed", "ly"].iter().any(|ending| word.ends_with(ending));
    // The first of two nouns is not in the plural; a verb may look as if it were.
    let is_first = |word: &str| !word.ends_with('s') || word.ends_with("ss");
    match words {
        [first, last] => [first, last].iter().all(|word| is_bearing(word) && is_plain(word)) && is_first(first),
        [first, joint, last] => {
            matches!(joint.to_lowercase().as_str(), "to" | "of" | "and")
                && [first, last].iter().all(|word| is_bearing(word) && is_plain(word))
        }
        _ => false,
    }
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

struct Name {
    words: String,
    /// It stands at the beginning of a sentence.
    opens: bool,
}

/// Runs of at most three capitalised words.
fn names(text: &str) -> Vec<Name> {
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let (mut run_opens, mut opens) = (true, true);
    // The empty token ends the last run.
    for token in text.split_whitespace().chain([""]) {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        let name = owner.unwrap_or(word);
        let is_name = name.chars().next().is_some_and(char::is_uppercase) && !is_common(name) && name.chars().all(char::is_alphanumeric);
        if is_name {
            if run.is_empty() {
                run_opens = opens;
            }
            run.push(name);
        }
        let ends = !is_name || owner.is_some() || token.ends_with([',', '.', ';', ':', '!', '?', ')', '”', '"']);
        if ends && !run.is_empty() {
            if run.len() <= NAME_WORDS_MAX {
                found.push(Name { words: run.join(" "), opens: run_opens });
            }
            run.clear();
        }
        opens = token.ends_with(['.', '!', '?', ':']);
    }
    found
}

/// Words that are no topic, however large they are written.
fn is_common(word: &str) -> bool {
    const COMMON: &str = " about after again also and announce another around because before being between brand could every first followers for from \
        found friday goal have here into january february march april june july august september october november december just keep latest like made make making many mention monday more most much must need news only other \
        over people place platform please post posts promote reach saturday share should since some story such sunday than that the their them then there these they thing things this those \
        through thursday today tuesday under until update very wednesday were what when where which while will with without would write year years your you we in on at it an as by of or to no new two three four five six seven eight nine ten dozens hundreds thousands \
        run runs follow tell open that's own real best better good great big small ";
    COMMON.contains(&format!(" {} ", word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(goal: &str, said: &str, items: &[&str]) -> Vec<String> {
        choose(goal, said, &items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>(), Language::English, 3)
    }

    #[test]
    fn names_and_shared_phrases_become_hashtags() {
        for (goal, said, items, tags) in [
            (
                "Write about bike lanes in Addis Ababa",
                "On Monday the city of Addis Ababa opened 40 km of bike lanes.",
                &[][..],
                &["#AddisAbaba", "#BikeLanes"][..],
            ),
            ("Promote the right to repair", "The right to repair begins on Monday.", &[], &["#RightToRepair"]),
            (
                "Follow open AI language models that run on people's own devices",
                "Two phone makers say that they will ship the open Kestrel on-device language model, so that AI assistants keep working.",
                &[
                    "Phone makers line up behind Kestrel. Two phone makers say that they will ship the open Kestrel on-device language model.",
                ],
                &["#LanguageModels", "#AI", "#Kestrel"],
            ),
            (
                "Tell people what NASA found",
                "NASA found water on Mars.",
                &["Water on Mars. NASA found water on Mars."],
                &["#NASA", "#Mars"],
            ),
        ] {
            assert_eq!(chosen(goal, said, items), tags, "{said}");
        }
    }

    #[test]
    fn a_common_word_never_stands_alone() {
        for (goal, said, items) in [
            ("Follow devices and language", "The device speaks a language.", &["Device. The device speaks a language."][..]),
            ("Write about bakeries", "Bakeries in town sell more bread.", &["Bakeries. Bakeries in town sell more bread."]),
            (
                "Write about bread",
                "A bakery in Ghent sells Danish bread.",
                &["Bread. Danish bread is sold. A bakery in Ghent sells Danish bread."],
            ),
            ("tea", "the rain fell on the roofs all day", &[]),
            ("Show that the city opened bike lanes quickly", "The city opened bike paths and lanes quickly.", &[]),
        ] {
            assert_eq!(chosen(goal, said, items), [] as [&str; 0], "{said}");
        }
    }

    #[test]
    fn nobody_whom_the_goal_does_not_name_becomes_a_tag() {
        for (goal, said, items) in [
            ("Write about violins", "Ana Lopez built a violin with Ben Okri.", &["Violins. Ana Lopez built a violin. Lopez is nine."][..]),
            (
                "Street food",
                "Near Wakulima a stall sells broth.",
                &["Near Wakulima. Near Wakulima a stall sells broth. Near Wakulima it rains."],
            ),
            ("Startups", "The firm raised its Round Capital fund.", &["Round Capital grows. The firm raised its Round Capital fund."]),
        ] {
            assert_eq!(chosen(goal, said, items), [] as [&str; 0], "{said}");
        }
        let spanish = "El Ayuntamiento abre un carril bici en Valencia. El Ayuntamiento lo paga.".to_owned();
        assert_eq!(choose("Noticias de Valencia", &spanish, std::slice::from_ref(&spanish), Language::Spanish, 3), ["#Valencia"]);
    }

    #[test]
    fn the_number_is_kept_and_no_two_tags_share_a_word() {
        assert_eq!(
            choose("Ana Lopez, Ben Okri and Cy Twombly", "He met Ana Lopez, Ben Okri and Cy Twombly.", &[], Language::English, 2).len(),
            2
        );
        assert_eq!(chosen("Addis Ababa bike lanes", "Addis Ababa has bike lanes, says Addis Times.", &[]), ["#AddisAbaba", "#BikeLanes"]);
    }
}
