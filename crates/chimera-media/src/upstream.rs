//! An upstream image or video tool behind the core's port: asked over MCP, its file fetched, checked and signed here.

use crate::{
    credentials::{Origin, without_claims},
    facts::{Facts, facts_of},
    lettering::cut,
    signing::{Signing, SigningError},
};
use async_trait::async_trait;
use chimera_core::{
    domain::platform::MediaRules,
    ports::{
        media::{MadeMedia, MediaBrief, MediaError, MediaFiles, MediaKind, MediaMaker, MediaType, VideoFacts, VideoTier},
        tools::Tools,
    },
};
use serde_json::{Map, json};
use std::{sync::Arc, time::Duration};

/// Drawing by a model takes a while, filming longer.
const IMAGE_WITHIN: Duration = Duration::from_secs(120);
const VIDEO_WITHIN: Duration = Duration::from_secs(600);
const FETCH_WITHIN: Duration = Duration::from_secs(60);

pub struct UpstreamMaker {
    pub tools: Arc<dyn Tools>,
    pub files: Arc<dyn MediaFiles>,
    pub signing: Arc<Signing>,
    /// Name of the upstream server, and of its tool.
    pub server: String,
    pub tool: String,
}

#[async_trait]
impl MediaMaker for UpstreamMaker {
    async fn make(&self, brief: &MediaBrief) -> Result<MadeMedia, MediaError> {
        let uri = self.ask(brief).await?;
        let fetched = self.files.fetch(&self.server, &uri, FETCH_WITHIN).await;
        let file = fetched.map_err(|error| self.failed(&format!("its media_uri cannot be read: {error}")))?;
        let facts = facts_of(&file).ok_or_else(|| self.failed("its media_uri holds no PNG, JPEG or MP4 file"))?;
        if (facts.media_type == MediaType::Mp4) != (brief.kind == MediaKind::Video) {
            return Err(self.failed(&format!("asked for {}, it made {}", noun(brief.kind), facts.media_type.mime())));
        }
        let (signing, asked) = (self.signing.clone(), brief.clone());
        let media_type = facts.media_type;
        let signed = tokio::task::spawn_blocking(move || signed(&signing, &asked, media_type, &file)).await;
        let (bytes, removed) = signed.map_err(|_| MediaError::Failed)?.map_err(|error| match error {
            SigningError::File(problem) => self.failed(&problem.to_string()),
            SigningError::Identity(cause) => {
                tracing::error!(%cause, "the identity for Content Credentials cannot be used: {cause}");
                MediaError::Failed
            }
        })?;
        Ok(MadeMedia { removed, ..self.made(brief, &facts, bytes) })
    }
}

impl UpstreamMaker {
    /// The address that the tool answers with.
    async fn ask(&self, brief: &MediaBrief) -> Result<String, MediaError> {
        let size = brief.size();
        let arguments = Map::from_iter([
            ("prompt".to_owned(), json!(prompt(brief))),
            ("width".to_owned(), json!(size.width)),
            ("height".to_owned(), json!(size.height)),
            ("character_reference_id".to_owned(), json!(character(brief))),
        ]);
        let within = if brief.kind == MediaKind::Video { VIDEO_WITHIN } else { IMAGE_WITHIN };
        let answer = self.tools.call(&self.server, &self.tool, arguments, within).await;
        let answer = answer.map_err(|error| MediaError::Upstream(error.to_string()))?;
        answer.content()["media_uri"].as_str().map(str::to_owned).ok_or_else(|| self.failed("its answer has no media_uri"))
    }

    fn failed(&self, problem: &str) -> MediaError {
        MediaError::Upstream(format!("tool {:?} of upstream server {:?}: {problem}", self.tool, self.server))
    }

    fn made(&self, brief: &MediaBrief, facts: &Facts, bytes: Vec<u8>) -> MadeMedia {
        let chars_max = MediaRules::of(brief.platform).alt_text_chars_max;
        let persona = &brief.persona;
        let alt_text = format!("{} by {} for: “{}” {}.", capitalised(noun(brief.kind)), persona.name, brief.headline, persona.disclosure);
        let parameters = Map::from_iter([
            ("renderer".to_owned(), json!("upstream")),
            ("upstream".to_owned(), json!(self.server)),
            ("tool".to_owned(), json!(self.tool)),
            ("prompt".to_owned(), json!(prompt(brief))),
            ("character_reference_id".to_owned(), json!(character(brief))),
        ]);
        let video = (brief.kind == MediaKind::Video).then(|| VideoFacts {
            duration_ms: facts.duration_ms.unwrap_or_default(),
            codec: facts.codec.clone().unwrap_or_default(),
            tier: VideoTier::Hero,
            character_reference_id: Some(character(brief)),
        });
        let alt_text = cut(&alt_text, chars_max);
        MadeMedia {
            bytes,
            media_type: facts.media_type,
            size: facts.size,
            alt_text,
            video,
            parameters,
            removed: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// With our manifest and no other: what the tool's file says about itself nobody here has checked, and our signature must not vouch for it.
fn signed(signing: &Signing, brief: &MediaBrief, media_type: MediaType, file: &[u8]) -> Result<(Vec<u8>, Vec<String>), SigningError> {
    let cleaned = without_claims(media_type, file)?;
    let signed = signing.sign(brief, Origin::Model, media_type, &cleaned.file)?;
    Ok((signed, cleaned.removed.into_iter().map(str::to_owned).collect()))
}

/// The agent's own, or its id where the SOUL has none: a character must stay the same from picture to picture.
fn character(brief: &MediaBrief) -> String {
    brief.persona.character_reference_id.clone().unwrap_or_else(|| brief.agent.as_str().to_owned())
}

fn prompt(brief: &MediaBrief) -> String {
    format!("{} for a post by {} about: {}", capitalised(noun(brief.kind)), brief.persona.name, brief.headline)
}

fn noun(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Video => "video",
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
