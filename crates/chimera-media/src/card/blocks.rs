//! What every layout has: who speaks, the headline, where it is from, and that an AI made it.

use super::stage::{Align, Area, Fill, Label, Role, Stage, circle, rounded};
use crate::{
    colour::Rgb,
    lettering::{Family, Fitted, Style, fit, line, printable, width},
};

/// Height of the block that says who speaks.
pub fn header_height(stage: &Stage<'_>) -> f32 {
    76.0 * stage.unit
}

/// Height of the lines at the bottom of an area that is `width` wide.
pub fn footer_height(stage: &Stage<'_>, width: f32) -> f32 {
    let size = footer_size(stage);
    let cap = Family::Text.cap_height() * size;
    if FooterTexts::of(stage).fit_on_one_line(size, width, stage.unit) { cap } else { cap + size * FOOTER_LEADING }
}

fn footer_size(stage: &Stage<'_>) -> f32 {
    27.0 * stage.unit
}

/// From baseline to baseline, in units of the em.
const FOOTER_LEADING: f32 = 1.4;

struct FooterTexts {
    source: Option<String>,
    label: String,
}

impl FooterTexts {
    fn of(stage: &Stage<'_>) -> Self {
        let source = stage.content.source.as_deref().and_then(|source| printable(source).ok()).filter(|source| !source.is_empty());
        let label = printable(&stage.content.label).unwrap_or_else(|_| "AI-generated".to_owned());
        Self { source: source.map(|source| format!("Source: {source}")), label }
    }

    fn fit_on_one_line(&self, size: f32, width: f32, unit: f32) -> bool {
        let long = |text: &str| line(text, Family::Text, 0.0).width * size;
        self.source.as_deref().is_none_or(|source| long(source) + long(&self.label) + 40.0 * unit <= width)
    }
}

/// The logo, or the initials of the name where there is none, in a disc.
pub fn badge(stage: &mut Stage<'_>, x: f32, y: f32, radius: f32, fill: Rgb) {
    if let Some(logo) = stage.content.logo.clone() {
        let area = Area { x: x - radius, y: y - radius, width: 2.0 * radius, height: 2.0 * radius };
        stage.add(Role::Badge, rounded(area, radius * 0.28), Fill::Picture(logo));
        return;
    }
    stage.add(Role::Badge, circle(x, y, radius), Fill::Flat(fill, 1.0));
    let initials = initials(&stage.content.name);
    let size = radius * if initials.chars().count() > 1 { 0.86 } else { 1.05 };
    let inner = Area { x: x - radius * 0.5, y: y - radius * 0.4, width: radius, height: radius * 0.8 };
    let wish = if fill.luminance() > 0.3 { stage.palette.ink } else { stage.palette.paper };
    // The disc alone is behind the letters, however small it is: the drift of ornaments does not reach here.
    let ink = wish.readable_on(&[fill]).unwrap_or_else(|| stage.ink(wish, inner));
    let y = y + size * Family::Display.cap_height() / 2.0;
    stage.text_in(Role::Badge, Label { text: &initials, family: Family::Display, size, tracking: 0.0, x, y, align: Align::Centre }, ink);
}

fn initials(name: &str) -> String {
    let name = printable(name).unwrap_or_default();
    let firsts = name.split_whitespace().filter_map(|word| word.chars().find(|letter| letter.is_alphanumeric()));
    firsts.take(2).flat_map(char::to_uppercase).collect()
}

/// Badge, name and handle, with the top left corner at (`x`, `y`).
pub fn header(stage: &mut Stage<'_>, x: f32, y: f32, badge_fill: Rgb, wish: Rgb) {
    let (unit, height) = (stage.unit, header_height(stage));
    let radius = height / 2.0;
    badge(stage, x + radius, y + radius, radius, badge_fill);
    let left = x + height + 22.0 * unit;
    let room = stage.safe.right() - left;
    let name = printable(&stage.content.name).unwrap_or_default();
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
    let texts = FooterTexts::of(stage);
    let one_line = texts.fit_on_one_line(size, area.width, stage.unit);
    let label_align = if one_line && texts.source.is_some() { Align::Right } else { Align::Left };
    if let Some(source) = &texts.source {
        let y = if one_line { baseline } else { baseline - size * FOOTER_LEADING };
        text_within(stage, Role::Footer, source, Family::Text, size, (area.x, y), area.width, wish);
    }
    if label_align == Align::Right {
        let label =
            Label { text: &texts.label, family: Family::Text, size, tracking: 0.0, x: area.right(), y: baseline, align: label_align };
        stage.text(Role::Footer, label, wish);
    } else {
        text_within(stage, Role::Footer, &texts.label, Family::Text, size, (area.x, baseline), area.width, wish);
    }
}

/// One line, made smaller where it is wider than `room`.
#[expect(clippy::too_many_arguments, reason = "a text, how it looks and where it goes; a struct would name them once more")]
pub fn text_within(stage: &mut Stage<'_>, role: Role, text: &str, family: Family, size: f32, at: (f32, f32), room: f32, wish: Rgb) {
    let natural = line(text, family, 0.0).width * size;
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
    Style { family: Family::Display, tracking: -0.022, leading: 1.12, size_max: size_max * stage.unit }
}

/// Sets the headline into `area` and returns what it really covers.
pub fn headline(stage: &mut Stage<'_>, text: &str, style: &Style, area: Area, rise: Rise, align: Align, wish: Rgb) -> Area {
    let Fitted { size, lines, height } = fit(text, style, area.width, area.height);
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
        let y = top + size * (style.family.cap_height() + style.leading * row as f32);
        let whole = line(text, style.family, style.tracking).width * size;
        let left = match align {
            Align::Left => x,
            Align::Centre => x - whole / 2.0,
            Align::Right => x - whole,
        };
        // Word by word: in a video each comes when it is read.
        for (start, word) in words_of(text) {
            let before = if start == 0 { 0.0 } else { width(&text[..start], style.family, style.tracking) + style.tracking };
            let label =
                Label { text: word, family: style.family, size, tracking: style.tracking, x: left + before * size, y, align: Align::Left };
            stage.text_in(Role::Headline(number), label, ink);
            number += 1;
        }
    }
    covered
}

/// Each word with where it begins.
fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(' ').scan(0, |start, word| {
        let at = *start;
        *start += word.len() + 1;
        Some((at, word))
    })
}
