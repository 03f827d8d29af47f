//! Where a card is built: shapes with roles, and inks that are readable on what is painted already.

use super::{Content, Size, chance::Chance, painting, words::Words};
use crate::{
    colour::{Palette, Rgb, WHITE},
    lettering::{Family, Line, Setting, is_right_to_left, line},
};
use std::sync::Arc;
use tiny_skia::{Color, Path, PathBuilder, Pixmap, Rect, Transform};

/// What a shape is to the card; a video moves each role in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Backdrop,
    Ornament,
    /// The logo or the initials.
    Badge,
    Header,
    Accent,
    Figure,
    /// With the number of its word.
    Headline(usize),
    Footer,
}

#[derive(Debug, Clone)]
pub enum Fill {
    Flat(Rgb, f32),
    /// From one point to another.
    Linear {
        from: (f32, f32),
        to: (f32, f32),
        stops: [Rgb; 2],
    },
    /// A light that fades to nothing.
    Radial {
        centre: (f32, f32),
        radius: f32,
        colour: Rgb,
        strength: f32,
    },
    Stroke {
        colour: Rgb,
        width: f32,
    },
    /// A picture that fills the shape's bounds.
    Picture(Arc<Pixmap>),
}

#[derive(Debug, Clone)]
pub struct Item {
    pub outline: Path,
    pub fill: Fill,
    pub role: Role,
}

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    pub fn right(&self) -> f32 {
        self.x + self.width
    }
    pub fn bottom(&self) -> f32 {
        self.y + self.height
    }
    pub fn centre(&self) -> (f32, f32) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

pub struct Stage<'a> {
    pub content: &'a Content,
    pub words: &'a Words,
    pub headline: &'a str,
    pub palette: Palette,
    pub width: f32,
    pub height: f32,
    /// 1 on a square card of 1080 pixels.
    pub unit: f32,
    /// What platforms leave uncovered by their own buttons, less a margin.
    pub safe: Area,
    pub chance: Chance,
    /// Layouts are written for cards that run from left to right; what they place is mirrored on others.
    right_to_left: bool,
    items: Vec<Item>,
    /// All but the texts, to see what an ink must be readable on.
    painted: Pixmap,
}

/// A text on the card. `y` is the baseline.
#[derive(Debug, Clone, Copy)]
pub struct Label<'t> {
    pub text: &'t str,
    pub family: Family,
    pub size: f32,
    pub tracking: f32,
    pub x: f32,
    pub y: f32,
    pub align: Align,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Centre,
    Right,
}

impl Align {
    /// Where something `width` wide begins that stands at `x`.
    pub fn left(self, x: f32, width: f32) -> f32 {
        match self {
            Self::Left => x,
            Self::Centre => x - width / 2.0,
            Self::Right => x - width,
        }
    }
}

/// How far an ornament may move in a video, as a share of the shorter side: an ink must be readable wherever it is.
pub const DRIFT: f32 = 0.02;

impl<'a> Stage<'a> {
    pub fn new(content: &'a Content, words: &'a Words, palette: Palette, size: Size, right_to_left: bool) -> Self {
        let (width, height) = (size.width as f32, size.height as f32);
        let shorter = width.min(height);
        let margin = shorter * 0.075;
        // On tall screens the platform's own bars cover the top, the bottom and the right edge.
        let tall = height / width > 1.6;
        let (top, bottom) = if tall { (height * 0.10, height * 0.17) } else { (margin, margin) };
        let safe = Area { x: margin, y: top, width: width - 2.0 * margin, height: height - top - bottom };
        let painted = Pixmap::new(size.width, size.height).expect("the sides were checked to be within limits");
        let chance = Chance::new(&format!("{} ornaments", content.seed));
        Self {
            content,
            words,
            headline: &words.headline,
            palette,
            width,
            height,
            unit: (shorter + (width * height).sqrt()) / 2160.0,
            safe,
            chance,
            right_to_left,
            items: Vec::new(),
            painted,
        }
    }

    pub fn is_wide(&self) -> bool {
        self.width > self.height * 1.2
    }

    pub fn into_items(self) -> Vec<Item> {
        self.items
    }

    pub fn add(&mut self, role: Role, outline: Path, fill: Fill) {
        let (outline, fill) = if self.right_to_left { self.mirrored(outline, fill) } else { (outline, fill) };
        let item = Item { outline, fill, role };
        painting::paint_item(&mut self.painted, &item, painting::Placement::default());
        self.items.push(item);
    }

    pub fn backdrop(&mut self, fill: Fill) {
        let whole = Area { x: 0.0, y: 0.0, width: self.width, height: self.height };
        self.add(Role::Backdrop, rectangle(whole), fill);
    }

    /// `wish`, or the nearest colour to it that is readable all over `area`.
    pub fn ink(&self, wish: Rgb, area: Area) -> Rgb {
        wish.readable_on(&self.colours_in(area)).unwrap_or(WHITE)
    }

    /// The strongest ink of the palette for `area`: dark on light, light on dark.
    pub fn strong(&self, area: Area) -> Rgb {
        WHITE.better_on(self.palette.ink, &self.colours_in(area))
    }

    /// A quieter ink for small things around `area`.
    pub fn quiet(&self, area: Area) -> Rgb {
        let strong = self.strong(area);
        strong.mixed(self.palette.deep, if strong == WHITE { 0.15 } else { 0.35 })
    }

    /// Whether some ink is readable all over `area`.
    pub fn is_calm(&self, area: Area) -> bool {
        WHITE.readable_on(&self.colours_in(area)).is_some()
    }

    fn colours_in(&self, area: Area) -> Vec<Rgb> {
        const SAMPLES: usize = 48;
        let drift = DRIFT * self.width.min(self.height);
        let mut found: Vec<Rgb> = Vec::new();
        for row in 0..=SAMPLES {
            for column in 0..=SAMPLES {
                let share = |step: usize, start: f32, length: f32| start - drift + (length + 2.0 * drift) * step as f32 / SAMPLES as f32;
                let (x, y) = (share(column, self.left_of(area.x, area.width), area.width), share(row, area.y, area.height));
                let (x, y) = (x.clamp(0.0, self.width - 1.0), y.clamp(0.0, self.height - 1.0));
                let Some(pixel) = self.painted.pixel(x as u32, y as u32) else { continue };
                let colour = Rgb(pixel.red(), pixel.green(), pixel.blue());
                if !found.contains(&colour) {
                    found.push(colour);
                }
            }
        }
        found
    }

    /// How a text of this card is set, in its own direction or the card's where it has none.
    pub fn setting(&self, text: &str, family: Family, tracking: f32) -> Setting {
        let family = family.writing(text);
        Setting { family, tracking, han: self.words.han, right_to_left: is_right_to_left(text).unwrap_or(self.right_to_left) }
    }

    pub fn line(&self, text: &str, family: Family, tracking: f32) -> Line {
        line(text, &self.setting(text, family, tracking))
    }

    /// Draws the text in the ink nearest to `wish`.
    pub fn text(&mut self, role: Role, label: Label<'_>, wish: Rgb) {
        let width = self.line(label.text, label.family, label.tracking).width * label.size;
        let cap = label.family.cap_height() * label.size;
        let area = Area { x: label.align.left(label.x, width), y: label.y - cap, width, height: cap };
        let colour = self.ink(wish, area);
        self.text_in(role, label, colour);
    }

    /// As `text`, with an ink that was found for a larger area.
    pub fn text_in(&mut self, role: Role, label: Label<'_>, colour: Rgb) {
        let set = self.line(label.text, label.family, label.tracking);
        let left = label.align.left(label.x, set.width * label.size);
        self.letters(role, set.outline(), set.width, (left, label.y), label.size, colour);
    }

    /// `outline` is a line that is `width` wide or a part of it, at size 1; the line's left end goes to `at`.
    pub fn letters(&mut self, role: Role, outline: Option<Path>, width: f32, at: (f32, f32), size: f32, colour: Rgb) {
        let place = Transform::from_scale(size, size).post_translate(self.left_of(at.0, width * size), at.1);
        if let Some(outline) = outline.and_then(|outline| outline.transform(place)) {
            // Not painted on our own copy: inks are compared with what lies below all texts.
            self.items.push(Item { outline, fill: Fill::Flat(colour, 1.0), role });
        }
    }

    /// Where the left end of something `width` wide really is that a layout put at `x`.
    fn left_of(&self, x: f32, width: f32) -> f32 {
        if self.right_to_left { self.width - x - width } else { x }
    }

    fn mirrored(&self, outline: Path, fill: Fill) -> (Path, Fill) {
        let turned = |(x, y): (f32, f32)| (self.width - x, y);
        let fill = match fill {
            Fill::Linear { from, to, stops } => Fill::Linear { from: turned(from), to: turned(to), stops },
            Fill::Radial { centre, radius, colour, strength } => Fill::Radial { centre: turned(centre), radius, colour, strength },
            Fill::Flat(..) | Fill::Stroke { .. } | Fill::Picture(_) => fill,
        };
        let mirror = Transform::from_row(-1.0, 0.0, 0.0, 1.0, self.width, 0.0);
        (outline.transform(mirror).expect("a mirrored path has finite points as before"), fill)
    }
}

pub fn rectangle(area: Area) -> Path {
    let rect = Rect::from_xywh(area.x, area.y, area.width.max(1.0), area.height.max(1.0));
    PathBuilder::from_rect(rect.expect("the layouts give finite areas"))
}

pub fn circle(x: f32, y: f32, radius: f32) -> Path {
    PathBuilder::from_circle(x, y, radius.max(1.0)).expect("the layouts give finite circles")
}

/// A quarter of a disc whose corner is at (`x`, `y`); `right` and `down` say where it opens to.
pub fn quarter(x: f32, y: f32, radius: f32, right: bool, down: bool) -> Path {
    const KAPPA: f32 = 0.552_284_8;
    let (sx, sy) = (if right { radius } else { -radius }, if down { radius } else { -radius });
    let mut path = PathBuilder::new();
    path.move_to(x, y);
    path.line_to(x + sx, y);
    path.cubic_to(x + sx, y + sy * KAPPA, x + sx * KAPPA, y + sy, x, y + sy);
    path.close();
    path.finish().expect("a closed path of finite points")
}

pub fn rounded(area: Area, radius: f32) -> Path {
    const KAPPA: f32 = 0.447_715_2;
    let radius = radius.min(area.width / 2.0).min(area.height / 2.0);
    let (left, top, right, bottom, bend) = (area.x, area.y, area.right(), area.bottom(), radius * KAPPA);
    let mut path = PathBuilder::new();
    path.move_to(left + radius, top);
    path.line_to(right - radius, top);
    path.cubic_to(right - bend, top, right, top + bend, right, top + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(right, bottom - bend, right - bend, bottom, right - radius, bottom);
    path.line_to(left + radius, bottom);
    path.cubic_to(left + bend, bottom, left, bottom - bend, left, bottom - radius);
    path.line_to(left, top + radius);
    path.cubic_to(left, top + bend, left + bend, top, left + radius, top);
    path.close();
    path.finish().expect("a closed path of finite points")
}

pub fn skia(colour: Rgb, alpha: f32) -> Color {
    let part = |part: u8| f32::from(part) / 255.0;
    Color::from_rgba(part(colour.0), part(colour.1), part(colour.2), alpha.clamp(0.0, 1.0)).expect("parts between 0 and 1")
}
