//! A card: a headline, its source and who says it, laid out in one of several ways for one size. What is drawn is a list of
//! shapes with roles, so that a still picture and a video show the same card. Depends on `colour` and `lettering` alone.

mod blocks;
mod chance;
mod figure;
mod layouts;
mod painting;
mod stage;
mod tiles;
mod words;

pub use painting::{Placement, paint, paint_item};
pub use stage::{DRIFT, Fill, Item, Role};

use crate::{
    colour::{Palette, Rgb},
    lettering::{Unprintable, is_right_to_left, writable},
};
use chance::Chance;
use stage::Stage;
use std::sync::Arc;
use tiny_skia::Pixmap;
use words::Words;

/// What a card says and for whom.
#[derive(Debug, Clone)]
pub struct Content {
    /// 1 to 300 characters; more is cut at a word.
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
    /// Laid out from right to left.
    pub right_to_left: bool,
    /// What could not be written as it is, for whoever looks after the agent.
    pub notes: Vec<String>,
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
    let has_figure = writable(&content.headline).is_ok_and(|headline| figure::split(&headline.text).is_some());
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
    let words = Words::of(content, HEADLINE_CHARS_MAX)?;
    if !words.headline.chars().any(char::is_alphanumeric) {
        return Err(CardError::Empty);
    }
    let layout = if layout == Layout::Figure && figure::split(&words.headline).is_none() { Layout::Poster } else { layout };
    let palette = Palette::of(&content.brand, &content.handle);
    let right_to_left = is_right_to_left(&words.headline) == Some(true);
    let mut stage = Stage::new(content, &words, palette, size, right_to_left);
    layouts::draw(&mut stage, layout);
    let items = stage.into_items();
    let Words { headline, notes, .. } = words;
    Ok(Card { size, layout, palette, headline, right_to_left, notes, items })
}

#[cfg(test)]
mod tests;
