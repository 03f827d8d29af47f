//! What a script asks of whoever sets it: its direction, the room that it needs above and below, and which form of a Han character.

use encoding_rs::{BIG5, Encoding, GBK};
use unicode_bidi::{BidiClass, bidi_class};

/// One code, several forms: Japanese and Chinese write many Han characters differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Han {
    #[default]
    Simplified,
    Traditional,
    Japanese,
}

impl Han {
    /// By what only one of them writes. `texts` come in order of what they say about the card: the first with kana is Japanese,
    /// else the first with Han characters decides.
    pub fn of(texts: &[&str]) -> Self {
        if texts.iter().any(|text| text.chars().any(is_kana)) {
            return Self::Japanese;
        }
        let is_han = |letter: char| is_cjk(letter) && letter.is_alphabetic();
        let Some(text) = texts.iter().find(|text| text.chars().any(is_han)) else { return Self::default() };
        let mut letters = text.chars().filter(|letter| is_han(*letter));
        // Big5 has no simplified characters, GB 2312 no traditional ones.
        let is_traditional = letters.clone().all(|letter| two_bytes(BIG5, letter).is_some());
        let is_simplified = letters.all(|letter| two_bytes(GBK, letter).is_some_and(|[row, cell]| row >= 0xb0 && cell >= 0xa1));
        if is_traditional && !is_simplified { Self::Traditional } else { Self::Simplified }
    }

    /// As typefaces know it.
    pub fn language(self) -> &'static str {
        match self {
            Self::Simplified => "zh-hans",
            Self::Traditional => "zh-hant",
            Self::Japanese => "ja",
        }
    }
}

fn two_bytes(encoding: &'static Encoding, letter: char) -> Option<[u8; 2]> {
    let mut utf8 = [0; 4];
    let (bytes, _, has_unmappable) = encoding.encode(letter.encode_utf8(&mut utf8));
    if has_unmappable { None } else { bytes.as_ref().try_into().ok() }
}

pub fn is_kana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}')
}

pub fn is_hiragana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{309f}')
}

/// Kana, Han characters and the marks between them, each as wide as it is high.
pub fn is_cjk(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{33ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff01}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{20000}'..='\u{3ffff}')
}

pub fn is_devanagari(letter: char) -> bool {
    matches!(letter, '\u{900}'..='\u{97f}' | '\u{a8e0}'..='\u{a8ff}')
}

pub fn is_arabic(letter: char) -> bool {
    matches!(letter, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{870}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

/// By the first letter that has a direction; `None` without one.
pub fn is_right_to_left(text: &str) -> Option<bool> {
    text.chars().find_map(|letter| match bidi_class(letter) {
        BidiClass::L => Some(false),
        BidiClass::R | BidiClass::AL => Some(true),
        _ => None,
    })
}

/// How far letters reach, in units of the em.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// From the baseline to what the eye takes for the top of a line.
    pub above: f32,
    /// Below the baseline, where that is more than a tail here and there.
    pub below: f32,
    /// The least distance of two baselines.
    pub leading: f32,
}

impl Reach {
    /// The most that any script in `text` needs; `capitals` are those of the family.
    pub fn of(text: &str, capitals: f32) -> Self {
        let mut reach = Self { above: capitals, below: 0.0, leading: 0.0 };
        for letter in text.chars() {
            let needed = match letter {
                _ if is_cjk(letter) => Self { above: 0.85, below: 0.09, leading: 1.3 },
                _ if is_devanagari(letter) => Self { above: 0.90, below: 0.20, leading: 1.4 },
                _ if is_arabic(letter) => Self { above: 0.80, below: 0.28, leading: 1.45 },
                _ => continue,
            };
            reach = Self {
                above: reach.above.max(needed.above),
                below: reach.below.max(needed.below),
                leading: reach.leading.max(needed.leading),
            };
        }
        reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_kana_is_japanese_and_a_chinese_one_simplified_or_traditional() {
        for (texts, expected) in [
            (&["図書館が開館しました"][..], Han::Japanese),
            (&["新図書館開館", "AIが作成"], Han::Japanese),
            (&["新图书馆开馆"], Han::Simplified),
            (&["新圖書館開館了"], Han::Traditional),
            (&["大山中心"], Han::Simplified),
            (&["Library", "圖書館"], Han::Traditional),
            (&["Library"], Han::Simplified),
        ] {
            assert_eq!(Han::of(texts), expected, "{texts:?}");
        }
    }

    #[test]
    fn the_first_letter_with_a_direction_decides() {
        for (text, expected) in [("12 مكتبة", Some(true)), ("@selam مكتبة", Some(false)), ("12 %", None), ("図書", Some(false))]
        {
            assert_eq!(is_right_to_left(text), expected, "{text}");
        }
    }
}
