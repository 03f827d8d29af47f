//! Words as rules compare them: lower case, without the endings that say only how many or when.

use unicode_segmentation::UnicodeSegmentation;

/// The words of a text in order, each cut down to its stem.
pub fn stems(text: &str) -> Vec<String> {
    text.unicode_words().map(stem).collect()
}

/// Whether `phrase` occurs in `words` as it is, word after word. An empty phrase occurs nowhere.
pub fn contains_phrase(words: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty() && words.windows(phrase.len()).any(|window| window == phrase)
}

/// A light stemmer: `promises`, `promised` and `promising` are one word, `news` and `bus` stay themselves.
pub fn stem(word: &str) -> String {
    let lowered = word.to_lowercase().replace('’', "'");
    let bare = lowered.strip_suffix("'s").unwrap_or(&lowered);
    if !bare.is_ascii() || bare.len() <= 3 {
        return bare.to_owned();
    }
    let cut = without_ending(bare);
    match cut.strip_suffix('e') {
        Some(shorter) if cut.len() > 4 => shorter.to_owned(),
        _ => cut,
    }
}

fn without_ending(word: &str) -> String {
    const KEPT: [&str; 6] = ["ss", "us", "is", "news", "ics", "sus"];
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() > 2) {
        return format!("{base}y");
    }
    if let Some(base) = word.strip_suffix("ing").filter(|base| base.len() >= 3) {
        return base.to_owned();
    }
    if let Some(base) = word.strip_suffix("ed").filter(|base| base.len() >= 3 && !base.ends_with('e')) {
        return base.to_owned();
    }
    for ending in ["sses", "shes", "ches", "xes", "zes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(base) if !KEPT.iter().any(|kept| word.ends_with(kept)) => base.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for group in [
            &["promise", "promises", "promised", "promising", "Promise's"][..],
            &["party", "parties"],
            &["vaccine", "vaccines", "vaccined"],
            &["tax", "taxes", "taxed", "taxing"],
            &["guarantee", "guarantees"],
        ] {
            let stems: Vec<String> = group.iter().map(|word| stem(word)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
    }

    #[test]
    fn short_and_foreign_words_stay_themselves() {
        for word in ["news", "bus", "gas", "sing", "漢", "été", "politics"] {
            assert_eq!(stem(word), word.to_lowercase());
        }
    }

    #[test]
    fn a_phrase_is_found_word_after_word_only() {
        let words = stems("The stock markets fell");

        assert!(contains_phrase(&words, &stems("stock market")));
        assert!(!contains_phrase(&words, &stems("market stock")));
        assert!(!contains_phrase(&words, &[]));
    }
}
