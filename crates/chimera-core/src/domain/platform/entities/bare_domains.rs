//! `example.com` without any scheme. Platforms link what ends like a domain of theirs; so the endings that exist are listed here, and one in small
//! letters that nobody has heard of yet counts too. "Node.js" and "Monday.The" end in nothing that exists.

use regex::Regex;
use std::{collections::HashSet, ops::Range, sync::LazyLock};

/// The root zone of the domain name system, as the public suffix list has it.
const TOP_LEVEL: &str = include_str!("top_level_domains.txt");
/// How names of files and programs end; none of these is a top-level domain.
const FILE_ENDINGS: &str = "js json jsx tsx mjs html htm css php txt pdf csv xml yml yaml toml ini log exe dll bat jar png jpg jpeg gif svg mp3 mp4 \
    wav cpp hpp wasm sql doc docx xls xlsx ppt pptx ipynb gguf onnx safetensors";
/// A full stop, and what looks like one to a reader or to a name server.
const DOTS: [char; 5] = ['.', '．', '。', '｡', '․'];
/// These end sentences of scripts that put nothing between two of them.
const IDEOGRAPHIC_DOTS: [char; 2] = ['。', '｡'];
/// The longest ending has 24 letters; a longer label is none.
const ENDING_CHARS_MAX: usize = 24;

static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let label = r"[\w--[_]][\w-]*";
    Regex::new(&format!(r"{label}(?:[.．。｡․]{label})+")).expect("a fixed pattern, compiled by tests")
});
static ENDINGS: LazyLock<HashSet<&str>> = LazyLock::new(|| TOP_LEVEL.split_whitespace().collect());
static HARMLESS: LazyLock<HashSet<&str>> = LazyLock::new(|| FILE_ENDINGS.split_whitespace().collect());

pub(super) fn places(text: &str) -> impl Iterator<Item = Range<usize>> {
    WORDS.find_iter(text).filter_map(|found| domain_in(found.as_str()).map(|length| found.start()..found.start() + length))
}

/// How long the domain is that `dotted` begins with, up to its last label that is an ending.
fn domain_in(dotted: &str) -> Option<usize> {
    let mut length = None;
    for (at, dot) in dotted.match_indices(DOTS) {
        let after = at + dot.len();
        let label = dotted[after..].split(DOTS).next().unwrap_or_default();
        if is_ending(label, dot.starts_with(IDEOGRAPHIC_DOTS)) {
            length = Some(after + label.len());
        }
    }
    length
}

fn is_ending(label: &str, after_ideographic_dot: bool) -> bool {
    let chars = label.chars().count();
    if !(2..=ENDING_CHARS_MAX).contains(&chars) || (after_ideographic_dot && !label.is_ascii()) {
        return false;
    }
    let lowered = label.to_lowercase();
    let is_unheard_of = || label.chars().all(char::is_lowercase) && !HARMLESS.contains(label);
    ENDINGS.contains(lowered.as_str()) || lowered.starts_with("xn--") || is_unheard_of()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endings_are_there_and_no_harmless_one_is_among_them() {
        assert!(ENDINGS.len() > 1_400 && ["com", "io", "zip", "рф", "中国"].iter().all(|ending| ENDINGS.contains(ending)));
        assert!(HARMLESS.is_disjoint(&ENDINGS), "{:?}", HARMLESS.intersection(&ENDINGS));
    }
}
