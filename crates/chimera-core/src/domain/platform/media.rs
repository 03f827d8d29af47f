//! What pictures and videos each platform shows best, and how it is told that an AI made them.

use super::Platform;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaRules {
    pub image: PixelSize,
    pub video: PixelSize,
    /// Of an image's description, in characters.
    pub alt_text_chars_max: usize,
    /// The field of the platform's own publishing interface that marks AI-made media; the others read Content Credentials
    /// or the label in the text.
    pub ai_flag: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelSize {
    pub width: u32,
    pub height: u32,
}

const WIDE: PixelSize = PixelSize { width: 1600, height: 900 };
const SQUARE: PixelSize = PixelSize { width: 1080, height: 1080 };
const LARGE_SQUARE: PixelSize = PixelSize { width: 1200, height: 1200 };
const PORTRAIT: PixelSize = PixelSize { width: 1080, height: 1350 };
const TALL: PixelSize = PixelSize { width: 1080, height: 1920 };

impl MediaRules {
    /// A square is whole everywhere.
    pub fn of(platform: Option<Platform>) -> Self {
        let rules = |image, video, alt_text_chars_max| Self { image, video, alt_text_chars_max, ai_flag: None };
        let Some(platform) = platform else { return rules(SQUARE, SQUARE, 1_000) };
        match platform {
            Platform::Twitter => rules(WIDE, SQUARE, 1_000),
            Platform::Bluesky => rules(WIDE, SQUARE, 2_000),
            Platform::Threads => rules(TALL, TALL, 1_000),
            Platform::Mastodon => rules(WIDE, SQUARE, 1_500),
            Platform::Instagram => rules(PORTRAIT, TALL, 1_000),
            Platform::Tiktok => Self { ai_flag: Some("is_aigc"), ..rules(TALL, TALL, 1_000) },
            Platform::Linkedin => rules(LARGE_SQUARE, SQUARE, 1_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_has_sizes_that_a_video_encoder_takes_and_room_for_a_description() {
        for platform in Platform::ALL.map(Some).into_iter().chain([None]) {
            let rules = MediaRules::of(platform);
            for size in [rules.image, rules.video] {
                assert!(size.width % 2 == 0 && size.height % 2 == 0, "{platform:?}");
                assert!((1080..=1920).contains(&size.width.max(size.height)), "{platform:?}");
            }
            assert!(rules.alt_text_chars_max >= 1_000, "{platform:?}");
        }
        assert_eq!(MediaRules::of(Some(Platform::Twitter)).image, PixelSize { width: 1600, height: 900 });
        assert_eq!(MediaRules::of(Some(Platform::Instagram)).image, PixelSize { width: 1080, height: 1350 });
    }
}
