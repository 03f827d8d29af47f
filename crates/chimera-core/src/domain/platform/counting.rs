//! Lengths as the platforms count them. Where a platform's rule needs data we do not carry (which top-level domains exist, how a text looks
//! when composed), we count more than it would, never less.

use super::Counting;
use regex::Regex;
use std::{ops::Range, sync::LazyLock};
use unicode_segmentation::UnicodeSegmentation;

/// What Twitter and Mastodon count for any link.
const LINK_LENGTH: usize = 23;
/// Twitter counts in hundredths.
const LIGHT: usize = 100;
const HEAVY: usize = 200;

/// The ranges of code points that weigh 1 on Twitter, by its published configuration, version 3.
const LIGHT_RANGES: [(u32, u32); 4] = [(0, 4351), (8192, 8205), (8208, 8223), (8242, 8247)];

pub(super) fn length(counting: Counting, text: &str) -> usize {
    match counting {
        Counting::TwitterWeighted => twitter_length(text),
        Counting::Graphemes => text.graphemes(true).count(),
        Counting::GraphemesWithLinks => around_links(text, |piece| piece.graphemes(true).count()),
        Counting::CharactersWithEmojiBytes => text.graphemes(true).map(threads_length).sum(),
        Counting::Utf16 => text.encode_utf16().count(),
        Counting::Characters => text.chars().count(),
    }
}

/// Where the `http` and `https` links are. Closing punctuation belongs to the sentence, not to the link.
pub(super) fn links(text: &str) -> Vec<Range<usize>> {
    static LINK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i-u:\bhttps?://)[^\s<>"/?#]+\.[a-zA-Z]{2,}(?::\d+)?(?:[/?#][^\s<>"]*)?"#)
            .expect("a fixed pattern, compiled by tests")
    });
    LINK.find_iter(text)
        .map(|found| {
            let kept = found.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', ')', ']', '…']);
            found.start()..found.start() + kept.len()
        })
        .collect()
}

pub(super) fn is_emoji(grapheme: &str) -> bool {
    let Some(first) = grapheme.chars().next() else { return false };
    let is_keycap = grapheme.ends_with('\u{20e3}') && (first.is_ascii_digit() || matches!(first, '#' | '*'));
    let is_picture = is_pictographic(first) || (grapheme.chars().nth(1) == Some('\u{fe0f}') && !first.is_alphanumeric());
    is_keycap || (is_picture && grapheme.chars().skip(1).all(|c| is_pictographic(c) || is_joiner(c)))
}

fn twitter_length(text: &str) -> usize {
    around_links(text, |piece| {
        let plain: usize = piece.graphemes(true).map(twitter_weight).sum();
        let bare: usize = bare_domains(piece).map(|domain| (LINK_LENGTH * LIGHT).saturating_sub(domain.len() * LIGHT)).sum();
        (plain + bare).div_ceil(LIGHT)
    })
}

fn twitter_weight(grapheme: &str) -> usize {
    if is_emoji(grapheme) { HEAVY } else { grapheme.chars().map(code_point_weight).sum() }
}

fn code_point_weight(c: char) -> usize {
    let code = u32::from(c);
    let is_light = LIGHT_RANGES.iter().any(|(first, last)| (*first..=*last).contains(&code));
    if is_light && !splits_when_composed(code) { LIGHT } else { HEAVY }
}

/// Twitter composes a text (NFC) before it counts; these light letters become two code points by that.
fn splits_when_composed(code: u32) -> bool {
    matches!(
        code,
        0x344 | 0x958..=0x95f | 0x9dc | 0x9dd | 0x9df | 0xa33 | 0xa36 | 0xa59..=0xa5b | 0xa5e | 0xb5c | 0xb5d
            | 0xf43 | 0xf4d | 0xf52 | 0xf57 | 0xf5c | 0xf69 | 0xf73 | 0xf75 | 0xf76 | 0xf78 | 0xf81 | 0xf93 | 0xf9d
            | 0xfa2 | 0xfa7 | 0xfac | 0xfb9
    )
}

/// Names such as `example.com` become links on Twitter without any `https://`. Which endings exist we do not know, so all may.
fn bare_domains(text: &str) -> impl Iterator<Item = &str> {
    static DOMAIN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}\b").expect("a fixed pattern, compiled by tests"));
    DOMAIN.find_iter(text).map(|found| found.as_str())
}

fn threads_length(grapheme: &str) -> usize {
    if is_emoji(grapheme) { grapheme.len() } else { grapheme.chars().count() }
}

fn around_links(text: &str, count: impl Fn(&str) -> usize) -> usize {
    let mut total = 0;
    let mut position = 0;
    for link in links(text) {
        total += count(&text[position..link.start]) + LINK_LENGTH;
        position = link.end;
    }
    total + count(&text[position..])
}

fn is_pictographic(c: char) -> bool {
    matches!(u32::from(c), 0x1f000..=0x1faff | 0x2190..=0x21ff | 0x2300..=0x23ff | 0x2460..=0x27bf | 0x2900..=0x297f | 0x2b00..=0x2bff | 0x3030 | 0x303d | 0x3297 | 0x3299)
}

/// What only shapes or joins pictures: joiner, presentation selector, keycap, tags of flags.
fn is_joiner(c: char) -> bool {
    matches!(u32::from(c), 0x200d | 0xfe0f | 0x20e3 | 0xe0020..=0xe007f)
}
