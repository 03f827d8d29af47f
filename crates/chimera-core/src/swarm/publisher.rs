//! The single way out for content. Until a publisher is configured for a platform, everything but the sending is done: a dry run.

use crate::ports::{
    StoreError,
    swarm::{Outbox, Post, PostStatus},
};
use chrono::{DateTime, Utc};

const POSTS_PER_ROUND_MAX: usize = 64;

/// Marks what waits as done in a dry run, on the ledger; answers the posts.
pub async fn publish_waiting(outbox: &dyn Outbox, now: DateTime<Utc>) -> Result<Vec<Post>, StoreError> {
    let mut done = Vec::new();
    for post in outbox.waiting(POSTS_PER_ROUND_MAX).await? {
        outbox.mark(post.post_id, PostStatus::DryRun, now).await?;
        tracing::info!(task.id = %post.task_id, "dry run: post {} for {} was not sent", post.post_id, post.platform);
        done.push(Post { status: PostStatus::DryRun, ..post });
    }
    Ok(done)
}
