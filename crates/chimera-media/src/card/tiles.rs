//! A wall of tiles in the persona's colours: discs, quarters, bars and squares, another one for every seed.

use super::stage::{Area, Fill, Role, Stage, circle, quarter, rectangle};
use crate::colour::Rgb;

/// Fills `area` with about `across` tiles in a row.
pub fn wall(stage: &mut Stage<'_>, area: Area, across: usize) {
    let palette = stage.palette;
    let side = area.width / across as f32;
    let down = (area.height / side).ceil() as usize;
    let grounds = [palette.primary, palette.primary.mixed(palette.paper, 0.86), palette.accent, palette.ink];
    for row in 0..down {
        for column in 0..across {
            let tile = Area {
                x: area.x + side * column as f32,
                y: area.y + side * row as f32,
                width: side,
                height: side.min(area.bottom() - (area.y + side * row as f32)),
            };
            let ground = grounds[stage.chance.below(grounds.len())];
            let others: Vec<Rgb> = grounds.into_iter().filter(|colour| *colour != ground).collect();
            let shape = others[stage.chance.below(others.len())];
            // Half a pixel over the edge, or the seams would shine through.
            let ground_area = Area { width: tile.width + 0.5, height: tile.height + 0.5, ..tile };
            stage.add(Role::Backdrop, rectangle(ground_area), Fill::Flat(ground, 1.0));
            if tile.height >= side * 0.98 {
                tile_shape(stage, tile, shape);
            }
        }
    }
}

fn tile_shape(stage: &mut Stage<'_>, tile: Area, colour: Rgb) {
    let (x, y) = tile.centre();
    let (side, fill) = (tile.width, Fill::Flat(colour, 1.0));
    match stage.chance.below(7) {
        0 => stage.add(Role::Backdrop, circle(x, y, side * 0.34), fill),
        1 => stage.add(Role::Backdrop, quarter(tile.x, tile.y, side, true, true), fill),
        2 => stage.add(Role::Backdrop, quarter(tile.right(), tile.y, side, false, true), fill),
        3 => stage.add(Role::Backdrop, quarter(tile.x, tile.bottom(), side, true, false), fill),
        4 => stage.add(Role::Backdrop, quarter(tile.right(), tile.bottom(), side, false, false), fill),
        5 => {
            for bar in 0..3 {
                let area = Area { y: tile.y + side * (0.12 + 0.28 * bar as f32), height: side * 0.2, ..tile };
                stage.add(Role::Backdrop, rectangle(area), fill.clone());
            }
        }
        _ => {
            stage.add(Role::Backdrop, quarter(tile.x, tile.y, side / 2.0, true, true), fill.clone());
            stage.add(Role::Backdrop, quarter(tile.right(), tile.bottom(), side / 2.0, false, false), fill);
        }
    }
}
