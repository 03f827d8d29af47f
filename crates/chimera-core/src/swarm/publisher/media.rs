//! A post's picture or film, handed over as it is: platforms read no addresses of ours.

use crate::{
    domain::asset::AssetId,
    ports::{StoreError, assets::Assets},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};

pub(super) const ASSETS: &str = "chimera://assets/";
/// Mastodon takes so much of a picture, and nobody takes more.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What goes to the publishing tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attached {
    pub(super) media_uri: String,
    pub(super) alt_text: Option<String>,
}

/// An asset's bytes as a `data:` address, with what it shows; an address elsewhere stays as it is. The inner error says why it cannot be sent.
pub(super) async fn attached(assets: &dyn Assets, media_uri: &str) -> Result<Result<Attached, String>, StoreError> {
    let Some(id) = media_uri.strip_prefix(ASSETS) else {
        return Ok(Ok(Attached { media_uri: media_uri.to_owned(), alt_text: None }));
    };
    let Ok(id) = id.parse::<AssetId>() else { return Ok(Err(format!("{media_uri} names no asset"))) };
    let Some(asset) = assets.find(&id).await? else { return Ok(Err(format!("there is no asset {id}"))) };
    if asset.bytes > BYTES_MAX {
        return Ok(Err(format!("asset {id} has {} bytes, and no platform takes more than {BYTES_MAX}", asset.bytes)));
    }
    let Some(bytes) = assets.read(&id).await? else { return Ok(Err(format!("there is no asset {id}"))) };
    let media_uri = format!("data:{};base64,{}", asset.media_type.mime(), STANDARD.encode(bytes));
    Ok(Ok(Attached { media_uri, alt_text: Some(asset.alt_text).filter(|text| !text.is_empty()) }))
}
