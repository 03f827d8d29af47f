//! What reads well where: the habits of each platform, as a model is told them.

use crate::domain::Platform;

pub(super) fn of(platform: Option<Platform>) -> &'static str {
    match platform {
        Some(Platform::Twitter) => {
            "X: one thought. The first words carry it; people decide by them whether to stop. Short, dry and concrete beats clever. One number or one image, \
             then what you make of it. No throat-clearing (\"Exciting news\"), no call to share."
        }
        Some(Platform::Bluesky) => {
            "Bluesky: talk like a person among friends who know the field. Curious and specific; a small observation of your own is worth more than a slogan. \
             Marketing falls flat."
        }
        Some(Platform::Threads) => {
            "Threads: conversational and light. Say what happened in plain words, then a thought that somebody could answer. A real question works; a rhetorical \
             one does not."
        }
        Some(Platform::Mastodon) => {
            "Mastodon: unhurried, exact and modest. Say who did what, and why it is worth knowing. No hype, no engagement tricks: people there mute for it."
        }
        Some(Platform::Instagram) => {
            "Instagram: the caption of a picture. The first line must make sense alone, since the rest is folded away. Warm, sensory, a small story; then one line \
             of your own."
        }
        Some(Platform::Tiktok) => {
            "TikTok: the caption of a short video. One spoken-sounding line with the surprise first. Nobody reads a second paragraph."
        }
        Some(Platform::Linkedin) => {
            "LinkedIn: what happened, what it changes for people at work, what you take from it. Short paragraphs in plain words; no humblebrag, no buzzwords, \
             no one-line-per-sentence drama."
        }
        None => "No platform is named: a short text that reads well anywhere.",
    }
}
