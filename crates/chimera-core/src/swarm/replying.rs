//! Mentions become reply tasks, each once. What a stranger wrote never enters a task: it names the post, and the skill reads it.

use super::{planner, runtime::Swarm};
use crate::{
    contracts::{
        UuidV4,
        task::{AgentTask, Priority, TaskType},
    },
    domain::{Author, Platform, Soul, Untrusted, hidden::is_hidden, percent},
    policy::{crisis, disclosure},
    ports::{
        StoreError,
        resources::{ResourceError, ResourceText},
        screen::Screen,
        swarm::{CampaignState, EnqueueError, Mention, ReplyLimits},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// How long a platform may take to tell who mentioned us.
const READ_WITHIN: Duration = Duration::from_secs(10);
/// A read is shared by campaigns for half of the time after which they look again, and for no longer than this.
const FRESH_FOR_MAX: TimeDelta = TimeDelta::seconds(30);
/// What was said earlier is no longer waited for.
const ANSWERED_FOR: TimeDelta = TimeDelta::hours(24);
const REPLIES_PER_AUTHOR_AND_DAY_MAX: u32 = 5;
const MENTIONS_PER_READ_MAX: usize = 100;
/// Of what a mention says, for people who read it later.
const TEXT_CHARS_MAX: usize = 2_000;
/// Platforms name a post in a tenth of this.
const POST_ID_BYTES_MAX: usize = 512;
/// Resources of the newest trend that a reply may answer from.
pub(super) const BACKGROUND_MAX: usize = 4;

/// Somebody said something to us, as a platform tells it and after screening.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heard {
    platform: Platform,
    post_id: String,
    text: Untrusted,
    instructs: bool,
    author: Option<Author>,
    /// `None` where the platform does not tell.
    published_at: Option<DateTime<Utc>>,
}

/// The last answer of each resource, and when it was asked for.
#[derive(Default)]
pub(super) struct MentionReads(Mutex<BTreeMap<String, MentionRead>>);

/// When, and what.
type MentionRead = (DateTime<Utc>, Vec<ResourceText>);

impl MentionReads {
    fn since(&self, uri: &str, since: DateTime<Utc>) -> Option<Vec<ResourceText>> {
        let reads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reads.get(uri).filter(|(at, _)| *at > since).map(|(_, parts)| parts.clone())
    }

    fn keep(&self, uri: &str, at: DateTime<Utc>, parts: &[ResourceText]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(uri.to_owned(), (at, parts.to_vec()));
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ReplyError {
    #[error("{uri}: {error}")]
    Unread { uri: String, error: ResourceError },
    #[error("{uri} holds no list of mentions")]
    NoList { uri: String },
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Swarm {
    /// Queues a reply to each new mention, while the campaign has posts left.
    pub(super) async fn answer_mentions(&self, campaign: &CampaignState) {
        let id = &campaign.goal.campaign_id;
        match self.plan_replies(campaign).await {
            Ok(0) => {}
            Ok(queued) => tracing::info!(goal.id = id, "campaign {id}: {queued} mentions are to be answered"),
            Err(error) => tracing::warn!(goal.id = id, "campaign {id}: mentions could not be answered: {error}"),
        }
    }

    /// A platform that cannot be read costs only its own mentions.
    async fn plan_replies(&self, campaign: &CampaignState) -> Result<usize, ReplyError> {
        let souls = self.souls(campaign).await?;
        let uris = self.mention_uris(campaign, &souls);
        if uris.is_empty() || self.posts_gone(&campaign.goal.campaign_id).await?.is_some() {
            return Ok(0);
        }
        let planned = join_all(uris.iter().map(|(uri, platform)| self.replies_to(campaign, &souls, uri, *platform))).await;
        let (mut queued, mut failed) = (0, None);
        for planned in planned {
            match planned {
                Ok(new) => queued += new,
                Err(error) => failed = Some(error),
            }
        }
        match failed {
            Some(error) if queued == 0 => Err(error),
            _ => Ok(queued),
        }
    }

    /// Of platforms that one of the agents is on.
    fn mention_uris(&self, campaign: &CampaignState, souls: &[Soul]) -> Vec<(String, Platform)> {
        let uris: BTreeSet<&String> = campaign.resource_uris.iter().chain(&self.settings.acting.mention_uris).collect();
        let known = uris.into_iter().filter_map(|uri| Some((uri.clone(), mentions_on(uri)?)));
        known.filter(|(_, platform)| souls.iter().any(|soul| soul.platforms.contains(platform))).collect()
    }

    async fn replies_to(&self, campaign: &CampaignState, souls: &[Soul], uri: &str, platform: Platform) -> Result<usize, ReplyError> {
        let acting = &self.ports.acting;
        let parts = self.read_mentions(uri).await?;
        let heard = heard(platform, &parts, acting.screen.as_ref()).ok_or_else(|| ReplyError::NoList { uri: uri.to_owned() })?;
        let now = self.ports.clock.now();
        let since = campaign.goal.created_at.0.max(now - ANSWERED_FOR);
        let wanted: Vec<Mention> = heard
            .iter()
            .filter(|heard| is_answered(heard, souls, since))
            .filter_map(|heard| Some(mention(campaign, heard, answering(souls, heard)?, now)))
            .collect();
        if wanted.is_empty() {
            return Ok(0);
        }
        let limits = ReplyLimits { per_author_max: REPLIES_PER_AUTHOR_AND_DAY_MAX, since: now - TimeDelta::days(1) };
        let taken = acting.mentions.take(&wanted, &limits).await?;
        let background = self.background(campaign).await?;
        let tasks: Vec<AgentTask> = taken
            .iter()
            .filter_map(|mention| {
                let soul = souls.iter().find(|soul| soul.id == mention.agent)?;
                Some(self.weighed(campaign, reply_task(campaign, soul, mention, &background, now)))
            })
            .collect();
        Ok(self.ports.tasks.enqueue(&tasks).await?)
    }

    /// Many campaigns share an account: what one has just read is not read again.
    async fn read_mentions(&self, uri: &str) -> Result<Vec<ResourceText>, ReplyError> {
        let now = self.ports.clock.now();
        let fresh_for = FRESH_FOR_MAX.min(self.settings.perceive_every / 2);
        if let Some(parts) = self.mention_reads.since(uri, now - fresh_for) {
            return Ok(parts);
        }
        self.read_mentions_anew(uri, now).await
    }

    pub(super) async fn read_mentions_anew(&self, uri: &str, now: DateTime<Utc>) -> Result<Vec<ResourceText>, ReplyError> {
        let read = self.ports.acting.resources.read(uri, READ_WITHIN).await;
        let parts = read.map_err(|error| ReplyError::Unread { uri: uri.to_owned(), error })?;
        self.mention_reads.keep(uri, now, &parts);
        Ok(parts)
    }

    /// What the campaign last found out, to answer from.
    pub(super) async fn background(&self, campaign: &CampaignState) -> Result<Vec<String>, StoreError> {
        let newest = self.ports.campaigns.alerts(&campaign.goal.campaign_id, 1).await?;
        let uris = newest.into_iter().flat_map(|alert| alert.trend.sample_resource_uris);
        Ok(uris.filter(|uri| mentions_on(uri).is_none()).take(BACKGROUND_MAX).collect())
    }
}

/// The post that a reply task answers, as its platform names it.
pub fn answered_post(task: &AgentTask) -> Option<String> {
    if task.task_type != TaskType::ReplyComment {
        return None;
    }
    let (_, id) = task.context.required_resources.first()?.split_once("://posts/")?;
    Some(id).filter(|id| !id.contains('/')).and_then(percent::decoded)
}

/// The id that a mention's reply has, however often it is planned.
pub fn task_id(mention: &Mention) -> UuidV4 {
    UuidV4::named(&["reply", &mention.campaign_id, &mention.platform, &mention.post_id, mention.agent.as_str()])
}

/// `{platform}://mentions/…`
pub(super) fn mentions_on(uri: &str) -> Option<Platform> {
    let (scheme, rest) = uri.split_once("://")?;
    scheme.parse().ok().filter(|_| rest.starts_with("mentions/"))
}

/// `None` when it is no list of posts. Posts without an id cannot be answered, and are left out.
fn heard(platform: Platform, parts: &[ResourceText], screen: &dyn Screen) -> Option<Vec<Heard>> {
    let document: Value = parts.first().and_then(|part| serde_json::from_str(part.text.as_data()).ok())?;
    let items = document.get("items")?.as_array()?;
    let heard = items.iter().take(MENTIONS_PER_READ_MAX).filter_map(|item| {
        let field = |name: &str| item.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let screened = screen.screen(&Untrusted::new(field("text")?));
        // Whoever has a name that can be none cannot be answered.
        let author = field("author").map(|author| Author::parse(author).filter(|author| author.handle().is_some()));
        Some(Heard {
            platform,
            post_id: field("post_id").filter(|id| is_post_id(id))?.to_owned(),
            text: screened.text,
            instructs: screened.instructs,
            author: author.map_or(Some(None), |author| author.map(Some))?,
            published_at: field("published_at").and_then(|time| time.parse().ok()),
        })
    });
    Some(heard.collect())
}

/// The names of the posts in a list of mentions; none where it is no such list.
pub(super) fn heard_posts(parts: &[ResourceText]) -> BTreeSet<String> {
    let document: Option<Value> = parts.first().and_then(|part| serde_json::from_str(part.text.as_data()).ok());
    let items = document.as_ref().and_then(|document| document.get("items")).and_then(Value::as_array);
    let ids = items.into_iter().flatten().take(MENTIONS_PER_READ_MAX).filter_map(|item| item.get("post_id").and_then(Value::as_str));
    ids.filter(|id| is_post_id(id)).map(str::to_owned).collect()
}

/// What goes back to the platform as the name of what is answered.
fn is_post_id(id: &str) -> bool {
    id.len() <= POST_ID_BYTES_MAX && !id.chars().any(|c| c.is_whitespace() || is_hidden(c))
}

/// Whoever may be in danger, or asks whether it is a machine, is answered, however they say it; whoever instructs is not.
fn is_answered(heard: &Heard, souls: &[Soul], since: DateTime<Utc>) -> bool {
    let is_recent = heard.published_at.is_none_or(|at| at >= since);
    let is_ours = heard.author.as_ref().is_some_and(|author| souls.iter().any(|soul| is_handle_of(soul, author.as_str())));
    let said = heard.text.as_data();
    is_recent && !is_ours && (!heard.instructs || disclosure::asks_if_machine(said) || crisis::help_for(said).is_some())
}

/// Who is named, or else the first who is on the platform.
fn answering<'a>(souls: &'a [Soul], heard: &Heard) -> Option<&'a Soul> {
    let there = || souls.iter().filter(|soul| soul.platforms.contains(&heard.platform));
    let names: Vec<&str> = heard.text.as_data().split_whitespace().filter(|word| word.starts_with('@')).collect();
    there().find(|soul| names.iter().any(|name| is_handle_of(soul, name))).or_else(|| there().next())
}

/// `@selam`, `selam@server.example` and `selam.bsky.social` are all the handle `selam`.
fn is_handle_of(soul: &Soul, name: &str) -> bool {
    let name = name.trim_start_matches('@').trim_end_matches(|c: char| !c.is_alphanumeric());
    let Some(rest) =
        name.get(..soul.handle.len()).filter(|start| start.eq_ignore_ascii_case(&soul.handle)).map(|start| &name[start.len()..])
    else {
        return false;
    };
    rest.is_empty() || rest.starts_with(['@', '.'])
}

fn mention(campaign: &CampaignState, heard: &Heard, soul: &Soul, at: DateTime<Utc>) -> Mention {
    Mention {
        campaign_id: campaign.goal.campaign_id.clone(),
        agent: soul.id.clone(),
        platform: heard.platform.name().to_owned(),
        post_id: heard.post_id.clone(),
        author: heard.author.as_ref().map(|author| author.as_str().to_owned()),
        text: Untrusted::new(heard.text.as_data().chars().take(TEXT_CHARS_MAX).collect::<String>()),
        at,
    }
}

fn reply_task(campaign: &CampaignState, soul: &Soul, mention: &Mention, background: &[String], now: DateTime<Utc>) -> AgentTask {
    let mut task = planner::new_task(campaign, soul, task_id(mention), TaskType::ReplyComment, now);
    task.priority = Priority::High;
    // First what is answered, then what may be answered with.
    let post = format!("{}://posts/{}", mention.platform, percent::encoded(&mention.post_id));
    task.context.required_resources = std::iter::once(post).chain(background.iter().cloned()).collect();
    task.acceptance_criteria = Some(planner::text_on(&mention.platform));
    task
}

#[cfg(test)]
mod tests;
