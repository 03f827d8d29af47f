//! Other readings of a text that was written so that people pass over it and a machine does not: encoded, turned round, taken apart.
//! A reading is only made where the text shows signs of the disguise, so that ordinary text costs next to nothing.

use super::{letters::is_word, lexicon::hit_at};
use crate::policy::folding::folded;
use regex::Regex;
use std::{collections::HashSet, sync::LazyLock};

/// Shorter runs are names and numbers.
const ENCODED_CHARS_MIN: usize = 20;
/// So many encoded runs of a text are opened.
const RUNS_MAX: usize = 8;
/// Letters that stand alone in a row are a word taken apart.
const SINGLE_LETTERS_MIN: usize = 10;
/// A text of fewer words says too little to know its language.
const WORDS_MIN: usize = 4;
/// Escapes of an address that stands in a text are fewer.
const ESCAPES_MIN: usize = 3;
const MORSE_MIN: usize = 8;

/// What the text says to whoever undoes a disguise; none for ordinary text.
pub(super) fn readings(text: &str) -> Vec<String> {
    let mut readings: Vec<String> = decoded_runs(text);
    readings.extend(unescaped(text));
    readings.extend(from_morse(text));
    readings.extend(joined_letters(text));
    readings.extend(from_digits(text));
    readings.extend(rearranged(text));
    readings
}

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a fixed pattern, compiled by tests")
}

/// Base64, hexadecimal and binary.
fn decoded_runs(text: &str) -> Vec<String> {
    static BASE64: LazyLock<Regex> = LazyLock::new(|| compiled(r"[A-Za-z0-9+/_-]{20,}={0,2}"));
    static HEX: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?i)(?:(?:0x|\\x|%)?[0-9a-f]{2}[\s,:]*){10,}"));
    static BINARY: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?:[01]{8}\s*){6,}"));
    if !text.split([' ', ':', '(', '[', '"']).any(|word| word.len() >= ENCODED_CHARS_MIN) && !HEX.is_match(text) {
        return Vec::new();
    }
    let base64 = BASE64.find_iter(text).take(RUNS_MAX).filter_map(|run| from_base64(run.as_str()));
    let hex = HEX.find_iter(text).take(RUNS_MAX).filter_map(|run| from_hex(run.as_str()));
    let binary = BINARY.find_iter(text).take(RUNS_MAX).filter_map(|run| from_binary(run.as_str()));
    base64.chain(hex).chain(binary).filter_map(|bytes| prose(&bytes)).collect()
}

fn from_base64(run: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(run.len());
    let (mut bits, mut held) = (0_u32, 0);
    for byte in run.bytes().filter(|byte| *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

fn from_hex(run: &str) -> Option<Vec<u8>> {
    let bare = run.replace("0x", "").replace("\\x", "");
    let digits: Vec<u32> = bare.chars().filter_map(|c| c.to_digit(16)).collect();
    Some(digits.as_chunks::<2>().0.iter().map(|[high, low]| (high * 16 + low) as u8).collect())
}

fn from_binary(run: &str) -> Option<Vec<u8>> {
    let bits: Vec<u32> = run.chars().filter_map(|c| c.to_digit(2)).collect();
    Some(bits.as_chunks::<8>().0.iter().map(|byte| byte.iter().fold(0, |sum, bit| sum * 2 + *bit as u8)).collect())
}

/// The bytes as text, where they are some: letters, and spaces between words.
fn prose(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let count = text.chars().count();
    let plain = text.chars().filter(|c| is_word(*c) || c.is_ascii_punctuation() || *c == ' ').count();
    let letters = text.chars().filter(|c| c.is_alphabetic() || is_word(*c) && !c.is_ascii()).count();
    (count >= 8 && plain * 10 >= count * 9 && letters * 2 > count).then(|| text.into_owned())
}

/// `%49%67…` and `\u0049…`.
fn unescaped(text: &str) -> Option<String> {
    static PERCENT: LazyLock<Regex> = LazyLock::new(|| compiled(r"%[0-9A-Fa-f]{2}"));
    if text.matches('%').count() < ESCAPES_MIN || PERCENT.find_iter(text).count() < ESCAPES_MIN {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| std::str::from_utf8(after.get(..2)?).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok()));
        match escaped.flatten() {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn from_morse(text: &str) -> Option<String> {
    const CODE: [(&str, char); 26] = [
        (".-", 'a'),
        ("-...", 'b'),
        ("-.-.", 'c'),
        ("-..", 'd'),
        (".", 'e'),
        ("..-.", 'f'),
        ("--.", 'g'),
        ("....", 'h'),
        ("..", 'i'),
        (".---", 'j'),
        ("-.-", 'k'),
        (".-..", 'l'),
        ("--", 'm'),
        ("-.", 'n'),
        ("---", 'o'),
        (".--.", 'p'),
        ("--.-", 'q'),
        (".-.", 'r'),
        ("...", 's'),
        ("-", 't'),
        ("..-", 'u'),
        ("...-", 'v'),
        (".--", 'w'),
        ("-..-", 'x'),
        ("-.--", 'y'),
        ("--..", 'z'),
    ];
    let signs: Vec<&str> = text.split_whitespace().filter(|word| word.bytes().all(|byte| matches!(byte, b'.' | b'-' | b'/'))).collect();
    if signs.iter().filter(|sign| CODE.iter().any(|(code, _)| code == *sign)).count() < MORSE_MIN {
        return None;
    }
    let letter = |sign: &&str| CODE.iter().find(|(code, _)| code == sign).map_or(' ', |(_, letter)| *letter);
    Some(signs.iter().map(letter).collect())
}

/// "i g n o r e": the letters together, and spaces where words of the list begin and end.
fn joined_letters(text: &str) -> Option<String> {
    let mut longest: Vec<&str> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for word in text.split([' ', '.', '-', '_', '*', '|', '~', '/', ',']).chain(["end"]) {
        match word.chars().count() {
            // What is empty stood between two marks: a gap between words.
            0 => run.push(" "),
            1 => run.push(word),
            _ => {
                if run.len() > longest.len() {
                    longest = std::mem::take(&mut run);
                }
                run.clear();
            }
        }
    }
    if longest.iter().filter(|letter| letter.chars().all(char::is_alphabetic)).count() < SINGLE_LETTERS_MIN {
        return None;
    }
    Some(with_gaps(&folded(&longest.concat())))
}

/// A space before and after each word of the list: the gaps that were lost.
fn with_gaps(text: &str) -> String {
    const KNOWN_CHARS_MIN: usize = 3;
    let letters: Vec<char> = text.chars().collect();
    let mut spaced = String::with_capacity(text.len() * 2);
    let mut at = 0;
    while at < letters.len() {
        // An entry must end a word, and here no word has an end: each is tried as if it had one.
        let known = (at + KNOWN_CHARS_MIN..=letters.len().min(at + 14))
            .rev()
            .find(|end| hit_at(&letters[at..*end], 0).is_some_and(|hit| hit.end == end - at));
        let end = known.unwrap_or(at + 1);
        if known.is_some() {
            spaced.push(' ');
        }
        spaced.extend(&letters[at..end]);
        if known.is_some() {
            spaced.push(' ');
        }
        at = end;
    }
    spaced
}

/// "1gn0r3 4ll": where many words have digits in them, all digits are letters.
fn from_digits(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_mixed =
        |word: &&&str| word.contains(|c: char| c.is_ascii_digit() || matches!(c, '@' | '$')) && word.contains(char::is_alphabetic);
    let mixed = words.iter().filter(is_mixed).count();
    if mixed < WORDS_MIN || mixed * 3 < words.len() {
        return None;
    }
    let letter = |c: char| match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        '9' => 'g',
        c => c,
    };
    Some(text.chars().map(letter).collect())
}

/// Words that most sentences of a language have.
const COMMON: &str = "the and you your of to is in for that with this all not are que los las por una del para con les des est une dans pour vous \
    der die das und ist nicht den mit ein sie uma não com os che il della per sono het een van niet met na ya wa kwa";

/// Rotated, mirrored and reversed alphabets: where no reading as it stands has the words that every text has, another may.
fn rearranged(text: &str) -> Option<String> {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());
    let lowered = text.to_lowercase();
    let words: Vec<&str> = lowered.split(|c: char| !c.is_alphabetic()).filter(|word| word.is_ascii() && !word.is_empty()).collect();
    if words.len() < WORDS_MIN {
        return None;
    }
    let common =
        |change: &dyn Fn(&str) -> String| words.iter().filter(|word| word.len() > 1 && WORDS.contains(change(word).as_str())).count();
    let as_it_stands = common(&|word| word.to_owned());
    if as_it_stands * 12 > words.len() {
        return None;
    }
    let reversed = |word: &str| word.chars().rev().collect::<String>();
    if common(&reversed) > as_it_stands {
        return Some(text.chars().rev().collect());
    }
    let mirrored = |word: &str| word.chars().map(|c| mapped(c, |place| 25 - place)).collect::<String>();
    let rotated = |by: u8| move |word: &str| word.chars().map(|c| mapped(c, |place| (place + by) % 26)).collect::<String>();
    let best = (1..26).map(|by| (common(&rotated(by)), by)).max()?;
    let mirror = common(&mirrored);
    match (best.0.max(mirror) > as_it_stands, mirror > best.0) {
        (false, _) => None,
        (true, true) => Some(mirrored(text)),
        (true, false) => Some(rotated(best.1)(text)),
    }
}

fn mapped(c: char, change: impl Fn(u8) -> u8) -> char {
    match c {
        'a'..='z' => char::from(b'a' + change(c as u8 - b'a')),
        'A'..='Z' => char::from(b'A' + change(c as u8 - b'A')),
        c => c,
    }
}
