//! The embedded renderer behind the core's port.

use crate::{
    alt_text::alt_text,
    card::{self, Card, CardError, Content, Size},
    colour::Rgb,
    credentials::Origin,
    logos::Logos,
    png_file::encode_png,
    signing::Signing,
    video,
};
use async_trait::async_trait;
use chimera_core::{
    domain::platform::MediaRules,
    ports::media::{MadeMedia, MediaBrief, MediaError, MediaKind, MediaMaker, MediaType, VideoFacts, VideoTier, WordsBy},
};
use serde_json::{Map, json};
use std::{path::PathBuf, sync::Arc};

/// Draws by itself, with nothing but this program.
pub struct EmbeddedMaker {
    logos: Arc<Logos>,
    signing: Arc<Signing>,
}

impl EmbeddedMaker {
    /// Logos that SOULs name are looked for below `logo_folder`.
    pub fn new(logo_folder: PathBuf, signing: Arc<Signing>) -> Self {
        Self { logos: Arc::new(Logos::new(logo_folder)), signing }
    }
}

#[async_trait]
impl MediaMaker for EmbeddedMaker {
    async fn make(&self, brief: &MediaBrief) -> Result<MadeMedia, MediaError> {
        let (logos, signing, brief) = (self.logos.clone(), self.signing.clone(), brief.clone());
        // Drawing takes tens of milliseconds and more: no other task may wait behind it.
        let drawn = tokio::task::spawn_blocking(move || draw(&logos, &signing, &brief)).await;
        drawn.unwrap_or_else(|error| {
            tracing::error!(%error, "the renderer died: {error}");
            Err(MediaError::Failed)
        })
    }
}

fn draw(logos: &Logos, signing: &Signing, brief: &MediaBrief) -> Result<MadeMedia, MediaError> {
    let card = card::card(&content(logos, brief), size(brief)).map_err(|error| refused(&error))?;
    for note in &card.notes {
        tracing::warn!(task.id = %brief.task_id, "{note}");
    }
    let mut parameters = Map::from_iter([
        ("renderer".to_owned(), json!("embedded")),
        ("layout".to_owned(), json!(card.layout.name())),
        ("headline".to_owned(), json!(card.headline)),
    ]);
    let (plain, media_type, video) = match brief.kind {
        MediaKind::Image => {
            let file = encode_png(&card::paint(&card)).map_err(|error| failed("a card cannot be written as PNG", &error))?;
            (file, MediaType::Png, None)
        }
        MediaKind::Video => {
            let duration_ms = video::duration_ms(&card.headline);
            parameters.insert("frames_per_second".to_owned(), json!(video::FRAMES_PER_SECOND));
            let file = video::film(&card, duration_ms).map_err(|error| failed("a card cannot be filmed", &error))?;
            (file, MediaType::Mp4, Some(facts(brief, duration_ms)))
        }
    };
    let signed = signing.sign(brief, origin(brief.words_by), media_type, &plain);
    let bytes = signed.map_err(|error| failed("a card cannot be signed", &error))?;
    Ok(MadeMedia {
        bytes,
        media_type,
        size: brief.size(),
        alt_text: description(brief, &card),
        video,
        parameters,
        removed: Vec::new(),
        notes: card.notes,
    })
}

fn facts(brief: &MediaBrief, duration_ms: u64) -> VideoFacts {
    VideoFacts {
        duration_ms,
        codec: "h264".to_owned(),
        tier: VideoTier::Daily,
        character_reference_id: brief.persona.character_reference_id.clone(),
    }
}

fn failed(what: &str, error: &dyn std::error::Error) -> MediaError {
    tracing::error!(%error, "{what}: {error}");
    MediaError::Failed
}

fn origin(words_by: WordsBy) -> Origin {
    match words_by {
        WordsBy::Composer => Origin::Algorithm,
        WordsBy::Model => Origin::AlgorithmWithModelWords,
    }
}

fn content(logos: &Logos, brief: &MediaBrief) -> Content {
    let persona = &brief.persona;
    let brand = persona.brand.as_ref();
    let colours = brand.iter().flat_map(|brand| &brand.colors).map(|colour| Rgb(colour.red, colour.green, colour.blue)).collect();
    Content {
        headline: brief.headline.clone(),
        source: brief.source.clone(),
        name: persona.name.clone(),
        handle: persona.handle.clone(),
        label: persona.disclosure.clone(),
        brand: colours,
        logo: brand.and_then(|brand| brand.logo.as_deref()).and_then(|name| logos.find(name)),
        seed: brief.task_id.to_string(),
    }
}

fn size(brief: &MediaBrief) -> Size {
    let size = brief.size();
    Size { width: size.width, height: size.height }
}

fn description(brief: &MediaBrief, card: &Card) -> String {
    let persona = &brief.persona;
    let chars_max = MediaRules::of(brief.platform).alt_text_chars_max;
    let in_motion = brief.kind == MediaKind::Video;
    alt_text(&card.headline, card.layout, &persona.name, brief.source.as_deref(), &persona.disclosure, in_motion, chars_max)
}

fn refused(error: &CardError) -> MediaError {
    MediaError::CannotDraw(error.to_string())
}

#[cfg(test)]
mod tests;
