//! Linear models over hashed n-grams (feature hashing): words, pairs and threes of words, and pieces of words, each with a weight of eight bits.
//! Kana and Chinese characters are words by themselves. `scripts/fit/people` fits them; both sides must cut and hash alike.

use super::folding::folded;
use std::collections::BTreeSet;

const MAGIC: &[u8] = b"CHN1";
/// How much of a text is looked at.
const READ_CHARS_MAX: usize = 4_000;
const WORD_CHARS_MAX: usize = 24;
/// A long text is as grave as its gravest part: it is read through a window of this many words.
const WINDOW_WORDS: usize = 40;
const WINDOW_STEP: usize = 20;
const PIECE_CHARS: [usize; 3] = [3, 4, 5];

pub(crate) struct HashedNgrams {
    bits: u32,
    heads: Vec<Head>,
}

/// One judgement over the same n-grams.
struct Head {
    step: f32,
    bias: f32,
    weights: &'static [u8],
}

impl HashedNgrams {
    /// `CHN1`, u32 bits, u32 heads; for each head f32 step, f32 bias, and two to the power of bits weights, i8 each. All numbers little-endian.
    pub(crate) fn parse(bytes: &'static [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let bits = u32::from_le_bytes(take_four(&mut rest)?);
        let count = u32::from_le_bytes(take_four(&mut rest)?);
        let length = 1_usize.checked_shl(bits).filter(|_| (1..=u32::BITS - 1).contains(&bits))?;
        let mut heads = Vec::new();
        for _ in 0..count {
            let (step, bias) = (f32::from_le_bytes(take_four(&mut rest)?), f32::from_le_bytes(take_four(&mut rest)?));
            let (weights, after) = rest.split_at_checked(length)?;
            rest = after;
            heads.push(Head { step, bias, weights });
        }
        rest.is_empty().then_some(Self { bits, heads })
    }

    /// What each head says of `text`, as log odds: of its gravest window.
    pub(crate) fn strengths(&self, text: &str) -> Vec<f32> {
        let read: String = text.chars().take(READ_CHARS_MAX).collect();
        let words = words(&folded(&read));
        let mut strengths = vec![f32::MIN; self.heads.len()];
        let mut start = 0;
        loop {
            let end = words.len().min(start + WINDOW_WORDS);
            let slots = self.slots(&words[start..end]);
            for (strength, head) in strengths.iter_mut().zip(&self.heads) {
                *strength = strength.max(head.weigh(&slots));
            }
            if end == words.len() {
                return strengths;
            }
            start += WINDOW_STEP;
        }
    }

    /// Each n-gram counts once.
    fn slots(&self, words: &[String]) -> BTreeSet<usize> {
        let mut slots = BTreeSet::new();
        let mut add = |kind: &str, parts: &[&str]| {
            slots.insert(self.slot(kind, parts));
        };
        for (at, word) in words.iter().enumerate() {
            add("w", &[word]);
            if let Some(next) = words.get(at + 1) {
                add("b", &[word, next]);
                if let Some(third) = words.get(at + 2) {
                    add("t", &[word, next, third]);
                    add("s", &[word, third]);
                }
            }
            if word != "?" && !word.starts_with(is_word_by_itself) {
                let edged: Vec<char> = ['<'].into_iter().chain(word.chars().take(WORD_CHARS_MAX)).chain(['>']).collect();
                for length in PIECE_CHARS {
                    for piece in edged.windows(length) {
                        add("c", &[&piece.iter().collect::<String>()]);
                    }
                }
            }
        }
        slots
    }

    fn slot(&self, kind: &str, parts: &[&str]) -> usize {
        let name = format!("{kind}{}", parts.join(" "));
        // The upper bits of a multiplicative hash: neighbours of a checksum are alike.
        (crc32(name.as_bytes()).wrapping_mul(2_654_435_761) >> (u32::BITS - self.bits)) as usize
    }
}

impl Head {
    fn weigh(&self, slots: &BTreeSet<usize>) -> f32 {
        let sum: i32 = slots.iter().map(|slot| i32::from(self.weights[*slot].cast_signed())).sum();
        self.bias + sum as f32 * self.step / (slots.len().max(1) as f32).sqrt()
    }
}

/// `text` is folded. A question mark is a word too.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let alone = match c {
            '?' | '؟' | '፧' => Some('?'),
            c if is_separator(c) => None,
            c if is_word_by_itself(c) => Some(c),
            c => {
                word.push(c);
                continue;
            }
        };
        words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        words.extend(alone.map(String::from));
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Kana, Chinese characters, pictures.
fn is_word_by_itself(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}')
}

fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\0'..='/' | ':'..='`' | '{'..='\u{bf}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}' | '\u{30fb}'
            | '\u{964}' | '\u{965}' | '\u{60c}' | '\u{61b}' | '\u{6d4}' | '\u{1361}'..='\u{1366}' | '\u{1368}')
}

fn take_four(rest: &mut &'static [u8]) -> Option<[u8; 4]> {
    let (taken, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(*taken)
}

/// As zlib computes it.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        let mut sum = sum ^ u32::from(*byte);
        for _ in 0..u8::BITS {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bits, one head: every slot weighs one.
    fn even() -> Vec<u8> {
        let numbers = [2_u32.to_le_bytes(), 1_u32.to_le_bytes(), 1.0_f32.to_le_bytes(), 0.5_f32.to_le_bytes()];
        [MAGIC.to_vec(), numbers.concat(), vec![1; 4]].concat()
    }

    #[test]
    fn weights_are_read_whole_or_not_at_all() {
        let model = HashedNgrams::parse(even().leak()).unwrap();
        assert_eq!(model.strengths(""), [0.5], "nothing said: the bias alone");
        assert!(model.strengths("hello there")[0] > 0.5);

        for damaged in [vec![], b"CHN1".to_vec(), b"OTHER".to_vec(), even()[..even().len() - 1].to_vec(), [even(), vec![0]].concat()] {
            assert!(HashedNgrams::parse(damaged.leak()).is_none());
        }
    }

    #[test]
    fn texts_are_cut_into_words_by_what_their_script_needs() {
        for (text, expected) in [
            ("are you a bot?", &["are", "you", "a", "bot", "?"][..]),
            ("你是人吗？", &["你", "是", "人", "吗", "?"]),
            ("ሰው ነህ፧", &["ሰው", "ነህ", "?"]),
            ("هل انت؟", &["هل", "انت", "?"]),
            ("ok😂", &["ok", "😂"]),
            ("...", &[]),
        ] {
            assert_eq!(words(&folded(text)), expected, "{text}");
        }
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_long_text_is_read_to_its_end_and_no_further_than_its_limit() {
        let model = HashedNgrams::parse(even().leak()).unwrap();
        assert!(model.strengths(&"word ".repeat(100_000))[0].is_finite());
        assert!(model.strengths(&"死".repeat(READ_CHARS_MAX + 1))[0].is_finite());
    }
}
