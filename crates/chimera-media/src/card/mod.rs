//! A card: a headline, its source and who says it, laid out in one of several ways for one size. What is drawn is a list of
//! shapes with roles, so that a still picture and a video show the same card. Depends on `colour` and `lettering` alone.

mod blocks;
mod chance;
mod figure;
mod layouts;
mod painting;
mod stage;
mod tiles;

pub use painting::{Placement, paint, paint_item};
pub use stage::{DRIFT, Fill, Item, Role};

use crate::{
    colour::{Palette, Rgb},
    lettering::{Unprintable, printable},
};
use chance::Chance;
use stage::Stage;
use std::sync::Arc;
use tiny_skia::Pixmap;

/// What a card says and for whom.
#[derive(Debug, Clone)]
pub struct Content {
    /// 1 to 300 characters after pictures are left out; more is cut at a word.
    pub headline: String,
    /// Where it is from, such as a host name.
    pub source: Option<String>,
    pub name: String,
    /// Without its `@`.
    pub handle: String,
    /// That an AI made this; on every card.
    pub label: String,
    pub brand: Vec<Rgb>,
    pub logo: Option<Arc<Pixmap>>,
    /// Chooses among layouts and ornaments; the same seed chooses the same.
    pub seed: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Poster,
    Editorial,
    Glow,
    Figure,
    Frame,
    Tiles,
    Rings,
}

impl Layout {
    pub const ALL: [Self; 7] = [Self::Poster, Self::Editorial, Self::Glow, Self::Figure, Self::Frame, Self::Tiles, Self::Rings];

    pub fn name(self) -> &'static str {
        match self {
            Self::Poster => "poster",
            Self::Editorial => "editorial",
            Self::Glow => "glow",
            Self::Figure => "figure",
            Self::Frame => "frame",
            Self::Tiles => "tiles",
            Self::Rings => "rings",
        }
    }
}

/// A card ready to be painted.
#[derive(Debug, Clone)]
pub struct Card {
    pub size: Size,
    pub layout: Layout,
    pub palette: Palette,
    pub headline: String,
    /// Back to front.
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    #[error(transparent)]
    Unprintable(#[from] Unprintable),
    #[error("the headline has no letter or digit")]
    Empty,
    #[error("{0} x {1} is not a card: each side must have 320 to 4096 pixels")]
    BadSize(u32, u32),
}

const SIDE_PIXELS: std::ops::RangeInclusive<u32> = 320..=4096;
const HEADLINE_CHARS_MAX: usize = 300;

/// A card in the layout that the content's seed chooses.
pub fn card(content: &Content, size: Size) -> Result<Card, CardError> {
    let layout = choice(content);
    card_in(content, size, layout)
}

/// A figure is shown large where there is one, every other time; the rest is chance.
fn choice(content: &Content) -> Layout {
    let mut chance = Chance::new(&content.seed);
    let has_figure = printable(&content.headline).is_ok_and(|headline| figure::split(&headline).is_some());
    if has_figure && chance.below(2) == 0 {
        return Layout::Figure;
    }
    let others: Vec<Layout> = Layout::ALL.into_iter().filter(|layout| *layout != Layout::Figure).collect();
    others[chance.below(others.len())]
}

/// `Figure` becomes `Poster` where the headline has no figure.
pub fn card_in(content: &Content, size: Size, layout: Layout) -> Result<Card, CardError> {
    if !(SIDE_PIXELS.contains(&size.width) && SIDE_PIXELS.contains(&size.height)) {
        return Err(CardError::BadSize(size.width, size.height));
    }
    let headline = cut(printable(&content.headline)?);
    if !headline.chars().any(char::is_alphanumeric) {
        return Err(CardError::Empty);
    }
    let layout = if layout == Layout::Figure && figure::split(&headline).is_none() { Layout::Poster } else { layout };
    let palette = Palette::of(&content.brand, &content.handle);
    let mut stage = Stage::new(content, &headline, palette, size);
    layouts::draw(&mut stage, layout);
    let items = stage.into_items();
    Ok(Card { size, layout, palette, headline, items })
}

fn cut(headline: String) -> String {
    if headline.chars().count() <= HEADLINE_CHARS_MAX {
        return headline;
    }
    let short: String = headline.chars().take(HEADLINE_CHARS_MAX - 1).collect();
    let end = short.rfind(' ').unwrap_or(short.len());
    format!("{}…", short[..end].trim_end_matches([',', ';', ':', ' ']))
}

#[cfg(test)]
mod tests;
