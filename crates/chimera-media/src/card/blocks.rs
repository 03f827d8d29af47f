//! What every layout has: who speaks, the headline, where it is from, and that an AI made it.

use super::stage::{Align, Area, Fill, Label, Role, Stage, circle, rounded};
use crate::{
    colour::Rgb,
    lettering::{Family, Fitted, Style, fit, line, pieces},
};
use unicode_segmentation::UnicodeSegmentation;

/// Height of the block that says who speaks.
pub fn header_height(stage: &Stage<'_>) -> f32 {
    76.0 * stage.unit
}

/// Height of the lines at the bottom of an area that is `width` wide.
pub fn footer_height(stage: &Stage<'_>, width: f32) -> f32 {
    let size = footer_size(stage);
    let cap = Family::Text.cap_height() * size;
    if footer_fits_on_one_line(stage, size, width) { cap } else { cap + size * FOOTER_LEADING }
}

fn footer_size(stage: &Stage<'_>) -> f32 {
    27.0 * stage.unit
}

/// From baseline to baseline, in units of the em.
const FOOTER_LEADING: f32 = 1.4;

fn footer_fits_on_one_line(stage: &Stage<'_>, size: f32, width: f32) -> bool {
    let long = |text: &str| stage.line(text, Family::Text, 0.0).width * size;
    let words = stage.words;
    words.source.is_empty() || long(&words.source) + long(&words.label) + 40.0 * stage.unit <= width
}

/// The logo, or the initials of the name where there is none, in a disc.
pub fn badge(stage: &mut Stage<'_>, x: f32, y: f32, radius: f32, fill: Rgb) {
    if let Some(logo) = stage.content.logo.clone() {
        let area = Area { x: x - radius, y: y - radius, width: 2.0 * radius, height: 2.0 * radius };
        stage.add(Role::Badge, rounded(area, radius * 0.28), Fill::Picture(logo));
        return;
    }
    stage.add(Role::Badge, circle(x, y, radius), Fill::Flat(fill, 1.0));
    let initials = initials(&stage.words.name, &stage.content.handle);
    let size = radius * if initials.chars().count() > 1 { 0.86 } else { 1.05 };
    let inner = Area { x: x - radius * 0.5, y: y - radius * 0.4, width: radius, height: radius * 0.8 };
    let wish = if fill.luminance() > 0.3 { stage.palette.ink } else { stage.palette.paper };
    // The disc alone is behind the letters, however small it is: the drift of ornaments does not reach here.
    let ink = wish.readable_on(&[fill]).unwrap_or_else(|| stage.ink(wish, inner));
    let y = y + size * Family::Display.cap_height() / 2.0;
    stage.text_in(Role::Badge, Label { text: &initials, family: Family::Display, size, tracking: 0.0, x, y, align: Align::Centre }, ink);
}

/// Two where the script has capitals; one letter alone of those that would hang together or fill the disc.
fn initials(name: &str, handle: &str) -> String {
    let first = |word: &str| word.graphemes(true).find(|letter| letter.chars().any(char::is_alphanumeric)).map(str::to_uppercase);
    let name = if name.chars().any(char::is_alphanumeric) { name } else { handle };
    let firsts: Vec<String> = name.split_whitespace().filter_map(first).collect();
    let has_capitals = |letter: &String| letter.chars().any(char::is_uppercase);
    let count = if firsts.iter().take(2).all(has_capitals) { 2 } else { 1 };
    firsts.into_iter().take(count).collect()
}

/// Badge, name and handle, with the top left corner at (`x`, `y`).
pub fn header(stage: &mut Stage<'_>, x: f32, y: f32, badge_fill: Rgb, wish: Rgb) {
    let (unit, height) = (stage.unit, header_height(stage));
    let radius = height / 2.0;
    badge(stage, x + radius, y + radius, radius, badge_fill);
    let left = x + height + 22.0 * unit;
    let room = stage.safe.right() - left;
    let name = stage.words.name.clone();
    let handle = format!("@{}", stage.content.handle);
    if name.is_empty() {
        text_within(stage, Role::Header, &handle, Family::Text, 30.0 * unit, (left, y + radius + 10.0 * unit), room, wish);
        return;
    }
    text_within(stage, Role::Header, &name, Family::Display, 34.0 * unit, (left, y + 32.0 * unit), room, wish);
    text_within(stage, Role::Header, &handle, Family::Text, 27.0 * unit, (left, y + 68.0 * unit), room, wish);
}

/// The source at the left and the label at the right, on one baseline; under each other where they do not fit.
pub fn footer(stage: &mut Stage<'_>, area: Area, wish: Rgb) {
    let (size, baseline) = (footer_size(stage), area.bottom());
    let words = stage.words;
    let one_line = footer_fits_on_one_line(stage, size, area.width);
    let label_align = if one_line && !words.source.is_empty() { Align::Right } else { Align::Left };
    if !words.source.is_empty() {
        let y = if one_line { baseline } else { baseline - size * FOOTER_LEADING };
        text_within(stage, Role::Footer, &words.source, Family::Text, size, (area.x, y), area.width, wish);
    }
    if label_align == Align::Right {
        let label =
            Label { text: &words.label, family: Family::Text, size, tracking: 0.0, x: area.right(), y: baseline, align: label_align };
        stage.text(Role::Footer, label, wish);
    } else {
        text_within(stage, Role::Footer, &words.label, Family::Text, size, (area.x, baseline), area.width, wish);
    }
}

/// One line, made smaller where it is wider than `room`.
#[expect(clippy::too_many_arguments, reason = "a text, how it looks and where it goes; a struct would name them once more")]
pub fn text_within(stage: &mut Stage<'_>, role: Role, text: &str, family: Family, size: f32, at: (f32, f32), room: f32, wish: Rgb) {
    let natural = stage.line(text, family, 0.0).width * size;
    let size = if natural > room { size * room / natural } else { size };
    stage.text(role, Label { text, family, size, tracking: 0.0, x: at.0, y: at.1, align: Align::Left }, wish);
}

/// Where a headline stands in its box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rise {
    Top,
    Middle,
    Bottom,
}

pub fn display(stage: &Stage<'_>, size_max: f32) -> Style {
    Style { setting: stage.setting(stage.headline, Family::Display, -0.022), leading: 1.12, size_max: size_max * stage.unit }
}

/// Sets the headline into `area` and returns what it really covers.
pub fn headline(stage: &mut Stage<'_>, text: &str, style: &Style, area: Area, rise: Rise, align: Align, wish: Rgb) -> Area {
    let Fitted { size, lines, above, leading, height } = fit(text, style, area.width, area.height);
    let top = match rise {
        Rise::Top => area.y,
        Rise::Middle => area.y + (area.height - height) / 2.0,
        Rise::Bottom => area.bottom() - height,
    };
    let covered = Area { y: top, height, ..area };
    let ink = stage.ink(wish, covered);
    let x = match align {
        Align::Left => area.x,
        Align::Centre => area.centre().0,
        Align::Right => area.right(),
    };
    let mut number = 0;
    for (row, text) in lines.iter().enumerate() {
        let y = top + size * (above + leading * row as f32);
        let set = line(text, &style.setting);
        let left = align.left(x, set.width * size);
        // Word by word: in a video each comes when it is read.
        for part in pieces(text) {
            stage.letters(Role::Headline(number), set.outline_of(part), set.width, (left, y), size, ink);
            number += 1;
        }
    }
    covered
}
