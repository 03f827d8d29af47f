//! Who draws: the embedded renderer, or an upstream image or video tool.

pub use crate::contracts::content_generator::VideoTier;
use crate::{
    contracts::UuidV4,
    domain::{
        AgentId,
        platform::{MediaRules, PixelSize, Platform},
        soul::Brand,
    },
};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::time::Duration;

/// Makes one picture or video. The same brief gives the same bytes where the maker is the embedded one.
#[async_trait]
pub trait MediaMaker: Send + Sync {
    /// What comes back is whole, playable or viewable as it is, and carries signed Content Credentials that say an AI made it.
    async fn make(&self, brief: &MediaBrief) -> Result<MadeMedia, MediaError>;
}

/// Fetches what a media tool points at.
#[async_trait]
pub trait MediaFiles: Send + Sync {
    /// The bytes behind an address that a tool of `server` answered with: a `data:` URI, an `https:` address outside of private
    /// networks, or a resource of that very server. Ends within `within`, and gives up on what is too large.
    async fn fetch(&self, server: &str, uri: &str, within: Duration) -> Result<Vec<u8>, MediaFileError>;
}

/// Safe to show to strangers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MediaFileError(pub String);

/// What is to be shown, by whom and where.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaBrief {
    pub task_id: UuidV4,
    pub agent: AgentId,
    pub kind: MediaKind,
    /// Of a video, where it matters to whoever asks.
    pub tier: Option<VideoTier>,
    pub platform: Option<Platform>,
    /// One sentence, checked like every text of the agent.
    pub headline: String,
    /// Where it is from, such as a host name.
    pub source: Option<String>,
    pub persona: MediaPersona,
    pub words_by: WordsBy,
}

impl MediaBrief {
    pub fn size(&self) -> PixelSize {
        let rules = MediaRules::of(self.platform);
        match self.kind {
            MediaKind::Image => rules.image,
            MediaKind::Video => rules.video,
        }
    }
}

/// How the persona shows itself.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaPersona {
    pub name: String,
    /// Without its `@`.
    pub handle: String,
    /// The label that says an AI made this.
    pub disclosure: String,
    pub brand: Option<Brand>,
    /// Keeps a drawn character the same from picture to picture.
    pub character_reference_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    Image,
    Video,
}

/// Who found the words on a card; Content Credentials tell these apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordsBy {
    /// Code that takes sentences from sources.
    Composer,
    /// A trained model.
    Model,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MadeMedia {
    pub bytes: Vec<u8>,
    pub media_type: MediaType,
    pub size: PixelSize,
    /// What a person who cannot see it needs to know; within the platform's limit.
    pub alt_text: String,
    pub video: Option<VideoFacts>,
    /// How it was made, for the record.
    pub parameters: Map<String, Value>,
    /// What somebody else's file said about itself, and was taken out before it was signed.
    pub removed: Vec<String>,
    /// What could not be shown as it was asked for, each in a sentence.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    Png,
    Jpeg,
    Mp4,
}

impl MediaType {
    pub const ALL: [Self; 3] = [Self::Png, Self::Jpeg, Self::Mp4];

    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Mp4 => "video/mp4",
        }
    }

    /// Of file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Mp4 => "mp4",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VideoFacts {
    pub duration_ms: u64,
    pub codec: String,
    pub tier: VideoTier,
    pub character_reference_id: Option<String>,
}

/// Messages are safe to show to strangers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MediaError {
    /// The brief cannot be drawn by this maker, however often it is asked.
    #[error("{0}")]
    CannotDraw(String),
    /// The upstream tool failed, or what it gave is not what was asked for.
    #[error("{0}")]
    Upstream(String),
    /// Something of ours failed; the log has the cause.
    #[error("the renderer failed")]
    Failed,
}
