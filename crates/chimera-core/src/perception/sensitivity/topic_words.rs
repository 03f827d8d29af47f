//! Sensitive topics by words, in the languages that the English model does not read: hashed n-grams, fitted by `scripts/fit/people`.

use super::{Sensitivity, TOPICS};
use crate::policy::hashed_ngrams::HashedNgrams;
use std::sync::LazyLock;

static WEIGHTS: &[u8] = include_bytes!("topics.bin");
static MODEL: LazyLock<HashedNgrams> =
    LazyLock::new(|| HashedNgrams::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them"));
/// Log odds that become a score of 0.5: about one in twenty ordinary texts reaches it.
const SENSITIVE_MIN: f32 = 0.0;
/// Below these log odds a text is not English. The English model knows more than words, so that it must be nearly certain.
const ENGLISH_MIN: f32 = -1.0;
/// Below these log odds, a text of so many words in Latin letters is in none of the eight languages.
const KNOWN_MIN: f32 = -1.0;
const WORDS_TOLD_MIN: usize = 4;

pub(super) enum Tongue {
    English,
    /// One of the other twelve.
    Taught,
    Unknown,
}

/// By script, and among Latin letters by the pieces of its words. What has no letters is English enough.
pub(super) fn tongue_of(text: &str) -> Tongue {
    let (mut latin, mut taught, mut unknown) = (0, 0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        match c {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => latin += 1,
            '\u{600}'..='\u{6ff}' | '\u{900}'..='\u{97f}' | '\u{1200}'..='\u{139f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' => {
                taught += 1;
            }
            _ => unknown += 1,
        }
    }
    if unknown > latin + taught {
        return Tongue::Unknown;
    }
    if taught > latin / 2 {
        return Tongue::Taught;
    }
    let Said { english, known, .. } = Said::of(text);
    if known < KNOWN_MIN && text.split_whitespace().count() >= WORDS_TOLD_MIN {
        Tongue::Unknown
    } else if english >= ENGLISH_MIN {
        Tongue::English
    } else {
        Tongue::Taught
    }
}

pub(super) fn judge(text: &str) -> Sensitivity {
    let Said { any, topics, .. } = Said::of(text);
    let score = 1.0 / (1.0 + f64::from(SENSITIVE_MIN - any).exp());
    let nearest = (0..TOPICS.len()).max_by(|left, right| topics[*left].total_cmp(&topics[*right])).unwrap_or(0);
    Sensitivity { score, nearest: TOPICS[nearest], is_judged: true }
}

/// What the heads say, in their order.
struct Said {
    any: f32,
    topics: [f32; TOPICS.len()],
    english: f32,
    known: f32,
}

impl Said {
    fn of(text: &str) -> Self {
        match MODEL.strengths(text)[..] {
            [any, politics, health, finance, law, english, known] => Self { any, topics: [politics, health, finance, law], english, known },
            _ => unreachable!("a test counts the heads"),
        }
    }
}
