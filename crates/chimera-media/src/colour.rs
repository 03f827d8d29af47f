//! Colours: how light they look, how well one reads on another, and the palette of a persona.

use sha2::{Digest, Sha256};

/// An sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

pub const WHITE: Rgb = Rgb(255, 255, 255);
pub const BLACK: Rgb = Rgb(0, 0, 0);

/// WCAG 2.2, level AA, for text of any size.
pub const CONTRAST_MIN: f32 = 4.5;

/// Aimed at, so that rounding and the blur of a platform's recompression stay above the minimum.
const CONTRAST_AIM: f32 = 4.8;

impl Rgb {
    /// WCAG's relative luminance, 0 to 1.
    pub fn luminance(self) -> f32 {
        let linear = |part: u8| {
            let part = f32::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// WCAG's contrast ratio, 1 to 21.
    pub fn contrast(self, other: Self) -> f32 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// `share` of `other` in this colour.
    pub fn mixed(self, other: Self, share: f32) -> Self {
        let part = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share.clamp(0.0, 1.0)).round() as u8;
        Self(part(self.0, other.0), part(self.1, other.1), part(self.2, other.2))
    }

    fn worst_contrast(self, backgrounds: &[Self]) -> f32 {
        backgrounds.iter().map(|background| self.contrast(*background)).fold(21.0, f32::min)
    }

    /// The one of the two that reads better on every background.
    pub fn better_on(self, other: Self, backgrounds: &[Self]) -> Self {
        if self.worst_contrast(backgrounds) >= other.worst_contrast(backgrounds) { self } else { other }
    }

    /// This colour, or the nearest one towards white or black that reads on every background.
    /// `None` when not even those do: the backgrounds are too far apart.
    pub fn readable_on(self, backgrounds: &[Self]) -> Option<Self> {
        const STEPS: u8 = 20;
        let towards = |end: Self| (0..=STEPS).map(move |step| self.mixed(end, f32::from(step) / f32::from(STEPS)));
        let ends = if WHITE.worst_contrast(backgrounds) >= BLACK.worst_contrast(backgrounds) { [WHITE, BLACK] } else { [BLACK, WHITE] };
        // On a middle grey nothing reaches the aim, and white or black still reach the minimum.
        [CONTRAST_AIM, CONTRAST_MIN]
            .into_iter()
            .find_map(|least| ends.into_iter().flat_map(towards).find(|colour| colour.worst_contrast(backgrounds) >= least))
    }
}

/// The colours of one persona's cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    pub primary: Rgb,
    pub accent: Rgb,
    /// The darker and the lighter of the two.
    pub deep: Rgb,
    pub bright: Rgb,
    /// Nearly white, with a breath of the darker colour.
    pub paper: Rgb,
    /// Nearly black, with a breath of the darker colour.
    pub ink: Rgb,
}

/// Pairs that go well together, for personas that name no colours.
const PAIRS: [(Rgb, Rgb); 12] = [
    (Rgb(15, 92, 77), Rgb(244, 185, 66)),
    (Rgb(29, 43, 83), Rgb(255, 122, 89)),
    (Rgb(59, 31, 91), Rgb(255, 209, 102)),
    (Rgb(11, 57, 84), Rgb(255, 102, 99)),
    (Rgb(38, 50, 56), Rgb(198, 246, 141)),
    (Rgb(122, 31, 61), Rgb(255, 198, 165)),
    (Rgb(18, 53, 91), Rgb(123, 223, 242)),
    (Rgb(74, 44, 42), Rgb(242, 193, 78)),
    (Rgb(0, 77, 64), Rgb(255, 159, 104)),
    (Rgb(34, 34, 59), Rgb(233, 196, 180)),
    (Rgb(95, 15, 64), Rgb(251, 139, 36)),
    (Rgb(20, 52, 43), Rgb(164, 222, 184)),
];

impl Palette {
    /// From the brand's colours, best first; without any, a pair that `identity` chooses and keeps.
    pub fn of(brand: &[Rgb], identity: &str) -> Self {
        let (primary, accent) = match brand {
            [] => PAIRS[usize::from(Sha256::digest(identity.as_bytes())[0]) % PAIRS.len()],
            [only] => (*only, companion(*only)),
            [first, rest @ ..] => (*first, distinct_accent(*first, rest)),
        };
        let (deep, bright) = if primary.luminance() <= accent.luminance() { (primary, accent) } else { (accent, primary) };
        Self { primary, accent, deep, bright, paper: deep.mixed(WHITE, 0.945), ink: deep.mixed(BLACK, 0.70).mixed(Rgb(10, 12, 16), 0.30) }
    }
}

/// The brand colour that stands out most from the first.
fn distinct_accent(first: Rgb, rest: &[Rgb]) -> Rgb {
    let mut best = rest[0];
    // The order is the brand's will: a later colour wins only where the earlier one would hardly be seen.
    for colour in rest {
        if best.contrast(first) < 1.6 && colour.contrast(first) > best.contrast(first) {
            best = *colour;
        }
    }
    if best.contrast(first) < 1.3 { companion(first) } else { best }
}

/// A light, warm answer to a dark colour and a dark one to a light colour.
fn companion(colour: Rgb) -> Rgb {
    let opposite = Rgb(255 - colour.0, 255 - colour.1, 255 - colour.2);
    if colour.luminance() < 0.35 { opposite.mixed(Rgb(255, 214, 130), 0.65) } else { opposite.mixed(Rgb(24, 28, 48), 0.65) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_wcags() {
        for (a, b, expected) in [
            (BLACK, WHITE, 21.0),
            (WHITE, WHITE, 1.0),
            (Rgb(118, 118, 118), WHITE, 4.54),
            (Rgb(119, 119, 119), WHITE, 4.48),
            (Rgb(255, 0, 0), WHITE, 4.0),
        ] {
            assert!((a.contrast(b) - expected).abs() < 0.01, "{a:?} on {b:?}: {}", a.contrast(b));
        }
    }

    #[test]
    fn a_readable_colour_reads_on_every_background_or_there_is_none() {
        for background in (0..=255).step_by(5) {
            let grey = Rgb(background, background, background);
            for wish in [Rgb(244, 185, 66), Rgb(15, 92, 77), WHITE, BLACK, grey] {
                let found = wish.readable_on(&[grey]).unwrap();
                assert!(found.contrast(grey) >= CONTRAST_MIN, "{found:?} on {grey:?}");
            }
        }
        assert_eq!(WHITE.readable_on(&[WHITE, BLACK]), None);
        assert_eq!(WHITE.readable_on(&[BLACK]), Some(WHITE));
    }

    #[test]
    fn a_palette_is_the_brands_or_always_the_same_for_one_identity() {
        let brand = [Rgb(15, 92, 77), Rgb(244, 185, 66)];
        assert_eq!((Palette::of(&brand, "x").primary, Palette::of(&brand, "x").accent), (brand[0], brand[1]));
        assert_eq!(Palette::of(&[], "selam"), Palette::of(&[], "selam"));
        assert_ne!(Palette::of(&[], "selam"), Palette::of(&[], "tariku"));
        let twice = Palette::of(&[brand[0], brand[0]], "x");
        assert!(twice.accent.contrast(twice.primary) > 1.3, "an accent that cannot be seen is none");
    }
}
