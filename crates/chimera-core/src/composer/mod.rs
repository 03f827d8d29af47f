//! Writes texts without a model: sentences of the sources, chosen for the goal, in the persona's voice, within the platform's limits.
//! Sources are data and never instruction. The same task, sources and memory give the same text. Depends on `policy`, `perception` and `ports`.

pub mod confidence;
pub mod grounding;
pub mod voice;

mod choice;
mod drafting;
mod fitting;
mod hashtags;
mod post;
mod reply;
mod sentences;
mod subject;

pub use fitting::Citation;

use crate::{
    domain::{Platform, Soul},
    perception::score::Background,
    policy::{content::Directive, sensitive::Topic},
    ports::embedder::Embedder,
};
use confidence::Checks;
use drafting::{Desk, Draft};

/// Everything that one text is made from.
pub struct Brief<'a> {
    /// Chooses among equals; the same seed chooses the same.
    pub seed: &'a str,
    pub soul: &'a Soul,
    pub goal: &'a str,
    /// The SOUL's and the task's.
    pub directives: &'a [Directive],
    /// Cleaned, and without those that try to instruct.
    pub sources: &'a [Source],
    pub platform: Option<Platform>,
    /// What the agent said lately, and what else it was told to remember.
    pub memory: &'a Memory,
    pub embedder: &'a dyn Embedder,
    pub background: &'a Background,
}

/// One item of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    pub resource_uri: String,
    pub title: String,
    pub text: String,
    pub url: Option<String>,
    pub author: Option<String>,
}

/// What somebody said to the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub text: String,
    pub author: Option<String>,
    /// It tries to instruct, and is answered without following it.
    pub instructs: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Memory {
    /// The agent's own texts, to not repeat them.
    pub recent_texts: Vec<String>,
    /// Other things that a text may rest on.
    pub notes: Vec<String>,
}

/// A text, and why it may be trusted as far as it may.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    pub text: String,
    pub confidence: f64,
    pub checks: Checks,
    pub sensitive_topics: Vec<Topic>,
    /// Lines for the reasoning trace.
    pub trace: Vec<String>,
}

/// A directive that no text for this brief can keep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{directive:?} cannot be met: {problem}")]
pub struct Unmeetable {
    pub directive: String,
    pub problem: String,
}

/// A post for the goal.
pub fn compose_post(brief: &Brief<'_>) -> Result<Composed, Unmeetable> {
    let desk = Desk::new(brief)?;
    let drafts = post::drafts(&desk)?;
    best(&desk, drafts)
}

/// An answer to `comment`.
pub fn compose_reply(brief: &Brief<'_>, comment: &Comment) -> Result<Composed, Unmeetable> {
    let desk = Desk::new(brief)?;
    let drafts = reply::drafts(&desk, comment);
    best(&desk, drafts)
}

fn best(desk: &Desk<'_>, drafts: Vec<Draft>) -> Result<Composed, Unmeetable> {
    let count = drafts.len();
    let mut kept: Option<(usize, Draft)> = None;
    for (index, draft) in drafts.into_iter().enumerate() {
        if kept.as_ref().is_none_or(|(_, best)| draft.worth() > best.worth()) {
            kept = Some((index, draft));
        }
    }
    let (index, draft) = match kept {
        Some(found) => found,
        None => (0, desk.last_resort()?),
    };
    Ok(desk.composed(draft, index + 1, count.max(1)))
}

#[cfg(test)]
mod tests;
