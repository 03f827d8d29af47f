//! What a person is asked about a post that may have left.

use crate::{
    contracts::{
        UtcTime, UuidV4,
        content_generator::{Artifact, ContentType},
        review::{ReviewItem, ReviewStatus},
    },
    domain::asset::AssetId,
    ports::{
        StoreError,
        assets::Assets,
        swarm::{Left, Post},
    },
};
use chrono::{DateTime, Utc};

use super::media::ASSETS;

/// It may be there: nothing sends it again without that person's word.
pub(super) async fn unknown(assets: &dyn Assets, post: &Post, reason: String, at: DateTime<Utc>) -> Result<Left, StoreError> {
    let artifact = Artifact {
        content_type: content_type(assets, post).await?,
        payload_text: Some(post.text.clone()),
        payload_media_uri: post.media_uri.clone(),
        platform_target: Some(post.platform.clone()),
    };
    let review = ReviewItem {
        review_id: UuidV4::random(),
        result_id: Some(post.result_id),
        task_id: post.task_id,
        agent_id: post.agent.to_string(),
        escalation_reason: format!("it was sent, and may be on {}, or not: {reason}", post.platform),
        artifact: Some(artifact),
        transaction: None,
        confidence_score: None,
        reasoning_trace: None,
        created_at: UtcTime(at),
        status: ReviewStatus::Pending,
    };
    Ok(Left::Unknown { reason, review: Box::new(review) })
}

async fn content_type(assets: &dyn Assets, post: &Post) -> Result<ContentType, StoreError> {
    let id = post.media_uri.as_deref().and_then(|uri| uri.strip_prefix(ASSETS)).and_then(|id| id.parse::<AssetId>().ok());
    let Some(id) = id else { return Ok(ContentType::Text) };
    Ok(assets.find(&id).await?.map_or(ContentType::Text, |asset| asset.content_type))
}
