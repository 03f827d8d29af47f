//! The single way out for content. Until a channel is configured for a platform, everything but the sending is done: a dry run.

use crate::{
    domain::Platform,
    policy::publication::carries_a_label,
    ports::{
        StoreError,
        assets::Assets,
        clock::Clock,
        swarm::{Asked, Begun, Left, Outbox, Outgoing, Post, PostStatus, PublishLimits},
        tools::{ToolError, Tools},
    },
};
use chrono::TimeDelta;
use futures::future::join_all;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, time::Duration};

mod media;
mod quiet_hours;

use media::Attached;
pub use quiet_hours::{NotQuietHours, QuietHours};

const POSTS_PER_ROUND_MAX: usize = 256;
/// How long a platform may take to answer.
const SEND_MAX: Duration = Duration::from_secs(60);
/// Nobody else sends a post for this long after its sending began: longer than it may take.
const SENDING_LEASE: TimeDelta = TimeDelta::seconds(90);
/// A post that is refused so often, for reasons that may pass, is never sent.
const REFUSALS_MAX: u32 = 3;
/// What a pause or a limit holds back is looked at again after this.
const HELD_FOR: TimeDelta = TimeDelta::seconds(5);

/// How one platform is reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// The MCP server and its tool.
    pub upstream: String,
    /// Another server with the same tool and account, for when the first is out of reach.
    pub spare_upstream: Option<String>,
    pub tool: String,
    pub dry_run: bool,
    pub limits: PublishLimits,
    pub quiet_hours: Option<QuietHours>,
}

/// By the platform's name.
pub type Channels = BTreeMap<String, Channel>;

pub struct Publisher<'a> {
    pub outbox: &'a dyn Outbox,
    pub tools: &'a dyn Tools,
    pub assets: &'a dyn Assets,
    pub clock: &'a dyn Clock,
    pub channels: &'a Channels,
    /// A post whose fate is unknown is sent again after this, under the same key.
    pub retry_after: TimeDelta,
}

impl Publisher<'_> {
    /// Sends what waits, all at once and each post under its own key; answers those that have left or ended.
    pub async fn publish_waiting(&self) -> Result<Vec<Post>, StoreError> {
        let waiting = self.outbox.waiting(self.clock.now(), POSTS_PER_ROUND_MAX).await?;
        let done = join_all(waiting.into_iter().map(|post| self.let_out(post))).await;
        done.into_iter().filter_map(Result::transpose).collect()
    }

    async fn let_out(&self, outgoing: Outgoing) -> Result<Option<Post>, StoreError> {
        if outgoing.post.status == PostStatus::Approved && !carries_a_label(&outgoing.post.text) {
            let left = Left::Refused { reason: "no line of it says that an AI wrote it, and nothing leaves without that".to_owned() };
            self.outbox.left(&outgoing, &left, self.clock.now()).await?;
            return Ok(Some(ended(outgoing.post, left)));
        }
        let left = match self.channels.get(&outgoing.post.platform).filter(|channel| !channel.dry_run) {
            Some(channel) => self.publish(&outgoing, channel).await?,
            None => Some(Left::DryRun),
        };
        let Some(left) = left else { return Ok(None) };
        self.outbox.left(&outgoing, &left, self.clock.now()).await?;
        Ok(Some(ended(outgoing.post, left)))
    }

    /// `None` while it waits, or while its fate is unknown.
    async fn publish(&self, outgoing: &Outgoing, channel: &Channel) -> Result<Option<Left>, StoreError> {
        let (post, now) = (&outgoing.post, self.clock.now());
        if let Some(begun_at) = post.begun_at.filter(|_| post.status == PostStatus::Sending) {
            if repeatable_for(&post.platform).is_some_and(|limit| now - begun_at >= limit) {
                return Ok(Some(Left::Unknown { reason: "its sending began and never ended; look before you repeat it".to_owned() }));
            }
        // A post whose sending began may be there already: asking again makes no noise.
        } else if let Some(until) = channel.quiet_hours.and_then(|quiet| quiet.ends_after(now)) {
            self.outbox.delay(outgoing, "quiet hours", until, Asked::No).await?;
            return Ok(None);
        }
        let attempt = match self.outbox.begin(outgoing, now, now + SENDING_LEASE, &channel.limits).await? {
            Begun::Go { attempt } => attempt,
            Begun::Gone => return Ok(None),
            Begun::Held { reason } => {
                self.outbox.delay(outgoing, &reason, now + HELD_FOR, Asked::Perhaps).await?;
                return Ok(None);
            }
        };
        let media = match &post.media_uri {
            Some(uri) => match media::attached(self.assets, uri).await? {
                Ok(attached) => Some(attached),
                Err(reason) => return Ok(Some(Left::Refused { reason })),
            },
            None => None,
        };
        let answer = self.send(channel, arguments(post, media)).await;
        let (reason, asked) = match answer.map_err(Unsent::from).and_then(|answer| published(&answer)) {
            Ok(left) => return Ok(Some(left)),
            Err(Unsent::Refused { reason, for_good }) if for_good || attempt >= REFUSALS_MAX => return Ok(Some(Left::Refused { reason })),
            Err(Unsent::Lost(reason)) => return Ok(Some(Left::Unknown { reason })),
            Err(Unsent::Refused { reason, .. } | Unsent::NotAsked(reason)) => (reason, Asked::No),
            Err(Unsent::Unknown(reason)) => (reason, Asked::Perhaps),
        };
        // That nothing was asked this time says nothing of the times before.
        let asked = if post.status == PostStatus::Sending { Asked::Perhaps } else { asked };
        tracing::warn!(task.id = %post.task_id, "post {} for {} waits: {reason}", post.post_id, post.platform);
        self.outbox.delay(outgoing, &reason, self.clock.now() + self.retry_after, asked).await?;
        Ok(None)
    }

    /// Where the upstream is out of reach, and so was asked nothing, its spare is asked the same under the same key.
    async fn send(&self, channel: &Channel, arguments: Map<String, Value>) -> Result<Value, ToolError> {
        let Some(spare) = &channel.spare_upstream else {
            return self.tools.call(&channel.upstream, &channel.tool, arguments, SEND_MAX).await;
        };
        match self.tools.call(&channel.upstream, &channel.tool, arguments.clone(), SEND_MAX).await {
            Err(error @ (ToolError::NoServer { .. } | ToolError::Unreachable { .. })) => {
                tracing::warn!("{error}; asking {spare:?} instead");
                self.tools.call(spare, &channel.tool, arguments, SEND_MAX).await
            }
            answer => answer,
        }
    }
}

/// For how long a platform knows an idempotency key; `None` is for ever. Mastodon keeps them for an hour, X has none.
fn repeatable_for(platform: &str) -> Option<TimeDelta> {
    match platform.parse() {
        Ok(Platform::Twitter) => Some(TimeDelta::zero()),
        Ok(Platform::Mastodon) => Some(TimeDelta::minutes(50)),
        Ok(Platform::Bluesky | Platform::Threads | Platform::Instagram | Platform::Tiktok | Platform::Linkedin) | Err(_) => None,
    }
}

/// Why there is no answer.
enum Unsent {
    Refused {
        reason: String,
        for_good: bool,
    },
    /// Nothing was published, and it may go better later.
    NotAsked(String),
    /// It may be there; the same key finds it.
    Unknown(String),
    /// It may be there, and no key finds it.
    Lost(String),
}

impl From<ToolError> for Unsent {
    fn from(error: ToolError) -> Self {
        let told = error.to_string();
        match error {
            ToolError::NoServer { .. } | ToolError::Unreachable { .. } => Self::NotAsked(told),
            ToolError::TimedOut { .. } | ToolError::TooLarge { .. } | ToolError::Failed { .. } => Self::Unknown(told),
            // A publishing tool's error begins with its code.
            ToolError::Refused { reason, .. } => match reason.split(':').next().unwrap_or_default() {
                "rate_limited" => Self::NotAsked(reason),
                "unavailable" => Self::Unknown(reason),
                "outcome_unknown" | "duplicate" => Self::Lost(reason),
                "refused" | "invalid_input" | "unsupported" => Self::Refused { reason, for_good: true },
                _ => Self::Refused { reason, for_good: false },
            },
        }
    }
}

fn arguments(post: &Post, media: Option<Attached>) -> Map<String, Value> {
    let mut arguments = Map::from_iter([
        ("platform".to_owned(), json!(post.platform)),
        ("idempotency_key".to_owned(), json!(post.post_id)),
        ("text".to_owned(), json!(post.text)),
        ("ai_generated".to_owned(), json!(true)),
    ]);
    let (media_uri, alt_text) = media.map_or((None, None), |media| (Some(media.media_uri), media.alt_text));
    for (name, value) in [("media_uri", media_uri), ("alt_text", alt_text), ("reply_to", post.reply_to.clone())] {
        if let Some(value) = value {
            arguments.insert(name.to_owned(), json!(value));
        }
    }
    arguments
}

/// Some servers answer with text that is JSON.
fn published(answer: &Value) -> Result<Left, Unsent> {
    let parsed = answer.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let answer = parsed.as_ref().unwrap_or(answer);
    match (answer["post_id"].as_str(), answer["url"].as_str()) {
        (Some(remote_id), Some(url)) => Ok(Left::Published { remote_id: remote_id.to_owned(), url: url.to_owned() }),
        _ => Err(Unsent::Unknown("the answer has no post_id and url".to_owned())),
    }
}

fn ended(post: Post, left: Left) -> Post {
    match left {
        Left::DryRun => {
            tracing::info!(task.id = %post.task_id, "dry run: post {} for {} was not sent", post.post_id, post.platform);
            Post { status: PostStatus::DryRun, ..post }
        }
        Left::Published { url, .. } => {
            tracing::info!(task.id = %post.task_id, "post {} is on {}", post.post_id, post.platform);
            Post { status: PostStatus::Published, url: Some(url), ..post }
        }
        Left::Unknown { reason } => {
            tracing::warn!(task.id = %post.task_id, "whether post {} is on {} is not known: {reason}", post.post_id, post.platform);
            Post { status: PostStatus::Unknown, ..post }
        }
        Left::Refused { reason } => {
            tracing::warn!(task.id = %post.task_id, "{} refused post {}: {reason}", post.platform, post.post_id);
            Post { status: PostStatus::Refused, ..post }
        }
    }
}

#[cfg(test)]
mod tests;
