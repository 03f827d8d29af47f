//! The embedded typefaces (`fonts/LICENSE-OFL.txt`): which letters they have, and a line of text as an outline.

use icu_normalizer::ComposingNormalizerBorrowed;
use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{
    Face, GlyphId, OutlineBuilder,
    gpos::{PairAdjustment, PositioningSubtable},
};
use unicode_segmentation::UnicodeSegmentation;

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

/// A text that the embedded typefaces cannot write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the embedded typefaces write Latin, Greek, Cyrillic and Ethiopic, and not {0:?}; configure [media.image] or [media.video] for other scripts"
)]
pub struct Unprintable(pub char);

struct Font {
    face: Face<'static>,
    /// The pair lookups of the face; in each the first table that knows a pair decides.
    kerning: Vec<Vec<PairAdjustment<'static>>>,
}

impl Font {
    fn read(data: &'static [u8]) -> Self {
        let face = Face::parse(data, 0).expect("an embedded typeface, read by tests");
        let mut kerning = Vec::new();
        for lookup in face.tables().gpos.iter().flat_map(|gpos| gpos.lookups) {
            let pairs: Vec<_> = lookup
                .subtables
                .into_iter::<PositioningSubtable<'_>>()
                .filter_map(|table| if let PositioningSubtable::Pair(pair) = table { Some(pair) } else { None })
                .collect();
            if !pairs.is_empty() {
                kerning.push(pairs);
            }
        }
        Self { face, kerning }
    }

    /// In units of the em.
    fn kern(&self, first: GlyphId, second: GlyphId) -> f32 {
        let units: i32 = self.kerning.iter().filter_map(|tables| tables.iter().find_map(|table| pair_advance(table, first, second))).sum();
        units as f32 / self.em()
    }

    fn advance(&self, glyph: GlyphId) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or_default()) / self.em()
    }

    fn em(&self) -> f32 {
        f32::from(self.face.units_per_em())
    }
}

/// `None` when the table says nothing about the pair.
fn pair_advance(table: &PairAdjustment<'_>, first: GlyphId, second: GlyphId) -> Option<i32> {
    let covered = table.coverage().get(first)?;
    let (value, _) = match table {
        PairAdjustment::Format1 { sets, .. } => sets.get(covered)?.get(second)?,
        PairAdjustment::Format2 { classes, matrix, .. } => matrix.get((classes.0.get(first), classes.1.get(second)))?,
    };
    Some(i32::from(value.x_advance))
}

struct Fonts {
    display: Font,
    text: Font,
    serif: Font,
    ethiopic_bold: Font,
    ethiopic_medium: Font,
}

static FONTS: LazyLock<Fonts> = LazyLock::new(|| Fonts {
    display: Font::read(include_bytes!("../../fonts/InterDisplay-Bold.otf")),
    text: Font::read(include_bytes!("../../fonts/Inter-Medium.otf")),
    serif: Font::read(include_bytes!("../../fonts/Literata-SemiBold.ttf")),
    ethiopic_bold: Font::read(include_bytes!("../../fonts/NotoSansEthiopic-Bold.ttf")),
    ethiopic_medium: Font::read(include_bytes!("../../fonts/NotoSansEthiopic-Medium.ttf")),
});

impl Family {
    fn fonts(self) -> [&'static Font; 3] {
        let fonts = &*FONTS;
        match self {
            Self::Display => [&fonts.display, &fonts.ethiopic_bold, &fonts.text],
            Self::Text => [&fonts.text, &fonts.ethiopic_medium, &fonts.display],
            Self::Serif => [&fonts.serif, &fonts.display, &fonts.ethiopic_bold],
        }
    }

    fn find(self, letter: char) -> Option<(&'static Font, GlyphId)> {
        self.fonts().into_iter().find_map(|font| Some((font, font.face.glyph_index(letter).filter(|glyph| glyph.0 != 0)?)))
    }

    /// Of capitals without ascenders, in units of the em: what the eye takes for the height of a line.
    pub fn cap_height(self) -> f32 {
        let font = self.fonts()[0];
        f32::from(font.face.capital_height().unwrap_or(700)) / font.em()
    }
}

/// `text` as the typefaces can write it: composed, on one line, without emoji and other pictures.
/// A letter or digit that none of them has is refused: a card full of boxes must not be posted.
pub fn printable(text: &str) -> Result<String, Unprintable> {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned();
    let mut kept = String::with_capacity(composed.len());
    let is_known = |letter: &char| Family::Display.find(*letter).is_some();
    for grapheme in composed.graphemes(true) {
        if grapheme.chars().all(char::is_whitespace) {
            kept.push(' ');
        } else if grapheme.chars().next().as_ref().is_some_and(is_known) {
            // A letter stays without the invisible signs that hang on it.
            kept.extend(grapheme.chars().filter(is_known));
        } else if let Some(letter) = grapheme.chars().find(|letter| letter.is_alphanumeric() && !is_known(letter)) {
            return Err(Unprintable(letter));
        }
    }
    Ok(kept.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A line of text, set at size 1 with its baseline at 0.
#[derive(Debug, Clone)]
pub struct Line {
    pub width: f32,
    /// `None` when there is nothing to see.
    pub outline: Option<Path>,
}

/// `tracking` is what is added after each letter, in units of the em. What the family cannot write leaves nothing behind.
pub fn line(text: &str, family: Family, tracking: f32) -> Line {
    let mut pen = Pen { builder: PathBuilder::new(), x: 0.0, scale: 1.0 };
    let mut before: Option<(&Font, GlyphId)> = None;
    let mut x = 0.0;
    let mut letters = 0_u16;
    for (font, glyph) in text.chars().filter_map(|letter| family.find(letter)) {
        if let Some((other, previous)) = before
            && std::ptr::eq(other, font)
        {
            x += font.kern(previous, glyph);
        }
        (pen.x, pen.scale) = (x, 1.0 / font.em());
        let _ = font.face.outline_glyph(glyph, &mut pen);
        x += font.advance(glyph) + tracking;
        before = Some((font, glyph));
        letters += 1;
    }
    if letters > 0 {
        x -= tracking;
    }
    Line { width: x, outline: pen.builder.finish() }
}

/// Only the width of what [`line`] would draw.
pub fn width(text: &str, family: Family, tracking: f32) -> f32 {
    let mut before: Option<(&Font, GlyphId)> = None;
    let mut x = 0.0;
    for (font, glyph) in text.chars().filter_map(|letter| family.find(letter)) {
        match before {
            Some((other, previous)) if std::ptr::eq(other, font) => x += tracking + font.kern(previous, glyph),
            Some(_) => x += tracking,
            None => {}
        }
        x += font.advance(glyph);
        before = Some((font, glyph));
    }
    x
}

/// Font units grow upwards, pictures downwards.
struct Pen {
    builder: PathBuilder,
    x: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_writes_every_script_that_is_promised() {
        for text in ["Addis Ababa – “40 km” €5.20 & more…", "Łódź, İstanbul, Đà Nẵng, ẞ", "Καλημέρα κόσμε", "Привет, Їжак", "አዲስ አበባ ፳፻፲፰።"]
        {
            assert_eq!(printable(text).as_deref(), Ok(text));
            for family in [Family::Display, Family::Text, Family::Serif] {
                for letter in text.chars() {
                    assert!(family.find(letter).is_some(), "{family:?} lacks {letter:?}");
                }
            }
        }
    }

    #[test]
    fn pictures_are_left_out_and_other_scripts_are_refused() {
        for (text, expected) in [
            ("Launch day 🚀🎉!", Ok("Launch day !")),
            ("👩🏽‍🚀 First\n\nlight\t✨", Ok("First light")),
            ("cafe\u{301}", Ok("café")),
            ("a\u{200d}b\u{202e}c", Ok("abc")),
            ("今日は", Err(Unprintable('今'))),
            ("مرحبا", Err(Unprintable('م'))),
            ("नमस्ते", Err(Unprintable('न'))),
            ("🚀", Ok("")),
        ] {
            assert_eq!(printable(text).as_deref(), expected.as_deref(), "{text}");
        }
    }

    #[test]
    fn letters_are_kerned_and_the_width_is_that_of_the_line() {
        assert!(width("AV", Family::Display, 0.0) < width("A", Family::Display, 0.0) + width("V", Family::Display, 0.0));
        for text in ["AVATAR To", "x", "", "አዲስ Addis"] {
            for tracking in [-0.02, 0.0, 0.1] {
                let (drawn, measured) = (line(text, Family::Text, tracking).width, width(text, Family::Text, tracking));
                assert!((drawn - measured).abs() < 1e-4, "{text}: {drawn} and {measured}");
            }
        }
    }
}
