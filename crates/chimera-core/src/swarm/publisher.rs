//! The single way out for content: an outbox whose sends are *at most once* through tools that know no idempotency key, and repeated
//! under one key, a few times, through those that do. Until a channel is configured for a platform, everything but the sending is done:
//! a dry run.
//!
//! Each send is on record before it is made. What becomes of it follows from the answer alone: a tool that is done has sent the post; one
//! that was never asked has not; everything in between is unknown, and a person's to settle where no key does.

use crate::{
    domain::Platform,
    policy::publication::carries_a_label,
    ports::{
        StoreError,
        assets::Assets,
        clock::Clock,
        swarm::{Asked, Begun, Left, Outbox, Outgoing, Post, PostStatus, PublishLimits, SendAttempt},
        tools::{NotListed, PublishTools},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, time::Duration};

mod answers;
mod arguments;
mod asking;
mod media;
mod preview;
mod quiet_hours;

use answers::Outcome;
pub use arguments::{TakenArguments, Unfit};
pub use preview::{Preview, preview};
pub use quiet_hours::{NotQuietHours, QuietHours};

const POSTS_PER_ROUND_MAX: usize = 1024;
/// How long a server may take to say what its tools take.
const LISTING_MAX: Duration = Duration::from_secs(15);
/// How long a platform may take to answer.
const SEND_MAX: Duration = Duration::from_secs(60);
/// Nobody else sends a post for this long after its sending began: longer than it may take.
const SENDING_LEASE: TimeDelta = TimeDelta::seconds(90);
/// So often a post is sent at most, also where that makes no second one. Then it is refused, or a person is asked.
const SENDS_MAX: u32 = 5;
/// The pause doubles with each send, up to this.
const RETRY_AFTER_MAX: TimeDelta = TimeDelta::hours(1);
/// No tool makes a post wait for longer.
const WAIT_MAX: TimeDelta = TimeDelta::hours(24);
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

/// Why a tool cannot publish; nothing was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolUnusable {
    #[error(transparent)]
    NotListed(#[from] NotListed),
    #[error("tool {tool:?} of upstream server {server:?} cannot publish: {unfit}")]
    Unfit { server: String, tool: String, unfit: Unfit },
}

/// Looks at a publishing tool without calling it.
pub async fn look_at_tool(tools: &dyn PublishTools, server: &str, tool: &str, platform: &str) -> Result<TakenArguments, ToolUnusable> {
    let schema = tools.input_schema(server, tool, LISTING_MAX).await?;
    let unfit = |unfit| ToolUnusable::Unfit { server: server.to_owned(), tool: tool.to_owned(), unfit };
    TakenArguments::of(&schema, platform).map_err(unfit)
}

pub struct Publisher<'a> {
    pub outbox: &'a dyn Outbox,
    pub tools: &'a dyn PublishTools,
    pub assets: &'a dyn Assets,
    pub clock: &'a dyn Clock,
    pub channels: &'a Channels,
    /// A post that is not there, or whose fate a key can tell, is sent again after this, doubled each time.
    pub retry_after: TimeDelta,
}

/// A post, ready to be handed to one tool of one server.
struct Ready<'a> {
    upstream: &'a str,
    arguments: Map<String, Value>,
    knows_key: bool,
}

/// What to do with a post that is not sent now.
enum NotNow {
    /// Tried again later; nothing was asked of any tool.
    Waits(String),
    Ended(Left),
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
        let post = &outgoing.post;
        let left = match self.channels.get(&post.platform).filter(|channel| !channel.dry_run) {
            Some(channel) => self.publish(&outgoing, channel).await?,
            // It may be there already, whatever is configured now.
            None if post.status == PostStatus::Sending => {
                Some(self.unknown(post, "nothing publishes on this platform any more, so it cannot be asked").await?)
            }
            None => Some(Left::DryRun),
        };
        let Some(left) = left else { return Ok(None) };
        self.outbox.left(&outgoing, &left, self.clock.now()).await?;
        Ok(Some(ended(outgoing.post, left)))
    }

    /// `None` while it waits, or while its fate is unknown and a key can tell it.
    async fn publish(&self, outgoing: &Outgoing, channel: &Channel) -> Result<Option<Left>, StoreError> {
        let (post, now) = (&outgoing.post, self.clock.now());
        if post.status == PostStatus::Sending {
            if !outgoing.last_send.as_ref().is_some_and(|last| is_after(last.repeatable_until, now)) {
                return Ok(Some(self.unknown(post, "its sending began, and no answer came before the program ended or gave up").await?));
            }
        // A post whose sending began may be there already: asking again makes no noise.
        } else if let Some(until) = channel.quiet_hours.and_then(|quiet| quiet.ends_after(now)) {
            self.outbox.delay(outgoing, "quiet hours", until, Asked::No).await?;
            return Ok(None);
        }
        match self.ready(outgoing, channel).await? {
            Ok(ready) => self.send(outgoing, channel, ready).await,
            Err(NotNow::Ended(left)) => Ok(Some(left)),
            Err(NotNow::Waits(reason)) => {
                tracing::warn!(task.id = %post.task_id, "post {} for {} waits: {reason}", post.post_id, post.platform);
                self.outbox.delay(outgoing, &reason, self.clock.now() + self.retry_after, Asked::Perhaps).await?;
                Ok(None)
            }
        }
    }

    /// Everything that can be found out before the post is written down as sent. What was sent through one server is asked of that one
    /// again: no other need know the key.
    async fn ready<'a>(&self, outgoing: &'a Outgoing, channel: &'a Channel) -> Result<Result<Ready<'a>, NotNow>, StoreError> {
        let post = &outgoing.post;
        let looked_at = match &outgoing.last_send {
            Some(last) => self.look_at(&last.upstream, channel, post).await,
            None => match (self.look_at(&channel.upstream, channel, post).await, &channel.spare_upstream) {
                (Err(ToolUnusable::NotListed(error)), Some(spare)) => {
                    tracing::warn!("{error}; asking {spare:?} instead");
                    self.look_at(spare, channel, post).await
                }
                (found, _) => found,
            },
        };
        let (upstream, taken) = match looked_at {
            Ok(found) => found,
            Err(unusable) => return Ok(Err(NotNow::Waits(unusable.to_string()))),
        };
        let media = match &post.media_uri {
            Some(uri) => media::attached(self.assets, uri).await?.map(Some),
            None => Ok(None),
        };
        match media.and_then(|media| taken.filled(post, media)) {
            Ok(arguments) => Ok(Ok(Ready { upstream, arguments, knows_key: taken.takes_key() })),
            Err(reason) if post.status == PostStatus::Sending => Ok(Err(NotNow::Ended(self.unknown(post, &reason).await?))),
            Err(reason) => Ok(Err(NotNow::Ended(Left::Refused { reason }))),
        }
    }

    async fn look_at<'a>(&self, server: &'a str, channel: &Channel, post: &Post) -> Result<(&'a str, TakenArguments), ToolUnusable> {
        look_at_tool(self.tools, server, &channel.tool, &post.platform).await.map(|taken| (server, taken))
    }

    async fn send(&self, outgoing: &Outgoing, channel: &Channel, ready: Ready<'_>) -> Result<Option<Left>, StoreError> {
        let (post, at) = (&outgoing.post, self.clock.now());
        let attempt = SendAttempt {
            at,
            until: at + SENDING_LEASE,
            upstream: ready.upstream.to_owned(),
            tool: channel.tool.clone(),
            repeatable_until: ready.knows_key.then(|| at + known_for(&post.platform)).filter(|until| *until > at),
        };
        let number = match self.outbox.begin(outgoing, &attempt, &channel.limits).await? {
            Begun::Go { attempt } => attempt,
            Begun::Gone | Begun::Taken => return Ok(None),
            Begun::Held { reason } => {
                self.outbox.delay(outgoing, &reason, at + HELD_FOR, Asked::Perhaps).await?;
                return Ok(None);
            }
        };
        // A machine that slept meanwhile has lost its turn: somebody else may be at it.
        if self.clock.now() >= attempt.until {
            return Ok(None);
        }
        let answer = self.tools.call(ready.upstream, &channel.tool, ready.arguments, SEND_MAX).await;
        let was_unclear = post.status == PostStatus::Sending;
        match answers::outcome(answer, ready.knows_key) {
            Outcome::Ended(Left::Refused { reason }) if was_unclear => self.unknown(post, &reason).await.map(Some),
            Outcome::Ended(left) => Ok(Some(left)),
            Outcome::Lost(reason) => self.unknown(post, &reason).await.map(Some),
            Outcome::Unclear(reason) => {
                if number >= SENDS_MAX || attempt.repeatable_until.is_none() {
                    return self.unknown(post, &reason).await.map(Some);
                }
                self.wait(outgoing, &reason, number, None, Asked::Perhaps).await
            }
            // That nothing was asked this time says nothing of the times before.
            Outcome::NotThere { reason, .. } if was_unclear && number >= SENDS_MAX => self.unknown(post, &reason).await.map(Some),
            Outcome::NotThere { reason, .. } if number >= SENDS_MAX => Ok(Some(Left::Refused { reason })),
            Outcome::NotThere { reason, not_before } => {
                let asked = if was_unclear { Asked::Perhaps } else { Asked::No };
                self.wait(outgoing, &reason, number, not_before, asked).await
            }
        }
    }

    async fn wait(
        &self,
        outgoing: &Outgoing,
        reason: &str,
        sends: u32,
        not_before: Option<DateTime<Utc>>,
        asked: Asked,
    ) -> Result<Option<Left>, StoreError> {
        let (post, now) = (&outgoing.post, self.clock.now());
        tracing::warn!(task.id = %post.task_id, "post {} for {} waits: {reason}", post.post_id, post.platform);
        let pause = (self.retry_after * 2_i32.pow(sends.clamp(1, SENDS_MAX) - 1)).min(RETRY_AFTER_MAX);
        let until = not_before.map_or(now + pause, |named| named.clamp(now + pause, now + WAIT_MAX));
        self.outbox.delay(outgoing, reason, until, asked).await?;
        Ok(None)
    }

    async fn unknown(&self, post: &Post, reason: &str) -> Result<Left, StoreError> {
        asking::unknown(self.assets, post, reason.to_owned(), self.clock.now()).await
    }
}

fn is_after(until: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    until.is_some_and(|until| now < until)
}

/// For how long a platform, or what stands before it, is counted on to know an idempotency key again. Mastodon keeps them for an hour, X
/// has none.
fn known_for(platform: &str) -> TimeDelta {
    match platform.parse() {
        Ok(Platform::Twitter) => TimeDelta::zero(),
        Ok(Platform::Mastodon) => TimeDelta::minutes(50),
        Ok(Platform::Bluesky | Platform::Threads | Platform::Instagram | Platform::Tiktok | Platform::Linkedin) | Err(_) => {
            TimeDelta::hours(24)
        }
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
            Post { status: PostStatus::Published, url, ..post }
        }
        Left::Unknown { reason, review } => {
            let review_id = review.review_id;
            tracing::warn!(task.id = %post.task_id, "whether post {} is on {} is not known ({reason}); review {review_id} asks", post.post_id, post.platform);
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
