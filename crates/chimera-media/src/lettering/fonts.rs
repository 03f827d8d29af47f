//! The embedded typefaces (`fonts/LICENSE-OFL.txt`): which letters they have, and which of them writes a letter.

use super::scripts::is_cjk;
use rustybuzz::Face;
use std::sync::LazyLock;

/// A typeface with its fallbacks for other scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Inter Display Bold: headlines.
    Display,
    /// Inter Medium: everything small.
    Text,
    /// Literata SemiBold: quotations.
    Serif,
}

/// What a typeface is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Scripts of single letters, which may be spaced.
    Letters,
    /// Letters that hang together.
    Joined,
    Han,
    Signs,
}

pub struct Font {
    pub face: Face<'static>,
    pub writes: Writes,
}

impl Font {
    fn read(data: &'static [u8], writes: Writes) -> Self {
        Self { face: Face::from_slice(data, 0).expect("an embedded typeface, read by tests"), writes }
    }

    pub fn has(&self, letter: char) -> bool {
        self.face.glyph_index(letter).is_some_and(|glyph| glyph.0 != 0)
    }

    /// Whether it writes all that can be seen of `grapheme`.
    pub fn writes(&self, grapheme: &str) -> bool {
        grapheme.chars().filter(|letter| !is_ignorable(*letter)).all(|letter| self.has(letter))
    }

    pub fn em(&self) -> f32 {
        self.face.units_per_em() as f32
    }
}

/// Signs that are never seen: joiners, and what chooses the form of the letter before.
pub fn is_ignorable(letter: char) -> bool {
    matches!(letter, '\u{34f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

macro_rules! fonts {
    ($($name:ident: $writes:ident, $file:literal;)*) => {
        struct Fonts { $($name: Font,)* }
        static FONTS: LazyLock<Fonts> = LazyLock::new(|| Fonts {
            $($name: Font::read(include_bytes!(concat!("../../fonts/", $file)), Writes::$writes),)*
        });
    };
}

fonts! {
    display: Letters, "InterDisplay-Bold.otf";
    text: Letters, "Inter-Medium.otf";
    serif: Letters, "Literata-SemiBold.ttf";
    ethiopic_bold: Letters, "NotoSansEthiopic-Bold.ttf";
    ethiopic_medium: Letters, "NotoSansEthiopic-Medium.ttf";
    arabic_bold: Joined, "NotoSansArabic-Bold.ttf";
    arabic_medium: Joined, "NotoSansArabic-Medium.ttf";
    arabic_serif: Joined, "NotoNaskhArabic-Bold.ttf";
    devanagari_bold: Joined, "NotoSansDevanagari-Bold.ttf";
    devanagari_medium: Joined, "NotoSansDevanagari-Medium.ttf";
    devanagari_serif: Joined, "NotoSerifDevanagari-SemiBold.ttf";
    han_bold: Han, "NotoSansCJK-Bold.otf";
    han_medium: Han, "NotoSansCJK-Medium.otf";
    han_serif: Han, "NotoSerifCJK-SemiBold.otf";
    emoji: Signs, "NotoEmoji-Bold.ttf";
    mathematics: Signs, "NotoSansMath-Regular.ttf";
    symbols: Signs, "NotoSansSymbols2-Regular.ttf";
}

impl Family {
    /// The first that has a letter writes it.
    pub fn fonts(self) -> Vec<&'static Font> {
        let fonts = &*FONTS;
        let own: &[&Font] = match self {
            Self::Display => &[&fonts.display, &fonts.ethiopic_bold, &fonts.arabic_bold, &fonts.devanagari_bold],
            Self::Text => {
                &[&fonts.text, &fonts.ethiopic_medium, &fonts.arabic_medium, &fonts.devanagari_medium, &fonts.han_medium, &fonts.display]
            }
            Self::Serif => &[
                &fonts.serif,
                &fonts.display,
                &fonts.ethiopic_bold,
                &fonts.arabic_serif,
                &fonts.devanagari_serif,
                &fonts.han_serif,
                &fonts.arabic_bold,
                &fonts.devanagari_bold,
            ],
        };
        let common = [&fonts.han_bold, &fonts.text, &fonts.emoji, &fonts.mathematics, &fonts.symbols];
        own.iter().copied().chain(common).collect()
    }

    /// The family for the whole of `text`: a rare Han character, which only the headlines' typeface has, must not stand among others.
    pub fn writing(self, text: &str) -> Self {
        let fonts = &*FONTS;
        let common = match self {
            Self::Display => return self,
            Self::Text => &fonts.han_medium,
            Self::Serif => &fonts.han_serif,
        };
        let is_rare = |letter: char| is_cjk(letter) && !common.has(letter) && fonts.han_bold.has(letter);
        if text.chars().any(is_rare) { Self::Display } else { self }
    }

    /// Of capitals without ascenders, in units of the em: what the eye takes for the height of a line.
    pub fn cap_height(self) -> f32 {
        let fonts = &*FONTS;
        let font = match self {
            Self::Display => &fonts.display,
            Self::Text => &fonts.text,
            Self::Serif => &fonts.serif,
        };
        f32::from(font.face.capital_height().unwrap_or(700)) / font.em()
    }
}
