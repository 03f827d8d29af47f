//! A line of text as glyphs in their places: bidirectional runs (UAX #9) in the order they are seen, each shaped by the first
//! typeface that has its letters.

use super::{
    fonts::{Family, Font, Writes, is_ignorable},
    outline::Pen,
    scripts::{Han, is_cjk, is_devanagari},
};
use rustybuzz::{BufferClusterLevel, Direction, Language, UnicodeBuffer, script, ttf_parser::GlyphId};
use std::{ops::Range, str::FromStr};
use tiny_skia::{Path, PathBuilder};
use unicode_bidi::{BidiInfo, Level};
use unicode_segmentation::UnicodeSegmentation;

/// How letters are set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    pub family: Family,
    /// After each letter, in units of the em; scripts whose letters hang together take none.
    pub tracking: f32,
    pub han: Han,
    /// Of the paragraph.
    pub right_to_left: bool,
}

/// A line of text, set at size 1 with its baseline at 0.
pub struct Line {
    pub width: f32,
    glyphs: Vec<Placed>,
}

pub struct Placed {
    font: &'static Font,
    pub glyph: GlyphId,
    x: f32,
    y: f32,
    /// Where in the text its letter begins.
    pub at: usize,
}

impl Line {
    /// `None` when there is nothing to see.
    pub fn outline(&self) -> Option<Path> {
        self.outline_of(0..usize::MAX)
    }

    /// Of that part of the text alone, where it stands in the line.
    pub fn outline_of(&self, part: Range<usize>) -> Option<Path> {
        let mut pen = Pen { builder: PathBuilder::new(), x: 0.0, y: 0.0, scale: 1.0 };
        for placed in self.glyphs.iter().filter(|placed| part.contains(&placed.at)) {
            (pen.x, pen.y, pen.scale) = (placed.x, placed.y, 1.0 / placed.font.em());
            let _ = placed.font.face.outline_glyph(placed.glyph, &mut pen);
        }
        pen.builder.finish()
    }

    /// From left to right.
    #[cfg(test)]
    pub fn glyphs(&self) -> &[Placed] {
        &self.glyphs
    }
}

/// `text` holds no line break.
pub fn line(text: &str, setting: &Setting) -> Line {
    let mut line = Line { width: 0.0, glyphs: Vec::new() };
    let base = if setting.right_to_left { Level::rtl() } else { Level::ltr() };
    // A number that begins a line follows Arabic in the line before: its sign goes where it goes in the middle of a line.
    let context = if setting.right_to_left { "\u{61c}" } else { "" };
    let in_context = format!("{context}{text}");
    let bidi = BidiInfo::new(&in_context, Some(base));
    let Some(paragraph) = bidi.paragraphs.first() else { return line };
    let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
    let fonts = setting.family.fonts();
    let mut trailing = 0.0;
    for run in runs {
        let right_to_left = levels[run.start].is_rtl();
        let run = run.start.saturating_sub(context.len())..run.end - context.len();
        let mut parts = by_font(text, run, &fonts);
        if right_to_left {
            parts.reverse();
        }
        for (part, font) in parts {
            trailing = shape(&mut line, text, part, font, right_to_left, setting);
        }
    }
    line.width -= trailing;
    line
}

/// Adds the glyphs of `part` and returns the tracking that it ends with.
fn shape(line: &mut Line, text: &str, part: Range<usize>, font: &'static Font, right_to_left: bool, setting: &Setting) -> f32 {
    let mut buffer = UnicodeBuffer::new();
    buffer.push_str(&text[part.clone()]);
    buffer.set_cluster_level(BufferClusterLevel::MonotoneGraphemes);
    buffer.set_direction(if right_to_left { Direction::RightToLeft } else { Direction::LeftToRight });
    if font.writes == Writes::Han {
        // Marks alone have no script, and differ between the languages too.
        buffer.set_script(script::HAN);
        if let Ok(language) = Language::from_str(setting.han.language()) {
            buffer.set_language(language);
        }
    }
    let tracking = if font.writes == Writes::Letters { setting.tracking } else { 0.0 };
    let shaped = rustybuzz::shape(&font.face, &[], buffer);
    let em = font.em();
    let mut trailing = 0.0;
    for (info, position) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()) {
        line.glyphs.push(Placed {
            font,
            glyph: GlyphId(u16::try_from(info.glyph_id).unwrap_or_default()),
            x: line.width + position.x_offset as f32 / em,
            y: -(position.y_offset as f32) / em,
            at: part.start + info.cluster as usize,
        });
        // A mark on a letter takes no room of its own.
        trailing = if position.x_advance == 0 { trailing } else { tracking };
        line.width += position.x_advance as f32 / em + if position.x_advance == 0 { 0.0 } else { tracking };
    }
    trailing
}

/// The parts of `run` in the order of the text, each with its typeface.
fn by_font(text: &str, run: Range<usize>, fonts: &[&'static Font]) -> Vec<(Range<usize>, &'static Font)> {
    let mut parts: Vec<(Range<usize>, &'static Font)> = Vec::new();
    let start = run.start;
    for (offset, grapheme) in text[run].grapheme_indices(true) {
        let at = start + offset..start + offset + grapheme.len();
        let before = parts.last().map(|(_, font)| *font);
        let Some(font) = font_of(text, &at, before, fonts) else { continue };
        match parts.last_mut() {
            Some((part, last)) if std::ptr::eq(*last, font) => part.end = at.end,
            _ => parts.push((at, font)),
        }
    }
    parts
}

/// Marks that Latin and Chinese share, and write in another width.
const SHARED_MARKS: [&str; 7] = ["“", "”", "‘", "’", "…", "—", "·"];

fn font_of(text: &str, at: &Range<usize>, before: Option<&'static Font>, fonts: &[&'static Font]) -> Option<&'static Font> {
    let grapheme = &text[at.clone()];
    if grapheme == " " {
        // The wider space beside Devanagari; that of pictures is as wide as they are.
        let devanagari = text[at.end..].chars().next().filter(|letter| is_devanagari(*letter));
        let after = devanagari.and_then(|letter| fonts.iter().find(|font| font.has(letter)).copied());
        let beside = after.or(before.filter(|before| before.writes != Writes::Signs));
        return beside.filter(|font| font.has(' ')).or(fonts.first().copied());
    }
    let beside_han = || text[..at.start].chars().next_back().is_some_and(is_cjk) || text[at.end..].chars().next().is_some_and(is_cjk);
    if SHARED_MARKS.contains(&grapheme) && beside_han() {
        let han = fonts.iter().find(|font| font.writes == Writes::Han && font.has('—'));
        if han.is_some() {
            return han.copied();
        }
    }
    // A sign that asks to be a picture is one.
    let wanted = if grapheme.contains('\u{fe0f}') { Some(Writes::Signs) } else { None };
    let of_kind = |font: &&&'static Font| wanted.is_some_and(|kind| font.writes == kind) && font.writes(grapheme);
    let found = fonts.iter().find(of_kind).or_else(|| fonts.iter().find(|font| font.writes(grapheme)));
    // A stray joiner has no typeface, and nothing to see.
    found.copied().filter(|_| !grapheme.chars().all(is_ignorable))
}

#[cfg(test)]
mod tests;
