//! What moves when: ornaments drift, words come one after another as they are read, a line shows how much is left.

use super::FRAMES_PER_SECOND;
use crate::{
    card::{Card, DRIFT, Fill, Item, Placement, Role, paint_item},
    colour::Rgb,
    lettering::is_cjk,
};
use tiny_skia::{Color, Paint, Pixmap, Rect, Shader, Transform};

/// How long a card needs to be read twice, within what feeds show as one short video.
pub fn duration_ms(headline: &str) -> u64 {
    const SHORTEST_MS: u64 = 6_000;
    const LONGEST_MS: u64 = 15_000;
    const WORD_MS: u64 = 330;
    // A few Han characters or kana are read as one word.
    const CJK_CHARS_A_WORD: u64 = 3;
    let cjk_chars = headline.chars().filter(|letter| is_cjk(*letter)).count() as u64;
    let words = headline.split(|c: char| c.is_whitespace() || is_cjk(c)).filter(|word| !word.is_empty()).count() as u64
        + cjk_chars / CJK_CHARS_A_WORD;
    // Whole half seconds.
    ((3_500 + words * WORD_MS).clamp(SHORTEST_MS, LONGEST_MS)) / 500 * 500
}

/// A card with its timetable.
pub struct Film<'a> {
    card: &'a Card,
    frames: u32,
    words: usize,
}

/// When things begin, in seconds, and how long they take to come.
const HEADER_AT: f32 = 0.10;
const ACCENT_AT: f32 = 0.30;
const FIGURE_AT: f32 = 0.35;
const WORDS_AT: f32 = 0.60;
const FOOTER_AFTER_WORDS: f32 = 0.20;
const COMING: f32 = 0.55;
/// From one word to the next at most; long texts come faster.
const WORD_STEP: f32 = 0.16;
/// All words have come by this share of the film.
const WORDS_SHARE: f32 = 0.45;

impl<'a> Film<'a> {
    pub fn new(card: &'a Card, duration_ms: u64) -> Self {
        let frames = (duration_ms * u64::from(FRAMES_PER_SECOND) / 1_000).max(1) as u32;
        let words = card.items.iter().filter(|item| matches!(item.role, Role::Headline(_))).count();
        Self { card, frames, words }
    }

    pub fn frames(&self) -> u32 {
        self.frames
    }

    pub fn width(&self) -> usize {
        self.card.size.width as usize
    }

    pub fn height(&self) -> usize {
        self.card.size.height as usize
    }

    fn seconds(&self) -> f32 {
        self.frames as f32 / FRAMES_PER_SECOND as f32
    }

    fn word_step(&self) -> f32 {
        WORD_STEP.min((self.seconds() * WORDS_SHARE - WORDS_AT) / self.words.max(1) as f32)
    }

    /// `None` while it is not there yet.
    fn placement(&self, item: &Item, at: f32) -> Option<Placement> {
        let unit = self.card.size.width.min(self.card.size.height) as f32;
        let words_end = WORDS_AT + self.word_step() * self.words as f32;
        let (start, rise) = match item.role {
            Role::Backdrop => return Some(Placement::default()),
            Role::Ornament => return Some(self.drift(at, unit)),
            Role::Badge | Role::Header => (HEADER_AT, -0.012),
            Role::Accent => (ACCENT_AT, 0.0),
            Role::Figure => (FIGURE_AT, 0.05),
            Role::Headline(number) => (WORDS_AT + self.word_step() * number as f32, 0.028),
            Role::Footer => (words_end + FOOTER_AFTER_WORDS, 0.0),
        };
        let come = eased((at - start) / COMING);
        (come > 0.0).then_some(Placement { dx: 0.0, dy: rise * unit * (1.0 - come), opacity: come })
    }

    /// Slowly through the place that it has on the still card.
    fn drift(&self, at: f32, unit: f32) -> Placement {
        let share = at / self.seconds() - 0.5;
        Placement { dx: -share * DRIFT * unit * 1.6, dy: share * DRIFT * unit * 1.2, opacity: 1.0 }
    }

    pub fn painter(&self) -> Painter<'_> {
        let new = || Pixmap::new(self.card.size.width, self.card.size.height).expect("the card's sides were checked");
        let mut still = new();
        let moves = |item: &&Item| item.role != Role::Backdrop && !is_light(item);
        for item in self.card.items.iter().filter(|item| !moves(item)) {
            paint_item(&mut still, item, Placement::default());
        }
        Painter { film: self, still, frame: new(), moving: self.card.items.iter().filter(moves).collect() }
    }
}

/// Lights have no edge that could be seen to move, and cost the most.
fn is_light(item: &Item) -> bool {
    matches!(item.fill, Fill::Radial { .. })
}

/// 0 to 1, fast at first.
fn eased(share: f32) -> f32 {
    let rest = 1.0 - share.clamp(0.0, 1.0);
    1.0 - rest * rest * rest
}

/// Paints frame after frame into one picture.
pub struct Painter<'f> {
    film: &'f Film<'f>,
    /// What never moves.
    still: Pixmap,
    frame: Pixmap,
    moving: Vec<&'f Item>,
}

impl Painter<'_> {
    pub fn frame(&mut self, number: u32) -> &Pixmap {
        self.frame.data_mut().copy_from_slice(self.still.data());
        let at = number as f32 / FRAMES_PER_SECOND as f32;
        for item in &self.moving {
            if let Some(placement) = self.film.placement(item, at) {
                paint_item(&mut self.frame, item, placement);
            }
        }
        let share = (number + 1) as f32 / self.film.frames as f32;
        progress_line(&mut self.frame, share, self.film.card.palette.bright, self.film.card.right_to_left);
        &self.frame
    }
}

fn progress_line(frame: &mut Pixmap, share: f32, colour: Rgb, right_to_left: bool) {
    let (width, height) = (frame.width() as f32, frame.height() as f32);
    let thickness = (height.min(width) * 0.007).max(4.0);
    let shader = Shader::SolidColor(Color::from_rgba8(colour.0, colour.1, colour.2, 255));
    let paint = Paint { shader, anti_alias: true, ..Paint::default() };
    let long = (width * share).max(1.0);
    let left = if right_to_left { width - long } else { 0.0 };
    if let Some(line) = Rect::from_xywh(left, height - thickness, long, thickness) {
        frame.fill_rect(line, &paint, Transform::identity(), None);
    }
}
