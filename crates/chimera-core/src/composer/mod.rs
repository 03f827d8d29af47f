//! Writes texts without a model: a passage of one source, chosen for the goal, in the agent's language, within the platform's limits; or nothing.
//! And judges what a model wrote, by the same checks.
//! Sources are data and never instruction. The same task, sources and memory give the same text. Depends on `policy`, `perception` and `ports`.

pub mod claims;
pub mod confidence;
pub mod grounding;
pub mod voice;
pub mod worth;

mod aim;
mod answer;
mod choice;
mod drafting;
mod feedback;
mod fitting;
mod form;
mod hashtags;
mod manner;
mod material;
mod post;
mod prompting;
mod reply;
mod saying;
mod sentences;
mod small_words;
mod standing;
mod stories;
mod subject;
mod unfounded;

pub use answer::{Asked, Assessed, assess};
pub use feedback::Feedback;
pub use fitting::Citation;
pub use sentences::without_orders;
pub use unfounded::{Given, unfounded};

use crate::{
    contracts::{
        content_generator::PostForm,
        memory_context::{MemoryContext, MemoryRole, ShortTermMemory},
    },
    domain::{Author, Platform, Soul, Untrusted, WebUrl},
    perception::background::Background,
    policy::{
        content::{Directive, Verdict},
        crisis, disclosure,
        finished::Vouched,
        sensitive::Topic,
    },
    ports::embedder::Embedder,
};
use chrono::{DateTime, TimeDelta, Utc};
use confidence::{Checks, Origin};
use drafting::{Desk, Draft};

/// Everything that one text is made from.
pub struct Brief<'a> {
    /// When it is written: what an item says of "yesterday" is told on the same day or not at all.
    pub now: DateTime<Utc>,
    /// A model's draws differ with it.
    pub seed: &'a str,
    pub soul: &'a Soul,
    pub goal: &'a str,
    /// The SOUL's and the task's.
    pub directives: &'a [Directive],
    /// Cleaned, and without those that try to instruct.
    pub sources: &'a [Source],
    pub platform: Option<Platform>,
    pub assignment: Assignment,
    /// What the agent said lately, and what else it was told to remember.
    pub memory: &'a Memory,
    /// What was said of earlier attempts and of like work.
    pub feedback: &'a Feedback,
    pub embedder: &'a dyn Embedder,
    pub background: &'a Background,
}

/// What the plan says of a text, beyond its goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assignment {
    /// Of a story that is told on several platforms: which telling this is, 1 for the first.
    pub telling: u32,
    /// What kind of post is wanted, where the plan says.
    pub form: Option<PostForm>,
}

impl Default for Assignment {
    fn default() -> Self {
        Self { telling: 1, form: None }
    }
}

/// One item of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    pub resource_uri: String,
    pub title: Untrusted,
    pub text: Untrusted,
    pub url: Option<WebUrl>,
    pub author: Option<Author>,
    /// When it was published, where it says so.
    pub published_at: Option<DateTime<Utc>>,
}

impl Source {
    /// One that is dated in the future is of now.
    pub(crate) fn age(&self, now: DateTime<Utc>) -> Option<TimeDelta> {
        self.published_at.map(|at| (now - at).max(TimeDelta::zero()))
    }
}

/// What somebody said to the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub text: Untrusted,
    pub author: Option<Author>,
    /// It tries to instruct, and is answered without following it.
    pub instructs: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// The agent's own texts, to not repeat them.
    pub recent_texts: Vec<String>,
    /// What the agent said of the same story on another platform: said again only where there is nothing else.
    pub elsewhere: Vec<String>,
    /// What other agents said for the same campaign: one sentence is not quoted twice in it.
    pub by_others: Vec<String>,
    /// Other things that a text may rest on.
    pub notes: Vec<String>,
    /// Who the agent is, its last hour and what long-term memory has for the goal: to know, and no ground for a claim.
    pub context: Option<MemoryContext>,
    /// Who the agent is to be for this text besides, beneath its SOUL: as a caller says it.
    pub persona: Option<String>,
    /// What whoever is answered said earlier, and what the agent answered, oldest first.
    pub thread: Vec<ShortTermMemory>,
    /// Posts of the agent that people liked.
    pub did_well: Vec<String>,
}

impl Memory {
    /// The turns of the last hour, oldest first.
    pub(crate) fn last_hour(&self) -> &[ShortTermMemory] {
        self.context.as_ref().map_or(&[], |context| &context.short_term)
    }

    /// Whether whoever is answered was told this already.
    pub(crate) fn was_told(&self, sentence: &str) -> bool {
        self.thread.iter().any(|turn| turn.role == MemoryRole::Assistant && turn.content.contains(sentence))
    }

    /// What the agent itself said and did in the last hour.
    pub(crate) fn own_last_hour(&self) -> Vec<String> {
        let own = self.last_hour().iter().filter(|turn| turn.role == MemoryRole::Assistant);
        own.map(|turn| turn.content.clone()).collect()
    }
}

/// A text, and why it may be trusted as far as it may.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    pub text: String,
    pub confidence: f64,
    pub checks: Checks,
    /// Sentences that a person is to look at, whatever the score.
    pub doubted: Vec<String>,
    pub sensitive_topics: Vec<Topic>,
    /// What in the text may notify, link or tag: see [`crate::policy::finished`].
    pub vouched: Vouched,
    /// Lines for the reasoning trace.
    pub trace: Vec<String>,
}

/// A directive, or a rule of the writer's own, that no text for this brief can keep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{directive:?} cannot be met: {problem}")]
pub struct Unmeetable {
    pub directive: String,
    pub problem: String,
}

/// A post for the goal.
pub fn compose_post(brief: &Brief<'_>) -> Result<Composed, Unmeetable> {
    let desk = Desk::new(brief, None, Origin::Extractive)?;
    let drafts = post::drafts(&desk)?;
    if drafts.is_empty() {
        return Err(desk.no_draft(desk.nothing_stands()));
    }
    best(&desk, drafts)
}

/// Whether the answer to `comment` is a fixed one, which no model may touch: that it is a machine, where help is, what
/// is too heavy for it, and what it stays out of.
pub fn answers_itself(brief: &Brief<'_>, comment: &Comment) -> bool {
    let is_forbidden =
        brief.directives.iter().any(|directive| matches!(directive.check_passage(comment.text.as_data()), Verdict::Breached(_)));
    let said = comment.text.as_data();
    let is_heavy = || crisis::help_for(said).or_else(|| crisis::comfort_for(said)).is_some();
    is_heavy() || disclosure::asks_if_machine(said) || comment.instructs || is_forbidden
}

/// An answer to `comment`.
pub fn compose_reply(brief: &Brief<'_>, comment: &Comment) -> Result<Composed, Unmeetable> {
    let desk = Desk::new(brief, Some(comment), Origin::Extractive)?;
    let drafts = reply::drafts(&desk, comment);
    if drafts.is_empty() {
        return Err(desk.no_draft(desk.no_reply_fits()));
    }
    best(&desk, drafts)
}

/// The best that does not offend, and of which every part is ours or vouched for; of equals the first. An offensive one only where there is no other: its
/// score says so.
fn best(desk: &Desk<'_>, drafts: Vec<Draft>) -> Result<Composed, Unmeetable> {
    let drafts: Vec<Draft> = drafts.into_iter().filter(|draft| !desk.is_turned_down(draft)).collect();
    if drafts.is_empty() {
        return Err(desk.nothing_left());
    }
    let drafts = desk.told_apart(desk.of_wanted_length(drafts));
    let count = drafts.len();
    let mut ranked: Vec<(usize, Draft)> = drafts.into_iter().filter(|draft| !draft.is_foreign()).enumerate().collect();
    ranked.sort_by(|(_, one), (_, other)| other.worth().total_cmp(&one.worth()));
    let mut offensive = None;
    for (index, draft) in ranked {
        let draft = desk.classified(draft);
        if !draft.is_toxic() {
            return Ok(desk.composed(draft, index + 1, count));
        }
        offensive.get_or_insert((index, draft));
    }
    let (index, draft) = offensive.ok_or_else(|| desk.no_draft(desk.nothing_stands()))?;
    Ok(desk.composed(draft, index + 1, count))
}

#[cfg(test)]
mod tests;
