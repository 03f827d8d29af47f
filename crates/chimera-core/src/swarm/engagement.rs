//! What people did with a post is read back through MCP, twice; what did well the agent remembers.

use super::runtime::Swarm;
use crate::{
    contracts::{UuidV4, memory_context::MemoryRole},
    domain::{percent, praise},
    ports::{
        StoreError,
        memories::MemoryRecord,
        resources::{ResourceError, ResourceText},
        swarm::{Engagement, Reading, UnreadPost},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::try_join_all;
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

const LOOK_EVERY: Duration = Duration::from_secs(2);

const POSTS_PER_PASS_MAX: usize = 16;
const READ_WITHIN: Duration = Duration::from_secs(10);
/// A platform that cannot be read is asked again after this, so often.
const AGAIN_AFTER: TimeDelta = TimeDelta::minutes(10);
const TRIES_MAX: u32 = 6;
/// A post is compared with so many of its agent's.
const COMPARED_MAX: usize = 50;
/// Of fewer, none stands out.
const COMPARED_MIN: usize = 4;

impl Swarm {
    /// Beside publishing, which must not wait for a platform that answers late. Of several processes that read at once, one is kept.
    pub(super) async fn keep_reading_engagement(self: Arc<Self>, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
            if let Err(error) = self.read_engagement().await {
                tracing::error!("engagement cannot be read: {error}");
            }
        }
    }

    async fn read_engagement(&self) -> Result<(), StoreError> {
        let now = self.ports.clock.now();
        for (reading, after) in Reading::ALL.into_iter().zip(self.settings.acting.engagement_after) {
            let due = self.ports.acting.engagements.due(reading, now - after, now, POSTS_PER_PASS_MAX).await?;
            try_join_all(due.iter().map(|post| self.read_one(post, reading, now))).await?;
        }
        Ok(())
    }

    async fn read_one(&self, post: &UnreadPost, reading: Reading, now: DateTime<Utc>) -> Result<(), StoreError> {
        let acting = &self.ports.acting;
        let uri = format!("{}://posts/{}/engagement", post.platform, percent::encoded(&post.remote_id));
        let counts = match acting.resources.read(&uri, READ_WITHIN).await {
            Ok(parts) => counts(&parts).ok_or_else(|| "the answer has no counts".to_owned()),
            Err(ResourceError::NoServer { scheme }) => {
                tracing::info!("nobody serves {scheme}://: the engagement of post {} is not read", post.post_id);
                return acting.engagements.record(post, reading, None, now).await;
            }
            Err(error) => Err(error.to_string()),
        };
        match counts {
            Ok(counts) => {
                acting.engagements.record(post, reading, Some(counts), now).await?;
                if reading == Reading::Last {
                    self.remember_if_it_did_well(post, counts, now).await?;
                }
                Ok(())
            }
            Err(reason) => {
                tracing::warn!("the engagement of post {} on {} cannot be read: {reason}", post.post_id, post.platform);
                if acting.engagements.put_off(post, now + AGAIN_AFTER).await? >= TRIES_MAX {
                    acting.engagements.record(post, reading, None, now).await?;
                }
                Ok(())
            }
        }
    }

    async fn remember_if_it_did_well(&self, post: &UnreadPost, counts: Engagement, now: DateTime<Utc>) -> Result<(), StoreError> {
        let latest = self.ports.acting.engagements.latest(&post.agent, COMPARED_MAX).await?;
        let scores: Vec<u64> = latest.iter().map(|(_, counts)| score(counts)).collect();
        if !did_well(score(&counts), &scores) {
            return Ok(());
        }
        let memory = MemoryRecord {
            id: UuidV4::named(&["did well", &post.post_id.to_string()]),
            agent: post.agent.clone(),
            at: now,
            role: MemoryRole::User,
            content: summary(post, &counts, scores.len()),
            campaign: None,
            lesson: None,
        };
        self.ports.acting.memories.remember(&memory).await
    }
}

/// To pass a post on or to answer it takes more than to like it.
fn score(counts: &Engagement) -> u64 {
    counts.likes.saturating_add(counts.reposts.saturating_mul(2)).saturating_add(counts.replies.saturating_mul(2))
}

/// `scores` are those of the agent's latest posts, this one's among them: at most a quarter of them are as good.
fn did_well(score: u64, scores: &[u64]) -> bool {
    let as_good = scores.iter().filter(|other| **other >= score).count();
    score > 0 && scores.len() >= COMPARED_MIN && as_good <= scores.len() / 4
}

fn summary(post: &UnreadPost, counts: &Engagement, compared: usize) -> String {
    let Engagement { likes, reposts, replies } = counts;
    praise::did_well(&post.platform, &format!("{likes} likes, {reposts} reposts, {replies} replies"), compared, &post.text)
}

fn counts(parts: &[ResourceText]) -> Option<Engagement> {
    let document: Value = parts.first().and_then(|part| serde_json::from_str(part.text.as_data()).ok())?;
    let count = |name: &str| document.get(name).and_then(Value::as_u64);
    Some(Engagement { likes: count("likes")?, reposts: count("reposts")?, replies: count("replies")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Untrusted;

    #[test]
    fn only_what_stands_out_among_enough_posts_did_well() {
        for (score, scores, expected) in [
            (9, vec![9, 1, 2, 3], true),
            (3, vec![9, 1, 2, 3], false),
            (9, vec![9, 1, 2], false),
            (9, vec![9, 9, 9, 9], false),
            (0, vec![0, 0, 0, 0], false),
            (7, vec![9, 7, 1, 1, 1, 1, 1, 1], true),
            (6, vec![9, 7, 6, 1, 1, 1, 1, 1], false),
        ] {
            assert_eq!(did_well(score, &scores), expected, "{score} of {scores:?}");
        }
    }

    #[test]
    fn an_answer_without_all_counts_is_no_reading() {
        let part = |text: &str| [ResourceText { text: Untrusted::new(text), mime_type: None }];
        let whole = counts(&part(r#"{"platform": "mastodon", "likes": 3, "reposts": 2, "replies": 1, "views": 9}"#));
        assert_eq!(whole, Some(Engagement { likes: 3, reposts: 2, replies: 1 }));
        for wrong in ["", "[]", "{}", r#"{"likes": 3, "reposts": -1, "replies": 0}"#, r#"{"likes": "3", "reposts": 2, "replies": 1}"#] {
            assert_eq!(counts(&part(wrong)), None, "{wrong}");
        }
    }
}
