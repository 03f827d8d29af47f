//! Where a card is built: shapes with roles, and inks that are readable on what is painted already.

use super::{Content, Size, chance::Chance, painting};
use crate::{
    colour::{Palette, Rgb, WHITE},
    lettering::{Family, line},
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
    pub headline: &'a str,
    pub palette: Palette,
    pub width: f32,
    pub height: f32,
    /// 1 on a square card of 1080 pixels.
    pub unit: f32,
    /// What platforms leave uncovered by their own buttons, less a margin.
    pub safe: Area,
    pub chance: Chance,
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

/// How far an ornament may move in a video, as a share of the shorter side: an ink must be readable wherever it is.
pub const DRIFT: f32 = 0.02;

impl<'a> Stage<'a> {
    pub fn new(content: &'a Content, headline: &'a str, palette: Palette, size: Size) -> Self {
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
            headline,
            palette,
            width,
            height,
            unit: (shorter + (width * height).sqrt()) / 2160.0,
            safe,
            chance,
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
                let (x, y) = (share(column, area.x, area.width), share(row, area.y, area.height));
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

    /// Draws the text in the ink nearest to `wish` and returns the area that it covers.
    pub fn text(&mut self, role: Role, label: Label<'_>, wish: Rgb) -> Area {
        let set = line(label.text, label.family, label.tracking);
        let width = set.width * label.size;
        let x = match label.align {
            Align::Left => label.x,
            Align::Centre => label.x - width / 2.0,
            Align::Right => label.x - width,
        };
        let cap = label.family.cap_height() * label.size;
        let area = Area { x, y: label.y - cap, width, height: cap };
        let colour = self.ink(wish, area);
        self.text_in(role, label, colour);
        area
    }

    /// As `text`, with an ink that was found for a larger area.
    pub fn text_in(&mut self, role: Role, label: Label<'_>, colour: Rgb) {
        let set = line(label.text, label.family, label.tracking);
        let x = match label.align {
            Align::Left => label.x,
            Align::Centre => label.x - set.width * label.size / 2.0,
            Align::Right => label.x - set.width * label.size,
        };
        let place = Transform::from_scale(label.size, label.size).post_translate(x, label.y);
        if let Some(outline) = set.outline.and_then(|outline| outline.transform(place)) {
            // Not painted on our own copy: inks are compared with what lies below all texts.
            self.items.push(Item { outline, fill: Fill::Flat(colour, 1.0), role });
        }
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
