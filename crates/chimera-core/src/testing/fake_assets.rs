//! Assets in memory, and a maker that draws nothing.

use crate::{
    domain::asset::AssetId,
    ports::{
        StoreError,
        assets::{AssetRecord, Assets},
        media::{MadeMedia, MediaBrief, MediaError, MediaKind, MediaMaker, MediaType, VideoFacts, VideoTier},
    },
};
use async_trait::async_trait;
use serde_json::Map;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

#[derive(Default)]
pub struct FakeAssets(Mutex<BTreeMap<AssetId, (AssetRecord, Vec<u8>)>>);

impl FakeAssets {
    fn assets(&self) -> MutexGuard<'_, BTreeMap<AssetId, (AssetRecord, Vec<u8>)>> {
        self.0.lock().expect("no test panics while holding the assets")
    }

    pub fn all(&self) -> Vec<AssetRecord> {
        self.assets().values().map(|(record, _)| record.clone()).collect()
    }
}

#[async_trait]
impl Assets for FakeAssets {
    async fn save(&self, asset: &AssetRecord, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.assets().entry(asset.id.clone()).or_insert_with(|| (asset.clone(), bytes));
        Ok(())
    }

    async fn find(&self, id: &AssetId) -> Result<Option<AssetRecord>, StoreError> {
        Ok(self.assets().get(id).map(|(record, _)| record.clone()))
    }

    async fn read(&self, id: &AssetId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.assets().get(id).map(|(_, bytes)| bytes.clone()))
    }
}

/// Answers with the brief's own words as bytes, or with the failure that it was given.
#[derive(Default)]
pub struct FakeMaker {
    pub fails: Option<MediaError>,
    briefs: Mutex<Vec<MediaBrief>>,
}

impl FakeMaker {
    pub fn failing(error: MediaError) -> Self {
        Self { fails: Some(error), ..Self::default() }
    }

    pub fn briefs(&self) -> Vec<MediaBrief> {
        self.briefs.lock().expect("no test panics while holding the briefs").clone()
    }
}

#[async_trait]
impl MediaMaker for FakeMaker {
    async fn make(&self, brief: &MediaBrief) -> Result<MadeMedia, MediaError> {
        self.briefs.lock().expect("no test panics while holding the briefs").push(brief.clone());
        if let Some(error) = &self.fails {
            return Err(error.clone());
        }
        let is_video = brief.kind == MediaKind::Video;
        let video = is_video.then(|| VideoFacts {
            duration_ms: 8_000,
            codec: "h264".to_owned(),
            tier: VideoTier::Daily,
            character_reference_id: brief.persona.character_reference_id.clone(),
        });
        Ok(MadeMedia {
            bytes: format!("{:?} {} {}", brief.kind, brief.task_id, brief.headline).into_bytes(),
            media_type: if is_video { MediaType::Mp4 } else { MediaType::Png },
            size: brief.size(),
            alt_text: format!("A card that says: {}", brief.headline),
            video,
            parameters: Map::new(),
            removed: Vec::new(),
            notes: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn fake_assets_hold_to_the_port() {
        suites::assets::all(|| ((), FakeAssets::default())).await;
    }
}
