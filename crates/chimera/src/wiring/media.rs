//! Who draws pictures and videos: the embedded renderer, or the upstream tools of the configuration.

use crate::config::{Settings, file::MediaToolSection};
use async_trait::async_trait;
use chimera_adapters::upstream::Host;
use chimera_core::ports::{
    clock::Clock,
    media::{MadeMedia, MediaBrief, MediaError, MediaKind, MediaMaker, VideoTier},
};
use chimera_media::{EmbeddedMaker, Signing, UpstreamMaker};
use std::sync::Arc;

/// One maker for each kind and tier.
struct Makers {
    image: Arc<dyn MediaMaker>,
    daily: Arc<dyn MediaMaker>,
    hero: Option<Arc<dyn MediaMaker>>,
}

#[async_trait]
impl MediaMaker for Makers {
    async fn make(&self, brief: &MediaBrief) -> Result<MadeMedia, MediaError> {
        match brief.kind {
            MediaKind::Image => self.image.make(brief).await,
            MediaKind::Video => match (brief.tier, &self.hero) {
                (Some(VideoTier::Daily), _) | (None, None) => self.daily.make(brief).await,
                (Some(VideoTier::Hero) | None, Some(hero)) => hero.make(brief).await,
                (Some(VideoTier::Hero), None) => {
                    Err(MediaError::CannotDraw("a hero video needs a video tool, and [media.video] names none".to_owned()))
                }
            },
        }
    }
}

pub fn maker(settings: &Settings, host: &Arc<Host>, clock: Arc<dyn Clock>) -> Arc<dyn MediaMaker> {
    let signing = Arc::new(Signing::new(settings.data_dir.clone(), clock));
    let embedded = Arc::new(EmbeddedMaker::new(settings.base_dir.clone(), signing.clone()));
    let tool = |section: &MediaToolSection| -> Arc<dyn MediaMaker> {
        Arc::new(UpstreamMaker {
            tools: host.clone(),
            files: host.clone(),
            signing: signing.clone(),
            server: section.upstream.clone(),
            tool: section.tool.clone(),
        })
    };
    let media = &settings.file.media;
    let image = media.image.as_ref().map_or_else(|| embedded.clone() as Arc<dyn MediaMaker>, tool);
    Arc::new(Makers { image, daily: embedded.clone(), hero: media.video.as_ref().map(tool) })
}
