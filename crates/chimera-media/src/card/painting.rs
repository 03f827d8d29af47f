//! Items to pixels.

use super::{
    Card,
    stage::{Fill, Item, skia},
};
use crate::colour::Rgb;
use tiny_skia::{
    FillRule, FilterQuality, GradientStop, LinearGradient, Paint, Pattern, Pixmap, Point, Shader, SpreadMode, Stroke, Transform,
};

/// Where and how strongly an item is painted, compared with the still card.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    pub dx: f32,
    pub dy: f32,
    pub opacity: f32,
}

impl Default for Placement {
    fn default() -> Self {
        Self { dx: 0.0, dy: 0.0, opacity: 1.0 }
    }
}

/// The whole card as it is at rest.
pub fn paint(card: &Card) -> Pixmap {
    let mut pixmap = Pixmap::new(card.size.width, card.size.height).expect("the sides were checked to be within limits");
    for item in &card.items {
        paint_item(&mut pixmap, item, Placement::default());
    }
    pixmap
}

pub fn paint_item(pixmap: &mut Pixmap, item: &Item, placement: Placement) {
    let transform = Transform::from_translate(placement.dx, placement.dy);
    let opacity = placement.opacity.clamp(0.0, 1.0);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    if let Fill::Stroke { colour, width } = &item.fill {
        paint.set_color(skia(*colour, opacity));
        let stroke = Stroke { width: *width, ..Stroke::default() };
        pixmap.stroke_path(&item.outline, &paint, &stroke, transform, None);
        return;
    }
    if let Fill::Radial { centre, radius, colour, strength } = item.fill {
        let centre = (centre.0 + placement.dx, centre.1 + placement.dy);
        shine(pixmap, centre, radius, colour, strength * opacity);
        return;
    }
    let Some(shader) = shader(item, opacity) else { return };
    paint.shader = shader;
    pixmap.fill_path(&item.outline, &paint, FillRule::Winding, transform, None);
}

fn shader(item: &Item, opacity: f32) -> Option<Shader<'_>> {
    match &item.fill {
        Fill::Flat(colour, alpha) => Some(Shader::SolidColor(skia(*colour, alpha * opacity))),
        Fill::Linear { from, to, stops } => {
            let stops = vec![GradientStop::new(0.0, skia(stops[0], opacity)), GradientStop::new(1.0, skia(stops[1], opacity))];
            LinearGradient::new(point(*from), point(*to), stops, SpreadMode::Pad, Transform::identity())
        }
        Fill::Picture(picture) => {
            let bounds = item.outline.bounds();
            let scale = (bounds.width() / picture.width() as f32).min(bounds.height() / picture.height() as f32);
            let left = bounds.x() + (bounds.width() - picture.width() as f32 * scale) / 2.0;
            let top = bounds.y() + (bounds.height() - picture.height() as f32 * scale) / 2.0;
            let place = Transform::from_scale(scale, scale).post_translate(left, top);
            Some(Pattern::new(picture.as_ref().as_ref(), SpreadMode::Pad, FilterQuality::Bicubic, opacity, place))
        }
        Fill::Stroke { .. } | Fill::Radial { .. } => None,
    }
}

/// A light that falls off like a bell: a general gradient costs ten times as much over a whole card.
fn shine(pixmap: &mut Pixmap, centre: (f32, f32), radius: f32, colour: Rgb, strength: f32) {
    let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
    let within = |from: f32, limit: usize| (from.max(0.0) as usize).min(limit);
    let (left, right) = (within(centre.0 - radius, width), within(centre.0 + radius + 1.0, width));
    let (top, bottom) = (within(centre.1 - radius, height), within(centre.1 + radius + 1.0, height));
    let light = [f32::from(colour.0), f32::from(colour.1), f32::from(colour.2)];
    let per_radius = 1.0 / (radius * radius);
    let rows = pixmap.data_mut().chunks_exact_mut(width * 4).enumerate().take(bottom).skip(top);
    for (y, row) in rows {
        let dy = (y as f32 - centre.1) * (y as f32 - centre.1);
        for (x, pixel) in row[left * 4..right * 4].chunks_exact_mut(4).enumerate() {
            let dx = (x + left) as f32 - centre.0;
            let near = (1.0 - (dx * dx + dy) * per_radius).max(0.0);
            let share = strength * near * near;
            for (part, light) in pixel.iter_mut().zip(light) {
                let old = f32::from(*part);
                *part = (old + (light - old) * share + 0.5) as u8;
            }
        }
    }
}

fn point((x, y): (f32, f32)) -> Point {
    Point::from_xy(x, y)
}
