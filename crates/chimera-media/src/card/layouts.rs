//! The layouts. Each is for every size: what differs between wide and tall cards is where things stand, not what they are.

use super::{
    Layout,
    blocks::{Rise, badge, display, footer, footer_height, header, header_height, headline},
    figure,
    stage::{Align, Area, Fill, Label, Role, Stage, circle, rectangle, rounded},
    tiles,
};
use crate::{
    colour::{BLACK, Palette, Rgb, WHITE},
    lettering::{Family, Setting, Style},
};

pub fn draw(stage: &mut Stage<'_>, layout: Layout) {
    match layout {
        Layout::Poster => poster(stage),
        Layout::Editorial => editorial(stage),
        Layout::Glow => glow(stage),
        Layout::Figure => figure_card(stage),
        Layout::Frame => frame(stage),
        Layout::Tiles => tiles_card(stage),
        Layout::Rings => rings(stage),
    }
}

/// Between the header at the top and the footer at the bottom of the safe area.
fn between(stage: &Stage<'_>) -> Area {
    let gap = 64.0 * stage.unit;
    let top = stage.safe.y + header_height(stage) + gap;
    Area { y: top, height: stage.safe.bottom() - footer_height(stage, stage.safe.width) - gap - top, ..stage.safe }
}

/// One strong colour, two large discs, the headline at the bottom.
fn poster(stage: &mut Stage<'_>) {
    let (palette, safe, unit) = (stage.palette, stage.safe, stage.unit);
    let shorter = stage.width.min(stage.height);
    stage.backdrop(Fill::Flat(palette.primary, 1.0));
    let [tint, deep] = disc_colours(&palette);
    stage.add(Role::Ornament, circle(stage.width * 0.93, stage.height * 0.10, shorter * 0.50), Fill::Flat(tint, 1.0));
    stage.add(Role::Ornament, circle(stage.width * 0.99, stage.height * 0.06, shorter * 0.27), Fill::Flat(deep, 1.0));
    let strong = stage.strong(safe);
    header(stage, safe.x, safe.y, palette.accent, strong);
    let room = between(stage);
    let bar = 12.0 * unit;
    let area = Area { y: room.y + bar + 44.0 * unit, height: room.height - bar - 44.0 * unit, ..room };
    let text = stage.headline;
    let style = display(stage, 156.0);
    let covered = headline(stage, text, &style, area, Rise::Bottom, Align::Left, strong);
    let bar_area = Area { x: safe.x, y: covered.y - 44.0 * unit - bar, width: 132.0 * unit, height: bar };
    stage.add(Role::Accent, rounded(bar_area, bar / 2.0), Fill::Flat(palette.accent, 1.0));
    let quiet = stage.quiet(safe);
    footer(stage, safe, quiet);
}

/// As much of the accent as leaves one ink readable on ground and discs.
fn disc_colours(palette: &Palette) -> [Rgb; 2] {
    let discs = |strength: f32| [0.14, 0.30].map(|share| palette.primary.mixed(palette.accent, share * strength));
    let is_calm = |discs: &[Rgb; 2]| WHITE.readable_on(&[palette.primary, discs[0], discs[1]]).is_some();
    [1.0, 0.6, 0.3, 0.1].map(discs).into_iter().find(is_calm).unwrap_or([palette.primary; 2])
}

/// A printed page: a heavy rule, a kicker, a serif headline.
fn editorial(stage: &mut Stage<'_>) {
    let (palette, safe, unit) = (stage.palette, stage.safe, stage.unit);
    stage.backdrop(Fill::Flat(palette.paper, 1.0));
    let rule = Area { height: 14.0 * unit, ..safe };
    stage.add(Role::Accent, rectangle(rule), Fill::Flat(palette.deep, 1.0));
    let chip = Area { width: 132.0 * unit, ..rule };
    stage.add(Role::Accent, rectangle(chip), Fill::Flat(palette.bright, 1.0));
    let kicker_y = rule.bottom() + 68.0 * unit;
    let name = stage.words.name.to_uppercase();
    let kicker =
        Label { text: &name, family: Family::Display, size: 28.0 * unit, tracking: 0.10, x: safe.x, y: kicker_y, align: Align::Left };
    stage.text(Role::Header, kicker, palette.deep);
    let handle = format!("@{}", stage.content.handle);
    let right = Label { text: &handle, family: Family::Text, tracking: 0.0, x: safe.right(), align: Align::Right, ..kicker };
    stage.text(Role::Header, right, palette.ink.mixed(palette.paper, 0.25));
    let hairline = Area { y: safe.bottom() - footer_height(stage, safe.width) - 44.0 * unit, height: 2.0 * unit, ..safe };
    stage.add(Role::Footer, rectangle(hairline), Fill::Flat(palette.primary.mixed(palette.paper, 0.6), 1.0));
    let top = kicker_y + 76.0 * unit;
    let area = Area { y: top, height: hairline.y - 60.0 * unit - top, ..safe };
    let text = stage.headline;
    let style = Style { setting: stage.setting(text, Family::Serif, -0.012), leading: 1.2, size_max: 150.0 * unit };
    headline(stage, text, &style, area, if stage.is_wide() { Rise::Middle } else { Rise::Top }, Align::Left, palette.ink);
    footer(stage, safe, palette.ink.mixed(palette.paper, 0.2));
}

/// Night, and two lights in the persona's colours.
fn glow(stage: &mut Stage<'_>) {
    let (palette, safe) = (stage.palette, stage.safe);
    let (width, height) = (stage.width, stage.height);
    let (dark, lit) = (palette.ink.mixed(BLACK, 0.35), palette.ink.mixed(palette.deep, 0.35));
    stage.backdrop(Fill::Linear { from: (0.0, height), to: (width, 0.0), stops: [dark, lit] });
    let longer = width.max(height);
    let lights = [
        ((width * 0.88, height * 0.02), longer * 0.62, palette.deep.mixed(palette.bright, 0.20), 0.85),
        ((width * 1.02, height * 0.26), longer * 0.36, palette.bright, 0.40),
        ((width * -0.05, height * 1.02), longer * 0.45, palette.deep, 0.60),
    ];
    for (centre, radius, colour, strength) in lights {
        let outline = circle(centre.0, centre.1, radius);
        stage.add(Role::Ornament, outline, Fill::Radial { centre, radius, colour, strength });
    }
    let area = between(stage);
    veil(stage, area);
    header(stage, safe.x, safe.y, palette.bright, WHITE);
    let text = stage.headline;
    let style = display(stage, 152.0);
    headline(stage, text, &style, area, Rise::Bottom, Align::Left, WHITE);
    footer(stage, safe, WHITE.mixed(palette.deep, 0.12));
}

/// Darkens the whole card step by step until some ink is readable all over `area` and the safe area's edges.
fn veil(stage: &mut Stage<'_>, area: Area) {
    let whole = Area { y: stage.safe.y, height: stage.safe.height, ..area };
    for _ in 0..6 {
        if stage.is_calm(whole) {
            return;
        }
        stage.backdrop(Fill::Flat(BLACK, 0.22));
    }
}

/// The figure first, and the sentence that it is from below it.
fn figure_card(stage: &mut Stage<'_>) {
    let (palette, safe, unit) = (stage.palette, stage.safe, stage.unit);
    let Some(found) = figure::split(stage.headline) else { return poster(stage) };
    stage.backdrop(Fill::Flat(palette.ink, 1.0));
    let tint = palette.ink.mixed(palette.deep, 0.80);
    let shorter = stage.width.min(stage.height);
    let centre = if stage.is_wide() { (stage.width * 0.93, stage.height * 0.56) } else { (stage.width * 0.96, stage.height * 0.30) };
    for ring in 0..4 {
        let outline = circle(centre.0, centre.1, shorter * (0.22 + 0.13 * ring as f32));
        stage.add(Role::Ornament, outline, Fill::Stroke { colour: tint, width: shorter * 0.028 });
    }
    header(stage, safe.x, safe.y, palette.bright, WHITE);
    let room = between(stage);
    let share = if stage.is_wide() { 0.46 } else { 0.40 };
    let figure_area = Area { height: room.height * share, ..room };
    let style = Style {
        setting: stage.setting(&found.figure, Family::Display, -0.04),
        leading: 1.0,
        size_max: if stage.is_wide() { 320.0 } else { 300.0 } * unit,
    };
    let one_line = Style { size_max: one_line_size(&found.figure, &style, figure_area.width), ..style };
    let sentence_top = figure_area.bottom() + 56.0 * unit;
    let text = stage.headline;
    let sentence = Area { y: sentence_top, height: room.bottom() - sentence_top, ..room };
    let covered = headline(stage, text, &display(stage, 74.0), sentence, Rise::Bottom, Align::Left, WHITE);
    let above = Area { y: covered.y - 56.0 * unit - figure_area.height, ..figure_area };
    let set = crate::lettering::fit(&found.figure, &one_line, above.width, above.height);
    let ink = stage.ink(palette.bright, above);
    for (number, text) in set.lines.iter().enumerate() {
        let y = above.bottom() - set.leading * set.size * (set.lines.len() - 1 - number) as f32;
        let Setting { family, tracking, .. } = style.setting;
        let label = Label { text, family, size: set.size, tracking, x: above.x, y, align: Align::Left };
        stage.text_in(Role::Figure, label, ink);
    }
    footer(stage, safe, palette.paper.mixed(palette.deep, 0.12));
}

/// The largest size at which `text` stays on one line.
fn one_line_size(text: &str, style: &Style, width: f32) -> f32 {
    style.size_max.min(width / crate::lettering::line(text, &style.setting).width.max(0.1) * 0.995)
}

/// The bright colour of the brand, a double frame, everything centred.
fn frame(stage: &mut Stage<'_>) {
    let (palette, safe, unit) = (stage.palette, stage.safe, stage.unit);
    stage.backdrop(Fill::Flat(palette.accent, 1.0));
    let strong = stage.strong(safe);
    let inset = 34.0 * unit;
    for (distance, width) in [(inset, 5.0 * unit), (inset + 15.0 * unit, 1.6 * unit)] {
        let area = Area { x: distance, y: distance, width: stage.width - 2.0 * distance, height: stage.height - 2.0 * distance };
        stage.add(Role::Accent, rectangle(area), Fill::Stroke { colour: strong, width });
    }
    let (centre_x, _) = safe.centre();
    let radius = 46.0 * unit;
    let top = safe.y + 24.0 * unit;
    badge(stage, centre_x, top + radius, radius, palette.primary);
    let handle = format!("@{}", stage.content.handle);
    let handle_y = top + radius * 2.0 + 50.0 * unit;
    let label =
        Label { text: &handle, family: Family::Text, size: 29.0 * unit, tracking: 0.0, x: centre_x, y: handle_y, align: Align::Centre };
    stage.text(Role::Header, label, strong);
    let inner = Area { x: safe.x + 24.0 * unit, width: safe.width - 48.0 * unit, ..safe };
    let foot = Area { height: inner.height - 24.0 * unit, ..inner };
    let area_top = handle_y + 56.0 * unit;
    let area = Area { y: area_top, height: foot.bottom() - footer_height(stage, foot.width) - 84.0 * unit - area_top, ..inner };
    let text = stage.headline;
    let style = display(stage, 140.0);
    headline(stage, text, &style, area, Rise::Middle, Align::Centre, strong);
    footer(stage, foot, strong);
}

/// A wall of tiles beside or above the words.
fn tiles_card(stage: &mut Stage<'_>) {
    let (palette, safe, unit) = (stage.palette, stage.safe, stage.unit);
    stage.backdrop(Fill::Flat(palette.paper, 1.0));
    let text = stage.headline;
    if stage.is_wide() {
        let side = stage.height / 4.0;
        let wall = Area { x: stage.width - side * 2.0, y: 0.0, width: side * 2.0, height: stage.height };
        tiles::wall(stage, wall, 2);
        let words = Area { width: wall.x - safe.x - 64.0 * unit, ..safe };
        header(stage, safe.x, safe.y, palette.deep, palette.ink);
        let room = between(stage);
        let style = display(stage, 132.0);
        let foot = footer_height(stage, words.width) - footer_height(stage, safe.width);
        headline(
            stage,
            text,
            &style,
            Area { width: words.width, height: room.height - foot, ..room },
            Rise::Middle,
            Align::Left,
            palette.ink,
        );
        footer(stage, words, palette.ink.mixed(palette.paper, 0.2));
        return;
    }
    let side = stage.width / 4.0;
    let rows = if stage.height / stage.width > 1.6 { 3.0 } else { 2.0 };
    let wall = Area { x: 0.0, y: 0.0, width: stage.width, height: side * rows };
    tiles::wall(stage, wall, 4);
    let top = wall.bottom() + 56.0 * unit;
    header(stage, safe.x, top, palette.deep, palette.ink);
    let text_top = top + header_height(stage) + 56.0 * unit;
    let area = Area { y: text_top, height: safe.bottom() - footer_height(stage, safe.width) - 72.0 * unit - text_top, ..safe };
    let style = display(stage, 132.0);
    headline(stage, text, &style, area, Rise::Top, Align::Left, palette.ink);
    footer(stage, safe, palette.ink.mixed(palette.paper, 0.2));
}

/// A quiet page with rings of the brand's colours coming out of a corner.
fn rings(stage: &mut Stage<'_>) {
    let (palette, safe, unit) = (stage.palette, stage.safe, stage.unit);
    let ground = palette.bright.mixed(WHITE, 0.84);
    stage.backdrop(Fill::Flat(ground, 1.0));
    let shorter = stage.width.min(stage.height);
    let colours = [palette.primary, palette.accent, palette.primary.mixed(ground, 0.35), palette.accent.mixed(ground, 0.4)];
    for (ring, colour) in colours.into_iter().enumerate() {
        let outline = circle(stage.width, 0.0, shorter * (0.11 + 0.085 * ring as f32));
        stage.add(Role::Ornament, outline, Fill::Stroke { colour, width: shorter * 0.052 });
    }
    header(stage, safe.x, safe.y, palette.deep, palette.ink);
    let room = between(stage);
    // Below the rings, which are the card's only noise.
    let top = room.y.max(shorter * 0.44);
    let area = Area { y: top, height: room.bottom() - top, ..room };
    let text = stage.headline;
    let style = display(stage, 148.0);
    headline(stage, text, &style, area, Rise::Bottom, Align::Left, palette.ink);
    let bar = Area { x: 0.0, y: stage.height - 14.0 * unit, width: stage.width, height: 14.0 * unit };
    stage.add(Role::Accent, rectangle(bar), Fill::Flat(palette.primary, 1.0));
    footer(stage, safe, palette.ink.mixed(palette.paper, 0.15));
}
