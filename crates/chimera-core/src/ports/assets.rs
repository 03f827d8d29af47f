//! The pictures and videos that agents made, and what is known of each.

use super::{
    StoreError,
    media::{MediaType, VideoFacts},
};
use crate::{
    contracts::{UuidV4, content_generator::ContentType},
    domain::{AgentId, asset::AssetId, platform::PixelSize},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

#[async_trait]
pub trait Assets: Send + Sync {
    /// Bytes and row are durable when it returns. An asset that is there already stays as it was. `bytes` must hash to the id.
    async fn save(&self, asset: &AssetRecord, bytes: Vec<u8>) -> Result<(), StoreError>;
    async fn find(&self, id: &AssetId) -> Result<Option<AssetRecord>, StoreError>;
    /// `None` when there is no such asset. Bytes that no longer hash to the id are an error, never an answer.
    async fn read(&self, id: &AssetId) -> Result<Option<Vec<u8>>, StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct AssetRecord {
    pub id: AssetId,
    pub agent: AgentId,
    pub task_id: UuidV4,
    pub content_type: ContentType,
    pub media_type: MediaType,
    pub bytes: u64,
    pub size: PixelSize,
    /// Name of the platform it was made for.
    pub platform: Option<String>,
    pub status: AssetStatus,
    /// Of the post that it belongs to.
    pub confidence: f64,
    pub alt_text: String,
    /// What the publisher writes where the platform has no field of its own.
    pub ai_label: String,
    /// The platform's own field that marks AI-made media.
    pub ai_flag: Option<String>,
    pub created_at: DateTime<Utc>,
    pub parameters: Map<String, Value>,
    pub video: Option<VideoFacts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetStatus {
    Draft,
    Approved,
    Published,
    Rejected,
}

impl AssetStatus {
    pub const ALL: [Self; 4] = [Self::Draft, Self::Approved, Self::Published, Self::Rejected];

    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Approved => "approved",
            Self::Published => "published",
            Self::Rejected => "rejected",
        }
    }
}
