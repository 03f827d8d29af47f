//! A text as the typefaces can write it. Nothing is left out without a word: a letter that none of them has refuses the text, and
//! another sign is replaced where everybody sees it, and named.

use super::fonts::{Family, is_ignorable};
use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_segmentation::UnicodeSegmentation;

/// Stands for a sign that no typeface has.
pub const REPLACEMENT: char = '▯';

/// A text that the embedded typefaces cannot write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the embedded typefaces write Latin, Greek, Cyrillic, Ethiopic, Arabic, Devanagari, Japanese and Chinese, and not {0:?}; configure [media.image] or [media.video] for other scripts"
)]
pub struct Unprintable(pub char);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Writable {
    /// Composed, on one line.
    pub text: String,
    /// Signs for which [`REPLACEMENT`] stands, each once.
    pub replaced: Vec<char>,
}

/// A letter or digit that none of the typefaces has is refused: a card full of boxes must not be posted.
pub fn writable(text: &str) -> Result<Writable, Unprintable> {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(text);
    let mut found = Writable::default();
    for grapheme in composed.graphemes(true) {
        add(&mut found, grapheme)?;
    }
    found.text = found.text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(found)
}

fn add(found: &mut Writable, grapheme: &str) -> Result<(), Unprintable> {
    if grapheme.chars().all(char::is_whitespace) {
        found.text.push(' ');
        return Ok(());
    }
    let seen: String = grapheme.chars().filter(|letter| !is_hidden(*letter)).collect();
    if is_written(&seen) {
        if seen.chars().any(|letter| !is_ignorable(letter)) {
            found.text.push_str(&without_idle_joiners(&seen));
        }
        return Ok(());
    }
    // The same in plainer letters: a ligature, a styled alphabet, a unit in one sign.
    let plain = ComposingNormalizerBorrowed::new_nfkc().normalize(&seen);
    if plain.graphemes(true).all(is_written) {
        found.text.push_str(&plain);
        return Ok(());
    }
    for letter in seen.chars().filter(|letter| !is_ignorable(*letter)) {
        if is_written(letter.encode_utf8(&mut [0; 4])) {
            found.text.push(letter);
        } else if letter.is_alphanumeric() {
            return Err(Unprintable(letter));
        } else {
            found.text.push(REPLACEMENT);
            if !found.replaced.contains(&letter) {
                found.replaced.push(letter);
            }
        }
    }
    Ok(())
}

fn is_written(grapheme: &str) -> bool {
    Family::Display.fonts().iter().any(|font| font.writes(grapheme))
}

/// Controls, and what turns or hides the text around it. They have no form: leaving them out takes nothing away.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Joiners speak to Arabic, Devanagari and emoji alone.
fn without_idle_joiners(grapheme: &str) -> String {
    let heeds = |letter: char| super::scripts::is_arabic(letter) || super::scripts::is_devanagari(letter) || letter >= '\u{2190}';
    if grapheme.chars().any(|letter| !is_ignorable(letter) && heeds(letter)) {
        return grapheme.to_owned();
    }
    // A digit in a key is a picture too.
    let is_key = grapheme.contains('\u{20e3}');
    grapheme.chars().filter(|letter| is_key || !is_ignorable(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every sentence is in the language that its name says.
    const SAMPLES: [(&str, &str); 13] = [
        ("English", "Addis Ababa – “40 km” €5.20 & more…"),
        ("Spanish", "¿Qué? El barrio reabrió su biblioteca; ¡vayan el viernes!"),
        ("French", "Où l’œuvre naît : le café des « bricoleurs » rouvre, déjà."),
        ("German", "Größere Straßen für Räder: 12 % mehr Fahrgäste, ẞ."),
        ("Portuguese", "A praça já não é só dos carros: são 40 mil árvores."),
        ("Italian", "Perché la città più verde d’Italia è tornata a piedi?"),
        ("Dutch", "Eén fietspad extra: ’s morgens rijdt IJburg sneller."),
        ("Amharic", "አዲስ አበባ ፳፻፲፰ የብስክሌት መንገድ ከፈተች፤ ሰላም።"),
        ("Swahili", "Ng’ombe 40 wamerudi bondeni baada ya mvua."),
        ("Arabic", "افتتحت المدينة ٤٠ كيلومترًا من مسارات الدراجات، فهل تكفي؟"),
        ("Hindi", "शहर ने ४० किलोमीटर साइकिल पथ खोला, क्षेत्रीय विज्ञान की दृष्टि से।"),
        ("Japanese", "東京の新しい図書館が「月曜日」に開館しました。ガラス張りです。"),
        ("Chinese", "新图书馆周一开馆，“欢迎”所有人——还有圖書館。"),
    ];

    #[test]
    fn every_family_writes_every_language_that_is_promised() {
        for (language, text) in
            SAMPLES.into_iter().chain([("Greek", "Καλημέρα κόσμε"), ("Russian", "Привет, Їжак"), ("Vietnamese", "Đà Nẵng")])
        {
            assert_eq!(writable(text), Ok(Writable { text: text.to_owned(), replaced: Vec::new() }), "{language}");
            for family in [Family::Display, Family::Text, Family::Serif] {
                let setting = super::super::Setting {
                    family,
                    tracking: 0.0,
                    han: super::super::Han::of(&[text]),
                    right_to_left: super::super::is_right_to_left(text) == Some(true),
                };
                let line = super::super::line(text, &setting);
                assert!(line.width > 3.0 && line.glyphs().iter().all(|placed| placed.glyph.0 != 0), "{language} {family:?}");
            }
        }
    }

    #[test]
    fn a_letter_without_a_typeface_is_refused_and_another_sign_replaced_and_named() {
        for (text, expected) in [
            ("Launch day 🚀🎉!", Ok("Launch day 🚀🎉!")),
            ("👩🏽‍🚀 First\n\nlight\t✨", Ok("👩🏽‍🚀 First light ✨")),
            ("cafe\u{301}", Ok("café")),
            ("a\u{200d}b\u{202e}c", Ok("abc")),
            ("می\u{200c}خواهم", Ok("می\u{200c}خواهم")),
            ("∑ of 5 ≠ ∞, 𝗯𝗼𝗹𝗱, 5 ㎏", Ok("∑ of 5 ≠ ∞, bold, 5 kg")),
            ("안녕", Err(Unprintable('안'))),
            ("ქართული", Err(Unprintable('ქ'))),
            ("สวัสดี", Err(Unprintable('ส'))),
        ] {
            let found = writable(text);
            assert!(found.as_ref().is_ok_and(|found| found.replaced.is_empty()) || found.is_err(), "{text}");
            assert_eq!(found.as_ref().map(|found| found.text.as_str()), expected.as_ref().copied(), "{text}");
        }
        let found = writable("Price 𐆠 and 𐆠, 𝄞").unwrap();
        assert_eq!((found.text.as_str(), found.replaced), ("Price ▯ and ▯, ▯", vec!['𐆠', '𝄞']));
        assert!(is_written("▯"));
    }
}
