//! Text as a reader sees it and not as it is spelled: accents, look-alike letters and digits for letters hide no word.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Lower case, without accents, with Latin letters where others only look like them, and with single spaces.
pub(crate) fn folded(text: &str) -> String {
    let apart = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let bare: String = apart.chars().filter(|c| !is_mark(*c)).flat_map(char::to_lowercase).map(alike).collect();
    let whole = ComposingNormalizerBorrowed::new_nfc().normalize(&bare);
    // Where no letter gives the other script away, all of it is a disguise.
    let is_disguised = !whole.chars().any(|c| is_cyrillic_or_greek(c) && look_alike(c).is_none());
    let read = if is_disguised { whole.chars().map(|c| look_alike(c).unwrap_or(c)).collect() } else { whole.into_owned() };
    read.split_whitespace().map(as_latin).collect::<Vec<_>>().join(" ")
}

fn is_cyrillic_or_greek(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}')
}

/// Accents, Arabic vowels and what nobody sees. Marks of other scripts are letters.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{640}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Apostrophes, and letters that Arabic writes in several ways.
fn alike(c: char) -> char {
    match c {
        '’' | '‘' | 'ʼ' | '`' | '´' => '\'',
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' | 'ئ' => 'ي',
        'ة' => 'ه',
        'ؤ' => 'و',
        c => c,
    }
}

/// Words of this length are spelled with digits for fun; longer ones are names of things.
const PLAYFUL_CHARS_MAX: usize = 13;

/// A word with a Latin letter in it is a Latin word.
fn as_latin(word: &str) -> String {
    if !word.contains(|c: char| c.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let word: String = word.chars().map(|c| look_alike(c).unwrap_or(c)).collect();
    let letters = word.chars().filter(char::is_ascii_lowercase).count();
    let digits = word.chars().filter(char::is_ascii_digit).count();
    // "b0t" and "hum4n", and neither "3d" nor "2026er".
    if letters > digits && word.chars().count() <= PLAYFUL_CHARS_MAX && !word.starts_with(|c: char| c.is_ascii_digit()) {
        return word.chars().map(|c| digit_as_letter(c).unwrap_or(c)).collect();
    }
    word
}

/// Cyrillic and Greek.
fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' => 'a',
        'в' => 'b',
        'с' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'һ' => 'h',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'у' => 'y',
        'ν' => 'v',
        'υ' => 'u',
        'х' => 'x',
        _ => return None,
    })
}

fn digit_as_letter(c: char) -> Option<char> {
    Some(match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        _ => return None,
    })
}
