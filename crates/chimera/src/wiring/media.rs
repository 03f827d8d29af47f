//! Who draws pictures and videos: the embedded renderer, or the upstream tools of the configuration.

use crate::config::{Settings, file::MediaToolSection};
use async_trait::async_trait;
use chimera_adapters::upstream::Host;
use chimera_core::ports::{
    clock::Clock,
    media::{MadeMedia, MediaBrief, MediaError, MediaKind, MediaMaker},
};
use chimera_media::{EmbeddedMaker, Signing, UpstreamMaker};
use std::sync::Arc;

/// One maker for each kind.
struct Makers {
    image: Arc<dyn MediaMaker>,
    video: Arc<dyn MediaMaker>,
}

#[async_trait]
impl MediaMaker for Makers {
    async fn make(&self, brief: &MediaBrief) -> Result<MadeMedia, MediaError> {
        match brief.kind {
            MediaKind::Image => self.image.make(brief).await,
            MediaKind::Video => self.video.make(brief).await,
        }
    }
}

pub fn maker(settings: &Settings, host: &Arc<Host>, clock: Arc<dyn Clock>) -> Arc<dyn MediaMaker> {
    let signing = Arc::new(Signing::new(settings.data_dir.clone(), clock));
    let embedded = Arc::new(EmbeddedMaker::new(settings.base_dir.clone(), signing.clone()));
    let chosen = |section: &Option<MediaToolSection>| -> Arc<dyn MediaMaker> {
        let Some(section) = section else { return embedded.clone() };
        Arc::new(UpstreamMaker {
            tools: host.clone(),
            files: host.clone(),
            signing: signing.clone(),
            server: section.upstream.clone(),
            tool: section.tool.clone(),
        })
    };
    Arc::new(Makers { image: chosen(&settings.file.media.image), video: chosen(&settings.file.media.video) })
}
